// Joins calls of large prelude functions into loops that contain each function once. Drivers inline
// every call. So a kernel with hundreds of exact f32 or f64 operations has the code of hundreds of
// functions, and compiles for minutes.
//
// A loop costs a few instructions for each call, so this applies only to kernels whose calls have
// much code.
import type { FloatProfile } from '../../base/float-profile.ts';
import { at, InternalError } from '../../base/invariants.ts';
import { allOf, getOrInsert } from '../../base/maps.ts';
import { inlinedSize, renderKnownHelpers } from '../../wgsl/helpers/library.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { usersOf } from '../graph/index.ts';
import { type Builder, replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Func,
  type Inst,
  type InstNamed,
  type Result,
  type Value,
} from '../ir/nodes.ts';
import { type HelperCall, type StepCall, type StepFunction, type StepType, stepLimits } from '../ir/operations.ts';
import { hasGroups, runsOf } from '../passes/fast-paths/parts.ts';

type HelperInst = InstNamed<'helper'>;

/**
 * The maximum size of the code of all calls in a function, in characters. Above this size, the
 * calls share loops. A GPU (fused) loses speed in a loop, and its driver needs about a second for
 * 100,000 characters. A driver for a CPU (unfused) compiles more slowly, and its integer arithmetic
 * costs far more than the loop.
 */
const maxCode: Readonly<Record<FloatProfile['fma'], number>> = { fused: 700_000, unfused: 60_000 };
/**
 * The maximum size for the calls of f64 functions alone, after inlining. These functions are long,
 * so a loop costs them little. On an H200, NVIDIA's driver needs 5 to 7 µs for each character.
 */
const maxPairCode = 400_000;
/**
 * The minimum size of a function that loops contain. A smaller function is cheaper than an
 * iteration of a loop.
 */
const minCallCode = 800;
/**
 * The minimum and the maximum number of calls in a loop. The maximum bounds the number of live
 * registers.
 */
const callsPerLoop = { min: 3, max: 64 } as const;

const stepTypeList: readonly StepType[] = ['vec2<u32>', 'u32'];

const sizes = new Map<HelperName, number>();
/** Returns the size in characters of a prelude function and of all functions that it calls. */
const codeOf = (name: HelperName): number => getOrInsert(sizes, name, () => renderKnownHelpers([name]).length);

export interface StepOptions {
  readonly float: FloatProfile;
  /** Blocks that rarely execute. Their calls always share loops. */
  readonly rare: ReadonlySet<Block>;
  /** Calls that another pass removes, unless this pass joins calls. */
  readonly joined: readonly HelperInst[];
}

/**
 * If the function has much code in large calls, joins the calls of each block, and otherwise only
 * those of rare blocks. Returns whether it joins the calls of all types in all blocks.
 */
export function shareSteps(func: Func, builder: Builder, { float, rare, joined }: StepOptions): boolean {
  const usual = func.blocks.filter((block) => !rare.has(block));
  let code = 0;
  let pairCode = 0;
  for (const { insts } of usual) {
    for (const inst of insts) {
      if (inst.op !== 'helper') continue;
      code += codeOf(inst.attrs.name);
      if (inst.attrs.result === 'vec2<u32>') pairCode += inlinedSize(inst.attrs.name);
    }
  }
  for (const { attrs } of joined) code -= codeOf(attrs.name);
  const isLarge = code > maxCode[float.fma];
  const few = func.blocks.filter((block) => rare.has(block));
  for (const type of stepTypeList) {
    const blocks = isLarge || (type === 'vec2<u32>' && pairCode > maxPairCode) ? func.blocks : few;
    if (blocks.length > 0) new StepSharing(func, builder, type).run(blocks);
  }
  return isLarge;
}

/**
 * Returns the constant of each parameter that is not a register; undefined if a `steps` operation
 * of this type cannot contain the call.
 */
function constantsOf({ attrs, args }: HelperInst, type: StepType): readonly (number | undefined)[] | undefined {
  const { params, result }: HelperCall = attrs;
  if (result !== type && !(type === 'u32' && result === 'f32')) return undefined;
  let next = 0;
  const constants: (number | undefined)[] = [];
  for (const param of params) {
    const arg = args[next];
    next += param === 'vec2<u32>' ? 2 : 1;
    const bits = constantOf(arg);
    // The last argument is a rounding mode. A constant among other words of the type may be an
    // operand.
    const isMode = param === 'u32' && bits !== undefined && bits < 16n && constants.length === params.length - 1;
    if (isMode) constants.push(Number(bits));
    else if (param === result) constants.push(undefined);
    else return undefined;
  }
  const registers = constants.filter((constant) => constant === undefined).length;
  return registers > 0 && registers <= stepLimits.operands ? constants : undefined;
}

