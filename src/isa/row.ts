// The shape of an ISA row: one instruction form, as the PTX manual prints it.
import type { SelectorKind } from './selectors.ts';

/** Fundamental PTX types that instructions and registers carry. */
export type PtxType =
  | 'pred'
  | 'b8' | 'b16' | 'b32' | 'b64' | 'b128'
  | 'u8' | 'u16' | 'u32' | 'u64'
  | 's8' | 's16' | 's32' | 's64'
  | 'f16' | 'f16x2' | 'bf16' | 'bf16x2' | 'f32' | 'f64'; // biome-ignore format: one line a family

/**
 * What executing an instruction involves:
 * - `lane`: a pure function of the lane's own operands
 * - `warp`: lanes exchange values (or read who is active)
 * - `memory`, `atomic`: address spaces
 * - `barrier`: the block, or ordering only
 * - `matrix`: all lanes of a warp, which hold a matrix together
 * - `control`: the program counter
 */
export type RowKind = 'lane' | 'warp' | 'memory' | 'atomic' | 'barrier' | 'matrix' | 'control';

/**
 * The type of an operand: a PTX type, `.slot` for the type that slot holds, or `.slot*2` for twice its width.
 * `texture` and `surface` are handles with coordinates, `gradient` a vector as long as those, and `offset` what no instruction is supported with.
 * `vector`: registers in braces, as the row's `vectors` says. `label`, `address`, `symbol`, `list` and `immediate` are operands that are no values.
 */
export type OperandType = PtxType | `.${string}` | 'vector' | 'label' | 'address' | 'symbol' | 'list' | 'immediate' | 'texture' | 'surface' | 'gradient' | 'offset';

/** `{%f0, %f1, %f2, %f3}`: a lane's part of a matrix. */
export interface VectorType {
  /** Of each register. */
  readonly type: PtxType;
  readonly count: number;
}

/**
 * What executing a row does beyond writing its destinations. Every member is required: a row that said nothing would be taken
 * for harmless.
 */
export interface Effects {
  /** `updates` reads and writes in one step. */
  readonly memory: 'none' | 'reads' | 'writes' | 'updates';
  /**
   * `constant`: no thread writes there while the kernel runs. `weak`: another thread's access at the same time is a race.
   * `strong` (volatile, relaxed, atomic): other threads may write between two such accesses, and see each of them. Without meaning
   * where `memory` is `none`.
   */
  readonly strength: 'constant' | 'weak' | 'strong';
  /**
   * Which of the thread's other accesses stay on their side of it: later ones behind an acquire, earlier ones before a release.
   * `sem`: as the instruction's qualifier says.
   */
  readonly orders: 'none' | 'acquire' | 'release' | 'all' | 'sem';
  /** Whose participation gives the result, so that control flow around it matters. */
  readonly collective: 'none' | 'warp' | 'block';
  /** Whether the thread waits for the others. */
  readonly waits: boolean;
}

/** Whether an instruction of the row has the operands of a call. */
export const isCall = (row: IsaRow): boolean => row.kind === 'control' && row.flow === 'call';

/**
 * Where a control row leads: on to the next instruction, to a label among its operands, into a function, back to the caller, or to
 * the end of the thread or of the whole grid.
 */
export type Flow = 'next' | 'branch' | 'call' | 'return' | 'exit' | 'trap';

/** The rules about operands that depend on each other. */
export type OperandRule = 'barrier' | 'copy' | 'bulk copy' | 'arrival';

