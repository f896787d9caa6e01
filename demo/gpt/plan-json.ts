// Writes a plan as JSON, for hosts in other languages.
import type { Plan } from './plan.ts';

/**
 * Returns the plan as JSON. The contents of buffers are arrays of words; an f32 argument is
 * `{ "f32": bits }`.
 */
export function planJson({ buffers, contents, setup, step, parameters, tokens, matrices }: Plan): string {
  const words = [...contents].map(([name, { buffer }]) => [name, [...new Uint32Array(buffer)]]);
  return JSON.stringify(
    {
      ...{ parameters, tokens, matrices, buffers: Object.fromEntries(buffers) },
      ...{ contents: Object.fromEntries(words), setup, step },
    },
    (_, value) => (isFloat(value) ? { f32: new Uint32Array(Float32Array.of(value.f32).buffer)[0] } : value),
  );
}

const isFloat = (value: unknown): value is { f32: number } =>
  typeof value === 'object' && value !== null && 'f32' in value && typeof value.f32 === 'number';
