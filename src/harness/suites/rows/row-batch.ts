// One launch of a warp instruction's suites: the operands of every lane, and the results that the
// reference computes.
import type { WarpState } from '../../../cpu-ref/types.ts';
import { warpFunctions } from '../../../cpu-ref/warp/index.ts';
import { isShflMode, shflSource } from '../../../cpu-ref/warp/shfl.ts';
import type { IsaRow, Mods, WarpRowName } from '../../../isa/index.ts';
import {
  existingLanes,
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadsOfWarp,
  warpNumbers,
} from '../geometry.ts';
import { allLanes, has, warpLanes } from '../lanes.ts';
import { random } from '../random.ts';
import {
  type Batch,
  type Choice,
  hex,
  roleTexts,
  type Slot,
  type Suite,
  state,
  type UndefinedCause,
  type UndefinedLane,
  type WarpRoles,
} from '../types.ts';
import {
  ableLanes,
  drawPopulation,
  exitedLanes,
  type Form,
  type Population,
  populationAt,
  storingLanes,
} from './forms.ts';
import { operandType } from './instruction-text.ts';
import { kernelText, type Layout, layOut, oldTag, stepText } from './kernel-text.ts';
import { type Immediates, type LaneValues, operandValues } from './operand-values.ts';

export type WarpRow = IsaRow & { readonly name: WarpRowName };

export interface RowSuite extends Suite {
  readonly modifiers: Mods;
  /** The immediate operands of each variant. */
  readonly immediates: readonly Immediates[];
}

/** One warp's active lanes and the operands of every lane. */
interface WarpCase {
  readonly population: Population;
  readonly sources: Readonly<Record<string, LaneValues>>;
}

/** An instruction of the kernel. */
interface ChosenStep {
  readonly suite: RowSuite;
  readonly variant: number;
  readonly mods: Mods;
  readonly immediates: Immediates;
  /** The immediates as 32 values each; undefined if there are no immediates. */
  readonly fixed: Readonly<Record<string, LaneValues>> | undefined;
}

/**
 * Builds the launch of the suites that `choice` names. Throws RangeError if it names none of
 * `suites`.
 */
export function buildRowBatch(row: WarpRow, form: Form, suites: readonly RowSuite[], choice: Choice): Batch {
  const steps = chooseSteps(form, suites, choice);
  const layout = layOut(row, form, steps);
  const geometry: Geometry = { block: form.block, firstWarp: choice.firstWarp, warps: choice.warps };
  const warps = warpNumbers(geometry);
  const cases = new Map(warps.map((warp) => [warp, drawCase(row, form, steps, geometry, warp, choice.seed)]));
  const threads = launchThreads(geometry);
  const slots = steps.map((step, index) =>
    (layout.steps[index]?.results ?? []).map(
      (result): Slot => ({
        suite: step.suite,
        variant: step.variant,
        instruction: stepText(row, form, layout, index),
        result: result.name,
        param: 1,
        stride: layout.outputWords,
        offset: result.offset,
        expected: new Uint32Array(threads),
        state: new Uint8Array(threads).fill(state.untouched),
      }),
    ),
  );
  const input = new Uint32Array(threads * layout.inputWords);
  for (const [warp, warpCase] of cases) {
    writeInputs(input, form, layout, geometry, warp, warpCase);
    steps.forEach((step, index) => {
      expectWarp(row, form, step, slots[index] ?? [], geometry, warp, warpCase);
    });
  }
  // This is a map, because it is read for every lane whose result PTX leaves undefined.
  const stepOf = new Map(slots.flatMap((own, index) => own.map((slot) => [slot, steps[index]] as const)));
  return {
    launch: launchOf(`${row.name}.${form.name}`, kernelText(row, form, layout), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * layout.outputWords),
    ]),
    geometry,
    slots: slots.flat(),
    describe(slot, warp, lane) {
      const warpCase = cases.get(warp);
      const step = stepOf.get(slot);
      return warpCase && step ? describeLane(form, step, warpCase, lane) : {};
    },
    roles(slot, warp) {
      const warpCase = cases.get(warp);
      const step = stepOf.get(slot);
      return warpCase && step ? rolesOf(form, step, warpCase) : { executing: 0, exited: 0 };
    },
    undefinedLane(slot, warp, lane) {
      const warpCase = cases.get(warp);
      const step = stepOf.get(slot);
      if (!warpCase || !step) return { cause: 'left to the hardware' };
      const { cause, ...values } = undefinedLaneOf(row, form, step, warpCase, lane);
      return slot.result === 'd' ? { cause, ...values } : { cause };
    },
  };
}