interface RowText<Name extends string> {
  /** Unique; also the key of the row's functions in `cpu-ref` and `wgsl`. */
  readonly name: Name;
  /**
   * Names of the operands that the instruction writes to registers: all of the syntax's first group, or none. (The results of `call`
   * are in its own operand.)
   */
  readonly writes: readonly string[];
  /**
   * As the manual prints it. `.slot` stands for one of `where.slot`; `{.x}` is optional; so are operands in `[|p]` and `{, e}`;
   * `{!}a` may be negated.
   * An operand may carry a selector, `a{.asel}`, or a sign, `{-aneg}a`: these count among the modifiers by their names.
   */
  readonly syntax: string;
  readonly where?: Readonly<Record<string, readonly string[]>>;
  /** What the operands' selectors and signs are. */
  readonly selectors?: Readonly<Record<string, SelectorKind>>;
  readonly types: Readonly<Record<string, OperandType>>;
  /**
   * Whether values among its operands may be constants, where that is not as their types say (`constantType` in match.ts). `none`: each
   * is a register. `bits`: those of bf16 are integers.
   */
  readonly constants?: 'none' | 'bits';
  /** The type of an `immediate` that is no word: `{ lut: 'b8' }`. */
  readonly immediates?: Readonly<Record<string, PtxType>>;
  /** Destinations that a program may discard: `_` in their place. */
  readonly sinks?: readonly string[];
  /** `wider`: a register may be wider than what it holds (the manual's relaxed type checking). */
  readonly registers?: 'wider';
  /** What a source may name other than a register: a `special` register; a `variable`, for its address; or `anything` with a value. */
  readonly names?: 'special' | 'variable' | 'anything';
  /** Whether an operand may be a vector of registers that share its bits. */
  readonly packs?: true;
  /** A source that may also have another type. */
  readonly alternatives?: Readonly<Record<string, 'b32' | 'pred'>>;
  /** A rule about operands that depend on each other (`ptx/checks/operand-rules.ts`). */
  readonly operandRule?: OperandRule;
  /** What the use of an optional operand demands beyond the row's own version and target. */
  readonly operandSince?: Readonly<Record<string, { readonly ptx: string; readonly target: string }>>;
  /** State spaces of the addresses among the operands, where no `.space` says them. */
  readonly spaces?: Readonly<Record<string, string>>;
  /** The operands of type `vector` for some modifiers; undefined where those do not go together. */
  readonly vectors?: (mods: Mods) => Readonly<Record<string, VectorType>> | undefined;
  /** Earliest PTX version, `major.minor`. */
  readonly ptx: string;
  /** Earliest target, `sm_NN`; `sm_100a` for architecture-specific ones. */
  readonly target: string;
  /** Where the manual took the form away: from this PTX version on, for targets from `target` on. */
  readonly removed?: { readonly ptx: string; readonly target: string; readonly instead: string };
  /** Demands that hold only for some slot values, such as a type that came later. */
  readonly since?: readonly LaterDemand[];
  /** The carry flag, CC.CF: an extra last source (0 or 1), an extra last result. After a subtraction it is the carry of `a + ~b + 1`. */
  readonly carry?: { readonly in: boolean; readonly out: boolean | 'cc' };
  /** Anchor of the section in the PTX ISA manual. */
  readonly section: string;
  /** One sentence, for the support table and for editors. */
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
export type IsaRow = RowShape;

/** A row whose columns name its own operands. */
type Checked<Row extends RowShape> = Row & {
  readonly writes: readonly (keyof Row['types'])[];
  readonly sinks?: readonly Row['writes'][number][];
  readonly immediates?: Partial<Record<keyof Row['types'], PtxType>>;
  readonly alternatives?: Partial<Record<keyof Row['types'], 'b32' | 'pred'>>;
  readonly operandSince?: Partial<Record<keyof Row['types'], object>>;
};

/** Keeps each row's name as a literal type, so that a missing function is a type error. */
export function rows<const Rows extends readonly RowShape[]>(list: Rows & { readonly [I in keyof Rows]: Checked<Rows[I]> }): Rows {
  return list;
}

/** Names of the operands that an instruction of the row writes to registers, as in `IsaRow.writes`: `['d', 'p']` for `shfl.sync`. */
export function destinations(row: IsaRow): readonly string[] {
  return row.writes;
}

const pure: Effects = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false };
/** What a function does is known only where it is. */
const unknown: Effects = { memory: 'updates', strength: 'strong', orders: 'all', collective: 'block', waits: true };
const orders: Readonly<Record<string, Effects['orders']>> = {
  volatile: 'none', relaxed: 'none', acquire: 'acquire', release: 'release', acq_rel: 'all', sc: 'all',
}; // biome-ignore format: one line

/** What an instruction of the row does, with the order that its `.sem` asks for in place of `sem`. `call` may do anything. */
export function effectsOf(row: IsaRow, mods: Mods): Effects {
  if (row.kind === 'lane') return pure;
  if (row.kind === 'control') return row.flow === 'call' ? unknown : pure;
  if (row.effects.orders !== 'sem') return row.effects;
  // Without a qualifier an atomic is relaxed; a word that is not in the table counts as the strictest.
  return { ...row.effects, orders: mods.sem === undefined ? 'none' : (orders[mods.sem] ?? 'all') };
}

export type RowNames<Rows extends readonly RowShape[]> = Rows[number]['name'];

/** What stands in a row's slots and optional flags for one instruction: `{ mode: 'up' }`, `{ ftz: 'ftz', type: 'f32' }`. */
export type Mods = Readonly<Record<string, string>>;

/** A version and a target that a form needs by the value of one of its slots, and of another one where `and` names it. */
export interface LaterDemand {
  readonly slot: string;
  readonly values: readonly string[];
  readonly and?: { readonly slot: string; readonly values: readonly string[] };
  readonly ptx: string;
  readonly target: string;
}

/** What a row demands for these modifiers beyond its own version and target. */
export function laterDemands({ since = [] }: Pick<IsaRow, 'since'>, mods: Mods): readonly LaterDemand[] {
  const has = ({ slot, values }: Pick<LaterDemand, 'slot' | 'values'>): boolean => values.includes(mods[slot] ?? '');
  return since.filter((demand) => has(demand) && (demand.and === undefined || has(demand.and)));
}
