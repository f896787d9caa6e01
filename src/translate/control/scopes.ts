// Sets the scope in which the condition of each `if` is uniform.
import type { Value } from '../ir/nodes.ts';
import { mapLists, type Scope, type Tree } from './tree.ts';

export const withScopes = (list: readonly Tree[], scopeOf: (condition: Value) => Scope): readonly Tree[] =>
  list.map((tree) => {
    const inner = mapLists(tree, (each) => withScopes(each, scopeOf));
    return inner.kind === 'if' ? { ...inner, scope: scopeOf(inner.condition) } : inner;
  });
