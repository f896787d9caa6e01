// Makes computed NaNs canonical before their payload can matter. Hardware may compute a NaN with
// any payload, but PTX defines a single payload. The payload matters only if an instruction reads
// the bits.
//
// Loaded values, and values made of words, keep their payloads. If such a value and a computed
// value can reach the same definition, the pass makes the computed value canonical first.

import { at } from '../../../base/invariants.ts';
import { allOf, getOrInsert } from '../../../base/maps.ts';
import { forEachOperand } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdMap, IdSet } from '../../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Value,
} from '../../ir/nodes.ts';
import type { OpName } from '../../ir/operations.ts';

/** Operations that treat all NaNs in the same way, and whose f32 results are canonical. */
const indifferent: ReadonlySet<OpName> = new Set([
  'fadd', 'fsub', 'fmul', 'fdiv', 'ffma', 'fsqrt', 'fneg', 'fabs', 'fmin', 'fmax', 'fsaturate', 'fcanonical', 'fcmp', 'fclass', 'fapprox',
  'fdivapprox', 'ftoi', 'fintegral', 'itof', 'native',
]); // biome-ignore format: one line

export interface NanFacts {
  /** The results of hardware operations. */
  readonly raw: readonly Value[];
  /** The instructions that read bits, but do not depend on payloads. */
  readonly looks: ReadonlySet<Inst>;
  /** Instructions whose results are never NaN. */
  readonly numbers: readonly Inst[];
}

/**
 * Makes NaNs canonical if their bits matter, in results of hardware operations and in values that
 * receive these results.
 */
export function canonicalNans(func: Func, builder: Builder, facts: NanFacts): void {
  const raw = rawValues(func, facts);
  for (const block of func.blocks) new Rewriter(block, builder, raw, facts.looks).run();
}

/**
 * Returns the results of hardware operations, and the parameters and selections that receive such a
 * result. Excludes values that may also be a NaN whose payload must be kept.
 */
function rawValues(func: Func, { raw: results, numbers }: NanFacts): IdSet<Definition> {
  const readers = new IdMap<Definition, Definition[]>();
  const foreign: Definition[] = [];
  const harmless = new Set(numbers);
  const reads = (value: Value | undefined, by: Definition | undefined) => {
    if (value === undefined || by === undefined || by.type !== 'f32') return;
    if (!isDefinition(value)) {
      const bits = constantOf(value);
      if (bits === undefined || (bits & 0x7fff_ffffn) > 0x7f80_0000n) foreign.push(by);
      return;
    }
    getOrInsert(readers, value, () => []).push(by);
  };
  for (const param of at(func.blocks, 0, 'the first block').params) foreign.push(param);
  for (const { insts, end } of func.blocks) {
    for (const inst of insts) {
      const [result] = inst.results;
      if (result === undefined) continue;
      if (inst.op === 'select' && inst.when === undefined) {
        reads(inst.args[1], result);
        reads(inst.args[2], result);
      } else if (!harmless.has(inst) && (!indifferent.has(inst.op) || inst.when !== undefined)) {
        foreign.push(...inst.results);
      }
    }
    for (const { to, args } of edgesOf(end)) to.params.forEach((param, index) => void reads(args[index], param));
  }
  const stays = reached(foreign, readers, () => true);
  return reached(results.filter(isDefinition), readers, (value) => !stays.has(value));
}

/** Returns the values, and all their direct and indirect users that pass the test. */
function reached(
  from: readonly Definition[],
  readers: IdMap<Definition, Definition[]>,
  passes: (value: Definition) => boolean,
): IdSet<Definition> {
  const found = new IdSet<Definition>();
  const open = [...from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const reader of allOf(readers, next)) if (passes(reader)) open.push(reader);
  }
  return found;
}

class Rewriter {
  private readonly block: Block;
  private readonly builder: Builder;
  private readonly raw: IdSet<Definition>;
  private readonly looks: ReadonlySet<Inst>;
  private readonly made = new IdMap<Definition, Value>();

  constructor(block: Block, builder: Builder, raw: IdSet<Definition>, looks: ReadonlySet<Inst>) {
    this.block = block;
    this.builder = builder;
    this.raw = raw;
    this.looks = looks;
  }

  run(): void {
    const { block, builder } = this;
    const { end } = block;
    const ends = end.kind === 'return' && end.values.some((value) => this.isRaw(value));
    const meets = edgesOf(end).some(({ to, args }) =>
      args.some((arg, index) => this.isRaw(arg) && !this.isRaw(to.params[index])),
    );
    if (!ends && !meets && !block.insts.some((inst) => this.asks(inst))) return;
    const insts: Inst[] = [];
    builder.into(insts);
    for (const inst of block.insts) {
      if (this.asks(inst)) {
        builder.span = inst.span;
        inst.args = inst.args.map((arg) => this.canonical(arg));
        if (inst.when !== undefined) inst.otherwise = inst.otherwise.map((value) => this.canonical(value));
      }
      insts.push(inst);
    }
    builder.span = end.span;
    block.end = mapTerminator(
      end,
      (value) => this.canonical(value),
      ({ to, args }) => ({
        to,
        args: args.map((arg, index) => (this.isRaw(to.params[index]) ? arg : this.canonical(arg))),
      }),
    );
    block.insts = insts;
  }

  private isRaw(value: Value | undefined): boolean {
    return value !== undefined && isDefinition(value) && this.raw.has(value);
  }

  /** Whether an instruction depends on the payload of a NaN. */
  private asks(inst: Inst): boolean {
    if (this.looks.has(inst) || (inst.when === undefined && indifferent.has(inst.op))) return false;
    if (inst.op === 'select' && inst.when === undefined && this.isRaw(inst.results[0])) return false;
    let found = false;
    forEachOperand(inst, (value) => {
      found ||= this.isRaw(value);
    });
    return found;
  }

  private canonical(value: Value): Value {
    if (!isDefinition(value) || !this.raw.has(value)) return value;
    return getOrInsert(this.made, value, () => this.builder.value('fcanonical', {}, [value], { hint: value.hint }));
  }
}