function chooseSteps(form: Form, suites: readonly RowSuite[], { ids, variant }: Choice): ChosenStep[] {
  const steps = suites
    .filter(({ id }) => ids.has(id))
    .flatMap((suite) =>
      suite.immediates.map(
        (immediates, index): ChosenStep => ({
          suite,
          variant: index,
          mods: suite.modifiers,
          immediates,
          fixed: everyLane(immediates),
        }),
      ),
    )
    .filter((step) => variant === undefined || step.variant === variant);
  if (steps.length === 0) throw new RangeError('the choice names no instruction of the group');
  // Lanes outside a mask exit before the first instruction with this mask, so instructions with the
  // same mask must be adjacent.
  return form.outsiders === 'exit' ? steps.sort((x, y) => x.variant - y.variant) : steps;
}

function drawCase(
  row: WarpRow,
  form: Form,
  [first]: readonly ChosenStep[],
  geometry: Geometry,
  warp: number,
  seed: number,
): WarpCase {
  const wide = first !== undefined && operandType(row, first.mods, 'a') === 'b64';
  const rng = random(seed, row.name, wide ? 'b64' : 'b32', form.name, warp);
  const population = drawPopulation(form, rng, existingLanes(geometry, warp));
  const membermask = form.masks?.(rng, ableLanes(population)) ?? warpLanes.map(() => allLanes);
  const values = operandValues[row.name]({ rng, warp, junk: form.junk === true, wide });
  return { population, sources: row.types.membermask === undefined ? values : { ...values, membermask } };
}

function writeInputs(
  input: Uint32Array,
  form: Form,
  layout: Layout,
  geometry: Geometry,
  warp: number,
  { population, sources }: WarpCase,
): void {
  const { first, lanes } = threadsOfWarp(geometry, warp);
  const { inputWords } = layout;
  // Write column by column. The typed array reduces numbers modulo 2^32.
  for (const { name, offset } of layout.inputs) {
    const values = sources[name];
    for (let lane = 0; lane < lanes; lane++) {
      const value = values?.[lane] ?? 0;
      const at = (first + lane) * inputWords + offset;
      if (typeof value === 'bigint') {
        input[at] = Number(BigInt.asUintN(32, value));
        input[at + 1] = Number(value >> 32n);
      } else input[at] = value;
    }
  }
  if (layout.control === undefined) return;
  const control = controlMask(form, population);
  for (let lane = 0; lane < lanes; lane++)
    input[(first + lane) * inputWords + layout.control] = has(control, lane) ? 1 : 0;
}

function controlMask({ control, negatedGuard }: Form, population: Population): number {
  if (control === 'guard') return negatedGuard ? ~population.guard >>> 0 : population.guard;
  return (population.exits | population.skips | population.leaves | population.secondArm) >>> 0;
}