class StepSharing {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly type: StepType;
  private readonly width: number;
  private readonly users: ReturnType<typeof usersOf>;
  private readonly replaced = new IdMap<Definition, Value>();

  constructor(func: Func, builder: Builder, type: StepType) {
    this.func = func;
    this.builder = builder;
    this.type = type;
    this.width = type === 'vec2<u32>' ? 2 : 1;
    this.users = usersOf(func);
  }

  run(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const calls = new Set<Inst>(block.insts.filter((inst) => this.isCall(inst)));
      if (calls.size < callsPerLoop.min) continue;
      const parts = runsOf(block, calls, { canWait: isCopy, maxOps: callsPerLoop.max });
      if (!hasGroups(parts)) continue;
      block.insts = [];
      for (const part of parts) {
        if (part.kind === 'inst') block.insts.push(part.inst);
        else this.share(part.group, calls, block.insts);
      }
    }
    replaceValues(this.func, this.replaced);
  }

  private isCall(inst: Inst): inst is HelperInst {
    return (
      inst.op === 'helper' &&
      inst.when === undefined &&
      codeOf(inst.attrs.name) >= minCallCode &&
      constantsOf(inst, this.type) !== undefined
    );
  }

  /** Writes a group to `insts`: the loops with its calls, and then the copies of their results. */
  private share(group: readonly Inst[], calls: ReadonlySet<Inst>, insts: Inst[]): void {
    let from = 0;
    while (from < group.length) {
      const loop = new Loop(this.type, this.width);
      let to = from;
      for (; to < group.length; to++) {
        const inst = at(group, to, 'an instruction');
        if (calls.has(inst) && this.isCall(inst) && !loop.add(inst)) break;
      }
      const members = group.slice(from, to);
      if (members.length === 0) throw new InternalError('a call does not fit an empty loop');
      this.write(members, loop, insts);
      from = to;
    }
  }

  private write(members: readonly Inst[], loop: Loop, insts: Inst[]): void {
    if (loop.calls.length < callsPerLoop.min) {
      insts.push(...members);
      return;
    }
    const { builder } = this;
    const own = new Set<Inst>(loop.insts);
    /** The calls, and the copies of their results. The other copies may be inputs of the loop. */
    const fromLoop = new Set<Inst>(own);
    for (const inst of members) {
      if (inst.args.some((arg) => arg.kind === 'result' && fromLoop.has(arg.inst))) fromLoop.add(inst);
    }
    const copies = members.filter((inst) => fromLoop.has(inst) && !own.has(inst));
    /** Copies that only calls of the loop read. */
    const dead = new Set<Inst>();
    for (const inst of copies.toReversed()) {
      if (inst.results.every((result) => this.isReadOnlyBy(result, own, dead))) dead.add(inst);
    }
    const escaping = loop.insts.filter(
      ({ results }) => !results.every((result) => this.isReadOnlyBy(result, own, dead)),
    );
    const attrs = {
      type: this.type,
      functions: loop.functions,
      calls: loop.calls.map(({ fn, registers }) => ({ fn, registers: registers.map((one) => loop.numberOf(one)) })),
      results: escaping.map((inst) => loop.numberOf(loop.registerOf(inst))),
    };
    insts.push(...members.filter((inst) => !fromLoop.has(inst)));
    builder.into(insts);
    builder.span = loop.insts[0]?.span;
    const hints = escaping.flatMap(({ results }) => results.map(({ hint }) => hint));
    const inputs = loop.inputs.flat().map((value) => builder.bitcast(value, 'i32'));
    const values = builder.emit('steps', attrs, inputs, { hints });
    const results = escaping.flatMap((inst) => inst.results);
    for (const [index, result] of results.entries())
      this.replaced.set(result, builder.bitcast(at(values, index, 'a result'), result.type));
    insts.push(...copies.filter((inst) => !dead.has(inst)));
  }

  private isReadOnlyBy(result: Result, own: ReadonlySet<Inst>, dead: ReadonlySet<Inst>): boolean {
    return allOf(this.users, result).every(
      (user) => user.kind === 'inst' && (own.has(user.inst) || dead.has(user.inst)),
    );
  }
}

/** Whether an instruction only copies bits, or flushes subnormals. */
const isCopy = (inst: Inst): boolean =>
  inst.op === 'bitcast' || (inst.op === 'helper' && inst.attrs.name === 'f32_flush' && inst.when === undefined);

