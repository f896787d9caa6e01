// Merges arrays whose uses do not overlap. If an invocation contains several lanes, each value is
// an array, and a large kernel exceeds the limits of drivers: NVIDIA's compiler rejects 16 KiB of
// variables. The statements of a list execute in order, and a loop is one statement of its list.
// The indices in a list thus determine which arrays are in use, without an analysis of the control
// flow.
import type { Expr, Name, ScalarType, Stmt, WgslType } from './nodes.ts';
import { forEachExpr, forEachName, listsOf, withLists } from './walk.ts';

/** The maximum total size of a function's arrays that are not merged, in bytes. */
const maxUnmergedBytes = 4096;

interface SharedArray {
  readonly name: Name;
  readonly type: WgslType;
  readonly of: ScalarType;
  readonly length: number;
  /**
   * The list that declares the array, and the first and the last statement in this list that
   * mention the array.
   */
  readonly list: readonly Stmt[];
  first: number;
  last: number;
  /** Whether an expression uses the array's address. */
  isPointedTo: boolean;
}

/**
 * An array, with the numbers of the first and the last statement of the function that may use the
 * array. Nested statements are also counted.
 */
interface Life {
  readonly array: SharedArray;
  readonly from: number;
  to: number;
}

/**
 * Merges a function's arrays and returns the new statements. Returns the statements unchanged if
 * the arrays are small. Changes the nodes that name an array in place.
 */
export function shareArrays(body: readonly Stmt[]): readonly Stmt[] {
  const lives = new Finder().find(body);
  if (lives.reduce((bytes, { array }) => bytes + 4 * array.length, 0) <= maxUnmergedBytes) return body;
  const leaders = chooseLeaders(body, lives);
  if (leaders.size === 0) return body;
  const declarations = [...new Set(leaders.values())].map(
    ({ name, type }): Stmt => ({ kind: 'var', name, type, value: undefined }),
  );
  return [...declarations, ...rename(body, leaders)];
}

/**
 * Assigns each array, in the order of first statements, to an array that is no longer in use, if
 * the array is written before it is read. A reused array is assigned to itself, because its
 * declaration moves to the top of the function.
 */
function chooseLeaders(body: readonly Stmt[], lives: readonly Life[]): ReadonlyMap<Name, SharedArray> {
  const leaders = new Map<Name, SharedArray>();
  const known: Life[] = [];
  for (const life of [...lives].sort((a, b) => a.from - b.from)) {
    const { array, from, to } = life;
    if (array.isPointedTo) continue;
    const stmt = array.list[array.first];
    const isWritten = stmt !== undefined && overwrites(stmt, array.name, undefined);
    const isFree = (other: Life) =>
      other.to < from && other.array.of === array.of && other.array.length === array.length;
    const free = isWritten ? known.find(isFree) : undefined;
    if (free === undefined) {
      // A declaration in a loop would set the array to zero in each iteration.
      if (isWritten || array.list === body) known.push({ ...life });
      continue;
    }
    free.to = to;
    leaders.set(free.array.name, free.array).set(array.name, free.array);
  }
  return leaders;
}

/**
 * Whether a statement writes the whole array, or its element `slot`, on every path and before it
 * reads any part of it.
 */
function overwrites(stmt: Stmt, name: Name, slot: Name | undefined): boolean {
  switch (stmt.kind) {
    case 'var':
      return stmt.name === name && stmt.value !== undefined;
    case 'assign':
      return stmt.op === undefined && isWhole(stmt.target, name, slot) && !mentions(stmt.value, name);
    case 'repeat':
      return overwritesList(stmt.body, name, stmt.name);
    case 'block':
      return overwritesList(stmt.body, name, slot);
    case 'if':
      return (
        !mentions(stmt.condition, name) &&
        overwritesList(stmt.then, name, slot) &&
        overwritesList(stmt.else, name, slot)
      );
    default:
      return false;
  }
}

