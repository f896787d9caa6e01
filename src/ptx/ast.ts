// What the front end makes of PTX text: every name resolved, every instruction matched to its ISA row,
// every node with its place in the source.
import type { OriginFile } from '../base/launch.ts';
import type { IsaRow, Mods, PtxType, ServiceName } from '../isa/index.ts';

/** Half-open range of UTF-16 offsets into the source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Source {
  readonly file: string;
  readonly text: string;
  /** The files that its `.file` directives name, if they are known. */
  readonly origins?: readonly OriginFile[];
}

/**
 * A declared (or, in a fragment, inferred) virtual register. Unique within its function: a register of an inner `{ }`
 * scope that shadows another gets a name with a suffix.
 */
export interface Register {
  /** With its `%`, if the source writes one. */
  readonly name: string;
  readonly type: PtxType;
  readonly span: Span;
}

export type StateSpace = 'global' | 'shared' | 'local' | 'const' | 'param';

/** Part of a variable's initial contents: bytes at an offset, or the address of another symbol. */
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

/** A variable in a state space; also a kernel or function parameter (space `param`). */
export interface Variable {
  readonly name: string;
  readonly space: StateSpace;
  /** Element type. */
  readonly type: PtxType;
  /** Size in bytes of the whole variable; 0 for `extern .shared x[]`, whose size is the launch's. */
  readonly bytes: number;
  /** Alignment in bytes. */
  readonly align: number;
  /** Whether it was declared as an array (or vector); a scalar parameter was not. */
  readonly array: boolean;
  readonly external: boolean;
  /** Whether it was declared with `.ptr`, as a pointer to global or constant memory, or to any. */
  readonly pointer?: true;
  readonly initializers: readonly Initializer[];
  readonly span: Span;
}

export interface RegisterOperand {
  readonly kind: 'register';
  readonly register: Register;
  /** `!p` on a predicate, `-r` on nothing else. */
  readonly negated: boolean;
  readonly span: Span;
}

/** `%tid.x` and the like. WARP_SZ arrives as an immediate. */
export interface SpecialOperand {
  readonly kind: 'special';
  readonly name: string;
  readonly type: PtxType;
  readonly span: Span;
}

/**
 * A constant already converted to the operand's type: `bits` are the value's bits, zero-extended, below 2^width.
 * Predicates are 0 or 1. `negated` (`!1`) is already applied.
 */
export interface ImmediateOperand {
  readonly kind: 'immediate';
  readonly bits: bigint;
  readonly type: PtxType;
  readonly span: Span;
}

/** The address of a variable (in its own state space), plus a byte offset, used as a value. */
export interface SymbolOperand {
  readonly kind: 'symbol';
  readonly variable: Variable;
  readonly offset: number;
  readonly span: Span;
}

/** `[base + offset]`. `base` is a 32- or 64-bit register, a variable, or null for an absolute address in `offset`. */
export interface AddressOperand {
  readonly kind: 'address';
  readonly base: Register | Variable | null;
  readonly offset: number;
  /** A register that the address also counts, times `scale`: what the translator makes of address arithmetic; the parser gives none. */
  readonly index?: { readonly register: Register; readonly scale: number };
  /** The same address inside an array of shared or local memory, once the translator has found that; the parser gives none. */
  readonly place?: ArrayPlace;
  readonly span: Span;
}

/** `base` times `unit`, plus `offset`: bytes from an array's start. */
export interface ArrayPlace {
  /** The array's key in the translator's layout. */
  readonly array: string;
  /** A 32-bit register; undefined where the place is constant. */
  readonly base: Register | undefined;
  /** Bytes that 1 in `base` stands for. Where that is 1, the access is of less than a word. */
  readonly unit: 1 | 4 | 8 | 16;
  readonly offset: number;
}

/** `[handle, {x, y}]`: a texture or surface, and a place in it. */
export interface ImageOperand {
  readonly kind: 'image';
  /** What holds the handle: a 64-bit register, or the `.texref` or `.surfref` variable of a name. */
  readonly object: Register | ImageReference;
  /** As many as the geometry has: x, y, z, with the layer in front. None for queries. */
  readonly coordinates: VectorOperand['elements'];
  readonly span: Span;
}

export interface ImageReference {
  readonly reference: string;
}

