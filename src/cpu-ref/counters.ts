// Counts what makes a kernel slow on every GPU: divergence, bank conflicts, scattered accesses,
// local memory, barriers. The counts follow from the lanes' addresses and control flow alone, so
// they are the same for every GPU with warps of 32 lanes.
import type { Instruction } from '../ptx/ast.ts';
import type { StepAccess, StepEvent } from './interpreter/state/step-event.ts';

/** The counts of one instruction, or of a whole launch. A request is one access by a warp. */
export interface Counts {
  /**
   * The number of times that a warp executed the instruction, and the total number of lanes that
   * executed it.
   */
  steps: number;
  lanes: number;
  /**
   * The number of branches after which the lanes of a group continued at different instructions.
   */
  divergentBranches: number;
  /**
   * The number of requests to shared memory, and the number of additional rounds that bank
   * conflicts caused.
   */
  sharedRequests: number;
  bankConflicts: number;
  /**
   * The number of requests to global memory, and the number of 32-byte sectors that these requests
   * touched.
   */
  globalRequests: number;
  globalSectors: number;
  /** The smallest number of sectors that could contain the accessed bytes. */
  idealSectors: number;
  /**
   * The number of requests to local memory, which contains spilled registers and the arrays of a
   * thread.
   */
  localRequests: number;
  /** The number of times that a warp waited at a barrier of its block. */
  barriers: number;
}

/** The counts of a launch and of each instruction that it executed. */
export interface KernelCounts {
  readonly total: Counts;
  readonly instructions: ReadonlyMap<Instruction, Counts>;
}

const none = (): Counts => ({
  steps: 0,
  lanes: 0,
  divergentBranches: 0,
  sharedRequests: 0,
  bankConflicts: 0,
  globalRequests: 0,
  globalSectors: 0,
  idealSectors: 0,
  localRequests: 0,
  barriers: 0,
});

/** Counts the steps of a launch. Pass `observe` to the interpreter. */
export class KernelCounters {
  readonly #total = none();
  readonly #instructions = new Map<Instruction, Counts>();

  /** Adds a step. */
  readonly observe = (event: StepEvent): void => {
    const own = this.#instructions.get(event.instruction) ?? none();
    this.#instructions.set(event.instruction, own);
    const step = countsOf(event);
    for (const name of countNames) {
      own[name] += step[name];
      this.#total[name] += step[name];
    }
  };

  /** Returns the counts so far. */
  get counts(): KernelCounts {
    return { total: this.#total, instructions: this.#instructions };
  }
}

const countNames = [
  'steps', 'lanes', 'divergentBranches', 'sharedRequests', 'bankConflicts', 'globalRequests', 'globalSectors',
  'idealSectors', 'localRequests', 'barriers',
] as const satisfies readonly (keyof Counts)[]; // biome-ignore format: a list

function countsOf({ lanes, diverges, atBarrier, accesses }: StepEvent): Counts {
  const counts = none();
  counts.steps = 1;
  counts.lanes = bitCount(lanes);
  counts.divergentBranches = Number(diverges);
  counts.barriers = Number(atBarrier);
  // A copy instruction loads from one space and stores to another.
  const shared = accesses.filter(({ space }) => space === 'shared');
  const global = accesses.filter(({ space }) => space === 'global');
  if (shared.length > 0) {
    counts.sharedRequests = 1;
    counts.bankConflicts = bankConflicts(shared);
  }
  if (global.length > 0) {
    counts.globalRequests = 1;
    counts.globalSectors = sectors(global);
    counts.idealSectors = Math.ceil(distinctBytes(global) / sectorBytes);
  }
  counts.localRequests = Number(accesses.some(({ space }) => space === 'local'));
  return counts;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let m = mask; m !== 0; m &= m - 1) count++;
  return count;
}

const banks = 32;
const wordBytes = 4;

/**
 * Returns the additional rounds that shared memory needs for a request, because lanes access
 * different words of the same bank. Shared memory has 32 banks of 4 bytes. It serves accesses of 8
 * bytes for 16 lanes at a time, and of 16 bytes for 8 lanes.
 */
export function bankConflicts(accesses: readonly StepAccess[]): number {
  const groups = new Map<number, StepAccess[]>();
  for (const access of accesses) {
    const lanesAtOnce = Math.max(1, Math.floor((banks * wordBytes) / Math.max(access.bytes, wordBytes)));
    const group = Math.floor(access.lane / lanesAtOnce);
    const known = groups.get(group);
    if (known) known.push(access);
    else groups.set(group, [access]);
  }
  let conflicts = 0;
  for (const group of groups.values()) conflicts += rounds(group) - 1;
  return conflicts;
}

/** Returns the largest number of different words in one bank. */
function rounds(accesses: readonly StepAccess[]): number {
  const words = new Set<number>();
  for (const { address, bytes } of accesses) {
    const last = Math.floor((address + bytes - 1) / wordBytes);
    for (let word = Math.floor(address / wordBytes); word <= last; word++) words.add(word);
  }
  const inBank = new Uint32Array(banks);
  let most = 1;
  for (const word of words) {
    const count = (inBank[word % banks] ?? 0) + 1;
    inBank[word % banks] = count;
    if (count > most) most = count;
  }
  return most;
}

const sectorBytes = 32;

/** Returns the number of 32-byte sectors that a request touches. */
export function sectors(accesses: readonly StepAccess[]): number {
  const touched = new Set<number>();
  for (const { address, bytes } of accesses) {
    const last = Math.floor((address + bytes - 1) / sectorBytes);
    for (let sector = Math.floor(address / sectorBytes); sector <= last; sector++) touched.add(sector);
  }
  return touched.size;
}

function distinctBytes(accesses: readonly StepAccess[]): number {
  const ranges = accesses.map(({ address, bytes }) => [address, address + bytes] as const).sort((a, b) => a[0] - b[0]);
  let count = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [start, end] of ranges) {
    if (end > reached) count += end - Math.max(start, reached);
    reached = Math.max(reached, end);
  }
  return count;
}
