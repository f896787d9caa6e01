// Random numbers that a seed and a name reproduce on every machine and in any order of the suites.

export interface Random {
  /** Returns 32 random bits. */
  u32(): number;
  /** Returns an integer from 0 up to, but not including, `n`. */
  below(n: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Returns true with probability `p`. */
  chance(p: number): boolean;
}

/** Returns the stream that `seed` and `keys` name. Streams for equal arguments are equal. */
export function random(seed: number, ...keys: readonly (string | number)[]): Random {
  const { rng, restart } = stream();
  restart(stateFrom(seed, fnv1a(keys.join('\u0000'))));
  return rng;
}

/**
 * Returns a function that is faster than `random(seed, key, first, second)` for many streams,
 * because it hashes the key once. All its calls return the same object, and each call switches the
 * object to another stream.
 */
export function randomStreams(seed: number, key: string): (first: number, second: number) => Random {
  const prefix = fnv1a(key);
  const { rng, restart } = stream();
  // The first number is often the same as in the last call, so its hash is cached.
  let [known, named] = [0, withNumber(prefix, 0)];
  return (first, second) => {
    if (first !== known) [known, named] = [first, withNumber(prefix, first)];
    restart(stateFrom(seed, withNumber(named, second)));
    return rng;
  };
}

const stateFrom = (seed: number, hash: number): number => (hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0;

interface Stream {
  readonly rng: Random;
  restart(from: number): void;
}

function stream(): Stream {
  // The state is in a typed array, because each change to a captured 32-bit variable would allocate
  // a new heap number.
  const state = new Int32Array(1);
  // splitmix32
  const u32 = (): number => {
    let z = ((state[0] ?? 0) + 0x9e3779b9) | 0;
    state[0] = z;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const below = (n: number): number => Math.floor((u32() / 2 ** 32) * n);
  return {
    rng: {
      u32,
      below,
      pick: (list) => list[below(list.length)] ?? list[0],
      chance: (p) => u32() < p * 2 ** 32,
    },
    restart(from) {
      state[0] = from;
    },
  };
}

/** Returns a seed for a run without a seed from the user. */
export function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  return hash >>> 0;
}

const mixed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/**
 * Returns the hash that `fnv1a` returns for `\0` and the number's decimal digits. Does not build a
 * string, because this is called for every lane.
 */
function withNumber(start: number, number: number): number {
  let unit = 1;
  while (number >= unit * 10) unit *= 10;
  let hash = mixed(start, 0);
  for (let rest = number; unit >= 1; unit /= 10) {
    const digit = Math.floor(rest / unit);
    hash = mixed(hash, 0x30 + digit);
    rest -= digit * unit;
  }
  return hash >>> 0;
}
