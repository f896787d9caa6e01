// Prints warp instructions. A shuffle must read from an active lane. Unless all 32 lanes are
// active, preceding code checks the source lane, and uses the lane itself if the source lane is
// inactive.
import { instructionText } from '../../suites/rows/instruction-text.ts';
import type { Fact } from '../kernels/native-departures.ts';
import type { LaneSet, Source, WarpOperands, WarpStatement } from '../kernels/tree.ts';
import { isShuffle, type WarpTemplate } from '../kernels/warp-templates.ts';
import { allLanes, knownMask, type Mask, maskText, type Place } from './masks.ts';
import type { Writer } from './writer.ts';

export interface WarpPrinting {
  readonly writer: Writer;
  /**
   * Whether no thread ends early and every warp is full, so that the active lanes are exactly the
   * lanes of the mask.
   */
  readonly everyLaneLives: boolean;
  /** Whether no divergent branch precedes the current place. */
  together: boolean;
  /** Whether an NVIDIA GPU follows the manual for the kernel; see `printWarp`. */
  native: boolean;
  /** See native-departures.ts. */
  readonly facts: Set<Fact>;
}

/**
 * Prints a warp instruction. On an H200, lanes do not always wait at elect.sync. If one arm elects
 * in a loop and the other arm does not, each arm elects a leader of its own or never ends. So a
 * kernel that may diverge before an elect.sync does not run natively; see
 * docs/lab-notes/native-compiler.md.
 */
export function printWarp(printing: WarpPrinting, { template, operands, guard }: WarpStatement, { mask }: Place): void {
  const { writer } = printing;
  if (guard === undefined || !template.sync) return printOperation(printing, template, operands, mask);
  const on = 'lanes' in guard ? printLaneSet(writer, guard) : writer.condition(guard);
  const known = 'lanes' in guard && mask.bits !== undefined ? knownMask(mask.bits & guard.lanes) : undefined;
  if (known?.bits) {
    const live = isShuffle(template) ? guardedLanes(printing, known, on) : undefined;
    return printOperation(printing, template, operands, known, `@${on} `, live);
  }
  const own: Mask = { bits: undefined, name: writer.temporary('r'), used: true };
  writer.line(`vote.sync.ballot.b32 ${own.name}, ${on}, ${maskText(writer, mask)}`);
  printOperation(printing, template, operands, own, `@${on} `, own.name);
}

/** Returns the active lanes of a known mask for which `on` holds. */
function guardedLanes({ writer, everyLaneLives }: WarpPrinting, mask: Mask, on: string): string {
  const live = writer.temporary('r');
  writer.line(`mov.b32 ${live}, 0x${mask.bits?.toString(16)}`);
  if (!everyLaneLives)
    writer.line(`@${on} vote.sync.ballot.b32 ${live}, ${writer.provide('true')}, ${maskText(writer, mask)}`);
  return live;
}

/** Returns a predicate that is true in the lanes of the set, with the shortest test. */
export function printLaneSet(writer: Writer, { lanes }: LaneSet): string {
  const result = writer.temporary('p');
  const lane = writer.provide('lane');
  const first = Math.log2(lanes + 1);
  const last = Math.log2(2 ** 32 - lanes);
  if (Number.isInteger(first)) {
    writer.line(`setp.lt.u32 ${result}, ${lane}, ${first}`);
  } else if (Number.isInteger(last)) {
    // Another way to compute the lane number: from the thread's number in the block.
    const other = writer.temporary('r');
    writer.line(`and.b32 ${other}, %thread, 31`);
    writer.line(`setp.ge.s32 ${result}, ${other}, ${last}`);
  } else {
    const bit = writer.temporary('r');
    writer.line(`shr.u32 ${bit}, 0x${lanes.toString(16)}, ${lane}`);
    writer.line(`and.b32 ${bit}, ${bit}, 1`);
    writer.line(`setp.ne.u32 ${result}, ${bit}, 0`);
  }
  return result;
}