/** The value that a register holds: an input of the loop, or the result of a call. */
type Register = { readonly input: number } | { readonly call: number };

class Loop {
  readonly functions: StepFunction[] = [];
  readonly calls: (Omit<StepCall, 'registers'> & { readonly registers: readonly Register[] })[] = [];
  readonly insts: HelperInst[] = [];
  readonly inputs: (readonly Value[])[] = [];
  private readonly type: StepType;
  private readonly width: number;
  private readonly functionNumbers = new Map<string, number>();
  private readonly constantInputs = new Map<string, number>();
  private readonly inputNumbers = new Map<Value, Map<Value, number>>();
  private readonly producers = new Map<Inst, number>();

  constructor(type: StepType, width: number) {
    this.type = type;
    this.width = width;
  }

  /** Adds a call. If the call does not fit, returns false and changes nothing. */
  add(inst: HelperInst): boolean {
    const constants = constantsOf(inst, this.type);
    if (constants === undefined) throw new InternalError('the call has another type');
    const operands: (readonly Value[])[] = [];
    let next = 0;
    for (const constant of constants) {
      const width = constant === undefined ? this.width : 1;
      if (constant === undefined) operands.push(inst.args.slice(next, next + width));
      next += width;
    }
    const found = operands.map((operand) => this.producerOf(operand));
    if (found.includes('mixed')) return false;
    if (this.inputs.length + this.calls.length + operands.length + 1 > stepLimits.registers) return false;
    const registers = operands.map((operand, index): Register => {
      const producer = found[index];
      return typeof producer === 'number' ? { call: producer } : { input: this.inputOf(operand) };
    });
    const { name } = inst.attrs;
    const fn = getOrInsert(this.functionNumbers, JSON.stringify([name, constants]), () => {
      this.functions.push({ name, isFloat: inst.attrs.result === 'f32', constants });
      return this.functions.length - 1;
    });
    this.producers.set(inst, this.calls.length);
    this.calls.push({ fn, registers });
    this.insts.push(inst);
    return true;
  }

  registerOf(inst: Inst): Register {
    const call = this.producers.get(inst);
    if (call === undefined) throw new InternalError('the instruction is not in the loop');
    return { call };
  }

  numberOf(register: Register): number {
    return 'input' in register ? register.input : this.inputs.length + register.call;
  }

  /**
   * Returns the call whose result is the operand; undefined for an input. `mixed`: the operand is
   * computed from results of the loop.
   */
  private producerOf(operand: readonly Value[]): number | 'mixed' | undefined {
    const sources = operand.map(sourceOf);
    const producers = sources.map(({ value }) =>
      value.kind === 'result' ? this.producers.get(value.inst) : undefined,
    );
    if (producers.every((producer) => producer === undefined)) return undefined;
    const first = sources[0]?.value;
    if (first?.kind !== 'result') return 'mixed';
    const { inst } = first;
    const isWhole = sources.every(
      ({ value, isFlushed }, index) => value === inst.results[index] && (!isFlushed || flushes(inst)),
    );
    return isWhole ? this.producers.get(inst) : 'mixed';
  }

  private inputOf(operand: readonly Value[]): number {
    const add = (): number => this.inputs.push(operand) - 1;
    const constants = operand.map(constantOf);
    if (constants.every((bits) => bits !== undefined)) return getOrInsert(this.constantInputs, constants.join(), add);
    const [first, second = first] = operand;
    if (first === undefined || second === undefined) throw new InternalError('an operand has a value');
    return getOrInsert(
      getOrInsert(this.inputNumbers, first, () => new Map<Value, number>()),
      second,
      add,
    );
  }
}

/**
 * Returns the original value from which only copies separate a value. Subnormals may have been
 * flushed on the way.
 */
function sourceOf(value: Value): { readonly value: Value; readonly isFlushed: boolean } {
  let source = value;
  let isFlushed = false;
  while (source.kind === 'result' && isCopy(source.inst)) {
    isFlushed ||= source.inst.op === 'helper';
    source = at(source.inst.args, 0, 'an operand');
  }
  return { value: source, isFlushed };
}

/** Whether a call flushes subnormal results to zero. */
function flushes(inst: Inst): boolean {
  if (inst.op !== 'helper') return false;
  const mode = constantOf(inst.args.at(-1));
  return (
    inst.attrs.name === 'f32_fma_ftz' ||
    (inst.attrs.params.at(-1) === 'u32' && mode !== undefined && (mode & 4n) !== 0n)
  );
}
