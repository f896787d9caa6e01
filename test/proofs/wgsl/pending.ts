// Recognizes loops over the bits of a word:
//
//     loop {
//       if (pending == 0u) { break; }
//       …
//       pending &= …;
//     }
import type * as ast from '../../wgsl-interpreter/syntax/ast.ts';

/**
 * Returns the name of the word of such a loop; undefined for other loops. The body changes the word
 * only by `&=`, and does not leave an iteration early.
 */
export function pendingOf({ body: [first, ...rest], continuing }: ast.Loop): string | undefined {
  const name = first?.kind === 'if' ? comparedWithZero(first) : undefined;
  if (name === undefined || continuing.length > 0) return undefined;
  return rest.every((node) => keeps(node, name)) ? name : undefined;
}

/** The name in `if (name == 0u) { break; }`. */
function comparedWithZero({ arms: [arm, ...others], otherwise }: ast.If): string | undefined {
  if (arm === undefined || others.length > 0 || otherwise.length > 0) return undefined;
  const { condition, body } = arm;
  if (body.length !== 1 || body[0]?.kind !== 'break' || condition.kind !== 'binary' || condition.operator !== '==')
    return undefined;
  const { left, right } = condition;
  const isZero = right.kind === 'literal' && right.value === 0;
  return isZero && left.kind === 'variable' && left.postfix === null ? left.name : undefined;
}

/** Whether a statement keeps the 0 bits of the word, and ends without leaving the iteration. */
function keeps(node: ast.Statement, name: string): boolean {
  if (node.kind === 'block') return node.body.every((each) => keeps(each, name));
  if (node.kind === 'let' || node.kind === 'const' || node.kind === 'var') return node.name !== name;
  if (node.kind === 'assign') {
    const { variable } = node;
    const isWord = variable.kind === 'variable' && variable.name === name;
    return !isWord || (variable.postfix === null && node.operator === '&=');
  }
  if (node.kind === 'call' || node.kind === 'increment') return true;
  if (node.kind === 'for') return node.body.every((each) => keeps(each, name));
  if (node.kind === 'if')
    return [...node.arms.flatMap(({ body }) => body), ...node.otherwise].every((each) => keeps(each, name));
  return false;
}
