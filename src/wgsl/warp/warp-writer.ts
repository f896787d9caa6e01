// What a lowering of a warp instruction may use: values of the 32 lanes, ballots and exchanges, whatever the lane plan.
import type { LanePlan } from '../../base/lane-plan.ts';
import type { WgslType } from '../expr.ts';
import type { ReductionHelper, WarpHelper } from './prelude.ts';

/// A value in every lane of the warp. `at(slot)` is its WGSL in the lane that `slot` (a WGSL expression) selects among an invocation's lanes;
/// plans with one lane an invocation ignore it.
export interface WarpValue {
  readonly type: WgslType;
  readonly at: (slot: string) => string;
  /// The bits, where all lanes hold the same known value.
  readonly constant?: bigint;
  /// Whether all executing lanes hold the same value.
  readonly shared?: true;
  /// The value is below 2^bits in every lane.
  readonly bits?: number;
}

export interface WarpWriter {
  readonly plan: LanePlan;
  /// u32, 0 to 31.
  readonly lane: WarpValue;
  /// bool: whether the lane executes the instruction.
  readonly active: WarpValue;
  /// Whether all 32 lanes are known to execute it.
  readonly allActive: boolean;
  /// WGSL of the mask of lanes that execute it, the same in the whole warp.
  exec(): string;
  /// Computes a value in every lane.
  each(type: WgslType, hint: string, code: (slot: string) => string): WarpValue;
  /// Computes a u32 that follows from the lane number alone, once for the whole program where an invocation is a lane.
  fromLane(hint: string, code: (slot: string) => string): WarpValue;
  /// Names the mask of the lanes in which `code` holds.
  ballot(hint: string, code: (slot: string) => string): string;
  /// The value of another lane of the warp; `source` is a lane number below 32.
  shuffle(hint: string, value: WarpValue, source: WarpValue): WarpValue;
  /// Names a value that is the same in the whole warp.
  uniform(hint: string, code: string): string;
  /// WGSL of a call of a plan's function.
  call(helper: WarpHelper, ...args: string[]): string;
  /// Calls a plan's own function on a value in every lane.
  reduce(helper: ReductionHelper, hint: string, value: WarpValue): string;
  line(text: string): void;
  open(text: string): void;
  close(): void;
  /// Names an identifier that is not in use.
  fresh(hint: string): string;
}

/// Results by the row's destination names; of destinations nobody reads none need be given.
export type WarpLowering = (
  w: WarpWriter,
  mods: Readonly<Record<string, string>>,
  sources: Readonly<Record<string, WarpValue>>,
  wanted: ReadonlySet<string>,
) => Readonly<Record<string, WarpValue>>;

/// The same value in all lanes.
export function everywhere(type: WgslType, code: string): WarpValue {
  return { type, at: () => code };
}

export function constantU32(value: bigint): WarpValue {
  return { type: 'u32', at: () => hex(value), constant: value };
}

export const hex = (value: bigint): string => (value < 10n ? `${value}u` : `0x${value.toString(16)}u`);

/// Whether the lane is in a known mask: `lane < n` or `lane >= n` where that is one run of bits from an end; else a bit test.
export function inMask(lane: string, mask: bigint): string {
  for (let n = 1n; n < 32n; n++) {
    if (mask === (1n << n) - 1n) return `(${lane} < ${n}u)`;
    if (mask === 0xffffffffn - ((1n << n) - 1n)) return `(${lane} >= ${n}u)`;
  }
  return `(((${hex(mask)} >> ${lane}) & 1u) != 0u)`;
}

/// The lowest lane of a known mask; 32 of an empty one, as `lowestBit` has it.
export function lowestLane(mask: bigint): bigint {
  let lane = 0n;
  while (lane < 32n && ((mask >> lane) & 1n) === 0n) lane += 1n;
  return lane;
}

/// The source called `name`. Throws when the row's lowering asks for an operand its syntax lacks.
export function source(sources: Readonly<Record<string, WarpValue>>, name: string): WarpValue {
  const value = sources[name];
  if (value === undefined) throw new Error(`the instruction has no operand ${name}`);
  return value;
}
