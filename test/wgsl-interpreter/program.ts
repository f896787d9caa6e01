// The state of a module's compilation: declarations by name, allocation of registers and slots, and
// the initial work.

import { raise } from './error.ts';
import type { Statement, Step } from './machine.ts';
import { nothing } from './machine.ts';
import type * as ast from './syntax/ast.ts';
import { parseWgsl } from './syntax/parser.ts';
import { matrixNamed, type ScalarName, type StructType, type Type } from './types.ts';

export interface Expr extends Step {
  readonly type: Type;
  /** The first register of the value after the step has run. An abstract value has none. */
  readonly register: number;
  /**
   * Whether the registers belong to a variable, so that they change when the variable is assigned.
   */
  readonly borrowed: boolean;
  /** Whether this is a const-expression. */
  readonly constant: boolean;
  /** Whether the expression calls a function of the module, which may assign variables. */
  readonly impure: boolean;
  /** The value of an AbstractInt. */
  readonly value?: number;
}

export type Root =
  | { readonly kind: 'registers'; readonly base: number; readonly name: string; readonly writable: boolean }
  | { readonly kind: 'memory'; readonly slot: number; readonly name: string; readonly writable: boolean };

/**
 * A place in a variable: `offset` words after the word whose index is in register `address`, or
 * after word 0 if `address` is null.
 */
export interface Ref {
  readonly type: Type;
  readonly root: Root;
  readonly offset: number;
  readonly address: number | null;
  readonly constant: boolean;
  readonly impure: boolean;
  readonly step: Step;
}

export type Binding =
  | { readonly kind: 'ref' | 'pointer'; readonly ref: Ref }
  | { readonly kind: 'abstract'; readonly value: number };

export interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | null;
}

export interface FunctionInstance {
  readonly parameters: readonly { readonly type: Type | null; readonly register: number }[];
  readonly result: { readonly type: Type; readonly register: number };
  readonly body: Statement;
}

/** A variable in the storage, uniform or workgroup address space. */
export interface MemoryVariable {
  readonly name: string;
  readonly space: 'storage' | 'uniform' | 'workgroup';
  readonly writable: boolean;
  readonly binding: number | null;
  readonly type: Type;
}

/** The environment in which code is compiled. */
export interface Env {
  readonly program: Program;
  readonly scope: Scope;
  readonly result: { readonly type: Type; readonly register: number } | null;
  readonly breakSlot: number | null;
  readonly continueSlot: number | null;
}

/** A call as an expression or a statement. */
export type CallNode = ast.Node & { readonly name: string; readonly args: readonly ast.Expression[] };

export type Builtin = (env: Env, args: readonly ast.Expression[], node: CallNode, hint?: ScalarName) => Expr;

/**
 * Compilers for parts of expressions, which depend on each other: expressions, calls and
 * declarations. `index.ts` connects them, so their files do not import each other.
 */
export interface Compilers {
  call(env: Env, node: CallNode, hint?: ScalarName): Expr;
  construct(env: Env, type: ast.Type, args: readonly ast.Expression[], node: ast.Node, hint?: ScalarName): Expr;
  lookup(env: Env, name: string, node: ast.Node): Binding;
  evaluateConstant(program: Program, name: string, node: ast.Node): number;
}

const namedTypes: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...(['u32', 'i32', 'f32', 'bool'] as const).map((name): [string, Type] => [name, { kind: 'scalar', name }]),
  ...[2, 3, 4].flatMap((size) =>
    (
      [
        ['u', 'u32'],
        ['i', 'i32'],
        ['f', 'f32'],
      ] as const
    ).map(([letter, element]): [string, Type] => [`vec${size}${letter}`, { kind: 'vector', size, element }]),
  ),
]);

export class Program {
  readonly compilers: Compilers;
  readonly structs = new Map<string, ast.Struct>();
  readonly aliases = new Map<string, ast.Type>();
  readonly functions = new Map<string, ast.Function>();
  readonly variables = new Map<string, ast.Var | ast.Constant>();
  /** All names after `enable` and `requires`. */
  readonly extensions = new Set<string>();
  readonly globals: Scope = { names: new Map(), parent: null };
  readonly instances = new Map<string, FunctionInstance>();
  /** The instances whose bodies are being compiled. WGSL forbids recursion. */
  readonly unfinished = new Set<string>();
  readonly memories: MemoryVariable[] = [];
  /** Every subgroup runs these steps before the entry point, for all lanes. */
  readonly initial: Step[] = [];
  readonly literals = new Map<number, number>();
  registers = 0;
  slots = 0;

