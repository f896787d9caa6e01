// Computes addresses in units of a power of two, as 32-bit values. For each operation of an
// address, inserts the same operation on the index after it. Constants are kept separate, so that
// accesses to neighboring words share one index. The index of a 64-bit address is exact modulo 2^32
// units.

import { at, missing } from '../../../base/invariants.ts';
import { allOf, getOrInsert } from '../../../base/maps.ts';
import { addsBits, isAddressType, shiftAmount, signedConstant, trailingZeros } from '../../analysis/address-parts.ts';
import type { AddressForms } from '../../analysis/affine.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  constant,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Param,
  type Value,
} from '../../ir/nodes.ts';
import type { Insertions } from './insertions.ts';
import { constantOnly, maskOf, type Scaled, sum, times, whole } from './scaled.ts';

interface Key {
  readonly value: Value;
  /** The value is divided by 2^level. */
  readonly level: number;
}

/** The number of levels. A unit has at most 16 bytes, so the highest level is 4. */
const levels = 5;

export class WordValues {
  private readonly builder: Builder;
  private readonly forms: AddressForms;
  private readonly insertions: Insertions;
  private readonly known = new IdMap<Definition, (Scaled | undefined)[]>();
  private readonly settled = new IdMap<Definition, (Value | undefined)[]>();
  /**
   * The added parameters of each block. Each has the value of the parameter at `index`, divided by
   * 2^`level`. `finish` adds the arguments of the edges.
   */
  private readonly made = new Map<Block, { readonly index: number; readonly level: number }[]>();
  private readonly open: Param[] = [];

  constructor(builder: Builder, forms: AddressForms, insertions: Insertions) {
    this.builder = builder;
    this.forms = forms;
    this.insertions = insertions;
  }

  /** Returns the value divided by 2^level. The value's own level must be at least `level`. */
  scaled(value: Value, level: number): Scaled {
    const stack: Key[] = [{ value, level }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (this.find(top) !== undefined) {
        stack.pop();
        continue;
      }
      const unknown = this.partsOf(top).filter((part) => this.find(part) === undefined);
      if (unknown.length > 0) {
        stack.push(...unknown);
        continue;
      }
      stack.pop();
      this.keep(top, this.make(top));
    }
    return this.find({ value, level }) ?? missing('the scaled value', value);
  }

  /** Adds the arguments of added parameters to the edges. Must be called after all values exist. */
  finish(func: Func): void {
    for (let at = 0; at < this.open.length; at++) {
      const param = this.open[at];
      if (param === undefined) continue;
      const index = param.block.params.indexOf(param);
      for (const block of this.into(func, param.block)) {
        for (const { to, args } of edgesOf(block.end)) {
          const arg = args[index];
          if (to !== param.block || arg === undefined) continue;
          for (const made of allOf(this.made, param.block)) if (made.index === index) this.scaled(arg, made.level);
        }
      }
    }
    if (this.made.size === 0) return;
    for (const block of func.blocks) {
      if (!edgesOf(block.end).some(({ to }) => this.made.has(to))) continue;
      block.end = mapTerminator(
        block.end,
        (value) => value,
        ({ to, args }) => {
          const more = allOf(this.made, to).map(({ index, level }) =>
            this.settle({ value: at(args, index, 'an argument of an edge'), level }),
          );
          return { to, args: [...args, ...more] };
        },
      );
    }
  }

  private sources: Map<Block, Block[]> | undefined;

  private into(func: Func, block: Block): readonly Block[] {
    if (this.sources === undefined) {
      this.sources = new Map();
      for (const from of func.blocks) {
        for (const { to } of edgesOf(from.end)) {
          const list = this.sources.get(to);
          if (list === undefined) this.sources.set(to, [from]);
          else if (list.at(-1) !== from) list.push(from);
        }
      }
    }
    return allOf(this.sources, block);
  }

  private find({ value, level }: Key): Scaled | undefined {
    if (isDefinition(value)) return this.known.get(value)?.[level];
    if (value.kind === 'undef') return constantOnly(0);
    const bits = BigInt.asIntN(value.type === 'i64' ? 64 : 32, value.bits);
    return constantOnly(Number(BigInt.asIntN(32, bits >> BigInt(level))));
  }

