// Lets all threads of a block share the copy of a box that one of them starts. All threads reach the
// copy together, and a barrier precedes it. So the thread that starts it has reached it, and earlier
// accesses of the box have ended. The block's waits for mbarriers contain barriers (`join-waits`), so
// the box is visible after them.
import { at, missing } from '../../base/invariants.ts';
import { LaneForms } from '../analysis/lane-forms.ts';
import { type ThreadForm, ThreadForms } from '../analysis/thread-forms.ts';
import { analyzeUniformity } from '../analysis/uniformity.ts';
import { isYield } from '../analysis/wait.ts';
import { flowGraph } from '../graph/index.ts';
import { isWholeBarrier } from '../ir/barriers.ts';
import type { Builder } from '../ir/builder.ts';
import {
  type Block,
  constantOf,
  type Inst,
  type InstNamed,
  type Program,
  type Terminator,
  type Value,
} from '../ir/nodes.ts';
import { electsLane } from '../ir/warp-facts.ts';
import type { MemoryPlan } from '../memory-plan.ts';

type Call = InstNamed<'call'>;
/** The maximum number of threads that start copies of their own in one place. */
const maxStarters = 8;

type BlockSize = readonly [number, number, number];

/** A copy in a block of its own, which only some threads execute. */
interface GuardedCopy {
  readonly call: Call;
  readonly before: Block;
  /** The end of the block before the copy: it leads to the copy's block, or to the one after it. */
  readonly branch: Extract<Terminator, { kind: 'branch' }>;
  readonly own: Block;
  /** The end of the copy's block. */
  readonly jump: Extract<Terminator, { kind: 'jump' }>;
}

export function divideCopies(program: Program, b: Builder, memory: MemoryPlan, block: BlockSize): void {
  const { kernel } = program;
  const copies = copiesIn(kernel.blocks, flowGraph(kernel));
  if (copies.length === 0 || kernel.blocks.some(({ insts }) => insts.some(isYield))) return;
  const uniformity = analyzeUniformity(program, memory, block);
  if (uniformity.obstacle !== undefined || uniformity.hasInactiveThreads) return;
  const isUniform = (value: Value) => uniformity.isUniform(value, 'block');
  const lanes = new LaneForms(kernel, {
    block,
    isUniform: (value) => uniformity.isUniform(value, 'warp'),
    isClamp: () => false,
  });
  const forms = new ThreadForms({ block, lanes, isUniform });
  const [x, y, z] = block;
  const threads = Array.from({ length: x * y * z }, (_, thread) => thread);
  for (const copy of copies) {
    if (!uniformity.isTogether(copy.before, 'block')) continue;
    const conditions = conjuncts(copy.branch.condition);
    const shared = conditions.filter(isUniform);
    const own = conditions.filter((condition) => !isUniform(condition)).map(threadsWith);
    const starters = threads.filter((thread) => own.every((holds) => holds(thread)));
    const given = copy.call.args.map((arg) => (isUniform(arg) ? arg : forms.of(arg)));
    if (starters.length > 0 && starters.length <= maxStarters && given.every((arg) => arg !== undefined))
      divide(copy, { shared, starters, given }, b, block);
  }

  /** Returns the threads in which a condition holds; none if they are unknown. */
  function threadsWith(condition: Value): (thread: number) => boolean {
    if (isElected(condition)) return (thread) => thread % 32 === 0;
    const form = forms.of(condition);
    return (thread) => form?.terms.size === 0 && at(form.numbers, thread, 'a thread') !== 0;
  }
}

/** Whether a condition holds in the first lane of each warp, because the warp elects it. */
function isElected(value: Value): boolean {
  if (value.kind !== 'result' || value.inst.op !== 'warp' || value.index !== 1) return false;
  const { args, when } = value.inst;
  return electsLane(value.inst) && when === undefined && constantOf(args[0]) === 0xffff_ffffn;
}

function conjuncts(value: Value): readonly Value[] {
  const inst = value.kind === 'result' ? value.inst : undefined;
  return inst?.op === 'and' ? inst.args.flatMap(conjuncts) : [value];
}

