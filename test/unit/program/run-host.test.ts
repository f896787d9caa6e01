// The end of a program, for programs of a few instructions.
import { expect, test } from 'vitest';
import { runBlocking } from '../../../src/program/host/run-blocking.ts';
import type { ProgramMessage } from '../../../src/program/protocol.ts';

const section = (id: number, ...bytes: readonly number[]): number[] => [id, bytes.length, ...bytes];
const exported = (name: string, kind: number, index: number): number[] => [
  name.length,
  ...new TextEncoder().encode(name),
  kind,
  index,
];
const body = (...code: readonly number[]): number[] => [code.length + 2, 0, ...code, 0x0b];

/** Returns a program with these instructions in `_start`. */
const programOf = (...code: readonly number[]): Uint8Array =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 3, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0),
    ...section(3, 3, 0, 1, 2),
    ...section(4, 1, 0x70, 0, 0),
    ...section(5, 1, 0, 1),
    ...section(
      7,
      5,
      ...exported('_start', 0, 0),
      ...exported('__wrap_malloc', 0, 1),
      ...exported('free', 0, 2),
      ...exported('memory', 2, 0),
      ...exported('__indirect_function_table', 1, 0),
    ),
    ...section(10, 3, ...body(...code), ...body(0x20, 0), ...body()),
  );

/** Runs the program in a worker that may block. */
async function run(...code: readonly number[]): Promise<readonly ProgramMessage[]> {
  const posted: ProgramMessage[] = [];
  const device = { name: '', maxThreads: 1, maxSharedBytes: 0, totalBytes: 0, maxCooperativeBlocks: 1 };
  const none = (): never => {
    throw new Error('no files');
  };
  const files = {
    facts: none,
    open: none,
    list: none,
    makeFolder: none,
    remove: none,
    removeFolder: none,
    rename: none,
  };
  const start = { wasm: programOf(...code), args: [], env: [], device, modules: [] };
  await runBlocking(start, { files, readInput: () => 0 }, (message) => posted.push(message));
  return posted;
}

test('a program that returns has exit code 0', async () => {
  expect(await run()).toEqual([{ kind: 'exit', code: 0 }]);
});

test('an access outside of the memory ends the program with a hint about sizes', async () => {
  const [end, ...others] = await run(0x41, 0x7c, 0x28, 2, 0, 0x1a); // loads the word at 0xfffffffc
  expect(others).toEqual([]);
  expect(end).toMatchObject({ kind: 'exit', code: 134 });
  expect(end).toHaveProperty(
    'message',
    expect.stringMatching(/^the program stopped: memory access out of bounds\nhint: .*32 bits/),
  );
});

test('another trap has no hint', async () => {
  expect(await run(0x00)).toEqual([{ kind: 'exit', code: 134, message: 'the program stopped: unreachable' }]);
});
