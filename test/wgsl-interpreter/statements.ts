// Statements under lane masks. Both arms of a divergent branch run, loops run until no lane is
// left, and all lanes reconverge after each construct.

import { assignment, constant, increment, variable } from './assignments.ts';
import { raise, WgslError } from './error.ts';
import { compileAs, concrete } from './expressions.ts';
import type { Barrier, Lanes, Machine, Statement } from './machine.ts';
import { at, copyRegisters, drive, merge, noLanes, parkedAt, sequence, split, straight } from './machine.ts';
import type { Env, Expr } from './program.ts';
import { inner } from './program.ts';
import type * as ast from './syntax/ast.ts';
import { bool, elementOf, registersOf, typeName } from './types.ts';

type Nodes = readonly ast.Statement[];
type Flow = Generator<Barrier, Lanes>;

export function compileBlock(env: Env, nodes: Nodes): Statement {
  const scope = inner(env);
  return block(nodes.map((node) => [compileStatement(scope, node), node.line] as const));
}

function block(statements: readonly (readonly [Statement, number])[]): Statement {
  function* flow(m: Machine, lanes: Lanes): Flow {
    let left = lanes;
    for (const [statement, line] of statements) {
      if (left.length === 0) break;
      tick(m, line);
      left = statement.flow === undefined ? statement.run(m, left) : yield* statement.flow(m, left);
    }
    return left;
  }
  if (statements.some(([statement]) => statement.flow !== undefined)) return withBarrier(flow);
  return {
    run(m, lanes) {
      let left = lanes;
      for (const [statement, line] of statements) {
        if (left.length === 0) break;
        tick(m, line);
        left = statement.run(m, left);
      }
      return left;
    },
  };
}

function tick(m: Machine, line: number): void {
  if (m.budget.steps-- <= 0) throw new WgslError(line, 'maxSteps statements executed: an endless loop?');
}

function withBarrier(flow: (m: Machine, lanes: Lanes) => Flow): Statement {
  return { run: (m, lanes) => drive(flow(m, lanes)), flow };
}

/** Returns a construct written as a flow. It waits only if one of its parts does. */
function construct(parts: readonly { readonly flow?: unknown }[], flow: (m: Machine, lanes: Lanes) => Flow): Statement {
  if (parts.some((part) => part.flow !== undefined)) return withBarrier(flow);
  return { run: (m, lanes) => drive(flow(m, lanes)) };
}

function* runPart(part: Statement, m: Machine, lanes: Lanes): Flow {
  if (lanes.length === 0) return lanes;
  return part.flow === undefined ? part.run(m, lanes) : yield* part.flow(m, lanes);
}

function evaluate(expr: Expr, m: Machine, lanes: Lanes): void {
  expr.run(m, lanes);
}

function compileStatement(env: Env, node: ast.Statement): Statement {
  switch (node.kind) {
    case 'block':
      return compileBlock(env, node.body);
    case 'var':
      return variable(env, node);
    case 'let':
    case 'const':
      return constant(env, node);
    case 'override':
      return raise(node, 'an override in a function');
    case 'assign':
      return assignment(env, node);
    case 'increment':
      return increment(env, node);
    case 'call':
      return straight(env.program.compilers.call(env, node));
    case 'if':
      return branch(env, node);
    case 'switch':
      return choice(env, node);
    case 'loop':
      return loop(env, { body: node.body, after: node.continuing });
    case 'while':
      return loop(env, { condition: node.condition, body: node.body, after: [] });
    case 'for': {
      const scope = inner(env);
      const start = node.init === null ? [] : [[compileStatement(scope, node.init), node.line] as const];
      const after = node.increment === null ? [] : [node.increment];
      const turns = loop(scope, { condition: node.condition, body: node.body, after });
      return block([...start, [turns, node.line]]);
    }
    case 'break':
      return leave(env, node);
    case 'continue':
      return park(env.continueSlot ?? raise(node, 'continue outside a loop'));
    case 'return':
      return giveBack(env, node);
  }
}

function branch(env: Env, node: ast.If): Statement {
  let otherwise: Statement = compileBlock(env, node.otherwise);
  for (const arm of [...node.arms].reverse()) {
    const condition = compileAs(env, arm.condition, bool);
    otherwise = twoWay(condition, compileBlock(env, arm.body), otherwise);
  }
  return otherwise;
}

function twoWay(condition: Expr, accept: Statement, reject: Statement): Statement {
  if (condition.flow === undefined && accept.flow === undefined && reject.flow === undefined) {
    return {
      run(m, lanes) {
        condition.run(m, lanes);
        const [yes, no] = split(m, lanes, condition.register);
        const first = yes.length === 0 ? yes : accept.run(m, yes);
        return merge(first, no.length === 0 ? no : reject.run(m, no));
      },
    };
  }
  return withBarrier(function* (m, lanes) {
    if (condition.flow === undefined) evaluate(condition, m, lanes);
    else yield* condition.flow(m, lanes);
    const [yes, no] = split(m, lanes, condition.register);
    const first = yield* runPart(accept, m, yes);
    return merge(first, yield* runPart(reject, m, no));
  });
}

interface LoopParts {
  readonly condition?: ast.Expression | null;
  readonly body: Nodes;
  readonly after: Nodes;
}

