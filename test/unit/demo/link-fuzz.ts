// Draws untrusted links, and checks how the page decodes each link.
import { deflateRawSync } from 'node:zlib';
import { decodeState, encodeState } from '../../../demo/link.ts';
import { maxLaunchBytes, maxSteps } from '../../../demo/program/limits.ts';
import { analyze } from '../../../demo/program/program.ts';
import { type AppState, type InputSpec, initialState } from '../../../demo/state.ts';
import { type Random, random } from '../../../src/harness/suites/random.ts';
import { hashOf } from './hostile-links.ts';

const names = [
  'a',
  'x',
  '%r1',
  'p',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'in_x',
  '\u0000',
  '💥',
] as const;
const words = [
  'lane',
  'random',
  'values',
  'constant',
  'evil',
  'buffer',
  'scalar',
  'u32',
  'f64',
  'b8',
  'hex',
  'auto',
  '32',
  '0',
  'exact',
  'validate',
  '*',
  '1, 2, x',
  '-1',
  '1e999',
  '0x',
  '\ud800',
] as const;
const numbers = [
  0,
  1,
  -1,
  0.5,
  31,
  32,
  33,
  64,
  65,
  1024,
  1025,
  65536,
  65537,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  1e21,
  -1e308,
] as const;
const fields: readonly [string, ...string[]] = ['__proto__', 'constructor', 'extra', ...Object.keys(initialState)];
const texts = [
  'shfl.sync.up.b32 d|p, a, 1, 0x0, 0xffffffff;',
  'add.u32 x, constructor, 1;\nadd.u32 __proto__, x, y;',
  'L:\nadd.u32 x, x, 1;\nbra L;',
  '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[64]) { ret; }',
  'SHFL.UP P0, R1, R2, 0x1, RZ;',
  'add.u32 a$, a_, 1;\nadd.u32 a_, a$, 1;',
  '{ x',
] as const;

type Draw = (rng: Random) => string;

function value(rng: Random, depth = 0): unknown {
  const kind = rng.below(depth > 3 ? 6 : 9);
  if (kind < 2) return rng.pick(numbers);
  if (kind < 4) return rng.pick(words);
  if (kind === 4) return rng.pick([null, true, false, '']);
  if (kind === 5) return rng.pick(words).repeat(rng.below(3000));
  if (kind === 6) return Array.from({ length: rng.below(4) }, () => value(rng, depth + 1));
  return record(rng, depth, (name) => (name === 'x' ? spec(rng) : value(rng, depth + 1)));
}

function record(rng: Random, depth: number, make: (name: string) => unknown): object {
  const keys = Array.from({ length: rng.below(5) }, () => rng.pick(depth === 0 ? fields : names));
  return Object.fromEntries(keys.map((name) => [name, make(name)]));
}

const spec = (rng: Random): object =>
  Object.fromEntries(
    (['pattern', 'value', 'as', 'type', 'count'] as const)
      .filter(() => rng.chance(0.7))
      .map((name) => [name, rng.chance(0.6) ? rng.pick(words) : rng.pick(numbers)]),
  );

/** Returns a document in which most fields are valid. */
function likely(rng: Random): object {
  const inputs = Object.fromEntries(Array.from({ length: rng.below(4) }, () => [rng.pick(names), spec(rng)]));
  const sound = { text: rng.pick(texts), inputs, block: rng.pick(numbers), grid: rng.pick(numbers), runs: rng.u32() };
  return { ...sound, ...record(rng, 0, () => value(rng)) };
}

const bytes = (rng: Random, count: number): Uint8Array => Uint8Array.from({ length: count }, () => rng.below(256));
const base64Url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

function damaged(hash: string, rng: Random): string {
  const at = rng.below(hash.length + 1);
  if (rng.chance(0.4)) return hash.slice(0, at);
  const put = rng.pick(['A', '%', '=', '-', '&s=', '\u0000', '+', '%00', '#']);
  return hash.slice(0, at) + put + hash.slice(at + rng.below(3));
}

const draws: readonly [Draw, ...Draw[]] = [
  (rng) => hashOf(likely(rng)),
  (rng) => hashOf(likely(rng)),
  (rng) => hashOf(record(rng, 0, () => value(rng))),
  (rng) => hashOf(value(rng) ?? null),
  (rng) => damaged(hashOf(likely(rng)), rng),
  // A document that is not valid JSON.
  (rng) => {
    const json = JSON.stringify(likely(rng));
    const at = rng.below(json.length);
    return hashOf(json.slice(0, at) + rng.pick(['"', '{', '[', '\\u', ',', '']) + json.slice(at + rng.below(4)));
  },
  (rng) => `s=${base64Url(bytes(rng, rng.below(200)))}`,
  (rng) => `s=${base64Url(deflateRawSync(bytes(rng, rng.below(200))))}`,
  (rng) => Buffer.from(bytes(rng, rng.below(60))).toString('latin1'),
];

