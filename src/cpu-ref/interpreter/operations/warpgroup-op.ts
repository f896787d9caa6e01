// Products of warpgroups. Each warp computes its 16 rows of D, with one product of 16 rows and 8
// columns after the other, as late as PTX permits.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async

import { elementBits, type MatrixForm, registerCount } from '../../../isa/fragments.ts';
import type { MmaRowName, Mods } from '../../../isa/index.ts';
import { groupWarps } from '../../../isa/limits.ts';
import type { Span } from '../../../ptx/ast.ts';
import {
  alongBytes,
  elementAddress,
  type MatrixDescriptor,
  matrixDescriptor,
  unitBytes,
} from '../../matrix/shared-matrix.ts';
import type { WarpFunction } from '../../types.ts';
import { undefinedResults } from '../../warp/undefined.ts';
import type { Access } from '../memory/access.ts';
import type { Destination, Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Warp } from '../state/state.ts';
import { inspect } from './locate.ts';
import { reportUnfenced } from './proxy-check.ts';

const allLanes = 0xffff_ffff;

/** A product, decoded. */
export interface ProductWork {
  readonly span: Span;
  /** The product of 16 rows and 8 columns. */
  readonly part: {
    readonly row: MmaRowName;
    readonly mods: Mods;
    readonly fn: WarpFunction;
    readonly form: MatrixForm;
  };
  /** The number of parts, each with 8 columns. */
  readonly parts: number;
  /** The name of the product's form. Products with the same form and sums execute in order. */
  readonly name: string;
  /** The registers of A, or its descriptor. */
  readonly a: readonly Source[] | Source;
  readonly b: Source;
  readonly scaled: Source;
  /** The metadata of a sparse A, and their selector. */
  readonly sparsity: { readonly e: Source; readonly f: Source } | undefined;
  readonly isNegated: boolean;
  /** Whether the elements of a row of A, and of a column of B, are adjacent in shared memory. */
  readonly isKMajor: { readonly a: boolean; readonly b: boolean };
  readonly sums: readonly Source[];
  readonly results: readonly Destination[];
}

/** The words of an operand: 32 values, and the lanes in which they are undefined. */
interface Words {
  readonly values: Uint32Array;
  undefinedLanes: number;
}

const isRegisters = (a: readonly Source[] | Source): a is readonly Source[] => Array.isArray(a);

function registerWords(frame: Frame, source: Source): Words {
  const values = Uint32Array.from({ length: 32 }, (_, lane) => frame.wordOf(source, lane));
  return { values, undefinedLanes: frame.undefinedIn[source.place.taint] ?? 0 };
}

/** A matrix in shared memory, as a lane reads its words. */
class SharedFactor {
  private readonly region: Region;
  private readonly matrix: MatrixDescriptor;
  private readonly isKMajor: boolean;
  private readonly bytes: number;

  constructor(region: Region, descriptor: bigint, isKMajor: boolean, bits: number) {
    this.region = region;
    this.matrix = matrixDescriptor(descriptor);
    this.isKMajor = isKMajor;
    this.bytes = Math.max(bits / 8, 1);
  }

  private offsetOf(outer: number, k: number): number {
    return elementAddress(this.matrix, this.isKMajor, outer, k, this.bytes) - this.region.base;
  }

  /**
   * Returns the word with 4 bytes along K, from the row `outer` of A or the column `outer` of B.
   */
  word(outer: number, byte: number): { readonly value: number; readonly isUndefined: boolean } {
    let [value, isUndefined] = [0, false];
    for (let at = 0; at < 4; at += this.bytes) {
      const offset = this.offsetOf(outer, (byte + at) / this.bytes);
      const isOutside = offset < 0 || offset + this.bytes > this.region.size;
      if (!isOutside) value |= this.region.load(offset, this.bytes) << (8 * at);
      isUndefined ||= isOutside || this.region.shadowAt(offset, this.bytes) !== 0;
    }
    return { value: value >>> 0, isUndefined };
  }

  /**
   * Returns the units of shared memory that contain some rows of A, or some columns of B. `along`:
   * the number of bytes of each.
   */
  units(first: number, count: number, along: number): ReadonlySet<number> {
    const found = new Set<number>();
    for (let outer = first; outer < first + count; outer++) {
      for (let k = 0; k < along / this.bytes; k++) found.add(Math.floor(this.offsetOf(outer, k) / unitBytes));
    }
    return found;
  }
}

/**
 * Collects a word of each lane: 4 bytes along K at `4 * (lane & 3) + byte`, of row or column `outer
 * + lane / 4`.
 */