function overwritesList(stmts: readonly Stmt[], name: Name, slot: Name | undefined): boolean {
  const first = stmts.find((stmt) => mentionsIn(stmt, name));
  return first !== undefined && overwrites(first, name, slot);
}

function isWhole(target: Expr, name: Name, slot: Name | undefined): boolean {
  if (slot === undefined) return target.kind === 'name' && target.name === name;
  if (target.kind !== 'index' || target.base.kind !== 'name' || target.base.name !== name) return false;
  return target.index.kind === 'name' && target.index.name === slot;
}

function mentions(expr: Expr, name: Name): boolean {
  let found = false;
  forEachName(expr, (node) => {
    found ||= node.name === name;
  });
  return found;
}

function mentionsIn(stmt: Stmt, name: Name): boolean {
  let found = false;
  forEachExpr(stmt, (expr) => {
    found ||= mentions(expr, name);
  });
  return found || listsOf(stmt).some((list) => list.some((inner) => mentionsIn(inner, name)));
}

/** Finds the arrays of scalars and the statements that mention them. */
class Finder {
  private readonly arrays = new Map<Name, SharedArray>();
  /** The lists around the current statement, with the index of the statement in each list. */
  private readonly places = new Map<readonly Stmt[], number>();
  /**
   * For each list: the number of each of its statements, and the number of the last statement that
   * is nested in it.
   */
  private readonly spans = new Map<readonly Stmt[], { readonly from: number[]; readonly to: number[] }>();
  private count = 0;

  find(body: readonly Stmt[]): readonly Life[] {
    this.list(body);
    return [...this.arrays.values()].flatMap((array): Life[] => {
      const span = this.spans.get(array.list);
      const [from, to] = [span?.from[array.first], span?.to[array.last]];
      return from === undefined || to === undefined ? [] : [{ array, from, to }];
    });
  }

  private list(list: readonly Stmt[]): void {
    const span: { readonly from: number[]; readonly to: number[] } = { from: [], to: [] };
    this.spans.set(list, span);
    for (const [place, stmt] of list.entries()) {
      this.places.set(list, place);
      span.from.push(this.count);
      this.count += 1;
      this.statement(stmt, list);
      for (const inner of listsOf(stmt)) this.list(inner);
      span.to.push(this.count - 1);
    }
    this.places.delete(list);
  }

  private statement(stmt: Stmt, list: readonly Stmt[]): void {
    if (stmt.kind === 'var' && typeof stmt.type !== 'string' && stmt.type.kind === 'array') {
      const { name, type } = stmt;
      const { of, length } = stmt.type;
      if (typeof of === 'string' && length !== undefined) {
        this.arrays.set(name, { name, type, of, length, list, first: -1, last: -1, isPointedTo: false });
        if (stmt.value !== undefined) this.mention(name);
      }
    }
    forEachExpr(stmt, (expr) =>
      forEachName(expr, ({ name }, isPointedTo) => {
        this.mention(name);
        const array = this.arrays.get(name);
        if (isPointedTo && array) array.isPointedTo = true;
      }),
    );
  }

  private mention(name: Name): void {
    const array = this.arrays.get(name);
    const place = array && this.places.get(array.list);
    if (array === undefined || place === undefined) return;
    if (array.first < 0) array.first = place;
    array.last = place;
  }
}

function rename(list: readonly Stmt[], leaders: ReadonlyMap<Name, SharedArray>): readonly Stmt[] {
  return list.flatMap((stmt): Stmt[] => {
    forEachExpr(stmt, (expr) =>
      forEachName(expr, (node) => {
        const leader = leaders.get(node.name);
        if (leader) Object.assign(node, { name: leader.name });
      }),
    );
    const leader = stmt.kind === 'var' ? leaders.get(stmt.name) : undefined;
    if (stmt.kind !== 'var' || leader === undefined) return [withLists(stmt, (inner) => rename(inner, leaders))];
    if (stmt.value === undefined) return [];
    const target: Expr = { kind: 'name', type: stmt.type, name: leader.name };
    return [{ kind: 'assign', target, value: stmt.value, origin: stmt.origin }];
  });
}
