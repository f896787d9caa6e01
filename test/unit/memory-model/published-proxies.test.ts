// Compares the axioms with published verdicts on proxies that litmus tests cannot use.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { at, missing } from '../../../src/base/invariants.ts';
import { type Access, type Event, isAccess } from '../../../src/memory-model/event.ts';
import { eachCoherence } from '../../../src/memory-model/executions/axioms.ts';
import { type Candidate, initialThread } from '../../../src/memory-model/executions/candidate.ts';
import { add, emptyRelation } from '../../../src/memory-model/relation.ts';

const file = new URL('../../memory-model/published-proxies.txt', import.meta.url);
const proxies = ['generic', 'surface', 'texture', 'constant'] as const;
const fences = ['surface', 'texture', 'constant', 'alias'] as const;
const tests = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => /^\w/.test(line))
  .map((line) => {
    const [name = '', head = '', operations = '', verdict = ''] = line.split(': ');
    return { name, head, operations, verdict };
  });

const [memory, flag] = [
  { address: 0, bytes: 4 },
  { address: 16, bytes: 4 },
];
const plain = { dependencies: 0, readIndex: undefined, space: 'global', view: 0, proxy: 'generic' } as const;
const weak = { ...plain, ...memory, scope: undefined, synchronizes: false } as const;
const initial = { ...weak, kind: 'write', thread: initialThread, after: 0, value: 0n } as const;

/** Returns an element of a list of names. */
function named<Name extends string>(names: readonly Name[], name: string): Name {
  return names.find((known) => known === name) ?? missing('the meaning of', name);
}

const pathOf = (name: string): Pick<Access, 'proxy' | 'view'> => ({
  proxy: named(proxies, name.replace('@alias', '')),
  view: Number(name.endsWith('@alias')),
});

/** Returns the events of the threads, in order, in which the load returns the old value. */
function eventsOf(scope: string, operations: readonly string[]): readonly Event[] {
  const strong = { ...plain, ...flag, scope: scope === 'cta' ? 'cta' : 'gpu', synchronizes: true, value: 1n } as const;
  const events: Event[] = [];
  const place = (thread: number) => ({
    thread,
    after: 2 ** events.filter((other) => other.thread === thread).length - 1,
  });
  let thread = 0;
  for (const [index, name] of operations.entries()) {
    if (index === 0) events.push({ ...weak, ...pathOf(name), ...place(thread), kind: 'write', value: 2n });
    else if (index === operations.length - 1) {
      events.push({ ...weak, ...pathOf(name), ...place(thread), kind: 'read', value: 0n });
    } else if (name === 'flag') {
      events.push({ ...strong, ...place(thread), kind: 'write' });
      thread = 1;
      events.push({ ...strong, ...place(thread), kind: 'read' });
    } else {
      const fence = { of: named(fences, name), space: undefined, completes: undefined, scope: undefined };
      events.push({ ...fence, ...place(thread), kind: 'proxyFence', dependencies: 0 });
    }
  }
  return events;
}

test.each(tests)('$name ($head: $operations): $verdict', ({ head, operations, verdict }) => {
  const [scope = '', blocks] = head.split(' ');
  const own = eventsOf(scope, operations.split(' '));
  const events: readonly Event[] = [initial, { ...initial, ...flag }, ...own];
  const size = events.length;
  const programOrder = emptyRelation(size);
  for (let a = 2; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      if (at(events, a, 'event').thread === at(events, b, 'event').thread) add(programOrder, a, b);
    }
  }
  const indexOf = (kind: string, value: bigint, range: typeof memory): number =>
    events.findIndex(
      (event) => isAccess(event) && event.kind === kind && event.value === value && event.address === range.address,
    );
  const acquire = indexOf('read', 1n, flag);
  const nothing = emptyRelation(size);
  const candidate: Candidate = {
    events,
    initialCount: 2,
    placements: [0, blocks === 'apart' ? 1 : 0].map((block) => ({ block, cluster: block, device: 0 })),
    programOrder,
    updates: nothing,
    dependencies: nothing,
    barriers: nothing,
    completions: nothing,
    parts: [
      { ...memory, read: indexOf('read', 0n, memory), write: 0 },
      ...(acquire < 0 ? [] : [{ ...flag, read: acquire, write: indexOf('write', 1n, flag) }]),
    ],
  };
  expect(eachCoherence(candidate, () => true) ? 'allowed' : 'forbidden').toBe(verdict);
});