  private keep({ value, level }: Key, scaled: Scaled): void {
    if (!isDefinition(value)) return;
    // Absent: this is the first level of the value.
    const list = this.known.get(value) ?? new Array<Scaled | undefined>(levels).fill(undefined);
    list[level] = scaled;
    this.known.set(value, list);
  }

  /** Returns the parts from whose scaled values the scaled value is computed. */
  private partsOf({ value, level }: Key): readonly Key[] {
    const inst = value.kind === 'result' && value.inst.when === undefined ? value.inst : undefined;
    if (inst === undefined) return [];
    const [a, b, c] = inst.args;
    if (a === undefined) return [];
    if (level === 0) {
      if (value.type === 'i64' && (inst.op === 'zext' || inst.op === 'sext') && a.type === 'i32')
        return [{ value: a, level }];
      return inst.op === 'iadd' && this.peels(value) && signedConstant(b) !== undefined ? [{ value: a, level }] : [];
    }
    switch (inst.op) {
      case 'iadd':
      case 'isub':
      case 'xor':
      case 'or':
        return b
          ? [
              { value: a, level },
              { value: b, level },
            ]
          : [];
      case 'shl':
      case 'shlw': {
        const bits = shiftAmount(inst);
        return bits === undefined ? [] : [{ value: a, level: Math.max(level - bits, 0) }];
      }
      case 'imul':
        return b ? this.factors(a, b, level) : [];
      case 'and':
        return this.forms.level(a) >= level ? [{ value: a, level }] : a.type === 'i64' ? [{ value: a, level: 0 }] : [];
      case 'select':
        return b && c
          ? [
              { value: b, level },
              { value: c, level },
            ]
          : [];
      case 'zext':
      case 'sext':
      case 'trunc':
        return [{ value: a, level }];
      default:
        return [];
    }
  }

  /**
   * Splits a power of two between two factors. A constant factor contributes the powers of two that
   * it contains, and the other factor contributes the rest.
   */
  private factors(a: Value, b: Value, level: number): readonly Key[] {
    if (b.kind === 'constant') return [{ value: a, level: Math.max(level - trailingZeros(b), 0) }];
    const first = Math.min(this.forms.level(a), level);
    return [
      { value: a, level: first },
      { value: b, level: level - first },
    ];
  }

  /** Whether the readers may add the sum's constant, because nothing needs the sum itself. */
  private peels(value: Value): boolean {
    return value.type === 'i64' || this.forms.isAddressOnly(value);
  }

  private make(key: Key): Scaled {
    const { value, level } = key;
    if (!isDefinition(value)) return constantOnly(0);
    const { builder } = this;
    builder.into(this.insertions.afterDefinition(value));
    builder.span = value.kind === 'result' ? value.inst.span : undefined;
    builder.hint = value.hint;
    const result = value.kind === 'param' ? this.ofParam(value, level) : this.ofInst(value.inst, key);
    builder.hint = undefined;
    builder.span = undefined;
    if (result.base?.kind === 'constant') return constantOnly(result.constant + Number(result.base.bits));
    return result.base?.kind === 'undef' ? constantOnly(result.constant) : result;
  }

  private ofParam(param: Param, level: number): Scaled {
    if (level === 0) return { base: this.low(param), constant: 0 };
    const made = this.builder.param(param.block, 'i32', param.hint);
    const index = param.block.params.indexOf(param);
    // Absent: this is the first parameter that is added to the block.
    const list = this.made.get(param.block) ?? [];
    list.push({ index, level });
    this.made.set(param.block, list);
    this.open.push(param);
    return { base: made, constant: 0 };
  }

  private low(value: Value): Value {
    return value.type === 'i64' ? this.builder.value('trunc', { to: 'i32' }, [value]) : value;
  }

