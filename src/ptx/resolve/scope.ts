// The names of one function (registers, variables and labels), by scope. The resolved names are
// unique in the function.
import { InternalError } from '../../base/invariants.ts';
import type { PtxType } from '../../isa/index.ts';
import type { Register, Span, Variable } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Reporter } from '../diagnostics/reporter.ts';
import type { OpaqueVariable, RegisterDeclaration } from '../syntax.ts';

/**
 * A vector register (`.reg .v4 .f32 %v`) with its elements, or a `.b128` register with its halves.
 */
export interface VectorRegister {
  readonly kind: 'vector';
  readonly elements: readonly Register[];
  readonly span: Span;
}

/** A texture, surface or sampler. */
export interface OpaqueEntity {
  readonly kind: 'opaque';
  readonly type: string;
  readonly span: Span;
}

export type Entity =
  | OpaqueEntity
  | { readonly kind: 'register'; readonly register: Register }
  | VectorRegister
  | { readonly kind: 'variable'; readonly variable: Variable };

interface Range {
  readonly count: number;
  readonly type: PtxType;
  readonly vector: number;
  readonly span: Span;
}

interface Level {
  readonly entities: Map<string, Entity>;
  /**
   * The ranges such as `%r<60>`, by prefix. A register of a range is created when it is first used.
   */
  readonly ranges: Map<string, Range>;
}

const newLevel = (): Level => ({ entities: new Map(), ranges: new Map() });

export const elementNames = ['x', 'y', 'z', 'w'] as const;

function spanOf(entity: Entity): Span {
  if (entity.kind === 'vector' || entity.kind === 'opaque') return entity.span;
  return entity.kind === 'register' ? entity.register.span : entity.variable.span;
}

/** Makes names unique by adding a suffix to each repeated name. */
class UniqueNames {
  private readonly used: Set<string>;
  private readonly next = new Map<string, number>();

  constructor(reserved: Iterable<string> = []) {
    this.used = new Set(reserved);
  }