/** Prints an operation. `live`: a register with the active lanes, if one is known. */
export function printOperation(
  printing: WarpPrinting,
  template: WarpTemplate,
  operands: WarpOperands,
  mask: Mask,
  guard = '',
  live?: string,
): void {
  const { writer } = printing;
  const { row, mods, classes } = template;
  if (row.name === 'elect.sync' && (!printing.together || guard !== '')) printing.native = false;
  const texts: Record<string, string> = {};
  for (const name of ['a', 'b', 'c'] as const) {
    const found = classes[name];
    if (found !== undefined) texts[name] = writer.source(found, operands[name]);
  }
  if (template.sync) texts.membermask = maskText(writer, mask, operands.maskRegister);
  if (isShuffle(template)) texts.b = safeSource(printing, template, operands, mask, live);
  if (classes.d !== undefined) texts.d = writer.register(classes.d, operands.d);
  if (classes.p !== undefined && operands.p !== undefined) texts.p = writer.register('p', operands.p);
  writer.line(`${guard}${instructionText(row, mods, texts)}`);
}

/**
 * Returns an operand `b` whose source lane is active. A shuffle by 0 (or, for idx, by the lane's
 * own number) reads the lane itself.
 */
function safeSource(
  { writer, everyLaneLives }: WarpPrinting,
  { row, mods, sync }: WarpTemplate,
  { b, c }: WarpOperands,
  mask: Mask,
  known: string | undefined,
): string {
  const given = writer.source('r', b);
  if (everyLaneLives && (mask.bits === allLanes || !sync)) return given;
  const live = known ?? liveLanes(writer, row.removed !== undefined, everyLaneLives, mask);
  const lane = writer.provide('lane');
  const from = candidate(writer, mods.mode ?? '', b, lane, c);
  const there = writer.temporary('p');
  const safe = writer.temporary('r');
  writer.line(`and.b32 ${from}, ${from}, 31`);
  writer.line(`shr.u32 ${from}, ${live}, ${from}`);
  writer.line(`and.b32 ${from}, ${from}, 1`);
  writer.line(`setp.ne.u32 ${there}, ${from}, 0`);
  writer.line(`selp.b32 ${safe}, ${given}, ${mods.mode === 'idx' ? lane : '0'}, ${there}`);
  return safe;
}

/** Returns the active lanes as an operand. */
export function liveLanes(writer: Writer, deprecated: boolean, everyLaneLives: boolean, mask: Mask): string {
  const live = writer.temporary('r');
  if (everyLaneLives && mask.bits !== undefined) writer.line(`mov.b32 ${live}, 0x${mask.bits.toString(16)}`);
  else if (deprecated) writer.line(`vote.ballot.b32 ${live}, ${writer.provide('true')}`);
  else writer.line(`vote.sync.ballot.b32 ${live}, ${writer.provide('true')}, ${maskText(writer, mask)}`);
  return live;
}

/** Returns the source lane if it is in range, otherwise the lane itself, which is always active. */
function candidate(writer: Writer, mode: string, b: Source, lane: string, c: Source): string {
  const from = writer.temporary('r');
  const word = (source: Source): string => {
    if (source.constant === undefined) return writer.source('r', source);
    const register = writer.temporary('r');
    writer.line(`mov.b32 ${register}, ${writer.source('r', source)}`);
    return register;
  };
  if (mode !== 'idx') {
    const operation = { up: 'sub.u32', down: 'add.u32' }[mode] ?? 'xor.b32';
    writer.line(`${operation} ${from}, ${lane}, ${writer.source('r', b)}`);
    return from;
  }
  // This is minLane | (b & ~segmask). The segment mask is in bits 12:8 of c.
  const segment = writer.temporary('r');
  writer.line(`shr.u32 ${segment}, ${word(c)}, 8`);
  writer.line(`lop3.b32 ${from}, ${segment}, ${lane}, ${word(b)}, 0xca`);
  return from;
}
