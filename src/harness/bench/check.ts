// Checks the results of a sequence. Only sequences with correct results are measured.

import type { ScalarKind } from '../../base/launch.ts';
import { encodeScalar, hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';
import { withinTolerance } from '../compare/compare.ts';
import type { Windows } from '../executors/run-sequence.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';

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
