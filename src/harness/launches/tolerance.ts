// Determines whether the floating-point results of a kernel are compared within a tolerance.

import type { BufferParam, ElementKind, Tolerance } from '../../base/launch.ts';
import { approximate } from '../../cpu-ref/lane/float-approx.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { reachableFrom } from '../infer/reachable.ts';

const tolerances: Partial<Record<ElementKind, Tolerance>> = {
  f64: { rel: 1e-4, abs: 1e-6 },
  f32: { rel: 1e-4, abs: 1e-6 },
  f16: { rel: 4e-3, abs: 1e-4 },
  bf16: { rel: 3e-2, abs: 1e-3 },
};

/** Returns a buffer of floats with the tolerance of its type, and any other buffer unchanged. */
export function withTolerance(param: BufferParam): BufferParam {
  const tolerance = tolerances[param.type];
  return tolerance === undefined ? param : { ...param, tolerance };
}

/**
 * Returns the reason to compare floats within a tolerance: instructions whose results PTX specifies
 * only within an error, or instructions that add floats in an unspecified order. Returns undefined
 * if the kernel contains no such instruction.
 */
export function toleranceReasonOf(module: Module, entry: PtxFunction): string | undefined {
  for (const { body } of reachableFrom(module, entry)) {
    for (const statement of body) {
      if (statement.kind !== 'instruction') continue;
      const { row, mods } = statement;
      if (Object.hasOwn(approximate, row.name)) return `\`${row.name}\` is approximate`;
      // An instruction without a type is not a float instruction.
      const isFloat = /^b?f(16|32|64)/.test(mods.type ?? '');
      if (/^(atom|red)\b/.test(row.name) && isFloat) return `\`${row.name}\` adds floats in any order`;
    }
  }
  return undefined;
}
