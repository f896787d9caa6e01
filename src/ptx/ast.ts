// The result of the front end: every name is resolved, every instruction is matched to its ISA row,
// and every node has a span.
import type { OriginFile } from '../base/launch.ts';
import type { IsaRow, Mods, PtxType, ReportName, ServiceName } from '../isa/index.ts';

/** A half-open range of UTF-16 offsets into the PTX text. */
export interface Span {
  /** The first offset. */
  readonly start: number;
  /** The first offset after the range. */
  readonly end: number;
}

/** A PTX text with its name. */
export interface Source {
  /** The name in diagnostics. */
  readonly file: string;
  /** The text. */
  readonly text: string;
  /** The files that the text's `.file` directives name, if they are available. */
  readonly origins?: readonly OriginFile[];
}

/**
 * A virtual register: a declared one, or in a fragment one whose type was inferred. The name is
 * unique within its function: a register of an inner `{ }` scope that shadows another register gets
 * a suffix.
 */
export interface Register {
  /** The name, with `%` if the source text contains it. */
  readonly name: string;
  readonly type: PtxType;
  readonly span: Span;
}

export type StateSpace = 'global' | 'shared' | 'local' | 'const' | 'param';

/**
 * A part of a variable's initial contents: bytes at an offset, or the address of another symbol.
 */
export type Initializer =
  | { readonly kind: 'bytes'; readonly offset: number; readonly bytes: Uint8Array }
  | {
      readonly kind: 'address';
      readonly offset: number;
      readonly symbol: string;
      readonly addend: number;
      readonly generic: boolean;
      readonly bytes: number;
    };

/** A variable in a state space, or a kernel or function parameter (space `param`). */
export interface Variable {
  readonly name: string;
  readonly space: StateSpace;
  /** The element type. */
  readonly type: PtxType;
  /**
   * The size of the variable in bytes; 0 for `extern .shared x[]`, whose size the launch
   * determines.
   */
  readonly bytes: number;
  /** The alignment in bytes. */
  readonly align: number;
  /** Whether the declaration is an array or vector, rather than a scalar. */
  readonly array: boolean;
  readonly external: boolean;
  /**
   * Whether the declaration has `.ptr`, so that the parameter is a pointer to global or constant
   * memory, or to any space.
   */
  readonly pointer?: true;
  readonly initializers: readonly Initializer[];
  readonly span: Span;
}

export interface RegisterOperand {
  readonly kind: 'register';
  readonly register: Register;
  /** Whether the operand is a negated predicate (`!p`). Other registers are never negated. */
  readonly negated: boolean;
  readonly span: Span;
}

/** A special register such as `%tid.x`. (WARP_SZ is an immediate.) */
export interface SpecialOperand {
  readonly kind: 'special';
  readonly name: string;
  readonly type: PtxType;
  readonly span: Span;
}

/**
 * A constant, converted to the operand's type. `bits` are the bits of the value, zero-extended and
 * below 2^width. Predicates are 0 or 1. A negation (`!1`) has already been applied.
 */
export interface ImmediateOperand {
  readonly kind: 'immediate';
  readonly bits: bigint;
  readonly type: PtxType;
  readonly span: Span;
}

/** The address of a variable in its own state space plus a byte offset, used as a value. */
export interface SymbolOperand {
  readonly kind: 'symbol';
  readonly variable: Variable;
  readonly offset: number;
  readonly span: Span;
}

/**
 * An address operand `[base + offset]`. `base` is a 32- or 64-bit register or a variable; if it is
 * null, `offset` is an absolute address.
 */
export interface AddressOperand {
  readonly kind: 'address';
  readonly base: Register | Variable | null;
  readonly offset: number;
  /**
   * A register that is added to the address after multiplication by `scale`. The translator sets
   * this member for address arithmetic; the parser does not.
   */
  readonly index?: { readonly register: Register; readonly scale: number };
  /**
   * The same address as a place in an array of shared or local memory, if the translator could
   * determine it. The parser does not set this member.
   */
  readonly place?: ArrayPlace;
  readonly span: Span;
}

/** A place in an array: `base` times `unit`, plus `offset`, in bytes from the array's start. */
export interface ArrayPlace {
  /** The key of the array in the translator's layout. */
  readonly array: string;
  /** A 32-bit register; undefined if the place does not depend on a register. */
  readonly base: Register | undefined;
  /** The number of bytes per unit of `base`. If it is 1, the access is smaller than a word. */
  readonly unit: 1 | 4 | 8 | 16;
  readonly offset: number;
}

/** An image operand `[handle, {x, y}]`: a texture or surface, and the coordinates of an access. */
export interface ImageOperand {
  readonly kind: 'image';
  /** The handle: a 64-bit register, or the name of a `.texref` or `.surfref` variable. */
  readonly object: Register | ImageReference;
  /**
   * The coordinates of the geometry: the layer if there is one, then x, y, z. Empty for queries.
   */
  readonly coordinates: VectorOperand['elements'];
  readonly span: Span;
}

export interface ImageReference {
  readonly reference: string;
}

/** The operand `{a, b}` of a vector load, store or mov. */
export interface VectorOperand {
  readonly kind: 'vector';
  readonly elements: readonly (RegisterOperand | ImmediateOperand | SpecialOperand | SinkOperand | SymbolOperand)[];
  readonly span: Span;
}

/** The operand `_`, which discards a result. */
export interface SinkOperand {
  readonly kind: 'sink';
  readonly span: Span;
}

/**
 * A branch target. `target` is the name of a label of the same function. Like the names of
 * registers, it is unique within the function.
 */
