// The suites of surface loads, stores and reductions. One block of threads accesses a surface, in
// and out of bounds. After a store, the whole surface is compared.
import type { BufferParam } from '../../../base/launch.ts';
import { type Geometry, inputBuffer, launchOf, launchThreads, outputBuffer, warpsOf } from '../geometry.ts';
import { moduleText } from '../module-text.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { instructionText, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from '../types.ts';
import { type SurfaceBlock, surfaceBlock, words } from './surface-access.ts';
import { type SurfaceForm, surfaceForms, threads } from './surface-forms.ts';

interface SurfaceSuite extends Suite {
  readonly access: SurfaceForm;
}

const block = [threads, 1, 1] as const;
const blockWarps = warpsOf([...block]);
/**
 * The number of suites in a kernel. It is small, because each suite needs a buffer for its surface.
 */
const kernelSuites = 6;

/**
 * Returns the groups. By default, a run includes forms that cover each modifier once, and each
 * geometry with each out-of-bounds mode.
 */
export function surfaceSuiteGroups(): SuiteGroup[] {
  return surfaceForms().flatMap((forms) => {
    const choices = forms.map(({ mods, name }) => ({ ...mods, name, edge: `${mods.geom} ${mods.clamp}` }));
    const usual = coveringChoices(choices);
    return [true, false].flatMap((isUsual) => {
      const suites = forms
        .filter((_, index) => choices.slice(index, index + 1).some((choice) => usual.has(choice)) === isUsual)
        .map(suiteOf);
      return Array.from({ length: Math.ceil(suites.length / kernelSuites) }, (_, index) =>
        groupOf(suites.slice(index * kernelSuites, (index + 1) * kernelSuites), !isUsual),
      );
    });
  });
}

function suiteOf(access: SurfaceForm): SurfaceSuite {
  const mods = modsText(access.row, access.mods);
  const id = suiteId(access.row.name, mods, access.name);
  return { id, row: access.row.name, mods, form: access.name, variants: 1, access };
}

const groupOf = (suites: readonly SurfaceSuite[], onlyAsked: boolean): SuiteGroup => ({
  suites,
  blockWarps,
  // Each block has its own surface. If other blocks accessed it, results would depend on the number
  // of blocks.
  warps: { sample: blockWarps, exhaustive: 8 * blockWarps },
  launchWarps: blockWarps,
  cost: 20,
  onlyAsked,
  build: (choice) => buildBatch(suites, choice),
});

const isLoad = ({ access }: SurfaceSuite): boolean => access.row.name === 'suld.b';

function buildBatch(suites: readonly SurfaceSuite[], { ids, firstWarp, warps, seed }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  if (launchThreads(geometry) !== threads) throw new RangeError('a launch with surfaces must have one block');
  const stride = 2 * words * chosen.length;
  const input = new Uint32Array(threads * stride);
  const blocks = chosen.map((suite) => surfaceBlock(suite.access, seed, `${suite.id} ${firstWarp}`));
  for (const [number, { coordinates, values }] of blocks.entries()) {
    for (let thread = 0; thread < threads; thread++) {
      const first = thread * stride + 2 * words * number;
      input.set((coordinates[thread] ?? []).map((word) => word >>> 0), first); // biome-ignore format: one line
      input.set(values[thread] ?? [], first + words);
    }
  }
  const surfaces = chosen.map(({ access: { image } }, number): BufferParam => {
    const data = blocks[number]?.before ?? new Uint8Array();
    return { name: `surface${number}`, kind: 'buffer', type: 'u8', bytes: data.length, data, image };
  });
  return {
    launch: launchOf(chosen[0]?.row ?? '', kernelText(chosen), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * words * chosen.length),
      ...surfaces,
    ]),
    geometry,
    slots: chosen.flatMap((suite, number) => {
      const done = blocks[number];
      if (done === undefined) return [];
      return isLoad(suite) ? loadSlots(suite, done, number, chosen.length) : storeSlots(suite, done, number);
    }),
    describe({ suite }, warp, lane) {
      const thread = (warp - firstWarp) * 32 + lane;
      const first = thread * stride + 2 * words * chosen.findIndex(({ id }) => id === suite.id);
      const named = (name: string, from: number) =>
        [0, 1, 2, 3].map((word) => [`${name}${word}`, hex(input[from + word] ?? 0)] as const);
      return Object.fromEntries([...named('c', first), ...named('v', first + words)]);
    },
  };
}

const defined = (): Uint8Array => everyDefined(threads);

