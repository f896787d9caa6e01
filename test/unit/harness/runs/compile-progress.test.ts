// What a user sees while a driver compiles.

import { expect, onTestFinished, test, vi } from 'vitest';
import { showCompilations } from '../../../../src/harness/runs/compile-progress.ts';

function clock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

function shown(isTTY: boolean) {
  const lines: string[] = [];
  const watch = showCompilations({ isTTY, write: (text: string) => lines.push(text) > 0 });
  return { lines, ...watch };
}

test('shows nothing for a compilation of less than two seconds', async () => {
  clock();
  const { lines, onPhase } = shown(true);
  onPhase('compiling', 'saxpy');
  await vi.advanceTimersByTimeAsync(1_900);
  onPhase('running', 'saxpy');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toEqual([]);
});

test('a terminal shows the seconds in one line, and removes it', async () => {
  clock();
  const { lines, onPhase } = shown(true);
  onPhase('compiling', 'saxpy');
  await vi.advanceTimersByTimeAsync(3_500);
  onPhase('running', 'saxpy');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toEqual([
    '\r\u001b[Ksaxpy: compiling (the driver), 2 s',
    '\r\u001b[Ksaxpy: compiling (the driver), 3 s',
    '\r\u001b[K',
  ]);
});

test('a file receives a line after 2, 4 and 8 seconds of each compilation', async () => {
  clock();
  const { lines, onPhase, stop } = shown(false);
  for (const kernel of ['a', 'b']) {
    onPhase('compiling', kernel);
    await vi.advanceTimersByTimeAsync(9_000);
  }
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  const seconds = [2, 4, 8];
  expect(lines).toEqual(['a', 'b'].flatMap((name) => seconds.map((s) => `${name}: compiling (the driver), ${s} s\n`)));
});
