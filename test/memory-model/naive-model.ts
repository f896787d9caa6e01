// A second implementation of the PTX memory model, for tests without branches, barriers and
// dependencies. It follows the formulation of "A Formal Analysis of the NVIDIA PTX Memory
// Consistency Model" (ASPLOS 2019) instead of the manual's current one, uses predicates over all
// pairs of events, and tries every partial coherence order.
import type { Operation, Shape } from '../../src/harness/litmus/families.ts';

interface Node extends Operation {
  readonly thread: number;
  readonly index: number;
}

type Pairs = (a: number, b: number) => boolean;

/** Whether an execution exists in which every read has its value and memory its final values. */
export function naiveAllows({ threads, blocks, final }: Shape): boolean {
  const locations = [...new Set(threads.flat().flatMap(({ location }) => (location === undefined ? [] : [location])))];
  const initial: Node[] = locations.map((location, index) => ({
    kind: 'W', location, value: 0, order: 'weak', scope: 'sys', thread: -1, index,
  })); // biome-ignore format: one node
  const nodes: readonly Node[] = [
    ...initial,
    ...threads.flatMap((list, thread) => list.map((operation, index) => ({ ...operation, thread, index }))),
  ];
  const all = nodes.map((_, index) => index);
  const node = (index: number): Node => nodes[index] as Node;
  const isWrite = (a: number) => node(a).kind === 'W';
  const isRead = (a: number) => node(a).kind === 'R';
  const isFence = (a: number) => node(a).kind === 'fence';
  const strong = (a: number) => node(a).order !== 'weak';
  const sameLocation: Pairs = (a, b) => node(a).location !== undefined && node(a).location === node(b).location;
  const po: Pairs = (a, b) => node(a).thread >= 0 && node(a).thread === node(b).thread && node(a).index < node(b).index;
  const reaches: Pairs = (a, b) =>
    node(a).thread >= 0 &&
    node(b).thread >= 0 &&
    (node(a).scope !== 'cta' || blocks[node(a).thread] === blocks[node(b).thread]);
  const morallyStrong = table(
    (a, b) =>
      a !== b &&
      (po(a, b) || po(b, a) || (strong(a) && strong(b) && reaches(a, b) && reaches(b, a))) &&
      (isFence(a) || isFence(b) || sameLocation(a, b)),
  );

  const closure = (pairs: Pairs): Pairs => {
    const matrix = all.map((a) => all.map((b) => pairs(a, b)));
    for (const via of all) {
      for (const a of all)
        for (const b of all) if (matrix[a]?.[via] && matrix[via]?.[b]) (matrix[a] as boolean[])[b] = true;
    }
    return (a, b) => matrix[a]?.[b] === true;
  };
  const then = (left: Pairs, right: Pairs): Pairs => table((a, c) => all.some((b) => left(a, b) && right(b, c)));
  const some = (test: Pairs) => all.some((a) => all.some((b) => test(a, b)));
  const cyclic = (pairs: Pairs) => {
    const closed = closure(pairs);
    return all.some((a) => closed(a, a));
  };

  return readChoices(all.filter(isRead), new Map());

  /** Tries each write with the right value for each read. */
  function readChoices(reads: readonly number[], chosen: ReadonlyMap<number, number>): boolean {
    const [read, ...rest] = reads;
    if (read === undefined) return fenceChoices(chosen);
    return all.some(
      (write) =>
        isWrite(write) &&
        sameLocation(write, read) &&
        node(write).value === node(read).value &&
        readChoices(rest, new Map(chosen).set(read, write)),
    );
  }

  function fenceChoices(chosen: ReadonlyMap<number, number>): boolean {
    const fences = all.filter((a) => isFence(a) && node(a).order === 'sc');
    const pairs = fences.flatMap((a) => fences.flatMap((b) => (a < b && morallyStrong(a, b) ? [[a, b] as const] : [])));
    const choices = 2 ** pairs.length;
    for (let choice = 0; choice < choices; choice++) {
      const order = pairs.map(([a, b], bit) => (((choice >> bit) & 1) === 1 ? [a, b] : [b, a]));
      const sc: Pairs = (a, b) => order.some(([first, second]) => first === a && second === b);
      if (!cyclic(sc) && coherenceChoices(chosen, sc)) return true;
    }
    return false;
  }

  function coherenceChoices(chosen: ReadonlyMap<number, number>, sc: Pairs): boolean {
    const rf: Pairs = (a, b) => chosen.get(b) === a;
    if (cyclic(rf)) return false;
    const observation: Pairs = (a, b) => morallyStrong(a, b) && rf(a, b);
    const prefix: Pairs = (a, b) =>
      isWrite(b) &&
      ((isWrite(a) && node(a).order === 'release' && (a === b || (po(a, b) && sameLocation(a, b) && strong(b)))) ||
        (isFence(a) && po(a, b) && strong(b)));
    const suffix: Pairs = (a, b) =>
      isRead(a) &&
      ((isRead(b) && node(b).order === 'acquire' && (a === b || (po(a, b) && sameLocation(a, b) && strong(a)))) ||
        (isFence(b) && po(a, b) && strong(a)));
    const throughMemory = then(then(prefix, observation), suffix);
    const sync: Pairs = (a, b) => morallyStrong(a, b) && throughMemory(a, b);
    const step: Pairs = (a, b) => sync(a, b) || sc(a, b);
    const poOrEqual: Pairs = (a, b) => a === b || po(a, b);
    const base = closure(then(then(poOrEqual, step), poOrEqual));
    const poLocation: Pairs = (a, b) => po(a, b) && sameLocation(a, b);
    const later: Pairs = (a, b) => base(a, b) || poLocation(a, b);
    const observed = then(observation, later);
    const cause: Pairs = (a, b) => base(a, b) || observed(a, b);
    // Fence-SC, and causality for reads-from.
    if (some((a, b) => (sc(a, b) || rf(a, b)) && cause(b, a))) return false;
    const writes = all.filter(isWrite);
    const pairs = writes.flatMap((a) =>
      writes.flatMap((b) => (a < b && sameLocation(a, b) && a >= initial.length ? [[a, b] as const] : [])),
    );
    const choices = 3 ** pairs.length;
    for (let choice = 0; choice < choices; choice++) {
      const directions = pairs.map((_, place) => Math.floor(choice / 3 ** place) % 3);
      const co: Pairs = (a, b) =>
        (a < initial.length && b >= initial.length && isWrite(b) && sameLocation(a, b)) ||
        pairs.some(
          ([x, y], i) => (directions[i] === 0 && x === a && y === b) || (directions[i] === 1 && y === a && x === b),
        );
      if (isTransitive(co) && coherent(chosen, rf, cause, table(co), poLocation)) return true;
    }
    return false;
  }

  function table(pairs: Pairs): Pairs {
    const matrix = all.map((a) => all.map((b) => pairs(a, b)));
    return (a, b) => matrix[a]?.[b] === true;
  }

  function isTransitive(pairs: Pairs): boolean {
    const twice = then(pairs, pairs);
    return !some((a, b) => !pairs(a, b) && twice(a, b)) && !some((a, b) => pairs(a, b) && pairs(b, a));
  }

  function coherent(
    chosen: ReadonlyMap<number, number>,
    rf: Pairs,
    cause: Pairs,
    co: Pairs,
    poLocation: Pairs,
  ): boolean {
    const writesTo: Pairs = (a, b) => isWrite(a) && isWrite(b) && sameLocation(a, b);
    if (some((a, b) => writesTo(a, b) && cause(a, b) && !co(a, b))) return false;
    if (some((a, b) => writesTo(a, b) && morallyStrong(a, b) && !co(a, b) && !co(b, a))) return false;
    const fr: Pairs = (a, b) => {
      const source = chosen.get(a);
      return source !== undefined && co(source, b);
    };
    if (some((a, b) => fr(a, b) && cause(b, a))) return false;
    if (cyclic((a, b) => poLocation(a, b) || (morallyStrong(a, b) && (rf(a, b) || co(a, b) || fr(a, b))))) return false;
    return Object.entries(final).every(([location, value]) =>
      all.some(
        (a) => isWrite(a) && node(a).location === location && node(a).value === value && !all.some((b) => co(a, b)),
      ),
    );
  }
}
