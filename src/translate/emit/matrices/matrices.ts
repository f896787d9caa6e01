// Subgroup matrices, which the whole subgroup reaches together. Words move between lanes and
// matrices through shared memory, where each warp has a part of its own.
import { at, InternalError } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, type MatrixWgslType, Name } from '../../../wgsl/tree/nodes.ts';
import { fragmentPlaces } from '../../ir/matrix-fragments.ts';
import type { Func, Inst, InstNamed, MatrixInst, Value } from '../../ir/nodes.ts';
import { isMatrixType, type MatrixType, matrixWords, shapeOf } from '../../ir/types.ts';
import { writeWorkgroupBarrier } from '../collectives/workgroup-barrier.ts';
import { memoryOf } from '../memory/memories.ts';
import { elementIndex } from '../memory/memory.ts';
import { laneNumber } from '../program/lane-numbers.ts';
import type { Emitter } from '../values/emitter.ts';

const majorOf = { row: 'row_major', col: 'col_major' } as const;

/** The words of shared memory that one warp needs to exchange its matrices. */
export function exchangeWords({ blocks }: Func): number {
  const sizeOf = (inst: Inst): number => {
    if (inst.op === 'matrix-pack') return 32 * matrixWords(inst.attrs.type);
    return inst.op === 'matrix-unpack' ? 32 * matrixWords(matrixArg(inst).type) : 0;
  };
  return blocks.reduce((most, { insts }) => insts.reduce((size, inst) => Math.max(size, sizeOf(inst)), most), 0);
}

export function writeMatrix(emitter: Emitter, inst: MatrixInst): void {
  const { uses, writer } = emitter;
  for (const { type } of [...inst.args, ...inst.results]) if (isMatrixType(type)) uses.matrices.add(shapeOf(type).of);
  uses.subgroups = true;
  const [result] = inst.results;
  switch (inst.op) {
    case 'matrix-unpack':
      return unpack(emitter, inst);
    case 'matrix-load':
      if (result) emitter.define(result, load(emitter, inst));
      return;
    case 'matrix-fill':
      if (result) emitter.define(result, fill(inst));
      return;
    case 'matrix-multiply': {
      const [a, b, sums] = inst.args.map((arg) => emitter.read(arg));
      if (result === undefined || a === undefined || b === undefined || sums === undefined)
        throw new InternalError('a product has three operands and a result');
      return emitter.define(result, w.builtin('subgroupMatrixMultiplyAccumulate', sums.type, a, b, sums));
    }
    case 'matrix-pack': {
      if (result === undefined) return;
      const { type } = inst.attrs;
      inst.args.forEach((word, register) => {
        writer.push(w.assign(wordOf(emitter, type, register), emitter.read(word)));
      });
      writeWorkgroupBarrier(emitter);
      const { order } = fragmentPlaces(type);
      const loaded = w.templated(
        'subgroupMatrixLoad',
        typeOf(type),
        [typeOf(type), majorOf[order]],
        w.addressOf(exchange(emitter)),
        ownPart(emitter),
        stride(type),
      );
      emitter.define(result, loaded);
      return writeWorkgroupBarrier(emitter);
    }
  }
}

function typeOf(type: MatrixType): MatrixWgslType {
  return { kind: 'matrix', ...shapeOf(type) };
}

function load(emitter: Emitter, inst: InstNamed<'matrix-load'>): Expr {
  const { place, type, order } = inst.attrs;
  const memory = memoryOf(emitter, place.root);
  if (memory.atomic) throw new InternalError('a matrix cannot be loaded from atomics');
  const bytes = emitter.read(at(inst.args, place.indexed ? 1 : 0, 'the stride of a matrix'));
  const known = w.constantOf(bytes);
  const size = 4 * memory.granule;
  const step = known === undefined ? w.shr(bytes, w.u32(Math.log2(size))) : w.u32(known / BigInt(size));
  const first = elementIndex(emitter, inst, memory.granule, 0);
  const own = typeOf(type);
  return w.templated('subgroupMatrixLoad', own, [own, majorOf[order]], w.addressOf(memory.array), first, step);
}

/** The value of every element. Fractions and large numbers of f16 go through their bits. */
function fill({ attrs: { type, bits } }: InstNamed<'matrix-fill'>): Expr {
  const own = typeOf(type);
  if (bits === 0) return w.construct(own);
  if (own.of === 'f32') return w.construct(own, w.f32(BigInt(bits)));
  if (own.of === 'i32') return w.construct(own, w.i32(bits));
  if (own.of === 'u32') return w.construct(own, w.u32(bits));
  throw new InternalError(`no matrix of ${own.of} is filled`);
}

/** The words of shared memory through which a warp exchanges its matrices. */
function exchange({ uses }: Emitter): Expr {
  const { options } = uses;
  const words = exchangeWords(options.program.kernel) * Math.ceil(options.workgroupSize / 32);
  return uses.workgroupVariable('matrix_words', w.array('u32', words));
}

/** The index of the warp's own part. */
const ownPart = ({ uses }: Emitter): Expr =>
  w.mul(uses.builtin('warp'), w.u32(exchangeWords(uses.options.program.kernel)));

/** The words from one row, or column, to the next. */
const stride = (type: MatrixType): Expr => w.u32(fragmentPlaces(type).group);

/** The word of the lane's register, in the warp's part. */
function wordOf(emitter: Emitter, type: MatrixType, register: number): Expr {
  const { group, member, registers } = fragmentPlaces(type);
  const { uses, slot } = emitter;
  const { name } = getOrInsert(uses.laneValues, `matrix word ${group} ${member}`, () => {
    const lane = laneNumber(uses, slot);
    const [row, column] = [w.shr(lane, w.u32(2)), w.and(lane, w.u32(3))];
    const place = w.add(w.mul(row, w.u32(group)), member === 1 ? column : w.mul(column, w.u32(member)));
    return { name: new Name('matrix_word'), value: w.add(ownPart(emitter), place) };
  });
  const known = at(registers, register, 'a register');
  const own = w.ref(name, 'u32');
  return w.index(exchange(emitter), known === 0 ? own : w.add(own, w.u32(known)));
}

function unpack(emitter: Emitter, inst: InstNamed<'matrix-unpack'>): void {
  const matrix = matrixArg(inst);
  const type = matrixTypeOf(matrix);
  const { order } = fragmentPlaces(type);
  const [array, start, sums] = [w.addressOf(exchange(emitter)), ownPart(emitter), emitter.read(matrix)];
  emitter.writer.push(
    w.perform(w.templated('subgroupMatrixStore', 'u32', [majorOf[order]], array, start, sums, stride(type))),
  );
  writeWorkgroupBarrier(emitter);
  inst.results.forEach((result, register) => {
    if (emitter.isRead(result)) emitter.define(result, wordOf(emitter, type, register));
  });
  writeWorkgroupBarrier(emitter);
}

const matrixArg = ({ args }: InstNamed<'matrix-unpack'>): Value => at(args, 0, 'a matrix');

function matrixTypeOf({ type }: Value): MatrixType {
  if (!isMatrixType(type)) throw new InternalError(`${type} is not a matrix`);
  return type;
}
