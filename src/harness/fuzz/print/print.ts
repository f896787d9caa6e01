// Prints a kernel's PTX and launch. Before and after the body is code that loads the data
// registers, and stores those that the body uses.

import type { Launch, LaunchParam } from '../../../base/launch.ts';
import { random } from '../../suites/random.ts';
import { floatsOf } from '../kernels/chain-values.ts';
import { dialects } from '../kernels/dialects.ts';
import { needsCluster } from '../kernels/handovers.ts';
import { departsTogether } from '../kernels/native-departures.ts';
import { type RegisterClass, registerClasses, registerCounts } from '../kernels/registers.ts';
import type { FuzzKernel, Statement } from '../kernels/tree.ts';
import { boxParameters, boxParams } from './box.ts';
import { functionTexts } from './calls.ts';
import { chainTableWords } from './chain.ts';
import { addressOf, type FarMemory, farMemory } from './far-memory.ts';
import { withHostileNames } from './hostile-names.ts';
import { imageContents } from './image.ts';
import { allLanes, knownMask } from './masks.ts';
import type { Printing } from './printing.ts';
import { printDeclarations } from './prints.ts';
import { printStatements, storesHere } from './statement.ts';
import { tilesBytes } from './tile.ts';
import { ptxTypes, temporaryLetters, Writer } from './writer.ts';

/**
 * The number of input words of each thread: the initial values of its data registers, and words
 * that the body loads later.
 */
const inputWords = 20;
const ownBytes = 16;
/**
 * The number of bytes of each thread in the read-write buffer, which is the size of the widest
 * access.
 */
const bufferBytes = 32;
/** The number of bytes of each thread in the buffer for whole cache lines. */
const scratchBytes = 128;
/** The number of bytes of each thread for addresses and distances in shared memory. */
const linkBytes = 32;
/**
 * The first input word of each class. Predicates are bits of a word, and 16-bit registers are
 * halves of a word.
 */
const inputAt: Readonly<Record<RegisterClass, number>> = { r: 0, f: 6, d: 10, h: 16, p: 17, x: 0, b: 0 };

export interface FuzzLaunch extends Launch {
  /**
   * Whether NVIDIA hardware supports the target and is known to follow the manual for every
   * instruction of the kernel.
   */
  readonly native: boolean;
  /** Whether a thread may trap, which ends the launch without results. */
  readonly traps: boolean;
  /**
   * Whether threads wait for each other in loops. NVIDIA's optimizer makes a fifth of such kernels
   * endless, so native code is not optimized for them.
   */
  readonly waits: boolean;
}

