// The page's client of a worker: when it ends the worker, and the outcome of other pending
// requests.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkerClient, WorkerError } from '../../../demo/workers/client.ts';

interface Talk {
  work: { args: string; result: string; progress: number };
}

interface Sent {
  readonly id: number;
  readonly kind: string;
  readonly args: string;
}

/** A worker that answers only when the test makes it answer. */
class SilentWorker extends EventTarget {
  static readonly all: SilentWorker[] = [];
  readonly sent: Sent[] = [];
  ended = false;

  constructor() {
    super();
    SilentWorker.all.push(this);
  }

  postMessage(message: Sent): void {
    this.sent.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  says(data: object): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  ready(): void {
    this.says({ id: 0, kind: 'ready' });
  }

  answers(args: string): void {
    const id = this.sent.find((message) => message.args === args)?.id;
    this.says({ id, kind: 'result', value: `${args} done` });
  }
}

const worker = (index: number): SilentWorker => {
  const found = SilentWorker.all[index];
  if (!found) throw new Error(`there is no worker ${index}`);
  return found;
};

function open(inTurn: boolean, onLost?: (message: string) => void) {
  const more = onLost ? { onLost } : {};
  const words = { script: 'x.js', name: 'test', overrun: () => 'too long', limitMs: () => 1000 };
  const client = new WorkerClient<Talk>({ ...words, inTurn, ...more });
  const outcomes = new Map<string, string>();
  const ask = (args: string): void => {
    client.request('work', args).then(
      (value) => outcomes.set(args, value),
      (error) => outcomes.set(args, error instanceof WorkerError ? (error.kind ?? 'error') : 'another error'),
    );
  };
  const wait = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { client, ask, wait, outcomes };
}

describe('a worker', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('Worker', SilentWorker);
    SilentWorker.all.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('that does not answer is ended, and the next request starts another', async () => {
    const { ask, wait, outcomes } = open(true);
    ask('a');
    worker(0).ready();
    await wait(999);
    expect(worker(0).ended).toBe(false);
    await wait(1);
    expect([worker(0).ended, outcomes.get('a')]).toEqual([true, 'overrun']);
    ask('b');
    worker(1).ready();
    worker(1).answers('b');
    await wait(0);
    expect(outcomes.get('b')).toBe('b done');
  });

  it('is not timed while its modules load', async () => {
    const { ask, wait, outcomes } = open(true);
    ask('a');
    await wait(30_000);
    worker(0).ready();
    await wait(900);
    worker(0).answers('a');
    await wait(0);
    expect([worker(0).ended, outcomes.get('a')]).toEqual([false, 'a done']);
    ask('b');
    await wait(1000);
    ask('c');
    await wait(60_000);
    // The first worker does not answer `b`. The modules of the second one never load.
    expect([outcomes.get('b'), outcomes.get('c')]).toEqual(['overrun', 'overrun']);
  });

  it('that works in turn is timed by its current request, and the others move to a new worker', async () => {
    const { ask, wait, outcomes } = open(true);
    ask('a');
    worker(0).ready();
    await wait(800);
    ask('b');
    await wait(200);
    expect([...outcomes]).toEqual([['a', 'overrun']]);
    expect(worker(1).sent.map(({ args }) => args)).toEqual(['b']);
    worker(1).ready();
    await wait(900);
    worker(1).answers('b');
    await wait(0);
    expect(outcomes.get('b')).toBe('b done');
  });

  it('starts the clock of the second when the first is answered', async () => {
    const { ask, wait, outcomes } = open(true);
    ask('a');
    ask('b');
    worker(0).ready();
    await wait(900);
    worker(0).answers('a');
    await wait(900);
    expect(outcomes.get('b')).toBeUndefined();
    await wait(100);
    expect([...outcomes]).toEqual([
      ['a', 'a done'],
      ['b', 'overrun'],
    ]);
  });

  it('is ended for a request that nobody needs any more, and continues with a newer one', async () => {
    const { client, ask, wait, outcomes } = open(true);
    ask('old');
    worker(0).ready();
    await wait(100);
    client.supersede(500);
    ask('new');
    await wait(399);
    expect(worker(0).ended).toBe(false);
    await wait(1);
    expect([...outcomes]).toEqual([['old', 'superseded']]);
    expect(worker(1).sent.map(({ args }) => args)).toEqual(['new']);
  });

  it('that is quick enough is not ended for a newer request', async () => {
    const { client, ask, wait, outcomes } = open(true);
    ask('old');
    worker(0).ready();
    client.supersede(500);
    ask('new');
    await wait(400);
    worker(0).answers('old');
    await wait(400);
    worker(0).answers('new');
    await wait(5000);
    expect([worker(0).ended, ...outcomes.values()]).toEqual([false, 'old done', 'new done']);
  });

  it('that does several things at once is ended for all of them, and the page is notified', async () => {
    const lost: string[] = [];
    const { ask, wait, outcomes } = open(false, (message) => lost.push(message));
    ask('a');
    worker(0).ready();
    await wait(500);
    ask('b');
    await wait(500);
    expect([...outcomes.values()]).toEqual(['overrun', 'overrun']);
    expect(lost).toEqual(['too long']);
  });

  it('that was ended is ignored', async () => {
    const { ask, wait, outcomes } = open(true);
    ask('a');
    worker(0).ready();
    await wait(1000);
    worker(0).says({ id: 2, kind: 'result', value: 'of the old one' });
    ask('b');
    worker(0).says({ id: 2, kind: 'result', value: 'of the old one' });
    await wait(0);
    expect(outcomes.has('b')).toBe(false);
  });

  it('that reports progress is not ended', async () => {
    const { ask, wait, outcomes } = open(false);
    ask('a');
    worker(0).ready();
    for (let i = 0; i < 5; i++) {
      await wait(900);
      worker(0).says({ id: 1, kind: 'progress', value: i });
    }
    worker(0).answers('a');
    await wait(0);
    expect(outcomes.get('a')).toBe('a done');
  });
});
