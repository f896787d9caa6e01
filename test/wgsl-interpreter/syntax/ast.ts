// The syntax tree of a WGSL module. https://www.w3.org/TR/WGSL/#grammar

/** Any part of the tree, with its line in the text. */
export interface Node {
  readonly line: number;
}

export interface Attribute extends Node {
  readonly name: string;
  /** The text of each argument. */
  readonly args: readonly string[];
}

export type Type = NamedType | TemplateType | ArrayType | PointerType;

/** A type without template parameters; a subgroup matrix, whose name contains its parameters. */
export interface NamedType extends Node {
  readonly kind: 'named';
  readonly name: string;
}

/** A type such as `vec4<u32>` or `atomic<u32>`. */
export interface TemplateType extends Node {
  readonly kind: 'template';
  readonly name: string;
  readonly format: Type;
}

export interface ArrayType extends Node {
  readonly kind: 'array';
  readonly name: 'array';
  /** The element type; null for the constructor `array(…)`, which infers it. */
  readonly format: Type | null;
  /** The number of elements, or the name of a constant; null for an array without a size. */
  readonly count: number | string | null;
}

export interface PointerType extends Node {
  readonly kind: 'pointer';
  readonly name: 'ptr';
  readonly type: Type;
}

/** A member or an element of the expression before it. */
export type Postfix = Chained &
  ({ readonly kind: 'member'; readonly value: string } | { readonly kind: 'index'; readonly index: Expression });

/** An expression or a postfix, which another postfix may follow. */
export interface Chained extends Node {
  postfix: Postfix | null;
}

export type Expression = Literal | Variable | Unary | Binary | Call | Create | Bitcast;

export interface Literal extends Chained {
  readonly kind: 'literal';
  readonly type: 'bool' | 'abstract' | 'i32' | 'u32' | 'f32' | 'f16';
  /** The number; 0 or 1 for a bool. */
  readonly value: number;
}

export interface Variable extends Chained {
  readonly kind: 'variable';
  readonly name: string;
}

export interface Unary extends Chained {
  readonly kind: 'unary';
  readonly operator: string;
  readonly right: Expression;
}

export interface Binary extends Chained {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

/** A call of a function or builtin, or of a type whose name has no template parameters. */
export interface Call extends Chained {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
}

/** A constructor such as `vec2<u32>(a, b)`, or `vec2(a, b)`, which infers its element type. */
export interface Create extends Chained {
  readonly kind: 'create';
  readonly type: Type;
  readonly args: readonly Expression[];
}

export interface Bitcast extends Chained {
  readonly kind: 'bitcast';
  readonly type: Type;
  readonly value: Expression;
}

export type Statement =
  | Var
  | Constant
  | Block
  | Assign
  | Increment
  | Call
  | If
  | Switch
  | Loop
  | While
  | For
  | Break
  | Return
  | (Node & { readonly kind: 'continue' });

export interface Var extends Node {
  readonly kind: 'var';
  readonly name: string;
  readonly type: Type | null;
  readonly value: Expression | null;
  /** The address space; null in a function. */
  readonly storage: string | null;
  readonly access: string | null;
  readonly attributes: readonly Attribute[];
}

export interface Constant extends Node {
  readonly kind: 'let' | 'const' | 'override';
  readonly name: string;
  readonly type: Type | null;
  readonly value: Expression | null;
}

export interface Block extends Node {
  readonly kind: 'block';
  readonly body: readonly Statement[];
}

export interface Assign extends Node {
  readonly kind: 'assign';
  /** `=`, or a compound operator such as `+=`. */
  readonly operator: string;
  readonly variable: Expression;
  readonly value: Expression;
}

export interface Increment extends Node {
  readonly kind: 'increment';
  readonly operator: '++' | '--';
  readonly variable: Expression;
}

export interface If extends Node {
  readonly kind: 'if';
  /** `if`, then each `else if`. */
  readonly arms: readonly { readonly condition: Expression; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[];
}

export interface Switch extends Node {
  readonly kind: 'switch';
  readonly condition: Expression;
  readonly clauses: readonly Clause[];
}

export interface Clause {
  readonly selectors: readonly Expression[];
  readonly isDefault: boolean;
  readonly body: readonly Statement[];
}

export interface Loop extends Node {
  readonly kind: 'loop';
  readonly body: readonly Statement[];
  readonly continuing: readonly Statement[];
}

export interface While extends Node {
  readonly kind: 'while';
  readonly condition: Expression;
  readonly body: readonly Statement[];
}

export interface For extends Node {
  readonly kind: 'for';
  readonly init: Statement | null;
  readonly condition: Expression | null;
  readonly increment: Statement | null;
  readonly body: readonly Statement[];
}

/** `break`, or `break if` with its condition. */
export interface Break extends Node {
  readonly kind: 'break';
  readonly condition: Expression | null;
}

export interface Return extends Node {
  readonly kind: 'return';
  readonly value: Expression | null;
}

export type Declaration = Var | Constant | Struct | Alias | Function | Directive;

/** A member of a struct, or a parameter of a function. */
export interface Argument extends Node {
  readonly name: string;
  readonly type: Type;
  readonly attributes: readonly Attribute[];
}

export interface Struct extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly members: readonly Argument[];
}

export interface Alias extends Node {
  readonly kind: 'alias';
  readonly name: string;
  readonly type: Type;
}

export interface Function extends Node {
  readonly kind: 'function';
  readonly name: string;
  readonly args: readonly Argument[];
  readonly returnType: Type | null;
  readonly body: readonly Statement[];
  readonly attributes: readonly Attribute[];
}

/** `enable`, `requires` or `diagnostic`. */
export interface Directive extends Node {
  readonly kind: 'directive';
  readonly args: readonly string[];
}