  private ofInst(inst: Inst, key: Key): Scaled {
    const { value, level } = key;
    const { builder } = this;
    const [x, y] = this.partsOf(key).map((part) => this.find(part) ?? missing('a scaled part', part.value));
    const [, b] = inst.args;
    if (x === undefined) return this.ofLeaf(inst, value, level);
    if (level === 0)
      return inst.op === 'iadd'
        ? { base: x.base, constant: (x.constant + (signedConstant(b) ?? missing('the constant of a sum', value))) | 0 }
        : x;
    switch (inst.op) {
      case 'iadd':
        return y ? sum(builder, x, y, 1) : x;
      case 'isub':
        return y ? sum(builder, x, y, -1) : x;
      case 'or':
      case 'xor': {
        if (y === undefined) return x;
        if (inst.op === 'or' && addsBits(inst)) return sum(builder, x, y, 1);
        const [left, right] = [whole(builder, x), whole(builder, y)];
        return { base: inst.op === 'or' ? builder.or(left, right) : builder.xor(left, right), constant: 0 };
      }
      case 'shl':
      case 'shlw':
        return times(
          builder,
          x,
          2 ** Math.max((shiftAmount(inst) ?? missing('the amount of a shift', value)) - level, 0),
        );
      case 'imul': {
        if (y !== undefined) return { base: builder.imul(whole(builder, x), whole(builder, y)), constant: 0 };
        if (b?.kind !== 'constant') return x;
        const taken = BigInt(Math.min(trailingZeros(b), level));
        const factor = BigInt.asIntN(b.type === 'i64' ? 64 : 32, b.bits) >> taken;
        return times(builder, x, Number(BigInt.asIntN(32, factor)));
      }
      case 'and': {
        const mask = maskOf(b, level);
        const isScaled = this.forms.level(at(inst.args, 0, 'an operand')) >= level;
        const bits = whole(builder, x);
        return {
          base: builder.and(isScaled ? bits : builder.lshrw(bits, builder.i32(level)), builder.i32(mask)),
          constant: 0,
        };
      }
      case 'select':
        return y && inst.args[0]
          ? { base: builder.select(inst.args[0], whole(builder, x), whole(builder, y)), constant: 0 }
          : x;
      default:
        return x;
    }
  }

  /** Returns the scaled value of a value that the analysis does not follow further. */
  private ofLeaf(inst: Inst, value: Value, level: number): Scaled {
    const { builder } = this;
    if (level === 0) {
      const [a] = inst.args;
      const isExtension = inst.op === 'zext' || inst.op === 'sext';
      if (isExtension && inst.when === undefined && a && !isAddressType(a.type)) {
        return { base: builder.value(inst.op, { to: 'i32' }, [a]), constant: 0 };
      }
      return { base: this.low(value), constant: 0 };
    }
    // The shift of a masked word moves before the mask, where it combines with an existing shift.
    const [masked, mask] = inst.args;
    if (inst.op !== 'and' || masked === undefined) return constantOnly(0);
    const inner = masked.kind === 'result' && masked.inst.when === undefined ? masked.inst : undefined;
    const by = inner?.op === 'lshrw' || inner?.op === 'lshr' ? shiftAmount(inner) : undefined;
    const source = inner?.args[0];
    const shifted =
      by !== undefined && source && by + level < 32
        ? builder.lshrw(source, builder.i32(by + level))
        : builder.lshrw(masked, builder.i32(level));
    return { base: builder.and(shifted, builder.i32(maskOf(mask, level))), constant: 0 };
  }

  /** Returns the scaled value as one value, computed at the value's definition. */
  private settle(key: Key): Value {
    const { value, level } = key;
    const scaled = this.scaled(value, level);
    if (!isDefinition(value)) return constant('i32', scaled.constant);
    const list = getOrInsert(this.settled, value, () => new Array<Value | undefined>(levels).fill(undefined));
    const known = list[level];
    if (known) return known;
    this.builder.into(this.insertions.afterDefinition(value));
    this.builder.span = value.kind === 'result' ? value.inst.span : undefined;
    this.builder.hint = value.hint;
    const settled = whole(this.builder, scaled);
    this.builder.hint = undefined;
    this.builder.span = undefined;
    list[level] = settled;
    return settled;
  }
}