export function printKernel(kernel: FuzzKernel): FuzzLaunch {
  const { block, blocks } = kernel;
  const threads = block[0] * block[1] * block[2];
  const writer = new Writer();
  const printing: Printing = {
    printBody: printStatements,
    writer,
    threads,
    dialect: kernel.dialect,
    everyThreadLives: !hasExit(kernel.body),
    everyLaneLives: threads % 32 === 0 && !hasExit(kernel.body),
    exits: { label: 'END', used: false },
    together: true,
    native: kernel.dialect !== 'newest',
    facts: new Set(),
    traps: false,
    waits: false,
    clusterBlocks: kernel.cluster ?? 1,
    blocksTogether: true,
    functions: kernel.functions.length,
  };
  const { clusterBlocks } = printing;
  // Kernels declare the size of their clusters, or launches set it.
  const declaresCluster = clusterBlocks > 1 && kernel.data !== 'plain' && kernel.data % 2 === 0;
  const place = { mask: knownMask(allLanes), quiet: false, whole: true, leaveTo: undefined };
  printStatements(printing, kernel.body, place);
  const functions = /\bcall(?:\.uni)? (?:\(|fn_nothing)/.test(writer.take().join('\n'))
    ? functionTexts(kernel, printing)
    : [];
  const stored = layOut(writer);
  const stores = storeLines(stored);
  const body = writer
    .take()
    .flatMap((line) =>
      line.includes(storesHere) ? stores.map((text) => `${/^\t*/.exec(line)?.[0]}${text};`) : [line],
    );
  const far = farMemory(kernel, writer, threads * ownBytes);
  const header = prologue(kernel, writer, threads, stored, far);
  const { version, target } = dialects[kernel.dialect];
  const extra = extraNames.filter((name) => writer.provided.has(name));
  const parameters = ['.u64 in', '.u64 out', '.u64 mem', '.u32 full', ...extra.map((name) => extraTexts[name])].map(
    (text) => `.param ${text}`,
  );
  parameters.push(...[...writer.images.keys(), ...writer.floats.keys()].map((name) => `.param .u64 ${name}`));
  parameters.push(...boxParameters(writer.boxes));
  const plainText = [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    ...(writer.provided.has('table') ? [`.const .align 16 .b8 table[${ownBytes}] = {${constants.join(', ')}};`] : []),
    ...(writer.provided.has('prints') ? printDeclarations : []),
    ...(far === undefined ? [] : ['.extern .shared .align 1024 .b8 far[];']),
    ...functions,
    `.visible .entry k(${parameters.join(', ')})`,
    ...(declaresCluster || body.some(needsCluster)
      ? ['.explicitcluster', `.reqnctapercluster ${clusterBlocks}, 1, 1`]
      : []),
    '{',
    ...declarations(writer, threads, far),
    ...header.map((line) => `\t${line};`),
    '\t// Body',
    ...body,
    ...(printing.exits.used ? ['END:'] : []),
    '\t// Results',
    ...stores.map((line) => `\t${line};`),
    '\tret;',
    '}',
    '',
  ].join('\n');
  const before = [
    ...params(kernel, threads * blocks, stored),
    ...extra.map((name) => extraParam(name, threads * blocks)),
    ...imageParams(writer),
    ...floatParams(writer),
  ];
  const ptx = kernel.names === 'plain' ? plainText : withHostileNames(plainText, kernel.names);
  return {
    id: kernel.id,
    group: 'fuzz',
    ptx,
    ptxFile: `${kernel.id}.ptx`,
    entry: 'k',
    grid: [blocks, 1, 1],
    block,
    ...(clusterBlocks > 1 && !declaresCluster ? { cluster: [clusterBlocks, 1, 1] } : {}),
    sharedBytes: far?.bytes ?? 0,
    params: [...before, ...boxParams(writer.boxes, before.length, blocks)],
    native: printing.native && !departsTogether(printing.facts),
    traps: printing.traps,
    waits: printing.waits,
  };
}

function imageParams({ images }: Writer): LaunchParam[] {
  return [...images].map(([name, { image, seed }]) => {
    const data = imageContents(image, seed);
    return { name, kind: 'buffer', type: 'u8', bytes: data.length, data, image };
  });
}

function floatParams({ floats }: Writer): LaunchParam[] {
  return [...floats].map(([name, { values, seed }]) => {
    const data = new Uint8Array(floatsOf(random(seed, name), values, chainTableWords).buffer);
    return { name, kind: 'buffer', type: 'u32', bytes: data.length, data };
  });
}

/** Returns the lines between the two comments: the printed tree. */
export function bodyLines(ptx: string): readonly string[] {
  const [, body = ''] = /\t\/\/ Body\n([\s\S]*?)\t\/\/ Results/.exec(ptx) ?? [];
  return body.split('\n').filter((line) => line.trim() !== '');
}

function hasExit(statements: readonly Statement[]): boolean {
  return /"kind":"exit"/.test(JSON.stringify(statements));
}

interface Stored {
  readonly name: RegisterClass;
  readonly index: number;
  /** The index of the register's word in the thread's output. */
  readonly word: number;
}

interface Layout {
  readonly registers: readonly Stored[];
  readonly words: number;
}

function layOut(writer: Writer): Layout {
  const registers: Stored[] = [];
  // 64-bit registers are first, so that their words are aligned.
  let word = 0;
  for (const name of ['d', 'r', 'f', 'h', 'p'] as const) {
    for (const index of [...writer.named[name]].sort()) {
      registers.push({ name, index, word });
      word += name === 'd' ? 2 : 1;
    }
  }
  return { registers, words: Math.max(word + (word % 2), 2) };
}

function storeLines({ registers }: Layout): string[] {
  return registers.flatMap(({ name, index, word }) => {
    const at = word === 0 ? '[%out]' : `[%out+${word * 4}]`;
    if (name === 'p') return [`selp.u32 %result, 1, 0, %p${index}`, `st.global.u32 ${at}, %result`];
    if (name === 'h') return [`cvt.u32.u16 %result, %h${index}`, `st.global.u32 ${at}, %result`];
    return [`st.global.${ptxTypes[name]} ${at}, %${name}${index}`];
  });
}

function declarations(writer: Writer, threads: number, far: FarMemory | undefined): string[] {
  const lines = [
    '\t.reg .b64 %in, %out, %mem, %scratch, %offset, %base;',
    '\t.reg .b32 %thread, %global, %lane, %full, %result, %words, %own, %cell;',
    '\t.reg .pred %always;',
  ];
  for (const name of registerClasses) {
    if (writer.named[name].size > 0) lines.push(`\t.reg .${ptxTypes[name]} %${name}<${registerCounts[name]}>;`);
    if (writer.temporaries[name] > 0)
      lines.push(`\t.reg .${ptxTypes[name]} %${temporaryLetters[name]}<${writer.temporaries[name]}>;`);
  }
  if (writer.provided.has('own')) lines.push(`\t.shared .align 4 .b8 words[${threads * 4}];`);
  if (writer.provided.has('cell') && far === undefined)
    lines.push(`\t.shared .align 16 .b8 cells[${threads * ownBytes}];`);
  if (writer.provided.has('sums'))
    lines.push(`\t.shared .align 16 .b8 shared_sums[${threads * ownBytes}];`, '\t.reg .b32 %sums;');
  if (writer.provided.has('tiles')) {
    lines.push('\t.reg .b32 %tiles;');
    if (far === undefined) lines.push(`\t.shared .align 1024 .b8 tiles[${tilesBytes}];`);
  }
  if (writer.provided.has('phase')) lines.push('\t.shared .align 8 .b64 phase;');
  if (writer.provided.has('prints')) lines.push('\t.local .align 8 .b8 args[24];');
  if (writer.provided.has('links'))
    lines.push(`\t.shared .align 16 .b8 links[${threads * linkBytes}];`, '\t.reg .b32 %links;');
  if (writer.provided.has('stack')) lines.push(`\t.local .align 16 .b8 stack[${ownBytes}];`);
  return lines;
}

function prologue(
  kernel: FuzzKernel,
  writer: Writer,
  threads: number,
  stored: Layout,
  far: FarMemory | undefined,
): string[] {
  const { provided } = writer;
  const [, y] = kernel.block;
  const loads = stored.registers.flatMap(loadLines);
  const lines = ['mov.u32 %thread, %tid.x'];
  if (y > 1) lines.push('mov.u32 %result, %tid.y', `mad.lo.u32 %thread, %result, ${kernel.block[0]}, %thread`);
  lines.push('mov.u32 %result, %ctaid.x', `mad.lo.u32 %global, %result, ${threads}, %thread`);
  const address = (name: string, bytes: number) => [
    `ld.param.u64 %${name}, [${name}]`,
    `mul.wide.u32 %offset, %global, ${bytes}`,
    `add.u64 %${name}, %${name}, %offset`,
  ];
  lines.push(...address('out', stored.words * 4));
  if (loads.length > 0 || provided.has('in')) lines.push(...address('in', inputWords * 4));
  if (provided.has('mem')) lines.push(...address('mem', bufferBytes));
  if (provided.has('scratch')) lines.push(...address('scratch', scratchBytes));
  if (provided.has('base')) lines.push('ld.param.u64 %base, [in]');
  if (provided.has('full')) lines.push('ld.param.u32 %full, [full]');
  if (provided.has('lane')) lines.push('mov.u32 %lane, %laneid');
  if (provided.has('true')) lines.push('setp.eq.u32 %always, %thread, %thread');
  lines.push(...loads);
  if (provided.has('cell')) {
    lines.push(
      ...addressOf('%words', 'cells', far?.cells),
      `mad.lo.u32 %cell, %thread, ${ownBytes}, %words`,
      ...fill('shared', '%cell'),
    );
  }
  if (provided.has('sums')) lines.push('mov.u32 %sums, shared_sums');
  if (provided.has('tiles')) lines.push(...addressOf('%tiles', 'tiles', far?.tiles));
  if (provided.has('links')) {
    lines.push(
      'mov.u32 %links, links',
      `mad.lo.u32 %links, %thread, ${linkBytes}, %links`,
      'st.shared.v2.u64 [%links], {%in, %mem}',
      'sub.u64 %offset, %in, %mem',
      'st.shared.u64 [%links+16], %offset',
      'ld.param.u64 %offset, [in]',
      'sub.u64 %offset, %in, %offset',
      'st.shared.u64 [%links+24], %offset',
    );
  }
  if (provided.has('stack')) lines.push(...fill('local', 'stack'));
  if (provided.has('own')) {
    lines.push(
      'mov.u32 %words, words',
      'shl.b32 %own, %thread, 2',
      'add.u32 %own, %own, %words',
      'st.shared.b32 [%own], %thread',
      'bar.sync 0',
    );
  }
  return lines;
}

/** Returns lines that fill memory with values of both signs that differ between threads. */
function fill(space: string, at: string): string[] {
  return [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].flatMap((factor, word) => [
    `mad.lo.u32 %result, %global, ${factor}, ${factor >>> 3}`,
    `st.${space}.b32 [${at}+${4 * word}], %result`,
  ]);
}

function loadLines({ name, index }: Stored): string[] {
  const first = inputAt[name];
  if (name === 'p') {
    return [
      `ld.global.u32 %result, [%in+${first * 4}]`,
      `and.b32 %result, %result, ${1 << index}`,
      `setp.ne.u32 %p${index}, %result, 0`,
    ];
  }
  if (name === 'h') return [`ld.global.u16 %h${index}, [%in+${first * 4 + index * 2}]`];
  return [`ld.global.${ptxTypes[name]} %${name}${index}, [%in+${(first + index * (name === 'd' ? 2 : 1)) * 4}]`];
}

/** Positive and negative bytes, and 0. */
const constants = [0x7f, 0x80, 0xff, 0, 1, 0xfe, 0x81, 0x40, 0xc0, 0x3f, 0x90, 0x12, 0xe7, 0x5a, 0xa5, 0x08] as const;

const floats = [
  0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x007fffff, 0x00800000, 0x7f7fffff,
  0x4b000001, 0x40490fdb,
] as const;
const integers = [0, 1, 2, 3, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe] as const;

/** Returns the input: random numbers, or plain numbers that are easy to read. */
function inputOf({ data }: FuzzKernel, threads: number): Uint8Array {
  const input = new Uint32Array(threads * inputWords);
  const rng = random(data === 'plain' ? 0 : data, 'input');
  for (let thread = 0; thread < threads; thread++) {
    for (let word = 0; word < inputWords; word++) {
      const isFloat = word >= inputAt.f && word < inputAt.d;
      input[thread * inputWords + word] = data === 'plain' ? plain(thread, word, isFloat) : mixed(isFloat);
    }
  }
  function mixed(isFloat: boolean): number {
    const kind = rng.below(8);
    if (isFloat && kind < 2) return rng.pick(floats);
    if (isFloat && kind < 5) return (rng.u32() & 0x83ffffff) | 0x3c000000;
    if (!isFloat && kind < 2) return rng.pick(integers);
    if (!isFloat && kind < 5) return rng.below(64);
    return rng.u32();
  }
  return new Uint8Array(input.buffer);
}

function plain(thread: number, word: number, isFloat: boolean): number {
  return isFloat ? (new Uint32Array(new Float32Array([thread + word - inputAt.f]).buffer)[0] ?? 0) : thread + word;
}

/** The parameters that only some kernels have. */
const extraNames = ['blob', 'scratch', 'view', 'off'] as const;
type Extra = (typeof extraNames)[number];

const extraTexts: Readonly<Record<Extra, string>> = {
  blob: `.align 16 .b8 blob[${ownBytes}]`,
  scratch: '.u64 scratch',
  view: '.align 16 .b8 view[24]',
  off: '.u64 off',
};

function extraParam(name: Extra, threads: number): LaunchParam {
  switch (name) {
    case 'blob':
      return { name, kind: 'bytes', data: Uint8Array.from(constants).reverse() };
    case 'scratch':
      return filledBuffer(name, threads * scratchBytes);
    case 'view': {
      const data = new Uint8Array(Uint32Array.of(0, 0, 8, 0, 12, 0).buffer);
      return { name, kind: 'bytes', data, pointers: [{ at: 0, to: 0, offset: 16 }] };
    }
    case 'off':
      return { name, kind: 'scalar', type: 'u64', value: 4n };
  }
}

const buffer = (name: string, data: Uint8Array): LaunchParam => ({
  name,
  kind: 'buffer',
  type: 'u32',
  bytes: data.length,
  data,
});

const filledBuffer = (name: string, bytes: number): LaunchParam => buffer(name, new Uint8Array(bytes).fill(0xa5));

function params(kernel: FuzzKernel, threads: number, { words }: Layout): LaunchParam[] {
  return [
    buffer('in', inputOf(kernel, threads)),
    filledBuffer('out', threads * words * 4),
    filledBuffer('mem', threads * bufferBytes),
    { name: 'full', kind: 'scalar', type: 'u32', value: allLanes },
  ];
}
