// Collects statements in the order in which they are written. Each `{ }` has a list, which is
// nested in the list of the enclosing block.
import { InternalError } from '../../base/invariants.ts';
import type { Expr, Name, Origin, Stmt } from './nodes.ts';

/** A statement without its origin. The writer adds the origin. */
type Bare<S> = S extends Stmt ? Omit<S, 'origin'> : never;
export type NewStmt = Bare<Stmt>;

export class Scope {
  readonly parent: Scope | undefined;
  readonly depth: number;
  /** The counter of the loop over slots, if this scope is the body of such a loop. */
  readonly slot: Name | undefined;
  readonly stmts: Stmt[] = [];
  /** The latest `let` statement. */
  defined: Stmt | undefined;

  constructor(parent: Scope | undefined, slot?: Name) {
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.slot = slot;
  }

  /** Whether this scope is `outer` or inside of it. */
  isWithin(outer: Scope): boolean {
    let scope: Scope | undefined = this;
    while (scope !== undefined && scope.depth > outer.depth) scope = scope.parent;
    return scope === outer;
  }

  /** Returns the innermost scope that contains this scope and another. */
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

  /** Whether a loop over slots encloses this scope. */
  get isInSlots(): boolean {
    let scope: Scope | undefined = this;
    while (scope !== undefined) {
      if (scope.slot !== undefined) return true;
      scope = scope.parent;
    }
    return false;
  }
}

/** Collects the statements of a function. */
export class Writer {
  scope: Scope = new Scope(undefined);
  /** The PTX span of the statements to be written next. */
  origin: Origin | undefined;

  push(stmt: NewStmt): Stmt {
    if (stmt.kind === 'let') return this.let(stmt.name, stmt.value);
    const whole = (this.origin === undefined ? stmt : { ...stmt, origin: this.origin }) as Stmt;
    this.scope.stmts.push(whole);
    return whole;
  }

  /** Names the value of an expression. Most statements are of this kind. */
  let(name: Name, value: Expr): Stmt {
    const stmt: Stmt = { kind: 'let', name, value, origin: this.origin };
    this.scope.stmts.push(stmt);
    return stmt;
  }

  /** Collects the statements that `body` writes in a nested block, and returns them. */
  nest(body: () => void, slot?: Name): readonly Stmt[] {
    const outside = this.scope;
    this.scope = new Scope(outside, slot);
    body();
    const { stmts } = this.scope;
    this.scope = outside;
    return stmts;
  }
}
