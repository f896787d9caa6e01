// Counts the statements, members and indices that the parser kept, because it silently drops some
// in certain shaders.

import * as ast from 'wgsl_reflect/wgsl_reflect.module.js';

export interface Census {
  /** The number of statements that end in a semicolon, without the header of a `for`. */
  statements: number;
  /** `.name` */
  members: number;
  /** `[index]` */
  indices: number;
}

const leaves: ReadonlySet<unknown> = new Set<unknown>([
  ast.Var,
  ast.Let,
  ast.Const,
  ast.Assign,
  ast.Increment,
  ast.Call,
  ast.Return,
  ast.Break,
  ast.Continue,
  ast.Discard,
]);

/**
 * The properties of nodes that the count skips. Types have no members or indices, and a loop's
 * continuing block is also in its body.
 */
const skipped: ReadonlySet<string> = new Set(['type', 'returnType', 'attributes', 'calls', 'continuing']);

export function takeCensus(nodes: readonly ast.Node[]): Census {
  const census: Census = { statements: 0, members: 0, indices: 0 };
  for (const node of nodes) {
    if (node instanceof ast.Function) visit(node.body, census, true);
    else if (node instanceof ast.Var || node instanceof ast.Override) visit(node.value, census, false);
  }
  return census;
}

function visit(part: unknown, census: Census, counted: boolean): void {
  if (Array.isArray(part)) {
    for (const each of part) visit(each, census, counted);
    return;
  }
  if (!(part instanceof ast.Node)) return;
  if (part instanceof ast.StringExpr) census.members++;
  if (part instanceof ast.ArrayIndex) census.indices++;
  if (counted && leaves.has(part.constructor)) census.statements++;
  for (const name in part) {
    const child: unknown = Reflect.get(part, name);
    if (typeof child !== 'object' || child === null) continue;
    const inHeader = part instanceof ast.For && name !== 'body';
    if (!skipped.has(name)) visit(child, census, counted && !inHeader);
  }
}
