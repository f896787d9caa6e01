// Determines whether a drawn launch is a useful test: the sanitizer finds nothing, the kernel
// writes or prints, and the results do not depend on the order of execution.
import { alignUp } from '../../base/align.ts';
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { LaunchError } from '../../cpu-ref/executor.ts';
import { type InterpretOptions, type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { effectsOf } from '../../isa/index.ts';
import type { Instruction, Module } from '../../ptx/ast.ts';

export interface Kept {
  /** The launch. Its buffers end shortly after the bytes that the kernel accesses. */
  readonly launch: Launch;
  readonly outputs: LaunchOutputs;
  readonly undefinedMasks: LaunchOutputs;
  readonly writers: ReadonlyMap<number, Int32Array>;
  /** The printed texts in alphabetical order. */
  readonly printed: readonly string[];
}

/**
 * The reason why the launch is not kept. `unsupported` means that no launch of the kernel can be
 * kept.
 */
export interface Dropped {
  readonly reason: string;
  readonly unsupported: boolean;
  /** The number of bytes that the buffers need, if they are too small. */
  readonly neededBytes?: number;
}

/**
 * The maximum number of instructions that the groups of a launch execute. A typical kernel executes
 * a few thousand.
 */
const maxSteps = 100_000;
const seed = 0x5eed;

/**
 * Orders of execution that differ greatly from the default order: a reordered one, and one that
 * interleaves all groups. Both fill uninitialized memory with arbitrary values.
 */
const otherOrders: readonly InterpretOptions[] = [
  { seed, stepsPerYield: 7 },
  { seed, stepsPerYield: 7, stepsPerTurn: 1 },
];

/** The names of special registers whose values differ between runs. */
const counters = /^%(clock|globaltimer|smid|gridid|warpid|pm\d)/;

/**
 * The codes of harmless findings. The interpreter marks undefined values and all values derived
 * from them, and marked values are not compared. Stores of the same value have the same result in
 * any order.
 */
const harmless = new Set<string>(['RUN003', 'RUN006', 'RUN007', 'RUN026']);
const harms = (code: string): boolean => !harmless.has(code);

/**
 * The number of bytes of a buffer that are kept after the accessed part, so that a stray store
 * becomes visible.
 */
const margin = 256;

/**
 * Interprets a launch in several orders. Returns the launch with its results, or why it is not
 * kept.
 */
export function keepLaunch(module: Module, launch: Launch): Kept | Dropped {
  const instructions = reachable(module, launch.entry);
  if (instructions.some(readsCounter))
    return { reason: 'reads a clock, or its placement on the device', unsupported: true };
  try {
    const first = interpret(module, launch, { sanitize: true, trackWriters: true, maxSteps, endsAt: harms });
    const drop = whyNot(first);
    if (drop !== undefined) return drop;
    const printed = [...first.printed.texts].sort();
    const writes = [...first.writers.values()].some((list) => list.some((thread) => thread >= 0));
    // A kernel that cannot write is useful only to test that it ends.
    if (!writes && printed.length === 0 && instructions.some(mayWrite)) {
      return { reason: 'writes nothing', unsupported: false };
    }
    const kept = trimmed(launch, first);
    for (const order of otherOrders) {
      const other = interpret(module, kept.launch, { maxSteps, ...order });
      const prints = [...other.printed.texts].sort();
      if (differ({ ...first, ...kept }, other) || String(prints) !== String(printed)) {
        return { reason: 'depends on the order of execution', unsupported: false };
      }
    }
    return { ...kept, printed };
  } catch (error) {
    if (error instanceof LaunchError) return { reason: 'the launch does not match the kernel', unsupported: true };
    throw error;
  }
}

/**
 * Returns the instructions of the kernel and of all functions, any of which the kernel may call.
 */
function reachable({ functions }: Module, entry: string): Instruction[] {
  return functions
    .filter(({ kind, name }) => kind === 'func' || name === entry)
    .flatMap(({ body }) => body.filter((statement): statement is Instruction => statement.kind === 'instruction'));
}

const readsCounter = ({ operands }: Instruction): boolean =>
  Object.values(operands).some((operand) => operand.kind === 'special' && counters.test(operand.name));

/** Whether the instruction changes memory that outlives the kernel, or calls a function. */
function mayWrite({ row, mods, operands }: Instruction): boolean {
  if (row.name.startsWith('call')) return true;
  const { memory } = effectsOf(row, mods);
  if (memory !== 'writes' && memory !== 'updates') return false;
  const address = operands.to ?? operands.a;
  const space =
    address?.kind === 'address' && address.base && 'space' in address.base ? address.base.space : mods.space;
  return space === undefined || space === 'global';
}

/**
 * Returns the launch and its results without the ends of buffers that the kernel does not access.
 */
function trimmed(
  launch: Launch,
  { outputs, undefinedMasks, writers, extents }: InterpretResult,
): Omit<Kept, 'printed'> {
  const sizes = new Map<number, number>();
  const params = launch.params.map((param, index) => {
    const extent = extents.get(index);
    if (param.kind !== 'buffer' || param.image !== undefined || extent === undefined) return param;
    const end = alignUp(Math.max(extent.readTo, extent.writtenTo) + margin, margin);
    const bytes = Math.min(param.bytes, end);
    sizes.set(index, bytes);
    return { ...param, bytes, ...(param.data === undefined ? {} : { data: param.data.slice(0, bytes) }) };
  });
  const cut = <T extends { slice(from: number, to?: number): T }>(all: ReadonlyMap<number, T>): Map<number, T> =>
    new Map([...all].map(([index, bytes]) => [index, bytes.slice(0, sizes.get(index))]));
  return {
    launch: { ...launch, params },
    outputs: cut<Uint8Array>(outputs),
    undefinedMasks: cut<Uint8Array>(undefinedMasks),
    writers: cut<Int32Array>(writers),
  };
}

/** Whether a bit that is defined in both results differs. */
function differ(one: InterpretResult, other: InterpretResult): boolean {
  if (other.status !== one.status) return true;
  for (const [index, bytes] of one.outputs) {
    const masks = [one.undefinedMasks.get(index), other.undefinedMasks.get(index)];
    const otherBytes = other.outputs.get(index);
    const definedBits = (at: number) => masks.reduce((bits, mask) => bits & ~(mask?.[at] ?? 0), 0xff);
    const otherByte = (at: number) => otherBytes?.[at];
    if (
      bytes.some((byte, at) => otherByte(at) === undefined || ((byte ^ (otherByte(at) ?? 0)) & definedBits(at)) !== 0)
    )
      return true;
  }
  return false;
}

function whyNot({ status, failure, diagnostics, extents }: InterpretResult): Dropped | undefined {
  if (status === 'unsupported') return { reason: diagnostics[0]?.message ?? 'unsupported', unsupported: true };
  if (failure === undefined) return undefined;
  const { code: reason } = failure;
  if (reason !== 'RUN008') return { reason, unsupported: false };
  const neededBytes = Math.max(0, ...[...extents.values()].map(({ readTo, writtenTo }) => Math.max(readTo, writtenTo)));
  return { reason, unsupported: false, neededBytes };
}