/** Writes the warp's expected results of one instruction into its slots. */
function expectWarp(
  row: WarpRow,
  form: Form,
  step: ChosenStep,
  slots: readonly Slot[],
  geometry: Geometry,
  warp: number,
  warpCase: WarpCase,
): void {
  const population = populationAt(form, step.immediates, warpCase.population);
  const active = ableLanes(population);
  const stored = storingLanes(population);
  const given = operandsOf(step, warpCase);
  const sources = form.negatedSource ? { ...given, a: negated(given.a) } : given;
  const wanted: WarpState = { active, exited: exitedLanes(population), sources };
  const { results, defined } = warpFunctions[row.name](step.mods, wanted);
  const { first, lanes } = threadsOfWarp(geometry, warp);
  const { secondArm } = population;
  for (const { result, state: states, expected } of slots) {
    const isPredicate = operandType(row, step.mods, result) === 'pred';
    const values = results[result];
    const definedIn = defined[result] ?? 0;
    for (let lane = 0; lane < lanes; lane++) {
      if (!has(stored, lane)) continue;
      const thread = first + lane;
      if (!has(active, lane)) {
        states[thread] = state.defined;
        expected[thread] = isPredicate ? thread & 1 : thread ^ oldTag;
        continue;
      }
      const bits = Number(values?.[lane] ?? 0);
      states[thread] = has(definedIn, lane) ? state.defined : state.undefined;
      expected[thread] = has(secondArm, lane) ? (isPredicate ? 1 - bits : ~bits) : bits;
    }
  }
}

/** Returns the operands in registers and the immediate operands, with 32 values each. */
function operandsOf({ fixed }: ChosenStep, { sources }: WarpCase): Readonly<Record<string, LaneValues>> {
  return fixed === undefined ? sources : { ...sources, ...fixed };
}

/** Returns 32 copies of each immediate; undefined if there are no immediates. */
function everyLane(immediates: Immediates): Readonly<Record<string, LaneValues>> | undefined {
  const entries = Object.entries(immediates).map(([name, value]) => [name, warpLanes.map(() => value)] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function negated(values: LaneValues | undefined): readonly number[] {
  return warpLanes.map((lane) => (values?.[lane] ? 0 : 1));
}

/**
 * Returns the cause of an undefined result, and the values that a lane might return. 64-bit
 * operands are skipped, because results are narrower.
 */
function undefinedLaneOf(row: WarpRow, form: Form, step: ChosenStep, warpCase: WarpCase, lane: number): UndefinedLane {
  const { a, b, c, membermask } = operandsOf(step, warpCase);
  const isMember = membermask === undefined || has(Number(membermask[lane] ?? 0), lane);
  const own = a?.[lane];
  const values = typeof own === 'number' ? { own } : {};
  const { mode } = step.mods;
  if (!row.name.startsWith('shfl') || !isShflMode(mode)) {
    return { cause: isMember ? 'joined by lanes outside its membermask' : 'not in its own membermask', ...values };
  }
  const j = shflSource(mode, lane, Number(b?.[lane] ?? 0), Number(c?.[lane] ?? 0)) & 31;
  const source = a?.[j];
  return {
    cause: isMember
      ? causeAt(populationAt(form, step.immediates, warpCase.population), j)
      : 'not in its own membermask',
    ...values,
    ...(typeof source === 'number' ? { source } : {}),
  };
}

/** Returns the reason why lane `j` is not a valid source. */
function causeAt({ exists, exits, leaves, guard, skips }: Population, j: number): UndefinedCause {
  if (!has(exists, j)) return 'source does not exist';
  if (has(exits | leaves, j)) return 'source has exited';
  if (!has(guard, j)) return 'source predicated off';
  return has(skips, j) ? 'source on another path' : 'source in another membermask';
}

function describeLane(
  form: Form,
  step: ChosenStep,
  warpCase: WarpCase,
  lane: number,
): Readonly<Record<string, string>> {
  const operands = Object.entries(operandsOf(step, warpCase)).map(
    ([name, values]) => [name, hex(values[lane] ?? 0)] as const,
  );
  return { ...Object.fromEntries(operands), ...roleTexts(rolesOf(form, step, warpCase)) };
}

function rolesOf(form: Form, step: ChosenStep, warpCase: WarpCase): WarpRoles {
  const population = populationAt(form, step.immediates, warpCase.population);
  const { membermask } = operandsOf(step, warpCase);
  return {
    executing: ableLanes(population),
    exited: exitedLanes(population),
    secondArm: population.secondArm,
    ...(membermask ? { membermask: Array.from(membermask, Number) } : {}),
  };
}
