// Statements under lane masks. Both arms of a divergent branch run, loops run until no lane is
// left, and all lanes reconverge after each construct.

import * as ast from 'wgsl_reflect/wgsl_reflect.module.js';
import { assignment, declaration, increment } from './assignments.ts';
import { raise, WgslError } from './error.ts';
import { compileAs, concrete } from './expressions.ts';
import type { Barrier, Lanes, Machine, Statement } from './machine.ts';
import { at, copyRegisters, drive, merge, noLanes, parkedAt, sequence, split, straight } from './machine.ts';
import type { Env, Expr } from './program.ts';
import { inner } from './program.ts';
import { bool, elementOf, registersOf, typeName } from './types.ts';

type Nodes = readonly (ast.Node | readonly ast.Node[])[];
type Flow = Generator<Barrier, Lanes>;

export function compileBlock(env: Env, nodes: Nodes): Statement {
  const scope = inner(env);
  return block(nodes.map((node) => [compileStatement(scope, node), lineOf(node)] as const));
}

function lineOf(node: ast.Node | readonly ast.Node[]): number {
  if (node instanceof ast.Node) return node.line;
  const [first] = node;
  return first?.line ?? 0;
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

function compileStatement(env: Env, node: ast.Node | readonly ast.Node[]): Statement {
  if (!(node instanceof ast.Node)) return compileBlock(env, node);
  if (node instanceof ast.Var || node instanceof ast.Let || node instanceof ast.Const) return declaration(env, node);
  if (node instanceof ast.Assign) return assignment(env, node);
  if (node instanceof ast.Increment) return increment(env, node);
  if (node instanceof ast.Call) return straight(env.program.compilers.call(env, node));
  if (node instanceof ast.If) return branch(env, node);
  if (node instanceof ast.Switch) return choice(env, node);
  if (node instanceof ast.Loop) {
    const { continuing } = node;
    const body = node.body.filter((each) => !(each instanceof ast.Continuing));
    return loop(env, { body, after: continuing?.body ?? [] });
  }
  if (node instanceof ast.While) return loop(env, { condition: node.condition, body: node.body, after: [] });
  if (node instanceof ast.For) {
    const scope = inner(env);
    const start = node.init === null ? [] : [[compileStatement(scope, node.init), node.line] as const];
    const after = node.increment === null ? [] : [node.increment];
    const turns = loop(scope, { condition: node.condition, body: node.body, after });
    return block([...start, [turns, node.line]]);
  }
  if (node instanceof ast.Break) return leave(env, node);
  if (node instanceof ast.Continue) return park(env.continueSlot ?? raise(node, 'continue outside a loop'));
  if (node instanceof ast.Return) return giveBack(env, node);
  return raise(node, `statement ${node.astNodeType} is not supported`);
}

function branch(env: Env, node: ast.If): Statement {
  const arms = [{ condition: node.condition, body: node.body }, ...(node.elseif ?? [])];
  let otherwise: Statement = compileBlock(env, node.else ?? []);
  for (const arm of arms.reverse()) {
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
  const condition = parts.condition ? compileAs(env, parts.condition, bool) : null;
  if (condition?.flow !== undefined) raise(parts.condition ?? { line: 0 }, 'a barrier in a loop condition');
  // The continuing block sees the body's names.
  const scope = inner(env);
  const inside = { ...scope, breakSlot, continueSlot };
  const body = block(parts.body.map((node) => [compileStatement(inside, node), lineOf(node)] as const));
  const after = compileBlock({ ...scope, breakSlot, continueSlot: null }, parts.after);
  return construct([body, after], function* (m, lanes) {
    m.parked[breakSlot] = noLanes;
    let left = lanes;
    while (left.length > 0) {
      tick(m, lineOf(parts.body[0] ?? []));
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
  const clauses = node.cases.map((clause) => {
    const selectors = clause instanceof ast.Case ? clause.selectors : [];
    const named = selectors.filter((selector) => !(selector instanceof ast.DefaultSelector));
    return {
      isDefault: named.length < selectors.length || clause instanceof ast.Default,
      selectors: named.map((selector) => compileAs(env, selector, value.type)),
      body: compileBlock(inside, clause.body),
    };
  });
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
  const value = compileAs(env, node.value, result.type);
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
