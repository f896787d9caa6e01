// The shape of an ISA row: one instruction form, as the PTX manual prints it.

/// Fundamental PTX types that instructions and registers carry.
export type PtxType =
  | 'pred'
  | 'b8' | 'b16' | 'b32' | 'b64' | 'b128'
  | 'u8' | 'u16' | 'u32' | 'u64'
  | 's8' | 's16' | 's32' | 's64'
  | 'f16' | 'f16x2' | 'bf16' | 'bf16x2' | 'f32' | 'f64'; // biome-ignore format: one line a family

/// What executing an instruction involves:
/// - `lane`: a pure function of the lane's own operands
/// - `warp`: lanes exchange values (or read who is active)
/// - `memory`, `atomic`: address spaces
/// - `barrier`: the block, or ordering only
/// - `control`: the program counter
export type RowKind = 'lane' | 'warp' | 'memory' | 'atomic' | 'barrier' | 'control';

/// The type of an operand: a PTX type, `.slot` for the type that slot holds, or `.slot*2` for twice its width.
/// `label`, `address`, `symbol`, `list` and `immediate` are operands that are no values.
export type OperandType = PtxType | `.${string}` | 'label' | 'address' | 'symbol' | 'list' | 'immediate';

export interface RowShape<Name extends string = string> {
  /// Unique; also the key of the row's functions in `cpu-ref` and `wgsl`.
  readonly name: Name;
  readonly kind: RowKind;
  /// As the manual prints it. `.slot` stands for one of `where.slot`; `{.x}` is optional; so are operands in `[|p]` and `{, e}`;
  /// `{!}a` may be negated.
  readonly syntax: string;
  readonly where?: Readonly<Record<string, readonly string[]>>;
  readonly types: Readonly<Record<string, OperandType>>;
  /// Earliest PTX version, `major.minor`.
  readonly ptx: string;
  /// Earliest target, `sm_NN`; `sm_100a` for architecture-specific ones.
  readonly target: string;
  /// Where the manual took the form away: from this PTX version on, for targets from `target` on.
  readonly removed?: { readonly ptx: string; readonly target: string; readonly instead: string };
  /// Demands that hold only for some slot values, such as a type that came later.
  readonly since?: readonly {
    readonly slot: string;
    readonly values: readonly string[];
    readonly ptx: string;
    readonly target: string;
  }[];
  /// The carry flag: an extra last source (0 or 1), an extra last result.
  readonly carry?: { readonly in: boolean; readonly out: boolean | 'cc' };
  /// Anchor of the section in the PTX ISA manual.
  readonly section: string;
  /// One sentence, for the support table and for editors.
  readonly doc: string;
}

export type IsaRow = RowShape;

/// Keeps each row's name as a literal type, so that a missing function is a type error.
export function rows<const Rows extends readonly RowShape[]>(list: Rows): Rows {
  return list;
}

export type RowNames<Rows extends readonly RowShape[]> = Rows[number]['name'];

/// What stands in a row's slots and optional flags for one instruction: `{ mode: 'up' }`, `{ ftz: 'ftz', type: 'f32' }`.
export type Mods = Readonly<Record<string, string>>;
