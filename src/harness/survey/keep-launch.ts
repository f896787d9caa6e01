// Whether a launch that was made up says anything: the sanitizer finds nothing in it, it writes, and no order of execution shows.
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { LaunchError } from '../../cpu-ref/executor.ts';
import { type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../ptx/ast.ts';

export interface Kept {
  readonly outputs: LaunchOutputs;
  readonly undefinedMasks: LaunchOutputs;
  readonly writers: ReadonlyMap<number, Int32Array>;
}

/// Why it is not kept; `unsupported` says that no launch of the kernel can be.
export interface Dropped {
  readonly reason: string;
  readonly unsupported: boolean;
}

/// Groups' instructions; a kernel of this kind takes some thousand.
const maxSteps = 100_000;
const seed = 0x5eed;

/// What harms nothing: an undefined value is marked, and everything that comes of it; it is not compared.
const harmless = new Set<string>(['RUN003', 'RUN006', 'RUN007']);
const harms = (code: string): boolean => !harmless.has(code);

/// Interprets twice: in the plain order, and in one that is far from it, with garbage in what nothing wrote.
export function keepLaunch(module: Module, launch: Launch): Kept | Dropped {
  let first: InterpretResult;
  let second: InterpretResult;
  try {
    first = interpret(module, launch, { sanitize: true, trackWriters: true, maxSteps, endsAt: harms });
    const drop = whyNot(first);
    if (drop !== undefined) return drop;
    second = interpret(module, launch, { maxSteps, seed, stepsPerYield: 7 });
  } catch (error) {
    if (error instanceof LaunchError) return { reason: 'the launch does not fit', unsupported: true };
    throw error;
  }
  const { outputs, undefinedMasks, writers } = first;
  if (![...writers.values()].some((list) => list.some((thread) => thread >= 0))) {
    return { reason: 'writes nothing', unsupported: false };
  }
  for (const [index, bytes] of outputs) {
    const other = second.outputs.get(index);
    const [mask, otherMask] = [undefinedMasks.get(index), second.undefinedMasks.get(index)];
    const isDefined = (at: number) => (mask?.[at] ?? 0) === 0 && (otherMask?.[at] ?? 0) === 0;
    if (bytes.some((byte, at) => byte !== other?.[at] && isDefined(at))) {
      return { reason: 'depends on the order of execution', unsupported: false };
    }
  }
  return { outputs, undefinedMasks, writers };
}

function whyNot({ status, failure, diagnostics }: InterpretResult): Dropped | undefined {
  if (status === 'unsupported') return { reason: diagnostics[0]?.message ?? 'unsupported', unsupported: true };
  return failure === undefined ? undefined : { reason: failure.code, unsupported: false };
}
