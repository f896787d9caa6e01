// Random numbers that a seed and a name reproduce, on every machine and in any order of the suites.

export interface Random {
  /// 32 random bits.
  u32(): number;
  /// An integer from 0 up to, not including, `n`.
  below(n: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /// True with probability `p`.
  chance(p: number): boolean;
}

/// The stream that `seed` and `keys` name. Equal arguments give equal streams.
export function random(seed: number, ...keys: readonly (string | number)[]): Random {
  return streamFrom(seed, fnv1a(keys.join('\u0000')));
}

/// `random(seed, key, ...numbers)` of many numbers: what the key adds to the name is worked out once.
export function randomStreams(seed: number, key: string): (...numbers: readonly number[]) => Random {
  const prefix = fnv1a(key);
  return (...numbers) => {
    let hash = prefix;
    for (const number of numbers) hash = fnv1a(`\u0000${number}`, hash);
    return streamFrom(seed, hash);
  };
}

function streamFrom(seed: number, hash: number): Random {
  let state = (hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  // splitmix32
  const u32 = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const below = (n: number): number => Math.floor((u32() / 2 ** 32) * n);
  return {
    u32,
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    chance: (p) => u32() < p * 2 ** 32,
  };
}

/// A seed for a run that was given none.
export function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
