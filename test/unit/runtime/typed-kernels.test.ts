// The types of kernels: `npm run typecheck` fails if a line below `@ts-expect-error` compiles.
import { expect, expectTypeOf, test } from 'vitest';
import type { Kernel, KernelArgument, Ptr } from '../../../src/runtime/index.ts';
import { copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { openFake } from './fake-runtime.ts';

const text = moduleOf(
  copyKernel,
  kernelOf(
    'scale',
    ['u32 n', 'f32 a', 'u64 x'],
    `setp.ge.u32 %p1, %i, %n; @%p1 ret; add.s64 %s1, %x, %at; ld.global.f32 %f1, [%s1]; mul.f32 %f1, %f1, %a;
  st.global.f32 [%s1], %f1;`,
  ),
);
const shape = { grid: 1, block: 32 };

test('a tuple of types checks the arguments of launches', async () => {
  const { rt } = await openFake();
  const mod = await rt.load(text);
  using x = rt.alloc(16);
  x.write(Float32Array.of(1, 2, 3, 4));
  const scale = mod.kernel<[n: number, a: number, x: Ptr]>('scale');
  scale.launch(shape, [4, 2, x]);
  // @ts-expect-error The arguments are in the wrong order.
  expect(() => scale.launch(shape, [x, 4, 2])).toThrow(TypeError);
  // @ts-expect-error An argument is missing.
  expect(() => scale.launch(shape, [4, 2])).toThrow(TypeError);
  // @ts-expect-error There is one argument too many.
  expect(() => scale.launch(shape, [4, 2, x, 1])).toThrow(TypeError);
  // @ts-expect-error A string is not an argument.
  expect(() => scale.launch(shape, ['4', 2, x])).toThrow(TypeError);
  expect([...(await x.read(Float32Array))]).toEqual([2, 4, 6, 8]);
  rt.close();
});

test('recordings name arguments of the same types', async () => {
  const { rt } = await openFake();
  const scale = (await rt.load(text)).kernel<[n: number, a: number, x: Ptr]>('scale');
  using x = rt.alloc(16);
  x.write(Float32Array.of(1, 2, 3, 4));
  const sequence = rt.record((argument) => {
    scale.launch(shape, [argument('n', 4), 3, argument('x', x)]);
    // @ts-expect-error The named argument is a number, and the kernel expects a pointer.
    void (() => scale.launch(shape, [4, 3, argument('y', 3.5)]));
  });
  sequence.replay({ n: 2 });
  expect([...(await x.read(Float32Array))]).toEqual([3, 6, 3, 4]);
  rt.close();
});

test('a kernel without types accepts every argument', async () => {
  expectTypeOf<Kernel['launch']>().parameter(1).toExtend<readonly unknown[]>();
  const { rt } = await openFake();
  using x = rt.alloc(16);
  const args: KernelArgument[] = [x, x.at(8)];
  const copy = (await rt.load(text)).kernel('copy');
  expectTypeOf(copy).toEqualTypeOf<Kernel>();
  copy.launch(shape, args);
  await rt.synchronize();
  rt.close();
});