function sharedWords(factor: SharedFactor, outer: number, byte: number): Words {
  const words: Words = { values: new Uint32Array(32), undefinedLanes: 0 };
  for (let lane = 0; lane < 32; lane++) {
    const { value, isUndefined } = factor.word(outer + (lane >> 2), byte + 4 * (lane & 3));
    words.values[lane] = value;
    if (isUndefined) words.undefinedLanes |= 1 << lane;
  }
  return words;
}

/** Returns the words of the warp's rows of A: rows 0 to 7, then 8 to 15, for each half along K. */
function wordsOfA(
  { a, isNegated, part }: ProductWork,
  frame: Frame,
  factor: SharedFactor | undefined,
  firstRow: number,
): readonly Words[] {
  const words =
    factor === undefined
      ? (isRegisters(a) ? a : []).map((source) => registerWords(frame, source))
      : [0, 16].flatMap((byte) => [0, 8].map((row) => sharedWords(factor, firstRow + row, byte)));
  if (!isNegated) return words;
  const bits = elementBits[part.form.types.a];
  let signs = 0;
  for (let at = bits - 1; at < 32; at += bits) signs |= 1 << at;
  return words.map(({ values, undefinedLanes }) => ({ values: values.map((word) => word ^ signs), undefinedLanes }));
}

/** Returns a function that starts a product. */
export function beginProduct(work: ProductWork) {
  const { span, part, a, b, scaled, isKMajor, name } = work;
  const bits = elementBits[part.form.types.a];
  return (warp: Warp, lanes: number): void => {
    const { block, machine } = warp;
    const lane = lowestLane(lanes);
    const frame = warp.frameOf(lane);
    checkWarpgroup(work, warp, frame, lanes);
    const factorOf = (source: Source, isAdjacent: boolean) =>
      new SharedFactor(block.shared, frame.wideOf(source, lane), isAdjacent, bits);
    const factorA = isRegisters(a) ? undefined : factorOf(a, isKMajor.a);
    const factorB = factorOf(b, isKMajor.b);
    const firstRow = 16 * (warp.index % groupWarps);
    const units = new Set([
      ...(factorA?.units(firstRow, 16, alongBytes(part.form, 'a')) ?? []),
      ...factorB.units(0, 8 * work.parts, alongBytes(part.form, 'b')),
    ]);
    const taints = { sums: taintsOf(work.results), factors: isRegisters(a) ? taintsOf(a) : [] };
    if (machine.sanitize) {
      checkRegisters(work, warp, frame, lanes, taints);
      readUnits(work, warp, lane, units);
    }
    warp.fences.note(frame, taints.sums, { span, sumOf: name });
    const isScaled = frame.wordOf(scaled, lane) !== 0;
    const unknown = lanes >>> 0 !== allLanes || frame.undefinedLanes([b, scaled, ...(isRegisters(a) ? [] : [a])]) !== 0;
    block.products.begin({
      warp: warp.index,
      frame,
      lanes,
      span,
      sums: work.results,
      undefinedBefore: [],
      factors: taints.factors,
      units,
      perform: () => {
        const words = wordsOfA(work, frame, factorA, firstRow);
        const undefinedLanes: number[] = [];
        for (let index = 0; index < work.parts; index++)
          undefinedLanes.push(...addPart(work, frame, lanes, isScaled, words, factorB, index));
        return unknown ? undefinedLanes.map(() => -1) : undefinedLanes;
      },
    });
  };
}

const taintsOf = (places: readonly Pick<Source, 'place'>[]): readonly number[] =>
  places.map(({ place }) => place.taint);

