// Facts about 32 lanes in one step: participation, sources and results. This file imports the
// shuffle directly instead of the index of the reference, so that the page can draw before the
// reference is loaded.
import { inRange, type ShflMode, shflModes, shflSource } from '../../src/cpu-ref/warp/shfl.ts';
import { destinations, type PtxType } from '../../src/isa/index.ts';
import type { Operand } from '../../src/ptx/index.ts';
import type { LaneValues, ShownInstruction, TraceStep } from './trace.ts';

/** The values of an operand in every lane. */
export interface OperandValues extends LaneValues {
  /** The operand's name in the row (`a`, `membermask`), and its text. */
  readonly name: string;
  readonly text: string;
  readonly type: PtxType;
}

export interface LaneFacts {
  readonly lane: number;
  readonly executes: boolean;
  readonly exited: boolean;
  /** Whether the lane is in its own membermask; undefined if there is no membermask. */
  readonly member: boolean | undefined;
  /**
   * The source lane of a shuffle, which is the lane itself if the computed source is out of range;
   * and whether the computed source was in range.
   */
  readonly reads: number | undefined;
  readonly inRange: boolean | undefined;
  /** The mask of the lanes that exchange values with this lane. */
  readonly group: number;
  /** Whether a segment of a shuffle starts at this lane. */
  readonly border: boolean;
  /** Whether PTX leaves any result of the lane undefined. */
  readonly undefined: boolean;
}

export interface Scene {
  readonly kind: 'shuffle' | 'exchange' | 'lane';
  readonly instruction: ShownInstruction;
  readonly sources: readonly OperandValues[];
  readonly results: readonly OperandValues[];
  readonly lanes: readonly LaneFacts[];
}

export const allLanes: readonly number[] = Array.from({ length: 32 }, (_, lane) => lane);
export const hasLane = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1;
const maskOf = (test: (lane: number) => boolean): number =>
  allLanes.reduce((mask, lane) => (test(lane) ? mask | (1 << lane) : mask), 0) >>> 0;

export function sceneOf(step: TraceStep): Scene {
  const { instruction, lanes, exited } = step;
  const { row, operands, mods } = instruction;
  const written = new Set(destinations(row));
  const entries = Object.entries(operands);
  const sources = entries.flatMap(([name, operand]) =>
    written.has(name) ? [] : operandValues(name, operand, step.before),
  );
  const results = entries.flatMap(([name, operand]) =>
    written.has(name) ? operandValues(name, operand, step.after) : [],
  );
  const wordAt = (name: string, lane: number): number | undefined => {
    const bits = sources.find((source) => source.name === name)?.values[lane];
    return bits === undefined ? undefined : Number(BigInt.asUintN(32, bits));
  };
  const mode = row.name.startsWith('shfl') ? shuffleMode(mods.mode) : undefined;
  const facts = allLanes.map((lane): LaneFacts => {
    const executes = hasLane(lanes, lane);
    const mask = wordAt('membermask', lane);
    const source =
      mode && executes ? shflSource(mode, lane, wordAt('b', lane) ?? 0, wordAt('c', lane) ?? 0) : undefined;
    const segmask = mode ? ((wordAt('c', lane) ?? 0) >>> 8) & 31 : 0;
    return {
      lane,
      executes,
      exited: hasLane(exited, lane),
      member: mask === undefined ? undefined : hasLane(mask, lane),
      reads: source === undefined ? undefined : source & 31,
      inRange: source === undefined ? undefined : (source & inRange) !== 0,
      group: executes ? groupOf(lane, lanes, sources, row.name) : 0,
      border: lane > 0 && (lane & segmask) !== ((lane - 1) & segmask),
      undefined: executes && results.some(({ undefinedLanes }) => hasLane(undefinedLanes, lane)),
    };
  });
  const kind = mode ? 'shuffle' : row.kind === 'warp' ? 'exchange' : 'lane';
  return { kind, instruction, sources, results, lanes: facts };
}

function shuffleMode(name: string | undefined): ShflMode | undefined {
  return Object.values(shflModes).find((mode) => mode === name);
}

/**
 * Returns the mask of the executing lanes with the same membermask. For `match.any.sync`, the mask
 * includes only lanes with the same value.
 */
function groupOf(lane: number, lanes: number, sources: readonly OperandValues[], row: string): number {
  const mask = sources.find(({ name }) => name === 'membermask')?.values;
  const group = maskOf(
    (other) =>
      hasLane(lanes, other) &&
      (mask === undefined || (mask[other] === mask[lane] && hasLane(Number(mask[lane] ?? 0n), other))),
  );
  if (row !== 'match.any.sync') return group;
  const a = sources.find(({ name }) => name === 'a')?.values;
  return maskOf((other) => hasLane(group, other) && a?.[other] === a?.[lane]);
}

function operandValues(name: string, operand: Operand, registers: ReadonlyMap<string, LaneValues>): OperandValues[] {
  switch (operand.kind) {
    case 'register': {
      const { register, negated } = operand;
      const held = registers.get(register.name);
      if (!held) return [];
      const values = negated ? held.values.map((bits) => 1n - bits) : held.values;
      const text = `${negated ? '!' : ''}${register.name}`;
      return [{ name, text, type: register.type, values, undefinedLanes: held.undefinedLanes }];
    }
    case 'immediate': {
      const { bits, type } = operand;
      return [{ name, text: String(bits), type, values: allLanes.map(() => bits), undefinedLanes: 0 }];
    }
    case 'vector':
      return operand.elements.flatMap((element, index) => operandValues(`${name}[${index}]`, element, registers));
    default:
      return [];
  }
}
