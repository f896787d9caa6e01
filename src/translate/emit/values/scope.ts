// Statements as they are written: a list for each `{ }`, inside the list of the block around it.
import { InternalError } from '../../../base/invariants.ts';
import type { Expr, Name, Origin, Stmt } from '../../../wgsl/tree/nodes.ts';

/** A statement without its origin, which the writer knows. */
type Bare<S> = S extends Stmt ? Omit<S, 'origin'> : never;
export type NewStmt = Bare<Stmt>;

export class Scope {
  readonly parent: Scope | undefined;
  readonly depth: number;
  /** Of the loop over an invocation's lanes that this is the body of: the variable that counts them. */
  readonly slot: Name | undefined;
  readonly stmts: Stmt[] = [];
  /** The latest `let` of a value. */
  defined: Stmt | undefined;

  constructor(parent: Scope | undefined, slot?: Name) {
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.slot = slot;
  }

  /** Whether this is `outer` or inside it. */
  isWithin(outer: Scope): boolean {
    let scope: Scope | undefined = this;
    while (scope !== undefined && scope.depth > outer.depth) scope = scope.parent;
    return scope === outer;
  }

  /** The innermost scope that both are in. */
  common(other: Scope): Scope {
    let [a, b]: [Scope, Scope] = [this, other];
    while (a !== b) {
      const up: Scope | undefined = a.depth >= b.depth ? a.parent : b.parent;
      if (up === undefined) throw new InternalError('scopes of two functions');
      if (a.depth >= b.depth) a = up;
      else b = up;
    }
    return a;
  }

  /** Whether a loop over lanes is between this scope and the function. */
  get isInSlots(): boolean {
    let scope: Scope | undefined = this;
    while (scope !== undefined) {
      if (scope.slot !== undefined) return true;
      scope = scope.parent;
    }
    return false;
  }
}

/** Where statements go. */
export class Writer {
  scope: Scope = new Scope(undefined);
  /** The PTX that statements come from. */
  origin: Origin | undefined;
  /** How deep blocks are nested at most. */
  maxDepth = 0;

  push(stmt: NewStmt): Stmt {
    if (stmt.kind === 'let') return this.let(stmt.name, stmt.value);
    const whole = (this.origin === undefined ? stmt : { ...stmt, origin: this.origin }) as Stmt;
    this.scope.stmts.push(whole);
    return whole;
  }

  /** Names the value of an expression: most statements do. */
  let(name: Name, value: Expr): Stmt {
    const stmt: Stmt = { kind: 'let', name, value, origin: this.origin };
    this.scope.stmts.push(stmt);
    return stmt;
  }

  /** Statements that `body` writes, as a block of their own. */
  nest(body: () => void, slot?: Name): readonly Stmt[] {
    const outside = this.scope;
    this.scope = new Scope(outside, slot);
    this.maxDepth = Math.max(this.maxDepth, this.scope.depth);
    body();
    const { stmts } = this.scope;
    this.scope = outside;
    return stmts;
  }
}