/** Returns the slots of the words that each thread loaded. */
function loadSlots(suite: SurfaceSuite, { loaded }: SurfaceBlock, number: number, of: number): Slot[] {
  const count = loaded[0]?.length ?? 0;
  return Array.from({ length: count }, (_, word) => ({
    suite,
    variant: 0,
    instruction: `${textOf(suite, number)};`,
    result: `d.${word}`,
    param: 1,
    stride: words * of,
    offset: words * number + word,
    expected: Uint32Array.from(loaded, (found) => found[word] ?? 0),
    state: defined(),
  }));
}

/** Returns the slots of the surface's words. Each thread reports the cells with its own number. */
function storeSlots(suite: SurfaceSuite, { after }: SurfaceBlock, number: number): Slot[] {
  const held = new Uint32Array(after.buffer);
  const stride = held.length / threads;
  return Array.from({ length: stride }, (_, word) => ({
    suite,
    variant: 0,
    instruction: `${textOf(suite, number)};`,
    result: `cell.${word}`,
    param: 2 + number,
    stride,
    offset: word,
    expected: Uint32Array.from({ length: threads }, (_unused, thread) => held[thread * stride + word] ?? 0),
    state: defined(),
  }));
}

const list = (names: readonly string[]): string => (names.length === 1 ? names.join() : `{${names.join(', ')}}`);

/** The letters of registers, by the number of bytes of an element. */
const registers: Readonly<Record<number, string>> = { 1: 'h', 2: 'h', 4: 'v', 8: 'q' };

const elementsOf = ({ access: { count, element } }: SurfaceSuite): readonly string[] =>
  Array.from({ length: count }, (_, index) => `%${registers[element]}${index}`);

function textOf(suite: SurfaceSuite, number: number): string {
  const { row, mods } = suite.access;
  const { geom = '' } = mods;
  const count = Number(geom.at(-2)) + (geom.startsWith('a') ? 1 : 0);
  const coordinates = Array.from({ length: count }, (_, index) => `%c${index}`);
  const place = `[%surface${number}, {${[...coordinates, ...(count === 3 ? coordinates.slice(-1) : [])].join(', ')}}]`;
  const values = list(elementsOf(suite));
  const operands = isLoad(suite) ? `${values}, ${place}` : `${place}, ${values}`;
  const [opcode = ''] = row.syntax.split(' ');
  return instructionText({ ...row, syntax: `${opcode} d` }, mods, { d: operands });
}

/** Returns the instructions that convert words to elements, or elements to words. */
function conversions(suite: SurfaceSuite): readonly string[] {
  const { element } = suite.access;
  return elementsOf(suite).flatMap((name, index) => {
    if (element === 4) return [];
    const [from, to] = isLoad(suite) ? [name, `%v${index}`] : [`%v${index}`, name];
    if (element < 4) return [`cvt.u${isLoad(suite) ? 32 : 16}.u${isLoad(suite) ? 16 : 32} ${to}, ${from};`];
    const pair = `{%v${2 * index}, %v${2 * index + 1}}`;
    return [isLoad(suite) ? `mov.b64 ${pair}, ${name};` : `mov.b64 ${name}, ${pair};`];
  });
}

function kernelText(suites: readonly SurfaceSuite[]): string {
  const accesses = suites.flatMap((suite, number) => {
    const access = `${textOf(suite, number)};`;
    return [
      `ld.param.u64 %surface${number}, [p_surface${number}];`,
      `ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%in+${8 * words * number}];`,
      `ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%in+${8 * words * number + 4 * words}];`,
      ...(isLoad(suite)
        ? [access, ...conversions(suite), `st.global.v4.b32 [%out+${4 * words * number}], {%v0, %v1, %v2, %v3};`]
        : [...conversions(suite), access]),
    ];
  });
  const body = [
    `.reg .b64 %in, %out, %surface<${suites.length}>, %q<2>;`,
    '.reg .b32 %thread, %c<4>, %v<4>;',
    '.reg .b16 %h<4>;',
    'mov.u32 %thread, %tid.x;',
    'ld.param.u64 %in, [p_in];',
    'cvta.to.global.u64 %in, %in;',
    `mad.wide.u32 %in, %thread, ${8 * words * suites.length}, %in;`,
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    `mad.wide.u32 %out, %thread, ${4 * words * suites.length}, %out;`,
    ...accesses,
    'ret;',
  ];
  const names = ['p_in', 'p_out', ...suites.map((_, number) => `p_surface${number}`)];
  return moduleText(names.map((name) => `.param .u64 ${name}`).join(', '), body, { version: '8.1', target: 'sm_80' });
}
