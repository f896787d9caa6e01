// Loops of one block whose end is decided by integer arithmetic on the lane's own values: what can be run ahead, or counted.
import type { FlowGraph } from '../../graph/index.ts';
import type { Block, Edge, Inst, Param, Terminator, Value } from '../../ir/nodes.ts';

type Branch = Extract<Terminator, { readonly kind: 'branch' }>;

/** What a loop does each time. */
export interface Iteration {
  readonly params: readonly Param[];
  readonly insts: readonly Inst[];
  readonly condition: Value;
  /** Whether the loop goes on where the condition holds. */
  readonly stays: boolean;
  /** The parameters' values in the next iteration. */
  readonly next: readonly Value[];
}

export interface SelfLoop {
  /** The block that repeats itself. */
  readonly block: Block;
  readonly end: Branch;
  readonly again: Edge;
  readonly exit: Edge;
  readonly iteration: Iteration;
}

/** A block that branches to itself or elsewhere. */
export function selfLoop(block: Block): SelfLoop | undefined {
  const { end } = block;
  if (end.kind !== 'branch' || (end.then.to === block) === (end.else.to === block)) return undefined;
  const stays = end.then.to === block;
  const again = stays ? end.then : end.else;
  return {
    block,
    end,
    again,
    exit: stays ? end.else : end.then,
    iteration: { params: block.params, insts: block.insts, condition: end.condition, stays, next: again.args },
  };
}

export interface TestedLoop {
  /** Tests whether the body runs. */
  readonly head: Block;
  readonly end: Branch;
  readonly body: Block;
  readonly exit: Edge;
  readonly iteration: Iteration;
}

/** A block that tests, and a body that jumps back to it. */
export function testedLoop(head: Block, graph: FlowGraph): TestedLoop | undefined {
  const { end } = head;
  if (end.kind !== 'branch') return undefined;
  for (const [inside, exit] of [
    [end.then, end.else],
    [end.else, end.then],
  ] as const) {
    const body = inside.to;
    if (body === head || exit.to === body || exit.to === head || body.params.length > 0) continue;
    if (body.end.kind === 'jump' && body.end.to.to === head && graph.predecessorsOf(body).length === 1) {
      const insts = [...head.insts, ...body.insts];
      const { condition } = end;
      const stays = inside === end.then;
      return {
        head,
        end,
        body,
        exit,
        iteration: { params: head.params, insts, condition, stays, next: body.end.to.args },
      };
    }
  }
  return undefined;
}

export interface Control {
  /** What decides whether the loop goes on, in order. */
  readonly insts: readonly Inst[];
  /** Parameters that it starts from. */
  readonly carried: ReadonlySet<Param>;
}

/** What decides whether the loop goes on after an iteration, and after those to come; undefined where that is more than arithmetic. */
export function controlOf({ params, insts, condition, next }: Iteration): Control | undefined {
  const places = new Map(params.map((param, index): [Value, number] => [param, index]));
  const own = new Set<Inst>(insts);
  const wanted = new Set<Inst>();
  const carried = new Set<Param>();
  const stack: Value[] = [condition];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const place = places.get(value);
    if (value.kind === 'param' && place !== undefined) {
      if (carried.has(value)) continue;
      carried.add(value);
      const following = next[place];
      if (following) stack.push(following);
    } else if (value.kind === 'result' && own.has(value.inst)) {
      const { inst } = value;
      if (wanted.has(inst)) continue;
      const { effect, fold } = inst.operation;
      if (effect !== 'pure' || fold === undefined || inst.when !== undefined) return undefined;
      wanted.add(inst);
      stack.push(...inst.args);
    }
  }
  return { insts: insts.filter((inst) => wanted.has(inst)), carried };
}

/** How often the condition is asked, where that is known and at most `limit`. `before` tells what a parameter is when the loop begins. */
export function tripCount(
  { params, condition, stays, next }: Iteration,
  { insts, carried }: Control,
  limit: number,
  before: (param: Param) => bigint | undefined,
): number | undefined {
  let values = new Map<Value, bigint>();
  const bitsOf = (value: Value | undefined) => (value?.kind === 'constant' ? value.bits : value && values.get(value));
  for (const param of carried) {
    const bits = before(param);
    if (bits === undefined) return undefined;
    values.set(param, bits);
  }
  for (let trips = 1; trips <= limit; trips++) {
    for (const inst of insts) {
      // Absent: no constant, which the length tells.
      const bits = inst.args.flatMap((arg) => bitsOf(arg) ?? []);
      if (bits.length < inst.args.length) return undefined;
      const results = inst.operation.fold?.(
        bits,
        inst.args.map(({ type }) => type),
        inst.attrs as never,
      );
      if (results === undefined) return undefined;
      inst.results.forEach((result, index) => {
        const known = results[index];
        if (known !== undefined) values.set(result, known);
      });
    }
    const test = bitsOf(condition);
    if (test === undefined) return undefined;
    if ((test !== 0n) !== stays) return trips;
    const following = new Map<Value, bigint>();
    for (const [index, param] of params.entries()) {
      if (!carried.has(param)) continue;
      const bits = bitsOf(next[index]);
      if (bits === undefined) return undefined;
      following.set(param, bits);
    }
    values = following;
  }
  return undefined;
}