  take(name: string): string {
    let unique = name;
    let suffix = this.next.get(name) ?? 1;
    while (this.used.has(unique)) unique = `${name}_${suffix++}`;
    if (unique !== name) this.next.set(name, suffix);
    this.used.add(unique);
    return unique;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns the range that contains a name. For example, `%r<60>` and `%r1<5>` contain `%r12`. */
function rangeOf(level: Level, name: string): Range | undefined {
  if (level.ranges.size === 0) return undefined;
  // An index does not have leading zeros and has at most eight digits.
  for (let at = name.length - 1; at > 0 && at >= name.length - 8; at--) {
    if (!isDigit(name.charCodeAt(at))) return undefined;
    const digits = name.slice(at);
    if (digits.length > 1 && digits.startsWith('0')) continue;
    const range = level.ranges.get(name.slice(0, at));
    if (range !== undefined && Number(digits) < range.count) return range;
  }
  return undefined;
}

export class Scope {
  /** The registers in order of first appearance. */
  readonly registers: Register[] = [];
  readonly variables: Variable[] = [];
  /** The registers that the text does not name. */
  readonly unnamed = new Set<Register>();
  private readonly levels: Level[] = [newLevel()];
  private readonly names: UniqueNames;
  private readonly outer: ReadonlyMap<string, Entity>;
  private readonly reporter: Reporter;
  private readonly declareLate: (name: string) => void;

  /**
   * Creates the scope of a function. `outer` contains the module's variables. If a name is not
   * found, `declareLate` declares it if it is a per-thread name of the module.
   */
  constructor(
    outer: ReadonlyMap<string, Entity>,
    reporter: Reporter,
    declareLate: (name: string) => void = () => undefined,
  ) {
    this.outer = outer;
    this.declareLate = declareLate;
    this.names = new UniqueNames(outer.keys());
    this.reporter = reporter;
  }

  open(): void {
    this.levels.push(newLevel());
  }

  close(): void {
    if (this.levels.length > 1) this.levels.pop();
  }

  declareRegisters(declaration: RegisterDeclaration): void {
    const { type, vector } = declaration;
    const level = this.top;
    for (const { text, span, count } of declaration.names) {
      if (count === undefined) this.declare(text, span, this.makeRegister(text, type, vector, span));
      else if (level.ranges.has(text)) {
        this.reporter.report(diagnostics().duplicate(span, `${text}<${count}>`, level.ranges.get(text)?.span ?? span));
      } else level.ranges.set(text, { count, type, vector, span });
    }
  }

  /** Adds a variable with a unique name, and returns the variable with that name. */
  declareVariable(variable: Variable): Variable {
    const named = { ...variable, name: this.names.take(variable.name) };
    this.declare(variable.name, variable.span, { kind: 'variable', variable: named });
    return named;
  }

  /** Adds the registers of a parameter: one register, or the elements of a vector. */
  addRegisters(name: string, type: PtxType, vector: number, span: Span): readonly Register[] {
    const entity = this.makeRegister(name, type, vector, span);
    this.declare(name, span, entity);
    if (entity.kind === 'vector') return entity.elements;
    return entity.kind === 'register' ? [entity.register] : [];
  }

  declareOpaque({ name, type }: OpaqueVariable): void {
    this.declare(name.text, name.span, { kind: 'opaque', type, span: name.span });
  }

  /** Adds an existing register. Its name must not be in use. */
  adopt(register: Register): void {
    this.names.take(register.name);
    this.registers.push(register);
    this.declare(register.name, register.span, { kind: 'register', register });
  }

  find(name: string): Entity | undefined {
    for (let at = this.levels.length - 1; at >= 0; at--) {
      const level = this.levels[at];
      if (level === undefined) continue;
      const entity = level.entities.get(name) ?? this.fromRange(level, name);
      if (entity !== undefined) return entity;
    }
    return this.outer.get(name) ?? this.findLate(name);
  }

  /** Creates a register of the function that the text does not name. */
  makeUnnamed(name: string, type: PtxType, span: Span): Register {
    const register = { name: this.names.take(name), type, span };
    this.registers.push(register);
    this.unnamed.add(register);
    return register;
  }

  /** Returns a variable with a unique name, for a variable that the text does not name. */
  nameUniquely(variable: Variable): Variable {
    return { ...variable, name: this.names.take(variable.name) };
  }

  private findLate(name: string): Entity | undefined {
    // The variable belongs to the outermost scope, so it exists longer than the open scope.
    const inner = this.levels.splice(1);
    this.declareLate(name);
    this.levels.push(...inner);
    const [outermost] = this.levels;
    return outermost && (outermost.entities.get(name) ?? this.fromRange(outermost, name));
  }

  /** Returns the range, such as `%r<60>`, that would contain `name` if the range were longer. */
  nearRange(name: string): { readonly prefix: string; readonly count: number; readonly span: Span } | undefined {
    let end = name.length;
    while (end > 0 && isDigit(name.charCodeAt(end - 1))) end--;
    const prefix = name.slice(0, end);
    for (const { ranges } of [...this.levels].reverse()) {
      const range = prefix === name ? undefined : ranges.get(prefix);
      if (range !== undefined) return { prefix, ...range };
    }
    return undefined;
  }

  /** Returns all visible names, for suggestions. */
  *visibleNames(): Iterable<string> {
    for (const level of this.levels) yield* level.entities.keys();
    yield* this.outer.keys();
  }

  private get top(): Level {
    const top = this.levels.at(-1);
    if (top === undefined) throw new InternalError('a scope has at least one level');
    return top;
  }

  private declare(name: string, span: Span, entity: Entity): void {
    const level = this.top;
    const before = level.entities.get(name);
    const range = before === undefined ? rangeOf(level, name) : undefined;
    const first = before === undefined ? range?.span : spanOf(before);
    if (first !== undefined) this.reporter.report(diagnostics().duplicate(span, name, first));
    else level.entities.set(name, entity);
  }

  private fromRange(level: Level, name: string): Entity | undefined {
    const range = rangeOf(level, name);
    if (range === undefined) return undefined;
    const entity = this.makeRegister(name, range.type, range.vector, range.span);
    level.entities.set(name, entity);
    return entity;
  }

  private makeRegister(name: string, type: PtxType, vector: number, span: Span): Entity {
    const make = (text: string): Register => {
      const register = { name: this.names.take(text), type, span };
      this.registers.push(register);
      return register;
    };
    // A 128-bit register consists of two halves.
    if (type === 'b128') {
      const halves = elementNames
        .slice(0, 2)
        .map((element) => ({ name: this.names.take(`${name}.${element}`), type: 'b64', span }) as const);
      this.registers.push(...halves);
      return { kind: 'vector', elements: halves, span };
    }
    if (vector === 1) return { kind: 'register', register: make(name) };
    return {
      kind: 'vector',
      elements: elementNames.slice(0, vector).map((element) => make(`${name}.${element}`)),
      span,
    };
  }
}

interface LabelEntity {
  readonly name: string;
  readonly span: Span;
  /** The entries of a `.branchtargets` table. */
  readonly targets: readonly { readonly text: string; readonly span: Span }[] | undefined;
}

/**
 * The labels of one function. A label may be used before its definition, so all labels are
 * collected first, by scope.
 */
export class Labels {
  private readonly byScope: Map<string, LabelEntity>[] = [];
  private readonly parents: number[] = [];
  private readonly names = new UniqueNames();

  /**
   * Opens a scope inside of `parent` (-1 for the outermost scope). Returns the number of the new
   * scope. Scopes are numbered in the order of their `{`.
   */
  addScope(parent: number): number {
    this.parents.push(parent);
    return this.byScope.push(new Map()) - 1;
  }

  /** Defines a label. If the name is already defined, returns the first definition. */
  define(scope: number, name: string, span: Span, targets?: LabelEntity['targets']): LabelEntity | undefined {
    const level = this.byScope[scope];
    const before = level?.get(name);
    if (before === undefined) level?.set(name, { name: this.names.take(name), span, targets });
    return before;
  }

  find(scope: number, name: string): LabelEntity | undefined {
    for (let at = scope; at >= 0; at = this.parents[at] ?? -1) {
      const label = this.byScope[at]?.get(name);
      if (label !== undefined) return label;
    }
    return undefined;
  }

  *allNames(): Iterable<string> {
    for (const level of this.byScope) yield* level.keys();
  }
}
