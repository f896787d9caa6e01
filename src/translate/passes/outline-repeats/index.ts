// Makes functions of sequences of instructions that a kernel repeats. A compiler of CUDA inlines
// `exp(double)` and unrolls loops, so a kernel may contain the same 30 operations 81 times. The
// function does not make the shader shorter for a driver, which inlines it again. But its calls can
// share code (`share-code.ts`), and then the driver compiles the sequence once.
import { at, get } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import { inlinedSize } from '../../../wgsl/helpers/library.ts';
import { usersOf } from '../../graph/index.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Result,
  type Value,
} from '../../ir/nodes.ts';
import { type CodeLimits, codeLimits, instCode } from '../code-limits.ts';
import { type RepeatedSequence, repeatedSequences } from './repeats.ts';

/** The maximum numbers of operands and results of a function, which all its calls must move. */
const maxOperands = 12;
const maxResults = 6;

/** An instruction that a function may contain, and its block. */
interface Place {
  readonly inst: Inst;
  readonly block: Block;
}

/** An occurrence of a sequence: its instructions, and the values that they read from outside. */
interface Occurrence {
  readonly insts: readonly Inst[];
  readonly block: Block;
  readonly inputs: readonly Definition[];
}

/** Outlines the repeated sequences of a kernel. Modifies the program in place. */
export function outlineRepeats(program: Program, builder: Builder, limits: CodeLimits = codeLimits): void {
  const { kernel } = program;
  const places = sequenceOf(kernel);
  const tokens = numbered(places);
  const used = new Set<Inst>();
  const outliner = new Outliner(program, builder);
  const worth = (sequence: RepeatedSequence): number =>
    (sequence.starts.length - 1) * sizeOf(places, at(sequence.starts, 0, 'a start'), sequence.length);
  const sequences = repeatedSequences(tokens)
    .filter(({ starts, length }) => sizeOf(places, at(starts, 0, 'a start'), length) >= limits.sequence)
    .map((sequence) => ({ sequence, gain: worth(sequence) }))
    .sort((a, b) => b.gain - a.gain);
  for (const { sequence } of sequences) {
    const occurrences = occurrencesOf(sequence, places, used);
    if (occurrences.length < 2) continue;
    for (const { insts } of occurrences) for (const inst of insts) used.add(inst);
    outliner.outline(occurrences);
  }
  outliner.finish();
}

/** Returns the instructions of a kernel in order, with `undefined` where a sequence must end. */
function sequenceOf({ blocks }: Func): readonly (Place | undefined)[] {
  return blocks.flatMap((block) => [
    ...block.insts.map((inst) => (isPlain(inst) ? { inst, block } : undefined)),
    undefined,
  ]);
}

/** Whether an instruction only computes values of numeric types. */
const isPlain = (inst: Inst): boolean =>
  inst.operation.effect === 'pure' &&
  inst.when === undefined &&
  inst.op !== 'symbol' &&
  inst.op !== 'special' &&
  inst.op !== 'helper' &&
  inst.results.length > 0;

/** Returns the same number for instructions that differ only in the values that they read. */
function numbered(places: readonly (Place | undefined)[]): readonly number[] {
  const numbers = new Map<string, number>();
  let next = 0;
  return places.map((place) => {
    if (place === undefined) return next++;
    const { op, attrs, args, results } = place.inst;
    const operands = args.map((arg) => (arg.kind === 'constant' ? `${arg.type} ${arg.bits}` : arg.type));
    const key = JSON.stringify([op, attrs, operands, results.map(({ type }) => type)]);
    return getOrInsert(numbers, key, () => next++);
  });
}

function sizeOf(places: readonly (Place | undefined)[], start: number, length: number): number {
  let size = 0;
  for (const place of places.slice(start, start + length)) size += place === undefined ? 0 : codeOf(place.inst);
  return size;
}

const names: Readonly<Partial<Record<Inst['op'], string>>> = {
  fadd: 'add',
  fsub: 'sub',
  fmul: 'mul',
  ffma: 'fma',
  fdiv: 'div',
  fsqrt: 'sqrt',
};

function codeOf({ op, results }: Inst): number {
  const name = names[op];
  const type = results[0]?.type;
  return name !== undefined && (type === 'f64' || type === 'f32') ? inlinedSize(`${type}_${name}`) : instCode;
}

/**
 * Returns the largest set of non-overlapping occurrences that have the same data flow between their
 * instructions.
 */
