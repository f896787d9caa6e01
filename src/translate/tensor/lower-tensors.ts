// Lowers copies of boxes of tensors, and changes of tensor maps, to calls of functions in PTX. The
// thread that starts a copy performs it at once, which PTX allows. Lowers a copy to several blocks to
// one copy for each block.
import { InternalError } from '../../base/invariants.ts';
import { tensorFaults } from '../../base/tensor-faults.ts';
import type { MapMode } from '../../base/tensor-map-fields.ts';
import { isLoweredRow, type LoweredRowName } from '../../isa/row-names.ts';
import type { Module, Operand, PtxFunction, RegisterOperand, Span, Statement } from '../../ptx/ast.ts';
import { wordOperand } from '../../ptx/make-instruction.ts';
import { Library } from '../image/function-library.ts';
import { type Argument, CallWriter } from './call-writer.ts';
import { loadFunction, reduceFunction, storeFunction } from './copy-functions.ts';
import { copyMapFunction, replaceFunction } from './map-functions.ts';
import { isTensorInstruction } from './tensor-instructions.ts';

/**
 * Lowers the tensor instructions of a module: those of a kernel, and of all functions. `blocks`: the
 * number of blocks of a cluster.
 */
export function lowerTensors(module: Module, entry: string, blocks: number): Module {
  const isUsed = ({ kind, name, body }: PtxFunction) =>
    (kind === 'func' || name === entry) && body.some(isTensorInstruction);
  const library = new Library(module, 'tensor copies');
  const functions = module.functions.map((fn) => {
    if (!isUsed(fn)) return fn;
    const body = fn.body.flatMap((statement, number) =>
      isTensorInstruction(statement)
        ? lower(new CallWriter(statement, library, `$tensor${number}`), blocks)
        : [statement],
    );
    return { ...fn, body };
  });
  return { ...module, functions: [...functions, ...library.functions()] };
}

function lower(writer: CallWriter, blocks: number): readonly Statement[] {
  const { name } = writer.instruction.row;
  if (!isLoweredRow(name)) throw new InternalError(`${name} is not a tensor instruction`);
  lowerings[name](writer, blocks);
  return writer.statements;
}

/**
 * The last arguments of a copy by one thread: its number, and the number of threads that share the
 * copy.
 */
const alone = (span: Span): readonly Argument[] => [wordOperand(0, span), wordOperand(1, span)];

function load(mode: MapMode, writer: CallWriter, blocks: number): void {
  const { span, mods, operands } = writer.instruction;
  const bar = writer.operand('bar');
  if (bar.kind !== 'address') throw new InternalError(`an mbarrier without an address at ${span.start}`);
  const from = writer.address('a', 'generic');
  const elements = [...writer.elements('c'), ...writer.words('offsets')];
  const copy = (own: CallWriter, to: Argument, object: Operand): void => {
    const [tx, fault] = [own.register('u32'), own.fault()];
    own.call(loadFunction(mode, mods), [from, to, ...elements, ...alone(span)], [tx, fault]);
    own.reportFault(fault);
    own.add('mbarrier.complete_tx.shared::cta.b64', { a: object, tx });
  };
  if (operands.mask === undefined) return copy(writer, writer.address('to', 'shared'), bar);
  toEachBlock(writer, blocks, copy);
}

function multicast(writer: CallWriter, blocks: number): void {
  const [a, n] = [writer.operand('a'), writer.operand('n')];
  toEachBlock(writer, blocks, (own, to, bar) =>
    own.add('cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes', { to: own.addressAt(to), a, n, bar }),
  );
}

/** Writes a copy for each block that the mask names, with its destination and its mbarrier. */
function toEachBlock(
  writer: CallWriter,
  blocks: number,
  copy: (own: CallWriter, to: RegisterOperand, bar: Operand) => void,
): void {
  const mask = writer.mask('mask');
  const fault = writer.fault();
  writer.setWhereAtLeast(fault, mask, 2 ** blocks, tensorFaults.mask.number);
  writer.reportFault(fault);
  const [to, object] = [writer.address('to', 'shared'), writer.address('bar', 'shared')];
  for (let rank = 0; rank < blocks; rank++) {
    const own = writer.where(mask, rank);
    copy(own, own.inBlock(to, rank), own.addressAt(own.inBlock(object, rank)));
  }
}

const store =
  (mode: MapMode, functionOf: typeof storeFunction) =>
  (writer: CallWriter): void => {
    const { span } = writer.instruction;
    const args = [
      writer.address('a', 'generic'),
      writer.address('from', 'shared'),
      ...writer.elements('c'),
      ...alone(span),
    ];
    const fault = writer.fault();
    writer.call(functionOf(mode, writer.instruction.mods), args, [fault]);
    writer.reportFault(fault);
  };

function replace(writer: CallWriter): void {
  const { mods, operands, row } = writer.instruction;
  const space = mods.space?.startsWith('shared') ? 'shared' : 'generic';
  const { dimension, value } = operands;
  const number = dimension?.kind === 'immediate' ? Number(dimension.bits) : undefined;
  const mode = row.types.value === 'immediate' && value?.kind === 'immediate' ? Number(value.bits) : undefined;
  const args = mode === undefined ? [writer.value(writer.operand('value'), mods.type === 'b64' ? 'b64' : 'b32')] : [];
  writer.call(replaceFunction(mods, number, mode), [writer.address('a', space), ...args]);
}

type Lowering = (writer: CallWriter, blocks: number) => void;
const tileLoad: Lowering = (writer, blocks) => load('tile', writer, blocks);
const pixelLoad: Lowering = (writer, blocks) => load('im2col', writer, blocks);

const lowerings: Readonly<Record<LoweredRowName, Lowering>> = {
  'cp.async.bulk.tensor.load': tileLoad,
  'cp.async.bulk.tensor.load.im2col': pixelLoad,
  'cp.async.bulk.tensor.multicast': tileLoad,
  'cp.async.bulk.tensor.multicast.im2col': pixelLoad,
  'cp.async.bulk.multicast': multicast,
  'cp.async.bulk.tensor.store': store('tile', storeFunction),
  'cp.async.bulk.tensor.store.im2col': store('im2col', storeFunction),
  'cp.reduce.async.bulk.tensor': store('tile', reduceFunction),
  'cp.reduce.async.bulk.tensor.im2col': store('im2col', reduceFunction),
  'cp.async.bulk.prefetch.tensor': () => {},
  'cp.async.bulk.prefetch.tensor.im2col': () => {},
  'tensormap.replace': replace,
  'tensormap.replace.dimension': replace,
  'tensormap.replace.mode': replace,
  'tensormap.cp_fenceproxy': (writer) =>
    writer.call(copyMapFunction, [writer.address('to', 'generic'), writer.address('a', 'shared')]),
};
