// Expressions. A hint is the element type that the context requires. It only determines the type of
// abstract literals.

import { raise } from './error.ts';
import { toBits } from './float.ts';
import type { Lanes, Machine } from './machine.ts';
import { copyRegisters, sequence, split } from './machine.ts';
import { abstractOperators, binaryOperators, comparisons, shifts, unaryOperators } from './operators.ts';
import type { Env, Expr, Ref } from './program.ts';
import { literalExpr } from './program.ts';
import { element, load, member, swizzle, valueRef } from './references.ts';
import type * as ast from './syntax/ast.ts';
import type { ScalarName, Type } from './types.ts';
import { bool, elementOf, registersOf, sameType, typeName, vector, withShape } from './types.ts';
import { abstractExpr, computed, elementwise, expectType, isAbstract, materialize } from './values.ts';

/** Compiles an expression. Without a hint, its value may stay abstract. */
export function compile(env: Env, node: ast.Expression, hint?: ScalarName): Expr {
  if (node.postfix === null) return compileBase(env, node, hint);
  return postfix(env, node, hint);
}

/** Compiles an expression to a value of concrete type. Integers without a hint become i32. */
export function concrete(env: Env, node: ast.Expression, hint?: ScalarName): Expr {
  const expr = compile(env, node, hint);
  return isAbstract(expr) ? compile(env, node, hint ?? 'i32') : expr;
}

/** Compiles an expression to a value of the given type. Throws if it has a different type. */
export function compileAs(env: Env, node: ast.Expression, type: Type): Expr {
  return expectType(concrete(env, node, hintOf(type)), type, node);
}

/** Returns the type of literals in a value of this type. */
export function hintOf(type: Type): ScalarName | undefined {
  const name = type.kind === 'array' ? hintOf(type.element) : elementOf(type);
  return name === 'abstract' ? undefined : name;
}

/** Compiles operands to one element type, that of the first concrete operand. */
export function unify(env: Env, nodes: readonly ast.Expression[], hint?: ScalarName): Expr[] {
  // Compiles the operands without the hint first: in `i32(x) / 2` the hint must not reach the 2.
  return decide(
    env,
    nodes,
    nodes.map((node) => compile(env, node)),
    hint,
  );
}

/**
 * Compiles the operands again that are still abstract. Compiling all operands twice would need time
 * exponential in the depth.
 */
export function decide(env: Env, nodes: readonly ast.Expression[], exprs: readonly Expr[], hint?: ScalarName): Expr[] {
  const firm = exprs.find((expr) => !isAbstract(expr) && elementOf(expr.type) !== undefined);
  const name = firm === undefined ? hint : hintOf(firm.type);
  return exprs.map((expr, i) => {
    const node = nodes[i];
    return isAbstract(expr) && node !== undefined ? compile(env, node, name ?? hint ?? 'i32') : expr;
  });
}

function compileBase(env: Env, node: ast.Expression, hint?: ScalarName): Expr {
  switch (node.kind) {
    case 'literal':
      return literal(env, node, hint);
    case 'variable':
      return variable(env, node, hint);
    case 'unary':
      return unary(env, node, hint);
    case 'binary':
      return binary(env, node, hint);
    case 'bitcast':
      return bitcast(env, node);
    case 'call':
      return env.program.compilers.call(env, node, hint);
    case 'create':
      return env.program.compilers.construct(env, node.type, node.args, node, hint);
  }
}

function literal(env: Env, node: ast.Literal, hint?: ScalarName): Expr {
  const { type, value } = node;
  switch (type) {
    case 'u32':
    case 'i32':
      return materialize(env, value, type, node);
    case 'f32':
      return literalExpr(env, 'f32', toBits(value));
    case 'bool':
      return literalExpr(env, 'bool', value);
    case 'abstract':
      return known(env, value, node, hint);
    default:
      return raise(node, `a literal of type ${type} is not supported`);
  }
}

function variable(env: Env, node: ast.Variable, hint?: ScalarName): Expr {
  const binding = env.program.compilers.lookup(env, node.name, node);
  if (binding.kind === 'pointer') raise(node, `pointer ${node.name} is not a value: write *${node.name}`);
  if (binding.kind === 'ref') return load(env, binding.ref, node);
  if (binding.kind !== 'abstract') raise(node, `${node.name} is not a value`);
  return known(env, binding.value, node, hint);
}

/** Returns an AbstractInt, or a value of the hint's type. */
function known(env: Env, value: number, node: ast.Node, hint?: ScalarName): Expr {
  return hint === undefined || hint === 'bool' ? abstractExpr(value) : materialize(env, value, hint, node);
}

