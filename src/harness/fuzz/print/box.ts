// Prints copies of boxes of tensors. The tensor map and the tensor are parameters of the kernel, or
// the kernel changes a map in a buffer.
import { at, get } from '../../../base/invariants.ts';
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
import { clusterBarriers } from '../kernels/barrier-texts.ts';
import type { BoxStatement } from '../kernels/tree.ts';
import { clearAddress, drawOwnMap, printOwnMap } from './own-map.ts';
import { nth } from './phase.ts';
import type { Printing } from './printing.ts';
import { fillTiles } from './tile.ts';
import type { PrintedBox, Writer } from './writer.ts';

const rows: ReadonlyMap<string, IsaRow> = new Map(copyRows.map((row) => [row.name, row]));
const policyText = 'createpolicy.fractional.L2::evict_first.b64';

export function printBox(printing: Printing, { row: name, d, from, form, map: origin }: BoxStatement): void {
  const { writer, clusterBlocks } = printing;
  const row = get(rows, name, 'a row');
  const mods: Mods = nth(modChoices(row), form);
  const copy = drawCopy(row, mods, random(form, 'box'));
  // Only a whole warp copies a map.
  const changed = origin === 'parameter' || printing.everyLaneLives ? origin : 'global';
  const own = changed === 'parameter' ? undefined : drawOwnMap(copy.map, changed, form);
  const number = writer.boxes.push({ copy, op: mods.op, seed: form, initialMap: own?.initial }) - 1;
  fillTiles(printing, 0, tileBytes, { and: drawnBits(copy, mods.op), or: 0 }, form);
  const tiles = writer.provide('tiles');
  const [phase, first] = [writer.provide('phase'), writer.temporary('p')];
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  const map = own === undefined ? mapOf(writer, number) : printOwnMap(printing, own, number, form, first);
  const spreads = row.types.mask !== undefined && clusterBlocks > 1 && printing.blocksTogether && form % 4 < 3;
  const sync = () => {
    if (!spreads) return writer.line('bar.sync 0');
    for (const line of nth(clusterBarriers, form).split('; ')) writer.line(line);
  };
  writer.line(`@${first} mbarrier.init.shared.b64 [${phase}], 1`);
  if (spreads) writer.line('fence.mbarrier_init.release.cluster');
  writer.line('fence.proxy.async');
  sync();
  const box = writer.temporary('r');
  writer.line(`add.u32 ${box}, ${tiles}, ${copy.place}`);
  const numbers = (kind: 'h' | 'r', values: readonly number[]) =>
    values.map((value) => {
      const register = writer.temporary(kind);
      writer.line(`mov.b${kind === 'h' ? 16 : 32} ${register}, ${value}`);
      return register;
    });
  const coordinates = numbers('r', copy.coordinates);
  const offsets = numbers('h', copy.offsets);
  const [mask, policy] = [writer.temporary('h'), writer.temporary('d')];
  const receivers = 2 ** clusterBlocks - 1 - (form % 2);
  if (spreads) writer.line(`mov.b16 ${mask}, ${receivers}`);
  else if (row.types.mask !== undefined) maskOfOwnBlock(writer, mask);
  if (mods.level !== undefined) writer.line(`${policyText} ${policy}, 0f3f800000`);
  const instruction = copyText(row, mods, { at: box, map, coordinates, offsets, bar: phase, mask, policy });
  if (isStore(row)) {
    // Stores of several blocks to one tensor would be a race. Reductions are atomic.
    const storer = mods.op === undefined ? writer.temporary('p') : first;
    if (mods.op === undefined) writer.line(`setp.eq.u32 ${storer}, %global, 0`);
    for (const text of [instruction, 'cp.async.bulk.commit_group', 'cp.async.bulk.wait_group 0'])
      writer.line(`@${storer} ${text}`);
  } else {
    const expected = spreads ? expectedBytes(writer, receivers, copy.bytes) : `${copy.bytes}`;
    writer.line(`@${first} mbarrier.arrive.expect_tx.shared.b64 _, [${phase}], ${expected}`);
    writer.line(`@${spreads ? inFirstBlock(writer, first) : first} ${instruction}`);
    const [again, done] = [writer.label(), writer.temporary('p')];
    writer.place(again);
    writer.line(`mbarrier.try_wait.parity${spreads ? '.acquire.cluster' : ''}.shared.b64 ${done}, [${phase}], 0`);
    writer.line(`@!${done} bra ${again}`);
    const place = writer.temporary('r');
    writer.line(`and.b32 ${place}, ${writer.register('r', from)}, ${tileBytes / 8 - 1}`);
    writer.line(`mad.lo.u32 ${place}, ${place}, 8, ${tiles}`);
    writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${place}]`);
  }
  sync();
  if (own !== undefined) clearAddress(printing, map, first);
  writer.line(`@${first} mbarrier.inval.shared.b64 [${phase}]`);
  writer.line('bar.sync 0');
}

/** Returns the address of a map that is a parameter. */
function mapOf(writer: Writer, number: number): string {
  const map = writer.temporary('d');
  writer.line(`mov.b64 ${map}, map${number}`);
  writer.line(`cvta.param.u64 ${map}, ${map}`);
  return map;
}

/** Sets the mask of a copy to the own block of the cluster. */
function maskOfOwnBlock(writer: Writer, mask: string): void {
  const bits = writer.temporary('r');
  writer.line(`mov.u32 ${bits}, %cluster_ctarank`);
  writer.line(`shl.b32 ${bits}, 1, ${bits}`);
  writer.line(`cvt.u16.u32 ${mask}, ${bits}`);
}

/** Returns the bytes that the own block receives: none, unless the mask `receivers` contains it. */
function expectedBytes(writer: Writer, receivers: number, bytes: number): string {
  const expected = writer.temporary('r');
  writer.line(`mov.u32 ${expected}, %cluster_ctarank`);
  writer.line(`shr.u32 ${expected}, ${receivers}, ${expected}`);
  writer.line(`and.b32 ${expected}, ${expected}, 1`);
  writer.line(`mul.lo.u32 ${expected}, ${expected}, ${bytes}`);
  return expected;
}

/** Returns a predicate that is true in the first thread of the first block of a cluster. */
function inFirstBlock(writer: Writer, first: string): string {
  const [rank, issues] = [writer.temporary('r'), writer.temporary('p')];
  writer.line(`mov.u32 ${rank}, %cluster_ctarank`);
  writer.line(`setp.eq.and.u32 ${issues}, ${rank}, 0, ${first}`);
  return issues;
}

/** Returns the declarations of the parameters for the copies. */
export const boxParameters = (boxes: readonly PrintedBox[]): readonly string[] =>
  boxes.flatMap(({ initialMap }, number) => [
    initialMap === undefined ? `.param .align 64 .b8 map${number}[128]` : `.param .u64 map${number}`,
    `.param .u64 tensor${number}`,
  ]);

/** Returns the parameters for the copies. `first` is the number of the first. */
export function boxParams(boxes: readonly PrintedBox[], first: number, blocks: number): LaunchParam[] {
  return boxes.flatMap(({ copy, op, seed, initialMap }, number): LaunchParam[] => {
    const bits = drawnBits(copy, op);
    const rng = random(seed, 'tensor');
    const data = new Uint8Array(Uint32Array.from({ length: tensorBytes / 4 }, () => rng.u32() & bits).buffer);
    return [
      initialMap === undefined
        ? mapParam(`map${number}`, copy, first + 2 * number + 1)
        : bufferOf(
            `map${number}`,
            Uint8Array.from({ length: blocks * initialMap.length }, (_, byte) =>
              at(initialMap, byte % initialMap.length, 'a byte'),
            ),
          ),
      bufferOf(`tensor${number}`, data),
    ];
  });
}

const bufferOf = (name: string, data: Uint8Array): LaunchParam => ({
  name,
  kind: 'buffer',
  type: 'u32',
  bytes: data.length,
  data,
});
