// The judge of the lessons: runs a reader's kernel on the reference with random inputs, and checks
// its accesses, its races and its results.
import { demangle } from '../../src/base/demangle.ts';
import type { Launch } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import { type Finding, LaunchError } from '../../src/cpu-ref/executor.ts';
import { interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { FindingCode } from '../../src/cpu-ref/interpreter/state/findings.ts';
import { entriesOf } from '../../src/harness/infer/index.ts';
import { type Module, type PtxFunction, parsePtx } from '../../src/ptx/index.ts';
import { cudaLineFinder, originsOf } from '../program/cuda-lines.ts';
import { type CompiledKernel, type Failure, findWrong, launchOf, launchText } from './check-outputs.ts';
import type { Lesson } from './lesson.ts';

/** The result of the judge. */
export type Verdict = ({ readonly kind: 'passed'; readonly trials: number } & CompiledKernel) | Failure;

export interface JudgeRequest {
  readonly ptx: string;
  /** The source to which the line information of the PTX refers. */
  readonly cuda: string;
  /** Determines the inputs, and the order of blocks, warps and atomics. */
  readonly seed: number;
}

/** The maximum number of instructions of a launch. Every solution needs less than a tenth. */
const maxSteps = 200_000;

const failed = (title: string, text: string, hint?: string): Failure => ({
  kind: 'failed',
  title,
  text,
  ...(hint === undefined ? {} : { hint }),
});

/**
 * Judges a kernel with launches of each of the lesson's sizes. Calls `onTrial` after each launch.
 * Does not throw errors for any PTX.
 */
export function judge(lesson: Lesson, request: JudgeRequest, onTrial: () => void = () => undefined): Verdict {
  const { ptx, cuda, seed } = request;
  const { module, diagnostics } = parsePtx(ptx, { file: 'lesson.ptx', origins: originsOf(ptx, cuda) });
  if (!module) return failed('Invalid PTX', diagnostics[0]?.message ?? 'The PTX cannot be parsed.'); // A parser error has a diagnostic.
  const { kernel } = lesson;
  const entry = entriesOf(module).find(({ name }) => (demangle(name)?.base ?? name) === kernel); // A C name is not mangled.
  if (!entry) {
    const hint = `Write the kernel as \`__global__ void ${kernel}(…)\`, with the parameters of the original.`;
    return failed('Missing kernel', `The source has no kernel with the name \`${kernel}\`.`, hint);
  }
  for (const size of lesson.sizes) {
    const failure = failureOf(lesson, module, entry, size, seed);
    if (failure !== undefined) return failure;
    onTrial();
  }
  return { kind: 'passed', trials: lesson.sizes.length, ptx, entry: entry.name };
}

function failureOf(
  lesson: Lesson,
  module: Module,
  entry: PtxFunction,
  size: number,
  seed: number,
): Failure | undefined {
  const launch = launchOf(lesson, { ptx: module.source.text, entry: entry.name }, size, seed);
  try {
    const result = interpret(module, launch, { sanitize: true, trackWriters: true, maxSteps, seed });
    const fault = result.findings.find(isFault);
    if (fault !== undefined) return faultText(fault, module, launch);
    if (result.status === 'done') {
      const wrong = findWrong(launch, result.outputs, result);
      const [warning] = result.findings;
      return wrong && warning ? withCause(wrong, faultText(warning, module, launch)) : wrong;
    }
    const [diagnostic] = result.diagnostics;
    const reason = result.failure?.message ?? diagnostic?.message ?? result.status; // An unsupported kernel has a diagnostic.
    return failed('Not supported', `The reference cannot run this kernel: ${reason}.`, diagnostic?.hint);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    const hint = 'Keep the types and the order of the parameters.';
    return failed('Different parameters', `The launch does not fit the kernel: ${error.message}.`, hint);
  }
}

/** Whether a finding is an error in any CUDA kernel. Other findings matter only if a result is wrong. */
const isFault = ({ severity, code }: Finding): boolean => severity === 'error' || code === 'RUN017';

interface FaultText {
  readonly title: string;
  readonly hint: string;
}

const race: FaultText = {
  title: 'Race',
  hint: 'Put a barrier between the two accesses: `__syncthreads()` for a block, `__syncwarp()` for a warp. Between blocks, use atomics.',
};
const bounds: FaultText = {
  title: 'Access out of bounds',
  hint: 'Compare the index with the size before the access.',
};

/** Titles and hints in terms of CUDA. The hints of other findings are in terms of PTX. */
const faultTexts: Partial<Readonly<Record<FindingCode, FaultText>>> = {
  RUN001: {
    title: 'Wrong mask',
    hint: 'The mask of a `_sync` function must contain every lane that calls it.',
  },
  RUN002: {
    title: 'Deadlock',
    hint: 'All threads of the block must reach `__syncthreads()`, and all lanes of a mask its `_sync` function.',
  },
  RUN004: {
    title: 'Barrier in a branch',
    hint: 'All threads of the block must reach the same `__syncthreads()`. Move it out of the branch.',
  },
  RUN008: bounds,
  RUN010: race,
  RUN014: {
    title: 'Too many steps',
    hint: `The judge stops a launch after ${maxSteps.toLocaleString('en')} instructions. Look for a loop that does not end.`,
  },
  RUN017: race,
  RUN025: bounds,
};

/** Adds a warning of the reference, such as a read of unwritten memory, to a wrong result. */
function withCause(wrong: Failure, cause: Failure): Failure {
  const { title } = wrong;
  return title === 'Undefined result' ? { ...cause, title } : { ...cause, ...wrong, hint: cause.text };
}

/** Replaces the mangled names of variables in functions by their names in the source. */
const withLocalNames = (message: string): string => message.replace(/_ZZ\w+E\d+([A-Za-z_]\w*)/g, '$1');

/** Replaces the position of an access out of bounds in bytes by an index. */
function withIndexes(message: string, { params }: Launch): string {
  return message.replace(/^out-of-bounds (\w+) of .*: byte (-?\d+) of '(\w+)'.*$/, (text, verb, byte, name) => {
    const param = params.find((each) => each.name === name);
    if (param?.kind !== 'buffer') return text;
    const { bytes } = scalarFormats[param.type];
    const [index, count] = [Math.floor(Number(byte) / bytes), param.bytes / bytes];
    return `${verb} of \`${name}[${index}]\`, but \`${name}\` has ${count} ${count === 1 ? 'element' : 'elements'}`;
  });
}

function faultText({ code, message: given, hint, span }: Finding, { source }: Module, launch: Launch): Failure {
  const message = withIndexes(withLocalNames(given), launch);
  const known = faultTexts[code] ?? { title: 'Undefined behavior', hint }; // Most kinds of findings have no text of their own.
  const line = cudaLineFinder(source)?.(span.start);
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}. This launch had ${launchText(launch)}.`;
  return { ...failed(known.title, text, known.hint), ...(line === undefined ? {} : { line }) };
}
