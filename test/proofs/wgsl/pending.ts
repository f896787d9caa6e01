// Recognizes loops over the bits of a word:
//
//     loop {
//       if (pending == 0u) { break; }
//       …
//       pending &= …;
//     }
import * as ast from 'wgsl_reflect/wgsl_reflect.module.js';

/**
 * Returns the name of the word of such a loop; undefined for other loops. The body changes the word
 * only by `&=`, and does not leave an iteration early.
 */
export function pendingOf({ body: [first, ...rest], continuing }: ast.Loop): string | undefined {
  const name = first instanceof ast.If ? comparedWithZero(first) : undefined;
  if (name === undefined || continuing !== null) return undefined;
  return rest.every((node) => keeps(node, name)) ? name : undefined;
}

/** The name in `if (name == 0u) { break; }`. */
function comparedWithZero({ condition, body, elseif, else: other }: ast.If): string | undefined {
  if (body.length !== 1 || !(body[0] instanceof ast.Break) || elseif?.length || other?.length) return undefined;
  if (!(condition instanceof ast.BinaryOperator) || condition.operator !== '==') return undefined;
  const { left, right } = condition;
  const isZero = right instanceof ast.LiteralExpr && right.scalarValue === 0;
  return isZero && left instanceof ast.VariableExpr && left.postfix === null ? left.name : undefined;
}

/** Whether a statement keeps the 0 bits of the word, and ends without leaving the iteration. */
function keeps(node: ast.Node | readonly ast.Node[], name: string): boolean {
  if (!(node instanceof ast.Node)) return node.every((each) => keeps(each, name));
  if (node instanceof ast.Let || node instanceof ast.Const || node instanceof ast.Var) return node.name !== name;
  if (node instanceof ast.Assign) {
    const { variable } = node;
    const isWord = variable instanceof ast.VariableExpr && variable.name === name;
    return !isWord || (variable.postfix === null && String(node.operator) === '&=');
  }
  if (node instanceof ast.Call || node instanceof ast.Increment) return true;
  if (node instanceof ast.For) return node.body.every((each) => keeps(each, name));
  if (node instanceof ast.If)
    return [node.body, ...(node.elseif ?? []).map(({ body }) => body), node.else ?? []].every((body) =>
      keeps(body, name),
    ); // Absent: no arm.
  return false;
}