function unary(env: Env, node: ast.Unary, hint?: ScalarName): Expr {
  if (node.operator === '*') return load(env, pointer(env, node.right), node);
  if (node.operator === '&') raise(node, 'a pointer is not a value here');
  const draft = compile(env, node.right);
  if (draft.value !== undefined) {
    return known(env, node.operator === '-' ? -draft.value : -draft.value - 1, node, hint);
  }
  if (isAbstract(draft) && hint === undefined) return draft;
  const operand = isAbstract(draft) ? compile(env, node.right, hint) : draft;
  const name = hintOf(operand.type);
  const operation = name === undefined ? undefined : unaryOperators[name][node.operator];
  if (operation === undefined) raise(node, `no operator ${node.operator} for ${typeName(operand.type)}`);
  return elementwise(env, operand.type, [operand], operation);
}

function binary(env: Env, node: ast.Binary, hint?: ScalarName): Expr {
  const { operator } = node;
  if (operator === '&&' || operator === '||') return shortCircuit(env, node);
  if (shifts.has(operator)) return shift(env, node, hint);
  const left = compile(env, node.left);
  const right = compile(env, node.right);
  if (left.value !== undefined && right.value !== undefined) return fold(env, node, left.value, right.value, hint);
  const wanted = comparisons.has(operator) ? undefined : hint;
  if (isAbstract(left) && isAbstract(right) && wanted === undefined && !comparisons.has(operator)) {
    return left.value === undefined ? left : right;
  }
  const [first, second] = decide(env, [node.left, node.right], [left, right], wanted);
  if (first === undefined || second === undefined) return raise(node, 'an operator without operands');
  return apply(env, node, first, second);
}

/**
 * Compiles a shift. The type of the amount does not determine the type of an abstract left side.
 */
function shift(env: Env, node: ast.Binary, hint?: ScalarName): Expr {
  const left = compile(env, node.left);
  const right = compile(env, node.right);
  if (left.value !== undefined && right.value !== undefined) return fold(env, node, left.value, right.value, hint);
  const value = isAbstract(left) ? compile(env, node.left, hint ?? 'i32') : left;
  return apply(env, node, value, isAbstract(right) ? compile(env, node.right, 'u32') : right);
}

function fold(env: Env, node: ast.Binary, left: number, right: number, hint?: ScalarName): Expr {
  const compared = comparisons.has(node.operator) ? binaryOperators.i32[node.operator] : undefined;
  if (compared !== undefined) return literalExpr(env, 'bool', compared(left, right, 0, 0));
  const value = abstractOperators[node.operator]?.(left, right);
  if (value === undefined || !Number.isSafeInteger(value))
    raise(node, `cannot evaluate ${left} ${node.operator} ${right}`);
  return known(env, value, node, hint);
}

/** Applies a binary operator to compiled operands. Compound assignment uses it too. */
export function apply(
  env: Env,
  node: { readonly line: number; readonly operator: string },
  left: Expr,
  right: Expr,
): Expr {
  const { operator } = node;
  const name = elementOf(left.type);
  const other = elementOf(right.type);
  const operation = name === undefined || name === 'abstract' ? undefined : binaryOperators[name][operator];
  if (operation === undefined || other !== (shifts.has(operator) ? 'u32' : name)) {
    raise(node, `no operator ${typeName(left.type)} ${operator} ${typeName(right.type)}`);
  }
  const shape = left.type.kind === 'vector' ? left.type : right.type;
  const mixed = !sameType(withShape(left.type, 'u32'), withShape(right.type, 'u32'));
  if (mixed && !['+', '-', '*', '/', '%'].includes(operator)) raise(node, `${operator} needs operands of one shape`);
  const type = withShape(
    shape,
    comparisons.has(operator) ? 'bool' : name === 'abstract' || name === undefined ? 'u32' : name,
  );
  return elementwise(env, type, [left, right], operation);
}

/** Compiles `&&` and `||`. The right side runs only in the lanes that need it. */
function shortCircuit(env: Env, node: ast.Binary): Expr {
  const left = compileAs(env, node.left, bool);
  const right = compileAs(env, node.right, bool);
  if (right.flow !== undefined) raise(node, `a barrier on the right of ${node.operator} is not uniform`);
  const isAnd = node.operator === '&&';
  const register = env.program.allocate(1);
  const step = sequence([left], (m: Machine, lanes: Lanes) => {
    copyRegisters(m, lanes, register, left.register, 1);
    const [set, clear] = split(m, lanes, left.register);
    const undecided = isAnd ? set : clear;
    if (undecided.length === 0) return;
    right.run(m, undecided);
    copyRegisters(m, undecided, register, right.register, 1);
  });
  const constant = left.constant && right.constant;
  return { type: bool, register, borrowed: false, constant, impure: left.impure || right.impure, ...step };
}