function occurrencesOf(
  { starts, length }: RepeatedSequence,
  places: readonly (Place | undefined)[],
  used: ReadonlySet<Inst>,
): readonly Occurrence[] {
  const groups = new Map<string, Occurrence[]>();
  let end = 0;
  for (const start of starts) {
    if (start < end) continue;
    // Absent: an end of a sequence, which no repeated sequence contains.
    const own = places.slice(start, start + length).flatMap((place) => place ?? []);
    if (own.length < length || own.some(({ inst }) => used.has(inst))) continue;
    end = start + length;
    const insts = own.map(({ inst }) => inst);
    const { key, inputs } = wiringOf(insts);
    if (inputs.length > maxOperands) continue;
    getOrInsert(groups, key, (): Occurrence[] => []).push({ insts, block: at(own, 0, 'an instruction').block, inputs });
  }
  let largest: readonly Occurrence[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}

/** Describes which operand is which earlier result, or which value from outside. */
function wiringOf(insts: readonly Inst[]): { readonly key: string; readonly inputs: readonly Definition[] } {
  const results = new Map<Value, string>();
  const inputs = new Map<Definition, number>();
  const key = insts.map(({ args, results: own }, index) => {
    const operands = args.map((arg) => {
      if (!isDefinition(arg)) return arg.kind;
      // Absent: the value is from outside.
      return results.get(arg) ?? `i${getOrInsert(inputs, arg, () => inputs.size)}`;
    });
    for (const result of own) results.set(result, `r${index}.${result.index}`);
    return operands.join();
  });
  return { key: key.join(';'), inputs: [...inputs.keys()] };
}

class Outliner {
  private readonly program: Program;
  private readonly builder: Builder;
  private readonly users: ReturnType<typeof usersOf>;
  private readonly replaced = new IdMap<Definition, Value>();
  private readonly made: Func[] = [];

  constructor(program: Program, builder: Builder) {
    this.program = program;
    this.builder = builder;
    this.users = usersOf(program.kernel);
  }

  outline(occurrences: readonly Occurrence[]): void {
    const escaping = this.escapingFrom(occurrences);
    if (escaping.length > maxResults) return;
    const func = this.functionOf(at(occurrences, 0, 'an occurrence'), escaping);
    this.made.push(func);
    for (const occurrence of occurrences) this.replace(occurrence, func, escaping);
  }

  finish(): void {
    this.program.functions = [...this.made, ...this.program.functions];
    replaceValues(this.program.kernel, this.replaced);
  }

  /** Returns the results that any occurrence provides to other instructions. */
  private escapingFrom(occurrences: readonly Occurrence[]): readonly (readonly [place: number, index: number])[] {
    const found = new Map<string, readonly [number, number]>();
    for (const { insts } of occurrences) {
      const own = new Set<Inst>(insts);
      insts.forEach(({ results }, place) => {
        for (const result of results)
          if (this.isReadOutside(result, own)) found.set(`${place} ${result.index}`, [place, result.index]);
      });
    }
    return [...found.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  }

  private isReadOutside(result: Result, own: ReadonlySet<Inst>): boolean {
    // Absent: no instruction reads the result.
    return (this.users.get(result) ?? []).some((user) => user.kind === 'end' || !own.has(user.inst));
  }

  private functionOf({ insts, inputs }: Occurrence, escaping: readonly (readonly [number, number])[]): Func {
    const { builder, program } = this;
    const block = builder.block();
    const copies = new Map<Value, Value>(
      inputs.map((input) => [input, builder.param(block, input.type, input.hint)] as const),
    );
    // Absent: a constant stays.
    const copyOf = (value: Value): Value => copies.get(value) ?? value;
    const made: Inst[] = block.insts;
    builder.within(made, () => {
      for (const inst of insts) {
        builder.span = inst.span;
        builder.clone(inst, inst.args.map(copyOf)).forEach((copy, index) => {
          copies.set(at(inst.results, index, 'a result'), copy);
        });
      }
    });
    const values = escaping.map(([place, index]) =>
      get(copies, at(at(insts, place, 'an instruction').results, index, 'a result'), 'the copy of a result'),
    );
    block.end = { kind: 'return', values, span: insts[0]?.span };
    return {
      name: this.freshName(program),
      kind: 'function',
      results: values.map(({ type }) => type),
      blocks: [block],
    };
  }

  private freshName({ functions, kernel }: Program): string {
    const taken = new Set([kernel, ...functions, ...this.made].map(({ name }) => name));
    let number = this.made.length;
    while (taken.has(`repeat_${number}`)) number += 1;
    return `repeat_${number}`;
  }

  private replace(
    { insts, block, inputs }: Occurrence,
    func: Func,
    escaping: readonly (readonly [number, number])[],
  ): void {
    const { builder } = this;
    const call: Inst[] = [];
    builder.span = insts[0]?.span;
    const originals = escaping.map(([place, index]) =>
      at(at(insts, place, 'an instruction').results, index, 'a result'),
    );
    const hints = originals.map(({ hint }) => hint);
    const values = builder.within(call, () =>
      builder.emit('call', { callee: func.name, results: func.results }, inputs, { hints }),
    );
    originals.forEach((result, index) => {
      this.replaced.set(result, at(values, index, 'a result'));
    });
    const own = new Set(insts);
    const first = at(insts, 0, 'an instruction');
    block.insts = block.insts.flatMap((inst) => (inst === first ? call : own.has(inst) ? [] : [inst]));
  }
}
