// Quotients and square roots by multiply-adds are correctly rounded, even if the hardware's
// reciprocal is off by a few units in the last place.
import { describe, expect, test } from 'vitest';
import { renderHelpers } from '../../../src/wgsl/helpers.ts';
import { effort } from '../../effort.ts';
import { generator, type Random } from '../../lockstep/random-instructions.ts';
import { toBits, toFloat } from '../../wgsl-interpreter/float.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

const count = effort(2048, 65_536);

/**
 * Draws a number in [2^-60, 2^64), most often with a significand near an end of its range, or with
 * few digits.
 */
function operand(random: Random): number {
  const near = [random(256), 0x7f_ffff - random(256), 0x7f_ff7f - random(64), random(2 ** 23), random(128) << 16];
  const fraction = near[random(near.length)] ?? 0;
  const exponent = random(3) === 0 ? 67 + random(125) : 120 + random(16);
  return ((random(2) << 31) | (exponent << 23) | fraction) >>> 0;
}

/** Runs a prelude function on operands with an estimate that is `off` times its exact value. */
function ask(call: string, estimate: string, off: number, operands: Uint32Array): Uint32Array {
  const name = call.slice(0, call.indexOf('('));
  const code = `
@group(0) @binding(0) var<storage, read> operands: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
${renderHelpers([name === 'f32_div' ? 'f32_div' : 'f32_sqrt_fused'])}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let a = bitcast<f32>(operands[id.x].x);
  let b = bitcast<f32>(operands[id.x].y);
  results[id.x] = bitcast<u32>(${call});
}`;
  const { buffers } = runWgsl(
    {
      label: name,
      code: code.replace(estimate, `(${estimate}) * ${off}`),
      entryPoint: 'main',
      buffers: [
        {
          binding: 0,
          kind: 'read-only-storage',
          bytes: operands.byteLength,
          data: new Uint8Array(operands.buffer),
          read: false,
        },
        { binding: 1, kind: 'storage', bytes: operands.byteLength / 2, read: true },
      ],
      workgroups: [operands.length / 128, 1, 1],
    },
    { subgroupSize: 32, flushes: true },
  );
  const bytes = buffers.get(1) ?? new Uint8Array();
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

describe.each([1, 1 + 2 ** -22, 1 - 2 ** -22])('from estimates of %f times the exact value', (off) => {
  const random = generator(17);
  const operands = Uint32Array.from({ length: 2 * count }, () => operand(random));
  const pairs = Array.from({ length: count }, (_, n) => [operands[2 * n] ?? 0, operands[2 * n + 1] ?? 0] as const);

  test('quotients', () => {
    const results = ask('f32_div(a, b)', '1.0 / b', off, operands);
    const wrong = pairs.filter(([a, b], n) => results[n] !== toBits(Math.fround(toFloat(a) / toFloat(b))));
    expect(wrong).toEqual([]);
  });

  test('square roots', () => {
    const results = ask('f32_sqrt_fused(abs(a))', 'inverseSqrt(a)', off, operands);
    const wrong = pairs.filter(([a], n) => results[n] !== toBits(Math.fround(Math.sqrt(Math.abs(toFloat(a))))));
    expect(wrong).toEqual([]);
  });
});

// The divisor's significand is 2 - 2^-23. For these quotients, a reciprocal with an error in the
// last place leads to a wrong result.
test('divisors next to a power of two', () => {
  const random = generator(5);
  const operands = Uint32Array.from({ length: 128 * 4 }, (_, n) =>
    n % 2 === 0 ? 0x3fff_ffff - (n >> 1) : 0x3fff_ffff - 2 * random(6),
  );
  const results = ask('f32_div(a, b)', '1.0 / b', 1 + 2 ** -22, operands);
  for (let n = 0; n < operands.length / 2; n++)
    expect(results[n]).toBe(toBits(Math.fround(toFloat(operands[2 * n] ?? 0) / toFloat(operands[2 * n + 1] ?? 0))));
});