export interface LabelOperand {
  readonly kind: 'label';
  readonly target: string;
  readonly span: Span;
}

/** The table of labels of a `brx.idx`. */
export interface LabelListOperand {
  readonly kind: 'labels';
  readonly targets: readonly string[];
  readonly span: Span;
}

/** The callee, arguments and results of a call (`.param` variables or registers). */
export interface CallOperand {
  readonly kind: 'call';
  readonly callee: string;
  /** The CUDA runtime function of that name, if the module only declares the callee. */
  readonly service?: ServiceName | ReportName;
  /**
   * The call through a register, if a register selects the callee. `callee` is then the prototype
   * or the list of targets.
   */
  readonly indirect?: IndirectCall;
  readonly results: readonly (Variable | RegisterOperand)[];
  readonly args: readonly (Variable | RegisterOperand | ImmediateOperand)[];
  readonly span: Span;
}

/**
 * A call through the address of a function, which is a number. An address that does not belong to
 * any of the candidates is invalid.
 */
export interface IndirectCall {
  readonly address: Register;
  readonly candidates: readonly { readonly name: string; readonly address: number }[];
}

export type Operand =
  | RegisterOperand
  | SpecialOperand
  | ImmediateOperand
  | SymbolOperand
  | AddressOperand
  | ImageOperand
  | VectorOperand
  | SinkOperand
  | LabelOperand
  | LabelListOperand
  | CallOperand;

export interface Guard {
  readonly register: Register;
  readonly negated: boolean;
  readonly span: Span;
}

/**
 * An instruction of a supported form. The keys of the operands are the operand names of the row
 * (`d`, `p`, `a`, `membermask`, …). An omitted destination (`d[|p]` without `|p`) has no entry.
 */
export interface Instruction {
  readonly kind: 'instruction';
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly operands: Readonly<Record<string, Operand>>;
  readonly guard: Guard | undefined;
  readonly span: Span;
}

/**
 * Valid PTX for which there is no row. The module can still be parsed. Translating or running a
 * function that contains such an instruction reports `diagnostic`.
 */
export interface UnsupportedInstruction {
  readonly kind: 'unsupported';
  readonly opcode: string;
  readonly diagnostic: Diagnostic;
  readonly span: Span;
}

/** A label: a position in a function. Names are unique within the function. */
export interface Label {
  readonly kind: 'label';
  readonly name: string;
  readonly span: Span;
}

export type Statement = Instruction | UnsupportedInstruction | Label;

/** A `.entry` or `.func` with a body. The statements of inner scopes are part of the same list. */
export interface PtxFunction {
  readonly kind: 'entry' | 'func';
  readonly name: string;
  /**
   * The parameters in order, in space `param`. The parameters of a `.func` may also be registers.
   */
  readonly params: readonly (Variable | Register)[];
  readonly results: readonly (Variable | Register)[];
  readonly registers: readonly Register[];
  /** The local, shared and call-parameter variables that the body declares. */
  readonly variables: readonly Variable[];
  readonly body: readonly Statement[];
  /** The maximum size of a block, from `.maxntid` or `.reqntid`. */
  readonly maxThreads: readonly [number, number, number] | undefined;
  readonly requiredThreads: readonly [number, number, number] | undefined;
  /**
   * Whether the function declares its cluster size (`.reqnctapercluster` or `.explicitcluster`).
   */
  readonly explicitCluster: boolean;
  /** The size of a cluster in blocks, from `.reqnctapercluster`. */
  readonly cluster: readonly [number, number, number] | undefined;
  readonly clusterSpan: Span | undefined;
  /** Whether threads may share the work of a call, which its last two arguments then divide. */
  readonly divisible?: true;
  readonly span: Span;
}

/** A parsed PTX module or fragment. */
export interface Module {
  /** The text. */
  readonly source: Source;
  /**
   * The dialect. `module` is a whole PTX module. `fragment` (PTX) and `sass` are bare instructions,
   * parsed as one function named `fragment`; the types of undeclared registers are inferred from
   * their uses.
   */
  readonly dialect: 'module' | 'fragment' | 'sass';
  /** The PTX version (`.version`). */
  readonly version: { readonly major: number; readonly minor: number };
  /** The target (`.target`), such as `sm_80` or `sm_90a`. */
  readonly target: string;
  /** The size of addresses, in bits. */
  readonly addressSize: 32 | 64;
  /** The variables of the module. */
  readonly variables: readonly Variable[];
  /** The kernels and device functions. */
  readonly functions: readonly PtxFunction[];
  /**
   * For a fragment, the registers that are read before they are written, in order of appearance.
   */
  readonly inputs: readonly Register[];
  /** For a fragment, the registers that are written, in order of appearance. */
  readonly outputs: readonly Register[];
}

/** The severity of a diagnostic. */
export type Severity = 'error' | 'warning';

/** A message about a place in the PTX. */
export interface Diagnostic {
  /** A stable code, such as `PTX0012`. */
  readonly code: string;
  /** The severity. */
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The place of the problem. */
  readonly span: Span;
  /** Other positions in the PTX, with notes. */
  readonly labels: readonly { readonly span: Span; readonly text: string }[];
  /** A suggestion, if there is one. */
  readonly hint: string | undefined;
}

/** The result of parsing: a module, perhaps with warnings, or at least one error. */
export interface ParseResult {
  /** The module; undefined if there are errors. */
  readonly module: Module | undefined;
  /** The errors and warnings, in the order of their positions. */
  readonly diagnostics: readonly Diagnostic[];
}
