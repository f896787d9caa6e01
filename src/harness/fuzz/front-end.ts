// Fuzzes the front end with mutated PTX: pieces are removed, duplicated, swapped or replaced. Every
// input must result in a module or in diagnostics. Every module must result in WGSL or in
// diagnostics.
import { cpuMs } from '../../base/cpu-time.ts';
import { type Module, parsePtx, renderDiagnostics } from '../../ptx/index.ts';
import { planFor, translate } from '../../translate/index.ts';
import { type Random, random } from '../suites/random.ts';

export interface FrontEndInput {
  readonly name: string;
  readonly text: string;
}

export interface FrontEndFailure {
  readonly index: number;
  readonly from: string;
  readonly text: string;
  readonly problem: string;
}

export interface FrontEndResult {
  readonly inputs: number;
  /**
   * The number of inputs that remained valid PTX. `translated` is the number of these inputs that
   * were translated.
   */
  readonly parsed: number;
  readonly translated: number;
  readonly failures: readonly FrontEndFailure[];
  readonly slowestMs: number;
}

export interface FrontEndOptions {
  readonly seed: number;
  readonly first?: number;
  readonly count: number;
  readonly maxFailures?: number;
  readonly onProgress?: (done: number, failures: number) => void;
  /** Called with the first input of every outcome. An outcome is a set of diagnostics. */
  readonly onNew?: (input: FrontEndInput, outcome: string) => void;
}

/**
 * The time limit for one text, in milliseconds. An idle machine needs a few milliseconds for a
 * text.
 */
const limitMs = 2_000;

/** Mutates the texts of `corpus`, `count` times. */
export function fuzzFrontEnd(corpus: readonly FrontEndInput[], options: FrontEndOptions): FrontEndResult {
  const { seed, first = 0, count, maxFailures = 10 } = options;
  const failures: FrontEndFailure[] = [];
  const seen = new Set<string>();
  let parsed = 0;
  let translated = 0;
  let slowestMs = 0;
  let done = 0;
  for (; done < count && failures.length < maxFailures; done++) {
    const index = first + done;
    const rng = random(seed, 'front end', index);
    const input = mutate(corpus, rng);
    const start = cpuMs();
    const outcome = tryFrontEnd(input.text);
    const ms = cpuMs() - start;
    slowestMs = Math.max(slowestMs, ms);
    const problem = outcome.problem ?? (ms > limitMs ? `took ${ms.toFixed(0)} ms` : undefined);
    if (problem !== undefined) failures.push({ index, from: input.name, text: input.text, problem });
    if (outcome.parsed) parsed++;
    if (outcome.translated) translated++;
    if (!seen.has(outcome.codes)) options.onNew?.(input, outcome.codes);
    seen.add(outcome.codes);
    options.onProgress?.(done + 1, failures.length);
  }
  return { inputs: done, parsed, translated, failures, slowestMs };
}

export interface FrontEndOutcome {
  readonly parsed: boolean;
  readonly translated: boolean;
  /** The codes of all diagnostics, without duplicates. */
  readonly codes: string;
  /** A violation of the requirements: an exception, or a contradictory result. */
  readonly problem: string | undefined;
}

/** Parses a text, renders its diagnostics, and translates every kernel for warps of 32 lanes. */
export function tryFrontEnd(text: string): FrontEndOutcome {
  const codes = new Set<string>();
  let parsed = false;
  let translated = false;
  try {
    const { module, diagnostics } = parsePtx(text, { file: 'fuzz.ptx' });
    for (const { code } of diagnostics) codes.add(code);
    renderDiagnostics({ file: 'fuzz.ptx', text }, diagnostics);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if ((module === undefined) !== errors.length > 0)
      throw new Error('expected either a module or an error, got neither or both');
    parsed = module !== undefined;
    if (module) translated = translateKernels(module, codes);
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { parsed, translated, codes: [...codes].sort().join(), problem };
  }
  return { parsed, translated, codes: [...codes].sort().join(), problem: undefined };
}

/**
 * Returns whether any kernel was translated. Throws if a kernel results in neither a program nor a
 * diagnostic.
 */
