// Prints changes of tensor maps in memory. Each block changes a map of its own in global memory, or
// a copy of it in shared memory.
import { encodeTensorMap } from '../../../base/encode-tensor-map.ts';
import { get, missing } from '../../../base/invariants.ts';
import { type CompleteTensorMap, tensorFills, tensorInterleaves, tensorSwizzles } from '../../../base/tensor-map.ts';
import { replacedTf32, strideUnit, tensorMapBytes, typeNumbers } from '../../../base/tensor-map-fields.ts';
import { withField } from '../../../cpu-ref/tensor/change-map.ts';
import { type IsaRow, type Mods, tensorRows } from '../../../isa/index.ts';
import { random } from '../../suites/random.ts';
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import { tileBytes } from '../../suites/tensor/draw-box.ts';
import type { MapOrigin } from '../kernels/map-origins.ts';
import { Forms, nth } from './phase.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

const rows: ReadonlyMap<string, IsaRow> = new Map(tensorRows.map((row) => [row.name, row]));
const scopes = ['cta', 'cluster', 'gpu', 'sys'] as const;

/** A change of a field, whose operand is `value`. The kernel knows the address of the tensor. */
interface Change {
  readonly row: 'tensormap.replace' | 'tensormap.replace.dimension' | 'tensormap.replace.mode';
  readonly field: string;
  readonly dimension?: number;
  readonly value: number | 'address';
}

/** A map that a kernel changes, and the changes that make it the map of a copy. */
export interface OwnMap {
  readonly origin: Exclude<MapOrigin, 'parameter'>;
  /** The bytes of the map before the launch. */
  readonly initial: Uint8Array;
  readonly changes: readonly Change[];
}

const address: Change = { row: 'tensormap.replace', field: 'global_address', value: 'address' };

/** Returns the changes of all fields of a map in tile mode except the address. */
function changesOf(map: CompleteTensorMap): Change[] {
  if (!('box' in map)) throw new RangeError('a map in im2col mode has fields without instructions');
  const mode = (field: string, value: number): Change => ({ row: 'tensormap.replace.mode', field, value });
  const each = (field: string, values: readonly number[]) =>
    values.map((value, dimension): Change => ({ row: 'tensormap.replace.dimension', field, dimension, value }));
  return [
    { row: 'tensormap.replace', field: 'rank', value: map.sizes.length - 1 },
    ...each('box_dim', map.box),
    ...each('global_dim', map.sizes),
    ...each('global_stride', map.strides),
    ...each('element_stride', map.elementStrides),
    mode('elemtype', typeOperand(map.type)),
    mode('interleave_layout', tensorInterleaves.indexOf(map.interleave)),
    mode('swizzle_mode', tensorSwizzles.indexOf(map.swizzle)),
    mode('fill_mode', tensorFills.indexOf(map.fill)),
  ];
}

function typeOperand(type: CompleteTensorMap['type']): number {
  const stored = typeNumbers[type];
  if (!type.startsWith('tf32')) return stored;
  const [operand] = [...replacedTf32].find(([, base]) => base === stored) ?? missing('a type of TF32');
  return operand;
}

/** Draws a map that a kernel changes to `map`: other values in some fields, or zeros. */
export function drawOwnMap(map: CompleteTensorMap, origin: OwnMap['origin'], form: number): OwnMap {
  const all = changesOf(map);
  if (origin === 'zeros') return { origin, initial: new Uint8Array(tensorMapBytes), changes: [address, ...all] };
  const rng = random(form, 'map');
  const changes = all.filter(() => rng.chance(0.4));
  const initial = encodeTensorMap(map, 0n);
  for (const { field: name, dimension = 0 } of changes) {
    const unit = name === 'global_stride' ? strideUnit : 1;
    withField(initial, { name, dimension }, BigInt(unit * (1 + rng.below(2))));
  }
  return { origin, initial, changes: [address, ...changes] };
}

/**
 * Prints the changes of map number `number`, and the fences before copies of the first thread with
 * it. `first` is true in the first thread of each block. Returns the address of the map.
 */
