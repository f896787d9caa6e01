// Finds the memory from which the bytes of a word come. The analysis follows each lane's bytes back
// through shuffles, shifts and masks, to the loads of the lanes that read them.

import { at } from '../../base/invariants.ts';
import { IdMap } from '../ir/id-map.ts';
import { constantOf, type Definition, type Inst, type InstNamed, isDefinition, type Value } from '../ir/nodes.ts';
import { isMatrixType, widthOf } from '../ir/types.ts';
import { numbersOf } from './lane-form.ts';
import type { LaneForms } from './lane-forms.ts';

type Load = InstNamed<'load'>;

/** A byte that a lane has loaded; `position` counts from the address. */
export interface LoadedByte {
  readonly load: Load;
  readonly lane: number;
  readonly position: number;
}

/** The bytes of a value, lane after lane. `null` is a zero byte. */
type Bytes = readonly (LoadedByte | null)[];

const lanes = 32;
const furthest = 40;

export class WordSources {
  private readonly forms: LaneForms;
  private readonly known = new IdMap<Definition, { readonly bytes: Bytes | undefined }>();

  constructor(forms: LaneForms) {
    this.forms = forms;
  }

  /**
   * Returns the loads of all bytes of a value, lane after lane; undefined if some byte was not
   * loaded.
   */
  of(value: Value): readonly LoadedByte[] | undefined {
    const bytes = this.bytes(value, 0);
    return bytes?.every((byte): byte is LoadedByte => byte !== null) ? bytes : undefined;
  }

  private bytes(value: Value, depth: number): Bytes | undefined {
    if (isMatrixType(value.type) || widthOf(value.type) % 8 !== 0 || depth > furthest) return undefined;
    const size = widthOf(value.type) / 8;
    if (constantOf(value) === 0n) return new Array<null>(lanes * size).fill(null);
    if (!isDefinition(value) || value.kind === 'param') return undefined;
    const known = this.known.get(value);
    if (known !== undefined) return known.bytes;
    const bytes = this.ofInst(value.inst, value.index, size, depth + 1);
    this.known.set(value, { bytes });
    return bytes;
  }

  private ofInst(inst: Inst, index: number, size: number, depth: number): Bytes | undefined {
    if (inst.when !== undefined) return undefined;
    const [a, b] = inst.args;
    const of = (value: Value | undefined): Bytes | undefined => value && this.bytes(value, depth);
    const sizeOf = (value: Value | undefined): number => (value === undefined ? 0 : widthOf(value.type) / 8);
    switch (inst.op) {
      case 'load':
        if (inst.attrs.order !== 'weak' || inst.attrs.polls) return undefined;
        return each(size, (lane, position) => ({ load: inst, lane, position: index * size + position }));
      case 'bitcast':
        return of(a);
      case 'join': {
        const [low, high] = [of(a), of(b)];
        const half = size / 2;
        return low && high && each(size, (lane, byte) => byteOf(byte < half ? low : high, half, lane, byte % half));
      }
      case 'split': {
        const whole = of(a);
        return whole && each(size, (lane, byte) => byteOf(whole, 2 * size, lane, index * size + byte));
      }
      case 'trunc': {
        const whole = of(a);
        return whole && each(size, (lane, byte) => byteOf(whole, sizeOf(a), lane, byte));
      }
      case 'zext': {
        const part = of(a);
        const own = sizeOf(a);
        return part && each(size, (lane, byte) => (byte < own ? byteOf(part, own, lane, byte) : null));
      }
      case 'and': {
        const mask = constantOf(b);
        const whole = of(a);
        if (mask === undefined || whole === undefined) return undefined;
        const masks = Array.from({ length: size }, (_, byte) => (mask >> BigInt(8 * byte)) & 0xffn);
        if (masks.some((bits) => bits !== 0n && bits !== 0xffn)) return undefined;
        return each(size, (lane, byte) => (masks[byte] === 0n ? null : byteOf(whole, size, lane, byte)));
      }
      case 'or': {
        const [x, y] = [of(a), of(b)];
        if (x === undefined || y === undefined || x.some((byte, place) => byte !== null && y[place] !== null))
          return undefined;
        return x.map((byte, place) => byte ?? y[place] ?? null);
      }
      case 'shl':
      case 'shlw':
      case 'lshr':
      case 'lshrw': {
        const whole = of(a);
        const amounts = b && numbersOf(this.forms.of(b));
        if (
          whole === undefined ||
          amounts === undefined ||
          amounts.some((bits) => bits % 8 !== 0 || bits < 0 || bits >= 8 * size)
        )
          return undefined;
        const sign = inst.op === 'shl' || inst.op === 'shlw' ? -1 : 1;
        return each(size, (lane, byte) => {
          const from = byte + (sign * at(amounts, lane, 'a lane')) / 8;
          return from < 0 || from >= size ? null : byteOf(whole, size, lane, from);
        });
      }
      case 'warp': {
        const sources = index === 0 ? this.forms.sourcesOf(inst) : undefined;
        const whole = sources && of(a);
        return whole && sources && each(size, (lane, byte) => byteOf(whole, size, at(sources, lane, 'a lane'), byte));
      }
      default:
        return undefined;
    }
  }
}

const each = (size: number, make: (lane: number, byte: number) => LoadedByte | null): Bytes =>
  Array.from({ length: lanes * size }, (_, place) => make(Math.floor(place / size), place % size));

/** Returns a byte of a lane's value. Callers do not pass an index after the last byte. */
const byteOf = (bytes: Bytes, size: number, lane: number, byte: number): LoadedByte | null =>
  bytes[lane * size + byte] ?? null;
