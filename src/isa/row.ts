// The columns of an ISA row. A row is one form of an instruction, as the PTX manual prints it.
import type { SelectorKind } from './selectors.ts';

/** The fundamental PTX types of operands and registers. */
export type PtxType =
  | 'pred'
  | 'b8' | 'b16' | 'b32' | 'b64' | 'b128'
  | 'u8' | 'u16' | 'u32' | 'u64'
  | 's8' | 's16' | 's32' | 's64'
  | 'f16' | 'f16x2' | 'bf16' | 'bf16x2' | 'f32' | 'f64'; // biome-ignore format: one line per family

/**
 * The kind of state that an instruction uses:
 * - `lane`: only the lane's own operands; a pure function.
 * - `warp`: values of other lanes, or the active mask.
 * - `memory`, `atomic`: memory.
 * - `barrier`: the state of the block, or only the order of memory accesses.
 * - `matrix`: a matrix in the registers of all lanes of a warp.
 * - `control`: the program counter.
 */
export type RowKind = 'lane' | 'warp' | 'memory' | 'atomic' | 'barrier' | 'matrix' | 'control';

/**
 * The type of an operand: a PTX type, `.slot` for the type in that slot, or `.slot*2` for a type of
 * twice that width. `texture` and `surface` are handles with coordinates, and `gradient` is a
 * vector with as many elements as there are coordinates. `offset` is rejected for every
 * instruction. `vector` is a list of registers in braces, which the row's `vectors` describes.
 * `label`, `address`, `symbol`, `list` and `immediate` are operands without a value.
 */
export type OperandType = PtxType | `.${string}` | 'vector' | 'label' | 'address' | 'symbol' | 'list' | 'immediate' | 'texture' | 'surface' | 'gradient' | 'offset';

/**
 * A vector of registers such as `{%f0, %f1, %f2, %f3}`, which contains a lane's fragment of a
 * matrix.
 */
export interface VectorType {
  /** The type of each register. */
  readonly type: PtxType;
  readonly count: number;
}

/**
 * The effects of a row, except for writing its destinations. All members are required, so that no
 * effect can be omitted by accident.
 */
export interface Effects {
  /** How the instruction accesses memory. `updates`: it reads and writes in one atomic step. */
  readonly memory: 'none' | 'reads' | 'writes' | 'updates';
  /**
   * The strength of the access. `constant`: no thread writes the location during the launch.
   * `weak`: a concurrent access by another thread is a race. `strong` (volatile, relaxed, atomic):
   * other threads may write between two accesses, and may observe each access. Unused if `memory`
   * is `none`.
   */
  readonly strength: 'constant' | 'weak' | 'strong';
  /**
   * The accesses of the same thread that the instruction orders: with `acquire`, later accesses
   * occur after the instruction; with `release`, earlier accesses occur before it. `sem`: the
   * qualifier of the instruction determines the order.
   */
  readonly orders: 'none' | 'acquire' | 'release' | 'all' | 'sem';
  /**
   * The threads whose participation determines the result. Changes of the control flow around the
   * instruction must preserve these threads.
   */
  readonly collective: 'none' | 'warp' | 'block';
  /** Whether the thread waits for the threads of `collective`. */
  readonly waits: boolean;
}

/** Whether an instruction of the row has the operands of a call. */
export const isCall = (row: IsaRow): boolean => row.kind === 'control' && row.flow === 'call';

/**
 * Where execution continues after a control row: at the next instruction, at a label among the
 * operands, in a function, in the caller, or nowhere, because the thread or the grid ends.
 */
export type Flow = 'next' | 'branch' | 'call' | 'return' | 'exit' | 'trap';

/** The names of rules about operands that depend on each other. */
export type OperandRule = 'barrier' | 'copy' | 'bulk copy' | 'arrival' | 'sparse product' | 'warpgroup product';

