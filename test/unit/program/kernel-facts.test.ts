// The facts of kernels that the host half needs.
import { expect, test } from 'vitest';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { kernelsOf } from '../../../src/program/run-program.ts';

const kernel = (name: string, shared: string, bounds = ''): string => `
.visible .entry ${name}(.param .u64 .ptr .align 1 ${name}_param_0, .param .u64 ${name}_param_1) ${bounds}
{
	.reg .b32 %r<2>;
	ld.shared.b32 %r0, [${shared}];
	ret;
}`;

test('a kernel has only the shared memory that it names', () => {
  const text = `.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 small[64];
.shared .align 4 .b8 large[40000];
${kernel('a', 'small', '.maxntid 32, 4, 1')}
${kernel('b', 'large')}
`;
  const parameters = [
    { bytes: 8, isPointer: true },
    { bytes: 8, isPointer: false },
  ];
  expect(kernelsOf(parseModule(text, 'k.ptx'))).toEqual(
    new Map([
      ['a', { parameters, maxThreads: 128, staticSharedBytes: 64, syncsGrid: false }],
      ['b', { parameters, maxThreads: 1024, staticSharedBytes: 40_000, syncsGrid: false }],
    ]),
  );
});

test('a kernel that reads the address of the barrier of its grid waits for other blocks', () => {
  const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry a() { .reg .b32 %r<1>; mov.u32 %r0, %envreg2; ret; }
.visible .entry b() { .reg .b32 %r<1>; mov.u32 %r0, %tid.x; ret; }
`;
  const facts = kernelsOf(parseModule(text, 'k.ptx'));
  expect([...facts].map(([name, { syncsGrid }]) => [name, syncsGrid])).toEqual([
    ['a', true],
    ['b', false],
  ]);
});
