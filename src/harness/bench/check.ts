// Checks the results of a sequence. Only sequences with correct results are measured.

import type { ScalarKind } from '../../base/launch.ts';
import { encodeScalar, hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';
import { windowsOf } from '../../runtime/device/sequence.ts';
import { withinTolerance } from '../compare/compare.ts';
import { cpuExecutor } from '../executors/cpu-executor.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import { type LaunchSequence, launchOf } from '../launches/launch-sequence.ts';

export type Windows = ReadonlyMap<string, Uint8Array>;

/**
 * Runs a sequence on the reference interpreter and returns the windows of its results. Throws if
 * PTX leaves part of a result undefined.
 */
export async function referenceWindows(
  sequence: LaunchSequence,
  cpu: KernelExecutor = cpuExecutor(),
): Promise<Windows> {
  const contents = new Map<string, Uint8Array>();
  for (const { name, data } of sequence.buffers) if (data) contents.set(name, data);
  for (const step of [...sequence.prepare, ...sequence.steps]) {
    const { outputs, undefinedMasks } = await cpu.run(launchOf(sequence, step, contents));
    for (const [index, bytes] of outputs) {
      const name = step.args[index];
      if (typeof name !== 'string') continue;
      contents.set(name, bytes);
      const isResult = sequence.buffers.some((buffer) => buffer.name === name && buffer.result);
      if (isResult && undefinedMasks?.get(index)?.some((byte) => byte !== 0)) {
        throw new Error(`${sequence.id}: PTX leaves part of \`${name}\` undefined`);
      }
    }
  }
  const windows = new Map<string, Uint8Array>();
  for (const { name, bytes, result } of sequence.buffers) {
    if (!result) continue;
    const all = contents.get(name) ?? new Uint8Array(bytes);
    const parts = windowsOf(bytes).map(([offset, size]) => all.subarray(offset, offset + size));
    windows.set(name, joined(parts));
  }
  return windows;
}

export interface Agreement {
  readonly compared: number;
  /** A description of the first difference; undefined if all elements agree. */
  readonly difference: string | undefined;
}

/**
 * Compares every element of every result. Bits must match, except within a buffer's tolerance.
 * Without `expected`, compares only the results with known elements.
 */
export function compareWindows({ buffers }: LaunchSequence, expected: Windows | undefined, got: Windows): Agreement {
  let compared = 0;
  for (const { name, type, result } of buffers) {
    if (!result || (!expected && result.every === undefined)) continue;
    const have = got.get(name);
    const want = result.every === undefined ? expected?.get(name) : everywhere(type, result.every, have?.length ?? 0);
    if (!want || !have || want.length !== have.length) {
      return { compared, difference: `${name}: got ${have?.length ?? 'no'} bytes, expected ${want?.length ?? 'none'}` };
    }
    const { bytes: size, float } = scalarFormats[type];
    for (let at = 0; at + size <= want.length; at += size) {
      compared++;
      if (hexAt(want, at, size) === hexAt(have, at, size)) continue;
      const [a, b] = [Number(readScalar(type, want, at / size)), Number(readScalar(type, have, at / size))];
      if (float && result.tolerance && withinTolerance(a, b, result.tolerance)) continue;
      const bits = float ? '' : ` (${hexAt(have, at, size)} instead of ${hexAt(want, at, size)})`;
      return { compared, difference: `${name}: element ${at / size} of the windows is ${b}, expected ${a}${bits}` };
    }
  }
  return { compared, difference: undefined };
}

function everywhere(type: ScalarKind, value: number, bytes: number): Uint8Array {
  const one = encodeScalar(type, value);
  return Uint8Array.from({ length: bytes }, (_, index) => one[index % one.length] ?? 0);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
