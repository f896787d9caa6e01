// Lowers copies of boxes of tensors, and changes of tensor maps, to calls of functions in PTX. The
// thread that starts a copy performs it at once, which PTX allows.
import { InternalError } from '../../base/invariants.ts';
import { tensorFaults } from '../../base/tensor-faults.ts';
import { isTensorRow } from '../../isa/row-names.ts';
import type { TensorRowName } from '../../isa/tensors.ts';
import type { Module, PtxFunction, Statement } from '../../ptx/ast.ts';
import { Library } from '../image/function-library.ts';
import { CallWriter } from './call-writer.ts';
import { loadFunction, reduceFunction, storeFunction } from './copy-functions.ts';
import { copyMapFunction, replaceFunction } from './map-functions.ts';
import { isTensorInstruction } from './tensor-instructions.ts';

/** Lowers the tensor instructions of a module: those of a kernel, and of all functions. */
export function lowerTensors(module: Module, entry: string): Module {
  const isUsed = ({ kind, name, body }: PtxFunction) =>
    (kind === 'func' || name === entry) && body.some(isTensorInstruction);
  const library = new Library(module, 'tensor copies');
  const functions = module.functions.map((fn) => {
    if (!isUsed(fn)) return fn;
    const body = fn.body.flatMap((statement, number) =>
      isTensorInstruction(statement) ? lower(new CallWriter(statement, library, `$tensor${number}`)) : [statement],
    );
    return { ...fn, body };
  });
  return { ...module, functions: [...functions, ...library.functions()] };
}

function lower(writer: CallWriter): readonly Statement[] {
  const { name } = writer.instruction.row;
  if (!isTensorRow(name)) throw new InternalError(`${name} is not a tensor instruction`);
  lowerings[name](writer);
  return writer.statements;
}

function load(writer: CallWriter): void {
  const { span, mods } = writer.instruction;
  const [tx, fault] = [writer.register('u32'), writer.fault()];
  const args = [writer.address('a', 'generic'), writer.address('to', 'shared'), ...writer.elements('c')];
  writer.call(loadFunction(mods), args, [tx, fault]);
  // The cluster has one block, so that a multicast must copy to this block alone.
  if (writer.instruction.operands.mask !== undefined) writer.requireOne('mask', fault, tensorFaults.mask.number);
  writer.reportFault(fault);
  const bar = writer.operand('bar');
  if (bar.kind !== 'address') throw new InternalError(`an mbarrier without an address at ${span.start}`);
  writer.add('mbarrier.complete_tx.shared::cta.b64', { a: bar, tx });
}

const store =
  (functionOf: typeof storeFunction) =>
  (writer: CallWriter): void => {
    const args = [writer.address('a', 'generic'), writer.address('from', 'shared'), ...writer.elements('c')];
    const fault = writer.fault();
    writer.call(functionOf(writer.instruction.mods), args, [fault]);
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

const lowerings: Readonly<Record<TensorRowName, (writer: CallWriter) => void>> = {
  'cp.async.bulk.tensor.load': load,
  'cp.async.bulk.tensor.multicast': load,
  'cp.async.bulk.tensor.store': store(storeFunction),
  'cp.reduce.async.bulk.tensor': store(reduceFunction),
  'cp.async.bulk.prefetch.tensor': () => {},
  'tensormap.replace': replace,
  'tensormap.replace.dimension': replace,
  'tensormap.replace.mode': replace,
  'tensormap.cp_fenceproxy': (writer) =>
    writer.call(copyMapFunction, [writer.address('to', 'generic'), writer.address('a', 'shared')]),
};
