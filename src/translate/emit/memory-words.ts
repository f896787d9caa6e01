// Memories as WGSL: arrays of words or of vectors of words, and how a word is read and written.
import type { Target } from '../find-buffers.ts';
import type { MemoryArray } from '../layout.ts';
import type { Granule } from '../memory-access.ts';
import type { Scope } from './scope.ts';

/// One memory as an array.
export interface Memory {
  /// Key in `uses.memories` and `atomics`.
  readonly key: string;
  /// WGSL's name, with the slot where each lane has its own.
  readonly name: string;
  readonly isAtomic: boolean;
  /// Whether other lanes see it, so that part of a word is written atomically.
  readonly isShared: boolean;
  /// Words of an element: memories that vector accesses reach are arrays of vectors.
  readonly granule: Granule;
}

/// The heap, or a parameter's buffer.
export function bufferMemory(scope: Scope, target: Extract<Target, 'heap' | object>): Memory {
  const key = target === 'heap' ? target : target.buffer;
  scope.uses.memories.add(key);
  const isAtomic = scope.options.atomics.has(key);
  return {
    key,
    name: target === 'heap' ? 'heap' : scope.options.names.of(`=${key}`),
    isAtomic,
    isShared: true,
    granule: isAtomic ? 1 : (scope.options.granules.get(key) ?? 1),
  };
}

export function arrayMemory(scope: Scope, { key, space, atomic: isAtomic, granule }: MemoryArray): Memory {
  scope.uses.memories.add(key);
  const slot = space === 'local' && scope.options.slots > 1 ? '[s]' : '';
  return { key, name: `${arrayName(scope, key)}${slot}`, isAtomic, isShared: space === 'shared', granule };
}

export const arrayName = (scope: Scope, key: string): string => scope.options.names.of(`@${key}`);

/// WGSL of the word at an index of words.
export function wordAt({ name, granule }: Memory, index: string): string {
  if (granule === 1) return `${name}[${index}]`;
  if (/^\d+u$/.test(index)) {
    const word = Number.parseInt(index, 10);
    return `${name}[${Math.floor(word / granule)}u].${'xyzw'[word % granule]}`;
  }
  return `${name}[(${index}) >> ${granule === 4 ? 2 : 1}u][(${index}) & ${granule - 1}u]`;
}

/// WGSL that reads a word, from a reference to it.
export const loadWord = ({ isAtomic }: Memory, word: string): string => (isAtomic ? `atomicLoad(&${word})` : word);

export const storeWord = ({ isAtomic }: Memory, word: string, value: string): string =>
  isAtomic ? `atomicStore(&${word}, ${value});` : `${word} = ${value};`;

export const vectorType = (granule: Granule) => `vec${granule}<u32>`;
