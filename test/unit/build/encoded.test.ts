// Encoded kernels in built modules and in the runtime, which create the buffer of instructions.
import { expect, test, vi } from 'vitest';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { moduleData } from '../../../src/build/module-text.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import type { BuiltData } from '../../../src/runtime/built/data.ts';
import { openBuilt } from '../../../src/runtime/built/index.ts';
import { kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { openFake } from '../runtime/fake-runtime.ts';

/** Divisions and roots of f64 in so many blocks that the kernel is encoded. No thread executes them. */
const large = Array.from(
  { length: 110 },
  (_, index) => `setp.eq.u32 %p1, %r1, ${index}; @%p1 bra B${index};
  div.rn.f64 %d1, %d1, %d2; sqrt.rn.f64 %d2, %d2; st.global.f64 [%x], %d1;
B${index}:`,
).join('\n');

const text = moduleOf(
  kernelOf(
    'add',
    ['u64 x', 'u32 n'],
    `add.s64 %s1, %x, %at; ld.global.u32 %r1, [%s1]; mov.f64 %d1, 0d3FF0000000000000; mov.f64 %d2, %d1;
  setp.lt.u32 %p2, %r1, 1000; @%p2 bra SMALL;
  ${large}
SMALL:
  add.u32 %r1, %r1, %n; st.global.u32 [%s1], %r1;`,
  ),
);
const added = Array.from({ length: 64 }, (_, index) => index + 7);

test('a built module and the runtime launch an encoded kernel', async () => {
  const kernels = buildKernels(parseModule(text, 'add.ptx'), {
    block: [{ value: [32, 1, 1] }],
    float: 'fast',
    plans: ['portable'],
  });
  for (const { variants } of kernels)
    for (const { program } of variants) expect(program.instructions?.data.length).toBeGreaterThan(1000);
  const { data } = moduleData(kernels, 'add.ptx', false);
  const built = openBuilt(new Function(`${data}; return { codes, plans, kernels };`)() as BuiltData);
  const { rt } = await openFake({ features: [] });
  using x = rt.alloc(256);
  x.write(Uint32Array.from({ length: 64 }, (_, index) => index));
  rt.flush();
  await built.prepare(rt.device);
  built.launch(rt.device, 'add', { grid: 2 }, [x.buffer, 7]);
  await built.check(rt.device);
  expect([...(await x.read(Uint32Array))]).toEqual(added);
  using y = rt.alloc(256);
  y.write(Uint32Array.from({ length: 64 }, (_, index) => index));
  const create = vi.spyOn(rt.device, 'createBuffer');
  const mod = await rt.load(text);
  mod.kernel('add').launch({ grid: 2, block: 32 }, [y, 7]);
  expect([...(await y.read(Uint32Array))]).toEqual(added);
  const made = create.mock.calls.findIndex(([{ label }]) => label === 'instructions');
  const freed = vi.spyOn(create.mock.results[made]?.value as GPUBuffer, 'destroy');
  mod.unload();
  expect(freed).not.toHaveBeenCalled();
  await rt.synchronize();
  expect(freed).toHaveBeenCalledOnce();
  rt.close();
});
