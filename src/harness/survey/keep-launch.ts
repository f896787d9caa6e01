// Whether a launch that was made up says anything: the sanitizer finds nothing in it, it writes, and no order of execution shows.
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { LaunchError } from '../../cpu-ref/executor.ts';
import { type InterpretOptions, type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
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

/// Orders that are far from the plain one: another, and all as if at the same time. Both with garbage in what nothing wrote.
const otherOrders: readonly InterpretOptions[] = [
  { seed, stepsPerYield: 7 },
  { seed, stepsPerYield: 7, stepsPerTurn: 1 },
];

/// Special registers of which no two runs have the same value.
const counters = /^%(clock|globaltimer|smid|gridid|warpid|pm\d)/;

/// What harms nothing: an undefined value is marked, and everything that comes of it; it is not compared.
const harmless = new Set<string>(['RUN003', 'RUN006', 'RUN007']);
const harms = (code: string): boolean => !harmless.has(code);

/// Interprets in several orders.
export function keepLaunch(module: Module, launch: Launch): Kept | Dropped {
  if (readsCounter(module, launch.entry)) return { reason: 'reads a clock, or where it runs', unsupported: true };
  try {
    const first = interpret(module, launch, { sanitize: true, trackWriters: true, maxSteps, endsAt: harms });
    const drop = whyNot(first);
    if (drop !== undefined) return drop;
    const { outputs, undefinedMasks, writers } = first;
    if (![...writers.values()].some((list) => list.some((thread) => thread >= 0))) {
      return { reason: 'writes nothing', unsupported: false };
    }
    for (const order of otherOrders) {
      const other = interpret(module, launch, { maxSteps, ...order });
      if (differ(first, other)) return { reason: 'depends on the order of execution', unsupported: false };
    }
    return { outputs, undefinedMasks, writers };
  } catch (error) {
    if (error instanceof LaunchError) return { reason: 'the launch does not fit', unsupported: true };
    throw error;
  }
}

function readsCounter({ functions }: Module, entry: string): boolean {
  // Functions may be called by any kernel; other kernels are not.
  return functions.some(
    ({ kind, name, body }) =>
      (kind === 'func' || name === entry) &&
      body.some(
        (statement) =>
          statement.kind === 'instruction' &&
          Object.values(statement.operands).some(
            (operand) => operand.kind === 'special' && counters.test(operand.name),
          ),
      ),
  );
}

/// Whether a byte that both define is not the same.
function differ(one: InterpretResult, other: InterpretResult): boolean {
  if (other.status !== one.status) return true;
  for (const [index, bytes] of one.outputs) {
    const masks = [one.undefinedMasks.get(index), other.undefinedMasks.get(index)];
    const otherBytes = other.outputs.get(index);
    const isDefined = (at: number) => masks.every((mask) => (mask?.[at] ?? 0) === 0);
    if (bytes.some((byte, at) => byte !== otherBytes?.[at] && isDefined(at))) return true;
  }
  return false;
}

function whyNot({ status, failure, diagnostics }: InterpretResult): Dropped | undefined {
  if (status === 'unsupported') return { reason: diagnostics[0]?.message ?? 'unsupported', unsupported: true };
  return failure === undefined ? undefined : { reason: failure.code, unsupported: false };
}
