// Builds `wgmma.mma_async`. PTX allows a product to execute at any time before its wait, so the
// shader computes it where it is issued. Each warp computes its 16 rows of D, with one `mma` for
// each 8 columns. The lanes load the words of B from shared memory, and those of A if A is there.
import { missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { elementBits, matrixForm, registerCount } from '../../isa/fragments.ts';
import type { MmaRowName, Mods, WgmmaRowName } from '../../isa/index.ts';
import { groupWarps } from '../../isa/limits.ts';
import { isArrivalRow } from '../../isa/row-names.ts';
import { columnsOf, partMods } from '../../isa/wgmma.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import type { Value } from '../ir/nodes.ts';
import type { FunctionBody } from './function-body.ts';
import { laneOf, multiplyWords, readWords, registerTypes, sparsity, transposed, writeWords } from './matrix.ts';
import type { Registers } from './registers.ts';
import type { InstructionBuild } from './row-slots.ts';
import { buildSpecial } from './specials.ts';

/** A matrix in shared memory, from the fields of its descriptor. */
interface SharedMatrix {
  readonly start: Value;
  /** Distances in bytes. */
  readonly leading: Value;
  readonly stride: Value;
  readonly isPlain: Value;
  /** The start of the swizzled pattern, in units of 128 bytes. */
  readonly base: Value;
  /** The binary logarithm of the number of units of 16 bytes in a row of a swizzled pattern. */
  readonly widthLog: Value;
}

const addressMask = 0x3fff;

/**
 * Returns the address in a descriptor, which has 18 bits. They are enough for the shared memory of a
 * block, but not for that of a cluster.
 */
function startOf({ b, launch: { cluster } }: Registers, bits: Value): Value {
  if (cluster === undefined) return bits;
  const own = cluster.ownShared(b);
  return b.iadd(own, b.and(b.isub(bits, own), b.i32(16 * addressMask + 15)));
}

function sharedMatrix(registers: Registers, descriptor: Value): SharedMatrix {
  const { b } = registers;
  const [low, high] = b.split(descriptor);
  const field = (word: Value, at: number) => b.shlw(b.and(b.lshrw(word, b.i32(at)), b.i32(addressMask)), b.i32(4));
  const mode = b.lshrw(high, b.i32(30));
  return {
    start: startOf(registers, field(low, 0)),
    leading: field(low, 16),
    stride: field(high, 0),
    isPlain: b.icmp('eq', mode, b.i32(0)),
    base: b.and(b.lshrw(high, b.i32(17)), b.i32(7)),
    // 0 for no swizzling; modes 1, 2 and 3 have rows of 8, 4 and 2 units.
    widthLog: b.and(b.isub(b.i32(0), mode), b.i32(3)),
  };
}

/** Loads the words of a matrix that a lane holds. */
class SharedWords {
  private readonly registers: Registers;
  private readonly matrix: SharedMatrix;
  private readonly isTransposed: boolean;
  /**
   * The address of the lane's word in the first block of 8 rows or columns and 16 bytes along K.
   */
  private readonly first: Value;

  constructor(registers: Registers, descriptor: Value, isTransposed: boolean) {
    const { b } = registers;
    this.registers = registers;
    this.matrix = sharedMatrix(registers, descriptor);
    this.isTransposed = isTransposed;
    const lane = laneOf(registers);
    const row = b.shlw(b.shlw(b.lshrw(lane, b.i32(2)), b.i32(4)), this.matrix.widthLog);
    this.first = b.iadd(b.iadd(this.matrix.start, row), b.shlw(b.and(lane, b.i32(3)), b.i32(2)));
  }

  /**
   * Returns the lane's word of a block: 8 rows of A or columns of B, and 16 bytes along K. `outer`:
   * the index of the 8 rows or columns. `half`: the index of the 16 bytes along K.
   */
  word(outer: Value, half: number): Value {
    const word = this.load(this.isTransposed ? this.acrossK(outer, half) : this.alongK(outer, half));
    return this.isTransposed ? transposed(this.registers, word) : word;
  }

  /** The distance of a block if the elements along K are adjacent. */
  private alongK(outer: Value, half: number): Value {
    const { b } = this.registers;
    const { leading, stride } = this.matrix;
    const { row, within } = this.placeInRow(b.i32(half));
    return b.iadd(b.imul(outer, stride), b.iadd(b.imul(row, leading), within));
  }

  /**
   * Returns the number of the row of the pattern that contains a unit, from the first row on, and the
   * distance of the unit from the start of that row in bytes.
   */
  private placeInRow(unit: Value): { readonly row: Value; readonly within: Value } {
    const { b } = this.registers;
    const { widthLog } = this.matrix;
    const row = b.lshrw(unit, widthLog);
    return { row, within: b.shlw(b.isub(unit, b.shlw(row, widthLog)), b.i32(4)) };
  }

  /** The distance of a block if the elements along rows of A or columns of B are adjacent. */
  private acrossK(outer: Value, half: number): Value {
    const { b } = this.registers;
    const { isPlain, leading, stride } = this.matrix;
    const { row, within } = this.placeInRow(outer);
    const along = b.imul(b.i32(half), b.select(isPlain, leading, stride));
    return b.iadd(b.iadd(b.imul(row, b.select(isPlain, stride, leading)), within), along);
  }

  private load(distance: Value): Value {
    const { b } = this.registers;
    const { widthLog, base } = this.matrix;
    const address = b.iadd(this.first, distance);
    // The swizzling: bits 7 to 9 of the address, less the base, change bits 4 to 6.
    const mask = b.isub(b.shlw(b.i32(1), widthLog), b.i32(1));
    const row = b.and(b.isub(b.lshrw(address, b.i32(7)), base), mask);
    const index = b.xor(address, b.shlw(row, b.i32(4)));
    const place = { root: { kind: 'address', space: 'shared' }, unit: 1, offset: 0, indexed: true } as const;
    return b.value('load', { place, type: 'i32', order: 'weak', scope: undefined, count: 1, aligned: true }, [index]);
  }
}

/**
 * Whether an operand is a constant with this value. False for an operand that the instruction
 * lacks.
 */
const isConstant = (operand: Operand | undefined, value: bigint): boolean =>
  operand?.kind === 'immediate' && operand.bits === value;
const minusOne = 0xffff_ffffn;

/** The sign bits of the elements in a word. */
function signBits(bits: number): number {
  let signs = 0;
  for (let at = bits - 1; at < 32; at += bits) signs |= 1 << at;
  return signs;
}

const product =
  (row: MmaRowName) =>
  (mods: Mods): InstructionBuild => {
    const own = partMods(mods);
    const form = matrixForm(own);
    const types = registerTypes(own);
    const blocks = columnsOf(mods) / 8;
    const halves = Array.from({ length: registerCount(form, 'b') }, (_, half) => half);
    return (registers, instruction) => {
      const { b } = registers;
      const { operands } = instruction;
      const isNegated = isConstant(operands.signa, minusOne) !== isConstant(operands.signb, minusOne);
      const factor = factorA(registers, instruction).map((word) =>
        isNegated ? b.xor(word, b.i32(signBits(elementBits[form.types.a]))) : word,
      );
      const columns = new SharedWords(registers, descriptorOf(registers, operands.b), isConstant(operands.transb, 1n));
      const { metadata, selected } = sparsity(registers, instruction);
      const scaled = registers.read(operands.scaled ?? missing('scale-d of a product'), 'i1');
      const sums = readWords(registers, instruction, 'c', types.c).map((word) => b.select(scaled, word, b.i32(0)));
      const each = sums.length / blocks;
      const words = Array.from({ length: blocks }, (_, block) => {
        const right = halves.map((half) => columns.word(b.i32(block), half));
        return multiplyWords(registers, row, { ...own, ...selected }, [
          ...factor,
          ...metadata,
          ...right,
          ...sums.slice(block * each, (block + 1) * each),
        ]);
      });
      writeWords(registers, instruction, types.d, words.flat());
    };
  };

/** Returns the words of A in the warp's rows, from registers or from shared memory. */
function factorA(registers: Registers, instruction: Instruction): readonly Value[] {
  const { b } = registers;
  const { a, transa } = instruction.operands;
  if (a?.kind === 'vector') return readWords(registers, instruction, 'a', 'i32');
  const rows = new SharedWords(registers, descriptorOf(registers, a), isConstant(transa, 1n));
  const warp = buildSpecial(b, '%warpid', 'i32', registers.launch);
  const first = b.shlw(b.and(warp, b.i32(groupWarps - 1)), b.i32(1));
  return [0, 1].flatMap((half) => [0, 1].map((eight) => rows.word(b.iadd(first, b.i32(eight)), half)));
}

const descriptorOf = (registers: Registers, operand: Operand | undefined): Value =>
  registers.read(operand ?? missing('the descriptor of a matrix'), 'i64');

const nothing = (): InstructionBuild => () => {};

const bodiesWithArrivals = new WeakMap<FunctionBody, boolean>();
/** Whether a function arrives at an mbarrier, as code does that releases shared memory. */
const arrives = (body: FunctionBody): boolean =>
  getOrInsert(bodiesWithArrivals, body, () =>
    body.blocks.some(({ code }) => code.some(({ row }) => isArrivalRow(row.name))),
  );

/**
 * A product is one operation of four warps, so one of them may release its factors for all. Here,
 * each warp has executed its own part. So a warp waits until the others have, if the kernel can
 * release factors without a barrier of all these warps.
 */
const waitForGroup = (): InstructionBuild => (registers) => {
  const { b, graph, launch } = registers;
  if (!graph.bodies.some(arrives)) return;
  const part = launch.cluster && { blocks: launch.cluster.blocks };
  b.emit('barrier', { ...part, kind: 'sync', counted: false, own: true }, [b.i32(0)]);
};

const rows: Readonly<Record<WgmmaRowName, (mods: Mods) => InstructionBuild>> = {
  'wgmma.fence': nothing,
  'wgmma.commit_group': nothing,
  'wgmma.wait_group': waitForGroup,
  'wgmma.f16': product('mma.f16'),
  'wgmma.bf16': product('mma.bf16'),
  'wgmma.tf32': product('mma.tf32'),
  'wgmma.fp8': product('mma.fp8'),
  'wgmma.s8': product('mma.s8'),
  'wgmma.b1': product('mma.b1'),
  'wgmma.sp.f16': product('mma.sp.f16'),
  'wgmma.sp.bf16': product('mma.sp.bf16'),
  'wgmma.sp.tf32': product('mma.sp.tf32'),
  'wgmma.sp.fp8': product('mma.sp.fp8'),
  'wgmma.sp.s8': product('mma.sp.s8'),
};

export const wgmmaRow = (row: WgmmaRowName, mods: Mods): InstructionBuild => rows[row](mods);