/**
 * Compiles any loop: a condition before each iteration, a body, and the target of `continue` (which
 * may break).
 */
function loop(env: Env, parts: LoopParts): Statement {
  const { program } = env;
  const breakSlot = program.allocateSlot();
  const continueSlot = program.allocateSlot();
  const line = parts.body[0]?.line ?? 0; // An empty body has no line.
  const condition = parts.condition ? compileAs(env, parts.condition, bool) : null;
  if (condition?.flow !== undefined) raise(parts.condition ?? { line: 0 }, 'a barrier in a loop condition');
  // The continuing block sees the body's names.
  const scope = inner(env);
  const inside = { ...scope, breakSlot, continueSlot };
  const body = block(parts.body.map((node) => [compileStatement(inside, node), node.line] as const));
  const after = compileBlock({ ...scope, breakSlot, continueSlot: null }, parts.after);
  return construct([body, after], function* (m, lanes) {
    m.parked[breakSlot] = noLanes;
    let left = lanes;
    while (left.length > 0) {
      tick(m, line);
      if (condition !== null) {
        evaluate(condition, m, left);
        const [on, off] = split(m, left, condition.register);
        m.parked[breakSlot] = merge(parkedAt(m, breakSlot), off);
        left = on;
      }
      m.parked[continueSlot] = noLanes;
      const through = yield* runPart(body, m, left);
      left = yield* runPart(after, m, merge(through, parkedAt(m, continueSlot)));
    }
    return parkedAt(m, breakSlot);
  });
}

function choice(env: Env, node: ast.Switch): Statement {
  const breakSlot = env.program.allocateSlot();
  const inside = { ...env, breakSlot };
  const value = concrete(env, node.condition);
  if (value.flow !== undefined) raise(node, 'a barrier in a switch value');
  const name = elementOf(value.type);
  if (name !== 'u32' && name !== 'i32') raise(node, `switch on ${typeName(value.type)}`);
  const clauses = node.clauses.map(({ isDefault, selectors, body }) => ({
    isDefault,
    selectors: selectors.map((selector) => compileAs(env, selector, value.type)),
    body: compileBlock(inside, body),
  }));
  if (clauses.filter((clause) => clause.isDefault).length !== 1) raise(node, 'a switch needs one default');
  const otherwise = clauses.findIndex((clause) => clause.isDefault);
  let clauseOf: ReadonlyMap<number, number> | undefined;
  return construct(
    clauses.map((clause) => clause.body),
    function* (m, lanes) {
      if (lanes.length === 0) return noLanes;
      evaluate(value, m, lanes);
      m.parked[breakSlot] = noLanes;
      clauseOf ??= clausesByValue(m, lanes, clauses);
      const chosen = new Map<number, number[]>();
      for (const lane of lanes) {
        const index = clauseOf.get(at(m.registers, value.register * m.size + lane)) ?? otherwise; // Absent: the default.
        const others = chosen.get(index);
        if (others === undefined) chosen.set(index, [lane]);
        else others.push(lane);
      }
      let out = noLanes;
      for (const [index, clause] of clauses.entries()) {
        const own = chosen.get(index);
        if (own !== undefined) out = merge(out, yield* runPart(clause.body, m, Int32Array.from(own)));
      }
      return merge(out, parkedAt(m, breakSlot));
    },
  );
}

interface Clause {
  readonly selectors: readonly Expr[];
}

/** Returns the index of the clause for each selector's value. WGSL requires constant selectors. */
function clausesByValue(m: Machine, lanes: Lanes, clauses: readonly Clause[]): ReadonlyMap<number, number> {
  const [lane] = lanes;
  if (lane === undefined) throw new RangeError('no active lane');
  const indexes = new Map<number, number>();
  for (const [index, { selectors }] of clauses.entries()) {
    for (const selector of selectors) {
      evaluate(selector, m, lanes);
      indexes.set(at(m.registers, selector.register * m.size + lane), index);
    }
  }
  return indexes;
}

function park(slot: number): Statement {
  return {
    run(m, lanes) {
      m.parked[slot] = merge(parkedAt(m, slot), lanes);
      return noLanes;
    },
  };
}

/** Compiles `break`, or the `break if` that ends a continuing block. */
function leave(env: Env, node: ast.Break): Statement {
  const stop = park(env.breakSlot ?? raise(node, 'break outside a loop or switch'));
  if (node.condition === null) return stop;
  return twoWay(compileAs(env, node.condition, bool), stop, { run: (_, lanes) => lanes });
}

function giveBack(env: Env, node: ast.Return): Statement {
  const { result } = env;
  if (result === null) raise(node, 'return outside a function');
  if (result.type.kind === 'void') return { run: () => noLanes };
  const value = compileAs(env, node.value ?? raise(node, 'return without a value'), result.type);
  const count = registersOf(result.type);
  const done = straight(
    sequence([value], (m, lanes) => copyRegisters(m, lanes, result.register, value.register, count)),
  );
  const { flow } = done;
  const run: Statement['run'] = (m, lanes) => {
    done.run(m, lanes);
    return noLanes;
  };
  if (flow === undefined) return { run };
  return {
    run,
    *flow(m, lanes) {
      yield* flow(m, lanes);
      return noLanes;
    },
  };
}
