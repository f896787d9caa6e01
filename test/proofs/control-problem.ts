// The WGSL of a kernel with divergent control flow for one lane plan, and the claims about the lanes
// that execute its warp instructions together.
import type { LanePlan } from '../../src/base/lane-plan.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { type TranslateResult, translate } from '../../src/translate/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import type { Claim } from './claim.ts';
import type { Problem } from './prove-shader.ts';
import { type ControlCase, controlKernel, controlResults } from './rules/control-cases.ts';
import { constant, type Term, variable, wordOfBits, yes } from './terms/term.ts';
import { at } from './wgsl/place.ts';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEF';

/**
 * Returns the problem of a kernel; undefined if its lanes may reach a collective apart on a plan with
 * a lane per invocation, or if the plan's WGSL has no active masks.
 */
export function controlProblem(control: ControlCase, plan: LanePlan): Problem | undefined {
  const lanes = Math.max(32, plan.subgroupSize);
  const module = parsePtxOrThrow(controlKernel(control, lanes), { file: 'control.ptx' });
  const translated = translationOf(module, { entry: 'k', block: [lanes, 1, 1], plan, float: exactFloats });
  if (translated === undefined) return undefined;
  const { program, diagnostics } = translated;
  if (program === undefined)
    throw new Error(`${control.name}: ${diagnostics.map(({ message }) => message).join('; ')}`);
  if (program.mode !== 'structured') return undefined;
  const words = Array.from({ length: lanes }, (_, lane) => [...letters].map((bit) => variable(`${bit}${lane}`, 0)));
  const [source, target] = program.params.map((param) => (param.kind === 'binding' ? param.binding : -1));
  const outputs = Array.from({ length: control.places * lanes }, () => constant(0xcdcdcdcd));
  const options = {
    invocations: lanes / plan.slots,
    subgroupSize: plan.subgroupSize,
    buffers: new Map([[source ?? -1, words.map(wordOfBits)], [target ?? -1, outputs]]), // biome-ignore format: short
    output: target ?? -1,
  };
  const claims = (found: readonly Term[]): readonly Claim[] =>
    Array.from({ length: lanes / 32 }, (_, warp) => controlResults(control, words.slice(32 * warp, 32 * warp + 32)))
      .flat()
      .flatMap((results, lane) =>
        results.map((bits, place) => ({
          condition: yes(),
          found: at(found, place * lanes + lane),
          expected: wordOfBits(bits),
        })),
      );
  return { code: program.code, options, claims, units: 100_000_000, hasBitsOfLanes: true };
}

/** Returns the translation; undefined if the plan does not suit the kernel. */
function translationOf(...args: Parameters<typeof translate>): TranslateResult | undefined {
  try {
    return translate(...args);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
