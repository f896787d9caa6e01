// Runs the WGSL of a problem in the test interpreter, with values for its variables.
import { at } from '../../src/base/invariants.ts';
import { seeded } from '../seed.ts';
import { type InterpreterResult, runWgsl, WgslError } from '../wgsl-interpreter/index.ts';
import { termOf } from './claim.ts';
import type { Problem } from './prove-shader.ts';
import { orderOf, replace } from './terms/rewrite.ts';
import { bool, constant, isFalse, type Term } from './terms/term.ts';

/** The number of operands that are drawn. */
const draws = 200;

/**
 * Returns whether operands break a claim: those of a refutation, or drawn ones. A refutation leaves
 * operands open, for example if it shows that an index is out of bounds. Without a refutation, the
 * first operands are 0.
 */
export function isBroken(problem: Problem, found: ReadonlyMap<string, bigint>, name: string): boolean {
  if (breaksClaim(problem, found)) return true;
  const random = seeded('operands', name);
  const words = [...problem.options.buffers.values()].flat();
  const variables = new Set(words.flatMap((each) => orderOf(each)).filter(({ kind }) => kind === 'variable'));
  for (let draw = 0; draw < draws; draw++) {
    // Every second draw has only one or two values, because the results may depend on equal values.
    const few: readonly number[] = [random.u32(), random.u32()].slice(0, 1 + random.below(2));
    const value = (): number =>
      draw % 2 === 0 ? random.u32() >>> random.below(32) : at(few, random.below(few.length), 'a value');
    const values = new Map([...variables].map((each) => [each.name, BigInt(value())] as const));
    if (breaksClaim(problem, draw % 4 < 2 ? new Map([...values, ...found]) : values)) return true;
  }
  return false;
}

/**
 * Whether the shader's results break one of the claims for these values of its variables, or it has
 * no results because its execution is an error, such as an endless loop. Variables without a value
 * are 0.
 */
export function breaksClaim({ code, options, claims }: Problem, values: ReadonlyMap<string, bigint>): boolean {
  const evaluate = (term: Term): Term => {
    const variables = orderOf(term).filter(({ kind }) => kind === 'variable');
    const wordOf = ({ name, width }: Term): Term => {
      const value = values.get(name) ?? 0n; // Absent: any value.
      return width === 0 ? bool(value === 1n) : constant(value, width);
    };
    return replace(term, new Map(variables.map((each) => [each, wordOf(each)])));
  };
  const buffers = [...options.buffers].map(([binding, words]) => {
    const numbers = words.map((word) => Number(evaluate(word).value));
    const data = new Uint8Array(new Uint32Array(numbers).buffer);
    const isOutput = binding === options.output;
    const kind = isOutput ? ('storage' as const) : ('read-only-storage' as const);
    return { binding, kind, bytes: data.length, data, read: isOutput };
  });
  const job = { label: 'problem', code, entryPoint: 'main', workgroups: [1, 1, 1] as const, buffers };
  const bytes = resultsOf(() => runWgsl(job, { subgroupSize: options.subgroupSize, maxSteps }), options.output);
  if (bytes === 'error') return true;
  if (bytes === undefined) throw new Error('the results were not read');
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return claims([...words].map((word) => constant(word))).some((claim) => isFalse(evaluate(termOf(claim))));
}

/** The limit of the statements of a shader: several times those of the longest one. */
const maxSteps = 2_000_000;

/** Returns the bytes of a buffer, or that the execution is an error. */
function resultsOf(run: () => InterpreterResult, output: number): Uint8Array | undefined | 'error' {
  try {
    return run().buffers.get(output);
  } catch (error) {
    if (error instanceof WgslError) return 'error';
    throw error;
  }
}