function translateKernels(module: Module, codes: Set<string>): boolean {
  let any = false;
  for (const { kind, name } of module.functions) {
    if (module.dialect !== 'module' || kind !== 'entry') continue;
    const { program, diagnostics } = translate(module, {
      entry: name,
      block: [64, 1, 1],
      grid: [1, 1, 1],
      sharedBytes: 1024,
      plan: planFor(32),
      float: { mode: 'exact', denormals: 'flushed', fma: 'fused', contracts: false, div: 'approx', sqrt: 'approx' },
    });
    for (const { code } of diagnostics) codes.add(code);
    if (!program && diagnostics.length === 0)
      throw new Error(`kernel ${name} resulted in neither WGSL nor a diagnostic`);
    any ||= program !== undefined;
  }
  return any;
}

type Edit = (parts: string[], rng: Random, others: readonly string[]) => void;

/** The edits of a list of tokens or lines. */
const edits: readonly [Edit, ...Edit[]] = [
  (parts, rng) => void parts.splice(rng.below(parts.length), 1 + rng.below(3)),
  (parts, rng) => void parts.splice(rng.below(parts.length), 0, parts[rng.below(parts.length)] ?? ''),
  (parts, rng) => {
    const [i, j] = [rng.below(parts.length), rng.below(parts.length)];
    const held = parts[i] ?? '';
    parts[i] = parts[j] ?? '';
    parts[j] = held;
  },
  (parts, rng, others) => void parts.splice(rng.below(parts.length), 1, others[rng.below(others.length)] ?? ''),
  (parts, rng, others) => void parts.splice(rng.below(parts.length), 0, others[rng.below(others.length)] ?? ''),
];

const numbers = [
  '0',
  '-1',
  '1',
  '31',
  '32',
  '33',
  '255',
  '4294967295',
  '4294967296',
  '0x80000000',
  '18446744073709551615',
  '99999999999999999999',
  '0f7fc00000',
  '0x1F',
  '1.5',
  '0d0',
  '08',
  '-0',
] as const;
const characters = [
  ';',
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
  '%',
  '@',
  '!',
  '|',
  ':',
  '/*',
  '//',
  '"',
  '\u0000',
  '\ufeff',
  'é',
  '\n',
  '0x',
  '_',
  '$',
  '<',
  '>',
  '=',
  '-',
  '+',
] as const;

/** Returns a damaged text of the corpus. */
export function mutate(corpus: readonly FrontEndInput[], rng: Random): FrontEndInput {
  const chosen = corpus[rng.below(corpus.length)] ?? { name: '', text: '' };
  const other = corpus[rng.below(corpus.length)] ?? chosen;
  let text = excerpt(chosen.text, rng);
  const rounds = 1 + rng.below(3);
  for (let round = 0; round < rounds; round++) text = mutateOnce(text, other.text, rng);
  return { name: chosen.name, text };
}

/**
 * Returns the head of a long file and some of its functions, because shorter texts allow more
 * inputs in the same time.
 */
function excerpt(text: string, rng: Random): string {
  if (text.length < 6_000) return text;
  const pieces = text.split(/^(?=\.visible|\.func|\.entry|\.weak)/m);
  const [head = '', ...functions] = pieces;
  return head + (functions[rng.below(functions.length)] ?? '');
}

function mutateOnce(text: string, other: string, rng: Random): string {
  const kind = rng.below(10);
  if (kind < 3) return edited(text.split(/(?<=\n)/), rng, other.split(/(?<=\n)/));
  if (kind < 7) return edited(tokens(text), rng, tokens(other));
  const at = rng.below(text.length + 1);
  if (kind === 7) return text.slice(0, at) + rng.pick(characters) + text.slice(at + rng.below(4));
  if (kind === 8) return rng.chance(0.2) ? text.slice(0, at) : text.slice(0, at) + text.slice(at + rng.below(40));
  const places = [...text.matchAll(/\b\d\w*/g)];
  const place = places[rng.below(places.length)];
  if (place === undefined) return text;
  return text.slice(0, place.index) + rng.pick(numbers) + text.slice(place.index + place[0].length);
}

function edited(parts: string[], rng: Random, others: readonly string[]): string {
  rng.pick(edits)(parts, rng, others);
  return parts.join('');
}

const tokens = (text: string): string[] => text.match(/\s+|[\w$%.]+|./gs) ?? [];
