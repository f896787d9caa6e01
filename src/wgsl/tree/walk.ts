// Traversals of the WGSL tree.
import type { Expr, Stmt } from './nodes.ts';

type NameNode = Extract<Expr, { readonly kind: 'name' }>;

/** Calls `visit` for the expressions of a statement, but not for those of nested statements. */
export function forEachExpr(stmt: Stmt, visit: (expr: Expr) => void): void {
  switch (stmt.kind) {
    case 'let':
      visit(stmt.value);
      return;
    case 'var':
    case 'return':
      if (stmt.value !== undefined) visit(stmt.value);
      return;
    case 'assign':
      visit(stmt.target);
      visit(stmt.value);
      return;
    case 'do':
      visit(stmt.call);
      return;
    case 'if':
      visit(stmt.condition);
      return;
    case 'loop':
      if (stmt.breakIf !== undefined) visit(stmt.breakIf);
      return;
    case 'switch':
      visit(stmt.selector);
      return;
    case 'repeat':
    case 'block':
    case 'break':
    case 'continue':
    case 'comment':
  }
}

/** Returns the lists of statements that are nested in a statement. */
export function listsOf(stmt: Stmt): readonly (readonly Stmt[])[] {
  switch (stmt.kind) {
    case 'if':
      return [stmt.then, stmt.else];
    case 'loop':
      return [stmt.body, stmt.continuing];
    case 'repeat':
    case 'block':
      return [stmt.body];
    case 'switch':
      return stmt.cases.map(({ body }) => body);
    default:
      return [];
  }
}

/** Returns a copy of a statement in which `make` has replaced each nested list of statements. */
export function withLists(stmt: Stmt, make: (list: readonly Stmt[]) => readonly Stmt[]): Stmt {
  switch (stmt.kind) {
    case 'if':
      return { ...stmt, then: make(stmt.then), else: make(stmt.else) };
    case 'loop':
      return { ...stmt, body: make(stmt.body), continuing: make(stmt.continuing) };
    case 'repeat':
    case 'block':
      return { ...stmt, body: make(stmt.body) };
    case 'switch':
      return { ...stmt, cases: stmt.cases.map((one) => ({ ...one, body: make(one.body) })) };
    default:
      return stmt;
  }
}

/**
 * Calls `visit` for each name that an expression reads, and says whether the expression takes the
 * name's address.
 */
export function forEachName(expr: Expr, visit: (node: NameNode, isPointedTo: boolean) => void): void {
  const stack: { readonly at: Expr; readonly isPointedTo: boolean }[] = [{ at: expr, isPointedTo: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { at, isPointedTo } = next;
    switch (at.kind) {
      case 'literal':
        break;
      case 'name':
        visit(at, isPointedTo);
        break;
      case 'unary':
        stack.push({ at: at.operand, isPointedTo: at.op === '&' });
        break;
      case 'bitcast':
        stack.push({ at: at.operand, isPointedTo: false });
        break;
      case 'binary':
        stack.push({ at: at.left, isPointedTo: false }, { at: at.right, isPointedTo: false });
        break;
      case 'index':
        stack.push({ at: at.base, isPointedTo }, { at: at.index, isPointedTo: false });
        break;
      case 'member':
        stack.push({ at: at.base, isPointedTo });
        break;
      default:
        for (const arg of at.args) stack.push({ at: arg, isPointedTo: false });
    }
  }
}