export function printOwnMap(
  { writer }: Printing,
  { origin, changes }: OwnMap,
  number: number,
  form: number,
  first: string,
): string {
  const forms = new Forms(form);
  const [map, offset, block] = [writer.temporary('d'), writer.temporary('d'), writer.temporary('r')];
  writer.line(`ld.param.u64 ${map}, [map${number}]`);
  writer.line(`mov.u32 ${block}, %ctaid.x`);
  writer.line(`mul.wide.u32 ${offset}, ${block}, ${tensorMapBytes}`);
  writer.line(`add.u64 ${map}, ${map}, ${offset}`);
  const scope = nth(scopes, forms.next());
  const isGeneric = forms.next() % 2 === 1;
  if (origin === 'global') {
    for (const change of changes)
      printChange(writer, change, number, isGeneric ? undefined : 'global', map, first, forms);
    writer.line(`@${first} fence.proxy.tensormap::generic.release.${scope}`);
  } else {
    const [copied, own] = [writer.temporary('p'), writer.temporary('r')];
    writer.line(`setp.lt.u32 ${copied}, %thread, ${tensorMapBytes / 4}`);
    // Boxes end before this place.
    writer.line(`add.u32 ${own}, ${writer.provide('tiles')}, ${tileBytes}`);
    copyMap(writer, map, own, copied, origin === 'zeros');
    const at = isGeneric ? genericOf(writer, own) : own;
    for (const change of changes)
      printChange(writer, change, number, isGeneric ? undefined : 'shared::cta', at, first, forms);
    writer.line('bar.sync 0');
    const copy = get(rows, 'tensormap.cp_fenceproxy', 'a row');
    const operands = { to: `[${map}]`, a: `[${own}]`, n: `${tensorMapBytes}` };
    writer.line(`@${copied} ${anyInstructionText(copy, { scope }, operands)}`);
  }
  writer.line(`@${first} fence.proxy.tensormap::generic.acquire.${scope} [${map}], ${tensorMapBytes}`);
  return map;
}

/** Clears the address in the map, because executors have different addresses. */
export const clearAddress = ({ writer }: Printing, map: string, first: string): void =>
  writer.line(`@${first} st.global.b64 [${map}], 0`);

/** Copies the map to shared memory: one word for each thread of the first warp. */
function copyMap(writer: Writer, map: string, own: string, copied: string, isZero: boolean): void {
  const [from, to, word] = [writer.temporary('d'), writer.temporary('r'), writer.temporary('r')];
  writer.line(`mov.b32 ${word}, 0`);
  if (!isZero) {
    writer.line(`mul.wide.u32 ${from}, %thread, 4`);
    writer.line(`add.u64 ${from}, ${map}, ${from}`);
    writer.line(`@${copied} ld.global.b32 ${word}, [${from}]`);
  }
  writer.line(`mad.lo.u32 ${to}, %thread, 4, ${own}`);
  writer.line(`@${copied} st.shared.b32 [${to}], ${word}`);
  writer.line('bar.sync 0');
}

function genericOf(writer: Writer, own: string): string {
  const generic = writer.temporary('d');
  writer.line(`cvt.u64.u32 ${generic}, ${own}`);
  writer.line(`cvta.shared.u64 ${generic}, ${generic}`);
  return generic;
}

function printChange(
  writer: Writer,
  { row, field, dimension, value }: Change,
  number: number,
  space: string | undefined,
  at: string,
  first: string,
  forms: Forms,
): void {
  const type = value === 'address' || field === 'global_stride' ? 'b64' : 'b32';
  const mods: Mods = { field, type, ...(space === undefined ? {} : { space }) };
  const inRegister = row !== 'tensormap.replace.mode' && (value === 'address' || forms.next() % 2 === 1);
  const operand = inRegister ? writer.temporary(type === 'b64' ? 'd' : 'r') : `${value}`;
  if (value === 'address') writer.line(`ld.param.u64 ${operand}, [tensor${number}]`);
  else if (inRegister) writer.line(`mov.${type} ${operand}, ${value}`);
  const texts = { a: `[${at}]`, value: operand, ...(dimension === undefined ? {} : { dimension: `${dimension}` }) };
  writer.line(`@${first} ${anyInstructionText(get(rows, row, 'a row'), mods, texts)}`);
}