interface RowText<Name extends string> {
  /** The unique name, which is also the key of the row's functions in `cpu-ref` and `wgsl`. */
  readonly name: Name;
  /**
   * The operands that the instruction writes to registers: either the whole first operand group of
   * `syntax`, or none. The results of `call` are part of its own operand.
   */
  readonly writes: readonly string[];
  /**
   * The syntax as the manual prints it. `.slot` is one of `where.slot`. `{.x}` is optional, and so
   * are operands in `[|p]` and `{, e}`. `{!}a` may be negated. An operand may have a selector,
   * `a{.asel}`, or a sign, `{-aneg}a`, which count as modifiers with these names.
   */
  readonly syntax: string;
  readonly where?: Readonly<Record<string, readonly string[]>>;
  /** The kinds of the operands' selectors and signs. */
  readonly selectors?: Readonly<Record<string, SelectorKind>>;
  readonly types: Readonly<Record<string, OperandType>>;
  /**
   * A restriction on constant operands in addition to their types (`constantType` in match.ts).
   * `none`: each operand must be a register. `bits`: constants of bf16 operands are integers.
   */
  readonly constants?: 'none' | 'bits';
  /** The types of `immediate` operands that are not 32-bit words, such as `{ lut: 'b8' }`. */
  readonly immediates?: Readonly<Record<string, PtxType>>;
  /** Destinations that a program may discard by writing `_`. */
  readonly sinks?: readonly string[];
  /** If set, a register may be wider than its value (the manual's relaxed type checking). */
  readonly registers?: 'wider';
  /**
   * The names that a source accepts in addition to registers: a `special` register; a `variable`,
   * for its address; or `anything` that has a value.
   */
  readonly names?: 'special' | 'variable' | 'anything';
  /** Whether an operand may be a vector of registers that share its bits. */
  readonly packs?: true;
  /** For a source that may also have another type: that type. */
  readonly alternatives?: Readonly<Record<string, 'b32' | 'b64' | 'pred'>>;
  /** Sources without text: they are the registers of a destination, before it is written. */
  readonly implied?: Readonly<Record<string, string>>;
  /** A rule about operands that depend on each other (`ptx/checks/operand-rules.ts`). */
  readonly operandRule?: OperandRule;
  /**
   * The PTX version and target that an optional operand requires in addition to the row's own
   * requirements.
   */
  readonly operandSince?: Readonly<Record<string, { readonly ptx: string; readonly target: string }>>;
  /** The state spaces of address operands that no `.space` modifier specifies. */
  readonly spaces?: Readonly<Record<string, string>>;
  /**
   * Returns the operands of type `vector` for some modifiers. Returns undefined for an invalid
   * combination of modifiers.
   */
  readonly vectors?: (mods: Mods) => Readonly<Record<string, VectorType>> | undefined;
  /** The earliest PTX version, `major.minor`. */
  readonly ptx: string;
  /** The earliest target: `sm_NN`, or for example `sm_100a` for an architecture-specific form. */
  readonly target: string;
  /**
   * If the manual removed the form: the first PTX version and target without it, and its
   * replacement.
   */
  readonly removed?: { readonly ptx: string; readonly target: string; readonly instead: string };
  /** The requirements of certain values of slots, such as a type that was added later. */
  readonly since?: readonly LaterDemand[];
  /**
   * How the instruction uses the carry flag, CC.CF. `in` adds a last source (0 or 1), and `out`
   * adds a last result. After a subtraction, the flag is the carry of `a + ~b + 1`.
   */
  readonly carry?: { readonly in: boolean; readonly out: boolean | 'cc' };
  /** The anchor of the section in the PTX ISA manual. */
  readonly section: string;
  /** A description in one sentence, for the support table and for editors. */
  readonly doc: string;
}

interface LaneRow {
  readonly kind: 'lane';
}
interface ControlRow {
  readonly kind: 'control';
  readonly flow: Flow;
}
interface EffectRow {
  readonly kind: 'warp' | 'memory' | 'atomic' | 'barrier' | 'matrix';
  readonly effects: Effects;
}

export type RowShape<Name extends string = string> = RowText<Name> & (LaneRow | ControlRow | EffectRow);
/**
 * One form of a PTX instruction: its syntax, operands, effects, PTX version, target and section in
 * the manual.
 */
export type IsaRow = RowShape;

/** A row whose columns refer only to its own operands. */
type Checked<Row extends RowShape> = Row & {
  readonly writes: readonly (keyof Row['types'])[];
  readonly sinks?: readonly Row['writes'][number][];
  readonly immediates?: Partial<Record<keyof Row['types'], PtxType>>;
  readonly alternatives?: Partial<Record<keyof Row['types'], 'b32' | 'b64' | 'pred'>>;
  readonly implied?: Partial<Record<keyof Row['types'], Row['writes'][number]>>;
  readonly operandSince?: Partial<Record<keyof Row['types'], object>>;
};

/**
 * Returns the rows with their names as literal types, so that a missing function is a type error.
 */
export function rows<const Rows extends readonly RowShape[]>(list: Rows & { readonly [I in keyof Rows]: Checked<Rows[I]> }): Rows {
  return list;
}

/**
 * Returns the names of the operands that the row writes to registers, such as `['d', 'p']` for
 * `shfl.sync`.
 */
export function destinations(row: IsaRow): readonly string[] {
  return row.writes;
}

const pure: Effects = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false };
/** The effects of a call. Only the callee determines the actual effects. */
const unknown: Effects = { memory: 'updates', strength: 'strong', orders: 'all', collective: 'block', waits: true };
const orders: Readonly<Record<string, Effects['orders']>> = {
  volatile: 'none', relaxed: 'none', acquire: 'acquire', release: 'release', acq_rel: 'all', sc: 'all',
}; // biome-ignore format: one line

/**
 * Returns the effects of an instruction, in which the order of its `.sem` modifier replaces `sem`.
 * A `call` may have any effect.
 */
export function effectsOf(row: IsaRow, mods: Mods): Effects {
  if (row.kind === 'lane') return pure;
  if (row.kind === 'control') return row.flow === 'call' ? unknown : pure;
  if (row.effects.orders !== 'sem') return row.effects;
  // An atomic without a qualifier is relaxed. An unknown qualifier counts as the strictest.
  return { ...row.effects, orders: mods.sem === undefined ? 'none' : (orders[mods.sem] ?? 'all') };
}

export type RowNames<Rows extends readonly RowShape[]> = Rows[number]['name'];

/**
 * The values of a row's slots and optional flags for one instruction, such as `{ mode: 'up' }` or
 * `{ ftz: 'ftz', type: 'f32' }`.
 */
export type Mods = Readonly<Record<string, string>>;

/**
 * The version and target that a value of a slot requires. If `and` names another slot and values,
 * the requirement applies only together with one of those values.
 */
export interface LaterDemand {
  readonly slot: string;
  readonly values: readonly string[];
  readonly and?: { readonly slot: string; readonly values: readonly string[] };
  readonly ptx: string;
  readonly target: string;
}

/** Returns the requirements of these modifiers in addition to the row's own version and target. */
export function laterDemands({ since = [] }: Pick<IsaRow, 'since'>, mods: Mods): readonly LaterDemand[] {
  const has = ({ slot, values }: Pick<LaterDemand, 'slot' | 'values'>): boolean => values.includes(mods[slot] ?? '');
  return since.filter((demand) => has(demand) && (demand.and === undefined || has(demand.and)));
}
