// Launches of a litmus test, and the outcomes of their instances.

import { at, get } from '../../base/invariants.ts';
import type { BufferParam, Launch, LaunchOutputs, LaunchParam } from '../../base/launch.ts';
import { countOf } from '../../base/maps.ts';
import type { LitmusTest, Observable, Outcome, TestVariable } from '../../memory-model/index.ts';
import { initialBytes } from '../../ptx/initial-bytes.ts';
import { type Random, random } from '../suites/random.ts';
import {
  bufferNames,
  globalsOf,
  kernelText,
  litmusEntry,
  memoryOf,
  permutationNames,
  scratchWords,
  settingNames,
} from './kernel-text.ts';
import { instancesOf, type LaunchSize, layoutOf, locationBytes, valueBytes } from './plan.ts';

export interface LitmusLaunch {
  readonly launch: Launch;
  /** Adds the outcome of each instance to the counts. */
  readonly count: (outputs: LaunchOutputs, counts: OutcomeCounts) => void;
}

/** Settings of the stress, which vary between launches. */
interface Settings {
  readonly seed: number;
  /** The maximum delay of a thread, as a mask. */
  readonly jitter: number;
  /** The maximum number of reads while a block waits for its team. */
  readonly spins: number;
  /** The number of accesses of each stress thread. */
  readonly stress: number;
}

/** Returns a launch whose permutations and settings depend on the seed and its number. */
export function litmusLaunch(test: LitmusTest, size: LaunchSize, seed: number, number: number): LitmusLaunch {
  const source = random(seed, test.name, number);
  const count = instancesOf(size);
  const layout = layoutOf(test);
  const globals = globalsOf(test);
  const permutations = new Map(
    permutationNames(test).map((name) => [name, name.startsWith('mul_') ? (source.u32() | 1) >>> 0 : source.u32()]),
  );
  const settings = settingsOf(source, number, size);
  const buffer = (name: string, bytes: number, data?: Uint8Array): BufferParam => ({
    name, kind: 'buffer', type: 'u32', bytes, ...(data === undefined ? {} : { data }),
  }); // biome-ignore format: one parameter
  const scalar = (name: string, value: number): LaunchParam => ({ name, kind: 'scalar', type: 'u32', value });
  const sizes: Record<(typeof bufferNames)[number], number> = {
    out: Math.max(test.observables.length, 1) * count * valueBytes,
    sync: size.teams * 4,
    scratch: scratchWords * 4,
  };
  const launch: Launch = {
    id: `litmus:${test.name.replace(/[^\w.:-]/g, '_')}`,
    group: 'litmus',
    ptx: kernelText(test, size),
    ptxFile: `${test.name}.ptx`,
    entry: litmusEntry,
    grid: [size.teams * layout.blocks.length + size.stressBlocks, 1, 1],
    block: [layout.width * size.slots, 1, 1],
    sharedBytes: 0,
    params: [
      ...globals.map(({ variable }) =>
        buffer(memoryOf(variable.name), count * locationBytes, initialMemory(variable, count)),
      ),
      ...bufferNames.map((name) => buffer(name, sizes[name])),
      ...settingNames.map((name) => scalar(name, settings[name])),
      ...[...permutations].map(([name, value]) => scalar(name, value)),
    ],
  };
  return { launch, count: (outputs, counts) => countOutcomes(test, count, permutations, outputs, counts) };
}

/** Every second launch has delays, and every second pair of launches is without stress. */
function settingsOf(source: Random, number: number, size: LaunchSize): Settings {
  return {
    seed: source.u32(),
    jitter: number % 2 === 0 ? 0 : 2 ** (1 + source.below(6)) - 1,
    spins: 1 << 12,
    stress: number % 4 < 2 ? size.iterations * 64 : 0,
  };
}

/** The initial contents of a variable's buffer; undefined if they are zero. */
function initialMemory(variable: TestVariable['variable'], count: number): Uint8Array | undefined {
  if (variable.initializers.length === 0) return undefined;
  const data = new Uint8Array(count * locationBytes);
  const bytes = initialBytes(variable);
  for (let place = 0; place < count; place++) data.set(bytes, place * locationBytes);
  return data;
}

/** Counts of outcomes. */
export class OutcomeCounts {
  readonly #counts = new Map<string, { readonly outcome: Outcome; count: number }>();

  get all(): readonly { readonly outcome: Outcome; readonly count: number }[] {
    return [...this.#counts.values()];
  }

  add(outcome: Outcome, count: number): void {
    const key = outcome.join();
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { outcome, count });
    else known.count += count;
  }
}

/** Values below this limit are packed into one number, which is a fast key. */
const packedLimit = 16;

function countOutcomes(
  test: LitmusTest,
  count: number,
  permutations: ReadonlyMap<string, number>,
  outputs: LaunchOutputs,
  counts: OutcomeCounts,
): void {
  const globals = globalsOf(test);
  const output = (index: number) => wordsOf(get(outputs, index, 'memory of the test'));
  const results = output(globals.length + bufferNames.indexOf('out'));
  const readers = test.observables.map((observable, index) => readerOf(observable, index));
  const packed = new Map<number, number>();
  for (let instance = 0; instance < count; instance++) {
    let key = 0;
    for (const { words, word } of readers) {
      const place = word(instance);
      const value = (words[place] ?? 0) + 2 ** 32 * (words[place + 1] ?? 0);
      key = value < packedLimit ? key * packedLimit + value : Number.NaN;
    }
    if (Number.isNaN(key)) counts.add(outcomeOf(instance), 1);
    else packed.set(key, countOf(packed, key) + 1);
  }
  for (const [key, own] of packed) counts.add(unpacked(key, readers.length), own);

  function outcomeOf(instance: number): Outcome {
    return readers.map(({ words, word, mask, shift }) => {
      const place = word(instance);
      const cell = BigInt(words[place] ?? 0) | (BigInt(words[place + 1] ?? 0) << 32n);
      return (cell >> shift) & mask;
    });
  }

  /** The words with the value of an observable, and the index of the first word of an instance. */
  function readerOf(observable: Observable, index: number): Reader {
    const result = {
      words: results,
      word: (instance: number) => (index * count + instance) * 2,
      mask: 2n ** 64n - 1n,
      shift: 0n,
    };
    if (observable.kind === 'register') return result;
    const inside = ({ address, variable }: TestVariable): boolean =>
      address <= observable.address && observable.address < address + variable.bytes;
    const order = globals.findIndex(inside);
    if (order < 0) return result;
    const { variable, address } = at(globals, order, 'variable');
    const mul = get(permutations, `mul_var_${variable.name}`, 'permutation');
    const add = get(permutations, `add_var_${variable.name}`, 'permutation');
    return {
      words: output(order),
      word: (instance) => ((Math.imul(instance, mul) + add) & (count - 1)) * 2,
      mask: 2n ** BigInt(8 * observable.bytes) - 1n,
      shift: BigInt(8 * (observable.address - address)),
    };
  }
}

interface Reader {
  readonly words: Uint32Array;
  readonly word: (instance: number) => number;
  readonly mask: bigint;
  readonly shift: bigint;
}

function unpacked(key: number, count: number): Outcome {
  const values: bigint[] = [];
  for (let rest = key, index = 0; index < count; index++, rest = Math.floor(rest / packedLimit)) {
    values.unshift(BigInt(rest % packedLimit));
  }
  return values;
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);
