// A typed tree of WGSL. Names are objects that are compared by identity; the printer assigns their
// text. Each statement refers to the PTX statement from which it was translated.
import type { HelperName } from '../helpers.ts';

export type ScalarType = 'bool' | 'u32' | 'i32' | 'f32';
export type WgslType =
  | ScalarType
  | { readonly kind: 'vector'; readonly of: ScalarType; readonly size: 2 | 3 | 4 }
  | { readonly kind: 'array'; readonly of: WgslType; readonly length: number | undefined }
  | { readonly kind: 'atomic'; readonly of: 'u32' | 'i32' }
  | { readonly kind: 'pointer'; readonly space: 'function' | 'private' | 'workgroup'; readonly to: WgslType }
  | MatrixWgslType
  | { readonly kind: 'struct'; readonly name: Name };

/** A subgroup matrix, whose elements are distributed over the invocations of a subgroup. */
export interface MatrixWgslType {
  readonly kind: 'matrix';
  readonly role: 'left' | 'right' | 'result';
  readonly of: 'f16' | 'i8' | 'u8' | 'f32' | 'i32' | 'u32';
  readonly columns: number;
  readonly rows: number;
}

/**
 * A declared name. The printer derives the text of the name from `hint`, if that is valid and
 * unused.
 */
export class Name {
  hint: string;
  /**
   * The text, and the printing that assigned it. Properties are much faster here than a map of all
   * names.
   */
  text = '';
  givenBy: object | undefined = undefined;

  constructor(hint: string) {
    this.hint = hint;
  }
}

/** A half-open range of offsets into the PTX text. */
export interface Origin {
  readonly start: number;
  readonly end: number;
}

export type BinaryOp =
  | '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>'
  | '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||'; // biome-ignore format: one line per family

export type Expr =
  /** A literal, from its bits. An `f32` literal is finite. */
  | { readonly kind: 'literal'; readonly type: ScalarType; readonly bits: bigint }
  | { readonly kind: 'name'; readonly type: WgslType; readonly name: Name }
  | {
      readonly kind: 'unary';
      readonly type: WgslType;
      readonly op: '!' | '~' | '-' | '&' | '*';
      readonly operand: Expr;
    }
  | {
      readonly kind: 'binary';
      readonly type: WgslType;
      readonly op: BinaryOp;
      readonly left: Expr;
      readonly right: Expr;
    }
  /**
   * A call of a builtin function of WGSL. `templates` contains the template parameters: types or
   * names of WGSL.
   */
  | {
      readonly kind: 'builtin';
      readonly type: WgslType;
      readonly fn: string;
      readonly templates?: readonly (WgslType | 'row_major' | 'col_major')[];
      readonly args: readonly Expr[];
    }
  /**
   * An expression `type(args)`: a conversion, or a call of the constructor of a vector, array or
   * structure.
   */
  | { readonly kind: 'construct'; readonly type: WgslType; readonly args: readonly Expr[] }
  /** `bitcast<type>(operand)` */
  | { readonly kind: 'bitcast'; readonly type: WgslType; readonly operand: Expr }
  /**
   * A call of a prelude function. The program then contains this function and all functions that it
   * calls.
   */
  | { readonly kind: 'helper'; readonly type: WgslType; readonly fn: HelperName; readonly args: readonly Expr[] }
  /** A call of a function of this program. */
  | { readonly kind: 'call'; readonly type: WgslType; readonly fn: Name; readonly args: readonly Expr[] }
  | { readonly kind: 'index'; readonly type: WgslType; readonly base: Expr; readonly index: Expr }
  | { readonly kind: 'member'; readonly type: WgslType; readonly base: Expr; readonly member: string | Name };

interface HasOrigin {
  /**
   * The PTX statement from which this statement was translated. The printer writes the text of the
   * PTX statement above the first statement with this origin.
   */
  readonly origin?: Origin | undefined;
}

export type Stmt = HasOrigin &
  (
    | { readonly kind: 'let'; readonly name: Name; readonly value: Expr }
    | { readonly kind: 'var'; readonly name: Name; readonly type: WgslType; readonly value: Expr | undefined }
    | {
        readonly kind: 'assign';
        readonly target: Expr;
        readonly value: Expr;
        readonly op?: '+' | '-' | '&' | '|' | '^';
      }
    /** A call whose result is not used. */
    | { readonly kind: 'do'; readonly call: Expr }
    | { readonly kind: 'if'; readonly condition: Expr; readonly then: readonly Stmt[]; readonly else: readonly Stmt[] }
    /** A statement `loop { body continuing { … break if condition; } }`. */
    | {
        readonly kind: 'loop';
        readonly body: readonly Stmt[];
        readonly continuing: readonly Stmt[];
        readonly breakIf?: Expr | undefined;
      }
    /** A statement `for (var name = 0u; name < count; name++) { body }`. */
    | { readonly kind: 'repeat'; readonly name: Name; readonly count: number; readonly body: readonly Stmt[] }
    | { readonly kind: 'switch'; readonly selector: Expr; readonly cases: readonly Case[] }
    | { readonly kind: 'break' }
    | { readonly kind: 'continue' }
    | { readonly kind: 'return'; readonly value: Expr | undefined }
    /** `{ … }` */
    | { readonly kind: 'block'; readonly body: readonly Stmt[] }
    /** A comment that the translator adds. */
    | { readonly kind: 'comment'; readonly text: string }
  );

export interface Case {
  /** The selector values of this case. */
  readonly values: readonly number[];
  /** Whether this is also the `default` case. */
  readonly isDefault: boolean;
  readonly body: readonly Stmt[];
}

export interface FunctionParam {
  readonly name: Name;
  readonly type: WgslType;
  /** `@builtin(…)`. */
  readonly builtin?: string;
}

export type Declaration =
  | {
      readonly kind: 'binding';
      readonly group: number;
      readonly binding: number;
      readonly name: Name;
      readonly space: 'uniform' | 'storage, read' | 'storage, read_write';
      readonly type: WgslType;
    }
  | { readonly kind: 'variable'; readonly space: 'workgroup' | 'private'; readonly name: Name; readonly type: WgslType }
  | {
      /** A constant that a pipeline may set by its number `id`. */
      readonly kind: 'override';
      readonly id: number;
      readonly name: Name;
      readonly value: Expr;
    }
  | {
      readonly kind: 'struct';
      readonly name: Name;
      readonly members: readonly { readonly name: Name; readonly type: WgslType }[];
    }
  | {
      readonly kind: 'function';
      readonly name: Name;
      readonly params: readonly FunctionParam[];
      readonly result: WgslType | undefined;
      readonly body: readonly Stmt[];
      /** The comment above the function. */
      readonly comment?: string;
      /**
       * The attributes of the entry point: `@compute @workgroup_size(…)` and `@subgroup_size(…)`.
       */
      readonly workgroupSize?: readonly number[];
      readonly subgroupSize?: number;
    };

/** A complete shader. */
export interface Shader {
  /** The names in `enable` and in `requires`, and the names in `diagnostic(off, …)`. */
  readonly enables: readonly string[];
  readonly requires: readonly string[];
  readonly diagnosticsOff: readonly string[];
  readonly declarations: readonly Declaration[];
}

/** The text of a shader with its source map. */
export interface PrintedShader {
  readonly code: string;
  /**
   * The origins in the PTX text of the WGSL lines, which are counted from 1, in ascending order of
   * lines. Lines that the printer adds have no entry.
   */
  readonly sourceMap: readonly { readonly line: number; readonly origin: Origin }[];
  /** The text of each name. */
  readonly names: Pick<ReadonlyMap<Name, string>, 'get'>;
}
