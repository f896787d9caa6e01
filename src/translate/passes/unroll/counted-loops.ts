// Finds loops of one block whose exit test is integer arithmetic on the lane's own values. The
// compiler can compute such a test in advance, or count the iterations.
import type { FlowGraph } from '../../graph/index.ts';
import type { Block, Edge, Inst, Param, Terminator, Value } from '../../ir/nodes.ts';

type Branch = Extract<Terminator, { readonly kind: 'branch' }>;

/** One iteration of a loop. */
export interface Iteration {
  readonly params: readonly Param[];
  readonly insts: readonly Inst[];
  readonly condition: Value;
  /** Whether the loop continues if the condition holds. */
  readonly stays: boolean;
  /** The values of the parameters in the next iteration. */
  readonly next: readonly Value[];
}

export interface SelfLoop {
  /** The block that branches to itself. */
  readonly block: Block;
  readonly end: Branch;
  readonly again: Edge;
  readonly exit: Edge;
  readonly iteration: Iteration;
}

/** If a block branches to itself or to another block, returns the loop. */
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
  /** The block that tests whether the body runs. */
  readonly head: Block;
  readonly end: Branch;
  readonly body: Block;
  readonly exit: Edge;
  readonly iteration: Iteration;
}

/** If a block tests, and a body jumps back to this block, returns the loop. */
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
  /** The instructions of the exit test, in order. */
  readonly insts: readonly Inst[];
  /** The parameters from which the exit test is computed. */
  readonly carried: ReadonlySet<Param>;
}

/**
 * Returns the exit test of an iteration and of the following iterations; undefined if the test is
 * more than arithmetic.
 */
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

/**
 * Returns the number of evaluations of the condition; undefined if the number is unknown or exceeds
 * `limit`. `before` returns the initial value of a parameter.
 */
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
      // Absent: an argument that is not constant adds no bits, so that the list is shorter.
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