  /** Throws `WgslError` if the text does not parse. */
  constructor(code: string, compilers: Compilers) {
    this.compilers = compilers;
    for (const node of parseWgsl(code)) {
      if (node.kind === 'struct') this.structs.set(node.name, node);
      else if (node.kind === 'alias') this.aliases.set(node.name, node.type);
      else if (node.kind === 'function') this.functions.set(node.name, node);
      else if (node.kind === 'var' || node.kind === 'override' || node.kind === 'const')
        this.variables.set(node.name, node);
      else if (node.kind === 'directive') for (const name of node.args) this.extensions.add(name);
    }
  }

  allocate(count: number): number {
    const first = this.registers;
    this.registers += count;
    return first;
  }

  allocateSlot(): number {
    return this.slots++;
  }

  /** Returns the register that holds these 32 bits in all lanes. */
  literal(bits: number): number {
    const known = this.literals.get(bits >>> 0);
    if (known !== undefined) return known;
    const register = this.allocate(1);
    this.literals.set(bits >>> 0, register);
    return register;
  }

  /** Returns the type of that name; undefined if it does not exist. */
  typeNamed(name: string): Type | undefined {
    const known = namedTypes.get(name);
    if (known !== undefined) return known;
    const matrix = matrixNamed(name);
    if (matrix !== undefined) return matrix;
    const alias = this.aliases.get(name);
    if (alias !== undefined) return this.resolve(alias);
    const struct = this.structs.get(name);
    return struct === undefined ? undefined : this.resolveStruct(struct);
  }

  /**
   * Returns the type that a syntax node names. Throws for unsupported types, such as f16, mat2x2
   * and textures.
   */
  resolve(type: ast.Type): Type {
    if (type.kind === 'array') {
      if (type.format === null) raise(type, 'an array type needs an element type here');
      return { kind: 'array', element: this.resolve(type.format), count: this.count(type) };
    }
    if (type.kind === 'template') {
      const format = this.resolve(type.format);
      const size = vectorSize(type.name);
      if (format.kind === 'scalar' && size !== undefined) return { kind: 'vector', size, element: format.name };
      if (format.kind === 'scalar' && type.name === 'atomic' && (format.name === 'u32' || format.name === 'i32')) {
        return { kind: 'atomic', element: format.name };
      }
    }
    return this.typeNamed(type.name) ?? raise(type, `type ${type.name} is not supported`);
  }

  private count(type: ast.ArrayType): number | null {
    return typeof type.count === 'string' ? this.compilers.evaluateConstant(this, type.count, type) : type.count;
  }

  private resolveStruct(struct: ast.Struct): StructType {
    return {
      kind: 'struct',
      name: struct.name,
      members: struct.members.map((member) => {
        const align = attribute(member.attributes, 'align');
        const size = attribute(member.attributes, 'size');
        const builtin = attribute(member.attributes, 'builtin');
        return {
          name: member.name,
          type: this.resolve(member.type),
          ...(align === undefined ? {} : { align: Number.parseInt(align, 10) / 4 }),
          ...(size === undefined ? {} : { size: Number.parseInt(size, 10) / 4 }),
          ...(builtin === undefined ? {} : { builtin }),
        };
      }),
    };
  }
}

/** Returns the number of components of `vec2`, `vec3` or `vec4`. */
export function vectorSize(name: string): number | undefined {
  return /^vec[234]$/.test(name) ? Number(name.charAt(3)) : undefined;
}

/** Returns an attribute's first argument. */
export function attribute(attributes: readonly ast.Attribute[], name: string): string | undefined {
  return attributes.find((each) => each.name === name)?.args[0];
}

export function inner(env: Env): Env {
  return { ...env, scope: { names: new Map(), parent: env.scope } };
}

export function literalExpr(env: Env, name: ScalarName, bits: number): Expr {
  return {
    type: { kind: 'scalar', name },
    register: env.program.literal(bits),
    borrowed: false,
    constant: true,
    impure: false,
    ...nothing,
  };
}