/** Computes 8 columns of D. Returns the lanes in which each of their registers is undefined. */
function addPart(
  { part, parts, sums, results, sparsity }: ProductWork,
  frame: Frame,
  lanes: number,
  isScaled: boolean,
  a: readonly Words[],
  factorB: SharedFactor,
  index: number,
): readonly number[] {
  const each = results.length / parts;
  const own = results.slice(index * each, (index + 1) * each);
  const b = Array.from({ length: registerCount(part.form, 'b') }, (_, half) =>
    sharedWords(factorB, 8 * index, unitBytes * half),
  );
  const c = sums
    .slice(index * each, (index + 1) * each)
    .map((source) => (isScaled ? registerWords(frame, source) : { values: new Uint32Array(32), undefinedLanes: 0 }));
  const sources: Record<string, Uint32Array> = {};
  const undefinedIn: Record<string, number> = {};
  for (const [name, words] of Object.entries({ a, b, c })) {
    words.forEach(({ values, undefinedLanes }, at) => {
      sources[`${name}.${at}`] = values;
      undefinedIn[`${name}.${at}`] = undefinedLanes;
    });
  }
  for (const [name, source] of Object.entries(sparsity ?? {})) {
    const { values, undefinedLanes } = registerWords(frame, source);
    sources[name] = values;
    undefinedIn[name] = undefinedLanes;
  }
  const state = { active: lanes >>> 0, exited: 0, sources };
  const { results: values } = part.fn(part.mods, state);
  const isAnyUndefined = Object.values(undefinedIn).some((mask) => mask !== 0);
  const undefinedLanes = isAnyUndefined ? undefinedResults(part.row, part.mods, state, undefinedIn) : {};
  return own.map((destination, at) => {
    const words = values[`d.${at}`];
    for (let lane = 0; lane < 32; lane++) frame.writeWord(destination, lane, Number(words?.[lane] ?? 0));
    return undefinedLanes[`d.${at}`] ?? 0;
  });
}

/** Reports a warpgroup that is not whole, and lanes whose descriptors differ. */
function checkWarpgroup({ span, a, b, scaled }: ProductWork, warp: Warp, frame: Frame, lanes: number): void {
  const { log } = warp.machine;
  const end = warp.index - (warp.index % groupWarps) + groupWarps;
  if (lanes >>> 0 !== allLanes || end > warp.block.warps.length) {
    log.add('RUN029', span, warp.place(lanes), () => 'a product of a warpgroup with missing lanes or warps');
  }
  const first = lowestLane(lanes);
  for (const source of [b, scaled, ...(isRegisters(a) ? [] : [a])]) {
    let others = 0;
    const valueIn = (lane: number) =>
      source.width === 64 ? frame.wideOf(source, lane) : BigInt(frame.wordOf(source, lane));
    for (let m = lanes; m !== 0; m &= m - 1) if (valueIn(lowestLane(m)) !== valueIn(first)) others |= m & -m;
    if (others !== 0)
      log.add(
        'RUN029',
        span,
        warp.place(others),
        () => `a product with another descriptor or \`scale-d\` than lane ${first}`,
      );
  }
}

/**
 * Reports registers of a product that are accessed without a fence, or that another one still
 * writes.
 */
function checkRegisters(
  { span, name }: ProductWork,
  warp: Warp,
  frame: Frame,
  lanes: number,
  { sums, factors }: { readonly sums: readonly number[]; readonly factors: readonly number[] },
): void {
  const { log } = warp.machine;
  const pending = factors
    .map((taint) => warp.block.products.writing(frame, taint))
    .find((found) => found !== undefined);
  if (pending !== undefined) {
    log.add(
      'RUN027',
      span,
      warp.place(lanes),
      () => 'a register of A may not have been written by an earlier product yet',
      {
        labels: [{ span: pending.span, text: 'the pending product' }],
      },
    );
  }
  const unfenced = warp.fences.unfenced(frame, [...sums, ...factors], name);
  if (unfenced === undefined) return;
  log.add(
    'RUN028',
    span,
    warp.place(lanes),
    () => 'no `wgmma.fence` since the last access of a register of this product',
    {
      labels: [{ span: unfenced.span, text: 'the access' }],
    },
  );
}

/**
 * Records the reads of a product, for the race detector. Reports units outside of shared memory.
 */
function readUnits({ span, b }: ProductWork, warp: Warp, lane: number, units: ReadonlySet<number>): void {
  const { shared } = warp.block;
  const access: Access = {
    space: 'shared', base: b.place, offset: 0, wraps: true, bytes: unitBytes, span,
    verb: 'load', strong: false, volatile: false, releases: false,
  }; // biome-ignore format: one record
  const ranges = [...units].map((unit) => ({ offset: unit * unitBytes, bytes: unitBytes }));
  reportUnfenced(warp, lane, access, shared, ranges);
  for (const { offset } of ranges) {
    if (offset >= 0 && offset + unitBytes <= shared.size) inspect(warp, lane, access, { region: shared, offset });
    else {
      const message = () =>
        `out-of-bounds load of a matrix at shared address 0x${offset.toString(16)}: ${shared.name} has ${shared.size} bytes`;
      warp.machine.log.add('RUN008', span, warp.place(1 << lane), message);
    }
  }
}

export const commitProducts = (warp: Warp): void => warp.block.products.commit(warp.index);

export const fenceRegisters = (warp: Warp): void => warp.fences.fence();
