// `llvm.is.fpclass` on bits of f32 of every class, against the definition.
import { expect, test } from 'vitest';
import { effort } from '../../effort.ts';
import { seeded } from '../../seed.ts';
import { kernelOf, runKernel } from './run-ir.ts';

/** The magnitudes of each class, with LLVM's bits for positive and negative numbers. */
const classes = [
  { bits: [0x7f800001, 0x7fbfffff], positive: 1, negative: 1 },
  { bits: [0x7fc00000, 0x7fffffff], positive: 2, negative: 2 },
  { bits: [0x7f800000], positive: 0x200, negative: 4 },
  { bits: [0x00800000, 0x3f800000, 0x7f7fffff], positive: 0x100, negative: 8 },
  { bits: [1, 0x7fffff], positive: 0x80, negative: 0x10 },
  { bits: [0], positive: 0x40, negative: 0x20 },
];
const inputs = classes.flatMap(({ bits, positive, negative }) =>
  bits.flatMap((word) => [
    { word: BigInt(word), mask: positive },
    { word: BigInt(word) | 0x8000_0000n, mask: negative },
  ]),
);

test('a float is of a class of the mask', () => {
  const random = seeded('fpclass');
  const masks = [0, 3, 0x3ff, 408, ...Array.from({ length: effort(8, 200) }, () => random.below(0x400))];
  for (const mask of masks) {
    const ir = kernelOf(
      `
  %index = zext i32 %tid to i64
  %from = getelementptr i64, ptr %in, i64 %index
  %x = load float, ptr %from, align 8
  %c = call i1 @llvm.is.fpclass.f32(float %x, i32 ${mask})
  %r = zext i1 %c to i64
  %to = getelementptr i64, ptr %out, i64 %index
  store i64 %r, ptr %to, align 8
  ret void`,
      'declare i1 @llvm.is.fpclass.f32(float, i32 immarg)',
    );
    const found = runKernel(
      ir,
      inputs.map(({ word }) => word),
    );
    expect(found, `mask ${mask}`).toEqual(inputs.map((input) => ((input.mask & mask) === 0 ? 0n : 1n)));
  }
});