/** `{a, b}` of a vector load, store or mov. */
export interface VectorOperand {
  readonly kind: 'vector';
  readonly elements: readonly (RegisterOperand | ImmediateOperand | SpecialOperand | SinkOperand | SymbolOperand)[];
  readonly span: Span;
}

/** `_`: no destination. */
export interface SinkOperand {
  readonly kind: 'sink';
  readonly span: Span;
}

/** A branch target; `target` is the name of a label of the same function (unique, as registers are). */
export interface LabelOperand {
  readonly kind: 'label';
  readonly target: string;
  readonly span: Span;
}

/** The table of a brx.idx. */
export interface LabelListOperand {
  readonly kind: 'labels';
  readonly targets: readonly string[];
  readonly span: Span;
}

/** The function of a call, with arguments and results as it names them (`.param` variables or registers). */
export interface CallOperand {
  readonly kind: 'call';
  readonly callee: string;
  /** Where the module only declares the function: the run-time's function of that name. */
  readonly service?: ServiceName;
  /** Where a register says which function it is: `callee` is the prototype or the list of targets then. */
  readonly indirect?: IndirectCall;
  readonly results: readonly (Variable | RegisterOperand)[];
  readonly args: readonly (Variable | RegisterOperand | ImmediateOperand)[];
  readonly span: Span;
}

/** A call through a function's address, which is a number. Any other address than the candidates' is no function that could be called so. */
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
 * An instruction of a supported form. Operands are keyed by the row's operand names (`d`, `p`, `a`, `membermask`, …); a destination
 * that was left out (`d[|p]` without `|p`) is absent.
 */
export interface Instruction {
  readonly kind: 'instruction';
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly operands: Readonly<Record<string, Operand>>;
  readonly guard: Guard | undefined;
  readonly span: Span;
}

/** Valid PTX that no row covers. The module still parses; translating or running a function that holds one reports `diagnostic`. */
export interface UnsupportedInstruction {
  readonly kind: 'unsupported';
  readonly opcode: string;
  readonly diagnostic: Diagnostic;
  readonly span: Span;
}

/** A place in a function. Names are unique within it. */
export interface Label {
  readonly kind: 'label';
  readonly name: string;
  readonly span: Span;
}

export type Statement = Instruction | UnsupportedInstruction | Label;

/** `.entry` or `.func` with a body. Scopes are flattened. */
export interface PtxFunction {
  readonly kind: 'entry' | 'func';
  readonly name: string;
  /** In order. Space `param`; a `.func` may have register parameters. */
  readonly params: readonly (Variable | Register)[];
  readonly results: readonly (Variable | Register)[];
  readonly registers: readonly Register[];
  /** Local, shared and call-parameter variables declared in the body. */
  readonly variables: readonly Variable[];
  readonly body: readonly Statement[];
  /** From `.maxntid`, `.reqntid`. */
  readonly maxThreads: readonly [number, number, number] | undefined;
  readonly requiredThreads: readonly [number, number, number] | undefined;
  /** Whether it says the size of its clusters, by `.reqnctapercluster` or `.explicitcluster`. */
  readonly explicitCluster: boolean;
  readonly span: Span;
}

export interface Module {
  readonly source: Source;
  /**
   * `module`: a whole PTX module. `fragment` and `sass`: bare instructions, as one function named `fragment`, whose undeclared registers
   * were typed from use.
   */
  readonly dialect: 'module' | 'fragment' | 'sass';
  readonly version: { readonly major: number; readonly minor: number };
  /** `sm_80`, `sm_90a`. */
  readonly target: string;
  readonly addressSize: 32 | 64;
  readonly variables: readonly Variable[];
  readonly functions: readonly PtxFunction[];
  /** In a fragment: registers read before they are written (per-lane inputs), and all that are written (outputs), in order of appearance. */
  readonly inputs: readonly Register[];
  readonly outputs: readonly Register[];
}

export type Severity = 'error' | 'warning';

/** A message about a place in the source. `code` is stable (`PTX0012`); `hint` says what to do. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly labels: readonly { readonly span: Span; readonly text: string }[];
  readonly hint: string | undefined;
}

/** Exactly one of: a module (perhaps with warnings), or at least one error. */
export interface ParseResult {
  readonly module: Module | undefined;
  readonly diagnostics: readonly Diagnostic[];
}
