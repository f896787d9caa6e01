// The WGSL of a lane instruction, and the claims of the PTX manual about its results.

import { get } from '../../src/base/invariants.ts';
import { planFor } from '../../src/base/lane-plan.ts';
import type { Bits } from '../../src/cpu-ref/index.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { translate } from '../../src/translate/index.ts';
import { type LaneCase, laneKernel, type Presentation, wordsOf } from '../lane-rows/kernel.ts';
import type { Operand, Variant } from '../lane-rows/variants.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import type { Claim } from './claim.ts';
import type { Problem } from './prove-shader.ts';
import { definedFor, type Lane, laneFormulas, type Results } from './rules/lane-formulas.ts';
import { concat, constant, equal, extend, extract, not, type Term, variable, wordOf, yes } from './terms/term.ts';
import { at } from './wgsl/place.ts';

/** Returns the value of an operand from its words. */
function operandOf({ type }: Operand, words: readonly Term[]): Term {
  const low = at(words, 0);
  if (type === 'pred') return not(equal(low, constant(0)));
  const width = type === 'immediate' ? 32 : Number(/\d+$/.exec(type)?.[0]);
  return width === 64 ? concat(at(words, 1), low) : extract(low, 0, width);
}

function formulaOf(row: string): (lane: Lane) => Results {
  const formula = laneFormulas[row];
  if (formula === undefined) throw new Error(`${row} has no formula`);
  return formula;
}

/**
 * Returns the words of a value as a kernel stores them: a predicate as 0 or 1, and a short value
 * with zeros above it.
 */
const stored = (value: Term, words: number): Term => (value.width === 0 ? wordOf(value) : extend(value, 32 * words));

const integers = /^(pred|immediate|[bsu]\d+)$/;

/** Whether a form has a formula, because its operands are integers, bits or predicates. */
export const hasFormula = ({ row, mods, sources, results }: Variant): boolean =>
  laneFormulas[row] !== undefined &&
  [...sources, ...results].every(({ type }) => integers.test(type)) &&
  mods.rnd === undefined;

/** Returns the words of a constant. */
const constantWords = (value: Bits, count: number): readonly Term[] =>
  Array.from({ length: count }, (_, index) => constant(BigInt(value) >> BigInt(32 * index)));

/**
 * The problem of one form, with operands in registers. `known`: the values of its immediate
 * operands, and of its last operand if that is a constant (`presentation`).
 */
export function laneProblem(
  variant: Variant,
  known: Readonly<Record<string, Bits>> = {},
  presentation: Presentation = 'declared',
): Problem {
  const { mods, sources, results } = variant;
  const words = new Map<string, readonly Term[]>();
  for (const operand of sources) {
    const value = known[operand.name];
    const free = Array.from({ length: wordsOf(operand) }, (_, index) => variable(`${operand.name}${index}`));
    words.set(operand.name, value === undefined ? free : constantWords(value, wordsOf(operand)));
  }
  const inputs = [...words.values()].flat();
  const source = (name: string): Term => {
    const own = get(words, name, 'the words of an operand');
    const operand = sources.find((each) => each.name === name);
    // The carry is a flag, so treat it as a predicate.
    return operandOf({ name, type: name === 'carry' ? 'pred' : (operand?.type ?? '') }, own);
  };
  // If there is no type modifier, the only type of the instruction is b32.
  const lane = { mods, type: mods.type ?? 'b32', source };
  const expected = formulaOf(variant.row)(lane);
  const vectors = [sources.map(({ name }) => known[name] ?? 0)]; // Operands in registers have no known value.
  const laneCase: LaneCase = { variant, presentation, vectors };
  const outputWords = results.map(wordsOf).reduce((a, b) => a + b, 0);
  const ptx = laneKernel([{ laneCase, input: 0, output: 0, inputWords: inputs.length, outputWords }]);
  const module = parsePtxOrThrow(ptx, { file: 'lane.ptx' });
  const { program, diagnostics } = translate(module, {
    entry: 'lanes', block: [64, 1, 1], plan: planFor(1), float: exactFloats,
  }); // biome-ignore format: a list
  if (program === undefined)
    throw new Error(`${variant.label}: ${diagnostics.map(({ message }) => message).join('; ')}`);
  const outputs = Array.from({ length: outputWords }, () => constant(0xcdcdcdcd));
  // A shader that reads no operand has no binding for them.
  const [input, output = -1] = program.params.map((param) => (param.kind === 'binding' ? param.binding : -1));
  const buffers = new Map([[input ?? -1, inputs], [output, outputs]]); // biome-ignore format: short
  const options = { invocations: 1, subgroupSize: 1, buffers, output };
  const isDefined = definedFor[variant.row]?.(lane) ?? yes(); // Absent: all operands.
  const claims = (out: readonly Term[]): readonly Claim[] => {
    let next = 0;
    return results.map((result) => {
      const count = wordsOf(result);
      const found = count === 2 ? concat(at(out, next + 1), at(out, next)) : at(out, next);
      next += count;
      const value = expected[result.name];
      if (value === undefined) throw new Error(`${variant.label} has no formula for ${result.name}`);
      return { condition: isDefined, found, expected: stored(value, count) };
    });
  };
  return { code: program.code, options, claims };
}