function bitcast(env: Env, node: ast.Bitcast): Expr {
  const type = env.program.resolve(node.type);
  const draft = compile(env, node.value);
  const operand = isAbstract(draft) ? compile(env, node.value, (draft.value ?? 0) < 0 ? 'i32' : 'u32') : draft;
  if (registersOf(operand.type) !== registersOf(type) || elementOf(operand.type) === 'bool') {
    raise(node, `no bitcast from ${typeName(operand.type)} to ${typeName(type)}`);
  }
  return { ...operand, type };
}

/** Compiles members, elements and swizzles after an expression. */
function postfix(env: Env, node: ast.Expression, hint?: ScalarName): Expr {
  const place = follow(env, node, hint);
  if (place.swizzle === undefined) return load(env, place.ref, node);
  const source = load(env, place.ref, node);
  const indices = swizzle(place.swizzle, node);
  const { type } = source;
  if (type.kind !== 'vector' || indices.some((index) => index >= type.size)) {
    raise(node, `${typeName(type)} has no ${place.swizzle}`);
  }
  return computed(env, vector(indices.length, type.element), [source], (target, [from]) => (m, lanes) => {
    for (const [i, index] of indices.entries()) copyRegisters(m, lanes, target + i, (from?.register ?? 0) + index, 1);
  });
}

/**
 * Returns the place that an expression names. Throws if it is not a place, such as a swizzle of
 * several components.
 */
export function place(env: Env, node: ast.Expression): Ref {
  const found = follow(env, node);
  if (found.swizzle !== undefined) raise(node, `${found.swizzle} cannot be assigned`);
  return found.ref;
}

function follow(env: Env, node: ast.Expression, hint?: ScalarName): { ref: Ref; swizzle?: string } {
  let ref = basePlace(env, node, hint);
  let pending: string | undefined;
  for (let part = node.postfix; part !== null; part = part.postfix) {
    if (pending !== undefined) {
      // A swizzle followed by another postfix: it can select only one component or element.
      const letters = pending;
      const [index] = part.kind === 'member' ? swizzle(part.value, node) : [indexOf(env, part, node).value];
      if (index === undefined || letters[index] === undefined) raise(node, `cannot follow .${letters}`);
      ref = member(ref, letters.charAt(index), node);
      pending = undefined;
    } else if (part.kind === 'member') {
      if (ref.type.kind === 'vector' && part.value.length > 1) pending = part.value;
      else ref = member(ref, part.value, node);
    } else {
      ref = element(env, ref, indexOf(env, part, node), node);
    }
  }
  return pending === undefined ? { ref } : { ref, swizzle: pending };
}

function indexOf(env: Env, part: Extract<ast.Postfix, { kind: 'index' }>, node: ast.Node): Expr {
  const index = compile(env, part.index);
  const name = elementOf(index.type);
  if (index.type.kind !== 'scalar' || name === 'f32' || name === 'bool') raise(node, 'an index must be an integer');
  return index;
}

function basePlace(env: Env, node: ast.Expression, hint?: ScalarName): Ref {
  if (node.kind === 'variable') {
    const binding = env.program.compilers.lookup(env, node.name, node);
    if (binding.kind !== 'abstract') return binding.ref;
  }
  if (node.kind === 'unary' && node.operator === '*') return pointer(env, node.right);
  const value = compileBase(env, node, hint);
  return valueRef(isAbstract(value) ? compileBase(env, node, hint ?? 'i32') : value);
}

export function isPointer(env: Env, node: ast.Expression): boolean {
  if (node.postfix !== null) return false;
  if (node.kind === 'unary') return node.operator === '&';
  return node.kind === 'variable' && env.program.compilers.lookup(env, node.name, node).kind === 'pointer';
}

/** Returns the place that a pointer expression points to. */
export function pointer(env: Env, node: ast.Expression): Ref {
  if (node.kind === 'unary' && node.operator === '&') return place(env, node.right);
  if (node.kind === 'variable' && isPointer(env, node)) return basePlace(env, node);
  return raise(node, 'expected a pointer');
}