function copiesIn(blocks: readonly Block[], graph: ReturnType<typeof flowGraph>): readonly GuardedCopy[] {
  return blocks.flatMap((own) => {
    const [call] = own.insts.filter(isDivisible);
    const [before] = graph.predecessorsOf(own);
    if (call === undefined || before?.end.kind !== 'branch' || own.end.kind !== 'jump') return [];
    const { end: branch } = before;
    const { end: jump } = own;
    const { to: after } = jump.to;
    const isGuarded =
      branch.then.to === own &&
      branch.else.to === after &&
      graph.predecessorsOf(own).length === 1 &&
      graph.predecessorsOf(after).length === 2 &&
      own.insts.every((inst) => inst === call || inst.operation.effect === 'pure');
    return isGuarded ? [{ call, before, branch, own, jump }] : [];
  });
}

const isDivisible = (inst: Inst): inst is Call => inst.op === 'call' && inst.attrs.divisible === true;

interface Division {
  /** The conditions of the guard that all threads share. */
  readonly shared: readonly Value[];
  /** The threads that start a copy if these conditions hold. */
  readonly starters: readonly number[];
  /** The arguments of the call: values that all threads share, or known sums. */
  readonly given: readonly (Value | ThreadForm)[];
}

function divide(
  { call, before, branch, own, jump }: GuardedCopy,
  { shared, starters, given }: Division,
  b: Builder,
  [x, y, z]: BlockSize,
): void {
  b.span = call.span;
  const threads = x * y * z;
  const isBarrier = (inst: Inst | undefined): boolean =>
    inst?.op === 'barrier' && inst.attrs.kind === 'sync' && isWholeBarrier(inst, threads);
  const hasEffect = ({ operation: { effect } }: Inst): boolean => effect !== 'pure' && effect !== 'warp';
  const barrier = () => b.emit('barrier', { kind: 'sync', counted: false }, [b.i32(0)]);
  b.into(before.insts);
  if (!isBarrier(before.insts.findLast(hasEffect))) barrier();
  const special = (name: string) => b.value('special', { name, type: 'i32' }, []);
  const upper = (name: string, size: number, unit: number) => (size === 1 ? [] : [b.imul(special(name), b.i32(unit))]);
  const thread = [...upper('%tid.y', y, x), ...upper('%tid.z', z, x * y)].reduce(
    (sum, each) => b.iadd(sum, each),
    special('%tid.x'),
  );
  const [first, ...others] = shared;
  const condition = first && others.reduce((all, each) => b.and(all, each), first);
  before.end =
    condition === undefined ? { kind: 'jump', to: { to: own, args: [] }, span: jump.span } : { ...branch, condition };
  const index = own.insts.indexOf(call);
  const rest = own.insts.slice(index + 1);
  own.insts = own.insts.slice(0, index);
  b.into(own.insts);
  const copies = starters.map((starter) => {
    const args = given.slice(0, -2).map((arg) => ('terms' in arg ? sumIn(b, arg, starter) : arg));
    return { starter, results: b.emit('call', call.attrs, [...args, thread, b.i32(threads)]) };
  });
  // The threads that start the copies have their results. They report faults.
  const results = call.results.map((_, result): Value => {
    const [initial, ...more] = copies.map(({ starter, results: found }) => ({
      starter,
      value: at(found, result, 'a result'),
    }));
    const all = more.reduce<Value>(
      (value, other) => b.select(b.icmp('eq', thread, b.i32(other.starter)), other.value, value),
      (initial ?? missing('a copy')).value,
    );
    return result === call.results.length - 1 ? b.select(branch.condition, all, b.i32(0)) : all;
  });
  own.insts.push(...rest);
  const known = new Map(
    call.results.map((result, number): [Value, Value] => [result, at(results, number, 'a result')]),
  );
  const replaced = (value: Value): Value => known.get(value) ?? value;
  for (const inst of rest) inst.args = inst.args.map(replaced);
  own.end = { ...jump, to: { ...jump.to, args: jump.to.args.map(replaced) } };
  // After a store of the box, its threads may change the box in shared memory.
  const { to: after } = jump.to;
  if (call.results.length > 1 || isBarrier(after.insts.find(hasEffect))) return;
  const insts: Inst[] = [];
  b.into(insts);
  barrier();
  after.insts.unshift(...insts);
}

/** Writes the value of a form in a thread. */
const sumIn = (b: Builder, { terms, numbers }: ThreadForm, thread: number): Value =>
  [...terms].reduce<Value>(
    (sum, [value, factor]) => b.iadd(sum, b.imul(value, b.i32(factor))),
    b.i32(at(numbers, thread, 'a thread')),
  );