/**
 * Returns the link for a seed and an index, as in the address after `#`. One link in a thousand is
 * a decompression bomb.
 */
export function drawLink(seed: number, index: number): string {
  const rng = random(seed, 'link', index);
  if (rng.chance(0.001)) return hashOf({ text: rng.pick(words).repeat(1 + rng.below(4_000_000)) });
  return rng.pick(draws)(rng);
}

export interface LinkVerdict {
  readonly outcome: 'refused' | 'state';
  /** The faults found; empty if the link was handled correctly. */
  readonly problems: readonly string[];
  readonly ms: number;
}

/** Decodes a link, and makes a program from the result. */
export async function judgeLink(hash: string): Promise<LinkVerdict> {
  const start = performance.now();
  const problems: string[] = [];
  const state = await decodeState(`#${hash}`).catch((error) => void problems.push(`decoding threw ${error}`));
  if (state) {
    problems.push(...stateProblems(state));
    const again = await encodeState(state).then((encoded) => (encoded === undefined ? state : decodeState(encoded)));
    if (again === undefined || !same(again, state)) problems.push('the state is another after a second link');
    try {
      const { program } = analyze(state);
      const held = program?.launch.params.reduce((sum, param) => sum + ('bytes' in param ? param.bytes : 0), 0) ?? 0;
      if (held > maxLaunchBytes) problems.push(`a launch of ${held} bytes`);
    } catch (error) {
      problems.push(`the analysis threw ${error}`);
    }
  }
  if ('block' in {} || 'text' in {} || 'pattern' in {}) problems.push('the prototype of all objects has changed');
  return { outcome: state ? 'state' : 'refused', problems, ms: performance.now() - start };
}

const plain = (state: AppState): string => JSON.stringify({ ...state, inputs: [...state.inputs] });
const same = (a: AppState, b: AppState): boolean => plain(a) === plain(b);

const within = (number: number, least: number, most: number): boolean =>
  Number.isInteger(number) && number >= least && number <= most;

/**
 * Whether a block or grid is within the page's limits. The limits are repeated here, independently
 * of the page's schema.
 */
const isSize = (size: AppState['block'], most: number): boolean =>
  size === undefined ||
  (size.length === 3 && size.every((n) => within(n, 1, most)) && size[0] * size[1] * size[2] <= most);

function stateProblems(state: AppState): string[] {
  const { view, text, inputs, runs, entry, block, grid, shared, step, cta, warp, format, plan, float, query, seed } =
    state;
  const checks: readonly (readonly [string, boolean])[] = [
    ['fields', Object.keys(state).sort().join() === Object.keys(initialState).sort().join()],
    ['view', ['playground', 'validate', 'bench'].includes(view)],
    ['text', typeof text === 'string' && text.length <= 2 << 20],
    [
      'inputs',
      inputs instanceof Map && [...inputs].every(([name, input]) => typeof name === 'string' && isSpec(input)),
    ],
    ['runs', within(runs, 0, 0xffffffff)],
    ['entry', typeof entry === 'string'],
    ['block', isSize(block, 1024)],
    ['grid', isSize(grid, 1024)],
    ['shared', shared === undefined || within(shared, 0, 96 * 1024)],
    ['step', within(step, 0, maxSteps - 1)],
    ['cta', within(cta, 0, 1023)],
    ['warp', within(warp, 0, 31)],
    ['format', ['auto', 'unsigned', 'signed', 'hex', 'float'].includes(format)],
    ['plan', ['auto', '4', '8', '16', '32', '64', '128', '0'].includes(plan)],
    ['float', ['exact', 'fast'].includes(float)],
    ['query', typeof query === 'string' && query.length <= 1024],
    ['seed', within(seed, 0, 0xffffffff)],
  ];
  return checks.filter(([, holds]) => !holds).map(([name]) => `the field ${name} is wrong`);
}

const types = ['u32', 's32', 'f32', 'u64', 's64', 'f64', 'u16', 's16', 'u8', 's8'];

function isSpec({ pattern, value: typed, as, type, count, ...rest }: InputSpec): boolean {
  return (
    Object.keys(rest).length === 0 &&
    ['lane', 'one-based', 'random', 'constant', 'alternate', 'values'].includes(pattern) &&
    typeof typed === 'string' &&
    (as === undefined || as === 'buffer' || as === 'scalar') &&
    (type === undefined || types.includes(type)) &&
    (count === undefined || within(count, 1, 1 << 16))
  );
}
