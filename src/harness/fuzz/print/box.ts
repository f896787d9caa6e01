// Prints copies of boxes of tensors. The tensor map and the tensor are parameters of the kernel.
import { get } from '../../../base/invariants.ts';
import type { LaunchParam } from '../../../base/launch.ts';
import type { IsaRow, Mods } from '../../../isa/index.ts';
import { random } from '../../suites/random.ts';
import { modChoices } from '../../suites/rows/instruction-text.ts';
import { copyText } from '../../suites/tensor/copy-text.ts';
import {
  copyRows,
  drawCopy,
  drawnBits,
  isStore,
  mapParam,
  tensorBytes,
  tileBytes,
} from '../../suites/tensor/draw-box.ts';
import type { BoxStatement } from '../kernels/tree.ts';
import { nth } from './phase.ts';
import type { Printing } from './printing.ts';
import { fillTiles } from './tile.ts';
import type { PrintedBox } from './writer.ts';

const rows: ReadonlyMap<string, IsaRow> = new Map(copyRows.map((row) => [row.name, row]));
const policyText = 'createpolicy.fractional.L2::evict_first.b64';

export function printBox(printing: Printing, { row: name, d, from, form }: BoxStatement): void {
  const { writer } = printing;
  const row = get(rows, name, 'a row');
  const mods: Mods = nth(modChoices(row), form);
  const copy = drawCopy(row, mods, random(form, 'box'));
  const number = writer.boxes.push({ copy, op: mods.op, seed: form }) - 1;
  fillTiles(printing, 0, tileBytes, { and: drawnBits(copy, mods.op), or: 0 }, form);
  const tiles = writer.provide('tiles');
  const [phase, first] = [writer.provide('phase'), writer.temporary('p')];
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  writer.line(`@${first} mbarrier.init.shared.b64 [${phase}], 1`);
  writer.line('fence.proxy.async');
  writer.line('bar.sync 0');
  const [map, at] = [writer.temporary('d'), writer.temporary('r')];
  writer.line(`mov.b64 ${map}, map${number}`);
  writer.line(`cvta.param.u64 ${map}, ${map}`);
  writer.line(`add.u32 ${at}, ${tiles}, ${copy.place}`);
  const numbers = (kind: 'h' | 'r', values: readonly number[]) =>
    values.map((value) => {
      const register = writer.temporary(kind);
      writer.line(`mov.b${kind === 'h' ? 16 : 32} ${register}, ${value}`);
      return register;
    });
  const coordinates = numbers('r', copy.coordinates);
  const offsets = numbers('h', copy.offsets);
  const [mask, policy] = [writer.temporary('h'), writer.temporary('d')];
  if (row.types.mask !== undefined) writer.line(`mov.b16 ${mask}, 1`);
  if (mods.level !== undefined) writer.line(`${policyText} ${policy}, 0f3f800000`);
  const instruction = copyText(row, mods, { at, map, coordinates, offsets, bar: phase, mask, policy });
  if (isStore(row)) {
    // Stores of several blocks to one tensor would be a race. Reductions are atomic.
    const storer = mods.op === undefined ? writer.temporary('p') : first;
    if (mods.op === undefined) writer.line(`setp.eq.u32 ${storer}, %global, 0`);
    for (const text of [instruction, 'cp.async.bulk.commit_group', 'cp.async.bulk.wait_group 0'])
      writer.line(`@${storer} ${text}`);
  } else {
    writer.line(`@${first} mbarrier.arrive.expect_tx.shared.b64 _, [${phase}], ${copy.bytes}`);
    writer.line(`@${first} ${instruction}`);
    const [again, done] = [writer.label(), writer.temporary('p')];
    writer.place(again);
    writer.line(`mbarrier.try_wait.parity.shared.b64 ${done}, [${phase}], 0`);
    writer.line(`@!${done} bra ${again}`);
    const place = writer.temporary('r');
    writer.line(`and.b32 ${place}, ${writer.register('r', from)}, ${tileBytes / 8 - 1}`);
    writer.line(`mad.lo.u32 ${place}, ${place}, 8, ${tiles}`);
    writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${place}]`);
  }
  writer.line('bar.sync 0');
  writer.line(`@${first} mbarrier.inval.shared.b64 [${phase}]`);
  writer.line('bar.sync 0');
}

/** Returns the declarations of the parameters for the copies. */
export const boxParameters = (boxes: readonly PrintedBox[]): readonly string[] =>
  boxes.flatMap((_, number) => [`.param .align 64 .b8 map${number}[128]`, `.param .u64 tensor${number}`]);

/** Returns the parameters for the copies. `first` is the number of the first. */
export function boxParams(boxes: readonly PrintedBox[], first: number): LaunchParam[] {
  return boxes.flatMap(({ copy, op, seed }, number): LaunchParam[] => {
    const bits = drawnBits(copy, op);
    const rng = random(seed, 'tensor');
    const data = new Uint8Array(Uint32Array.from({ length: tensorBytes / 4 }, () => rng.u32() & bits).buffer);
    return [
      mapParam(`map${number}`, copy, first + 2 * number + 1),
      { name: `tensor${number}`, kind: 'buffer', type: 'u32', bytes: data.length, data },
    ];
  });
}
