// Modules with pointers of 32 bits, whose structs have the layout of host code in WebAssembly.
import { expect, test } from 'vitest';
import { compileIr } from '../../../src/nvptx/index.ts';
import { ptxOf } from './run-ir.ts';

const head = `target datalayout = "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"
`;

test('an access to a pointer has 32 bits, and its register 64', () => {
  const ptx = ptxOf(`${head}
%node = type { ptr, i32 }
define ptx_kernel void @k(ptr %p, i32 %i) {
  %q = getelementptr %node, ptr %p, i32 %i
  %next = load ptr, ptr %q, align 4
  %value = getelementptr %node, ptr %next, i32 0, i32 1
  store i32 7, ptr %value, align 4
  store ptr %next, ptr %p, align 4
  ret void
}`);
  expect(ptx).toContain('.param .u64 .ptr .align 1 k_param_0');
  expect(ptx).toMatch(/mul\.wide\.s32\s+%rd2, %r0, 8;/);
  expect(ptx).toMatch(/ld\.global\.u32\s+(%rd\d+), \[%rd3\];\n\s*mov\.b32\s+%r1, 7;\n\s*st\.b32\s+\[\1\+4\], %r1;/);
  expect(ptx).toMatch(/st\.global\.u32\s+\[%rd1\], %rd\d+;/);
});

test('a variable with addresses consists of words', () => {
  const ptx = ptxOf(`${head}
@x = addrspace(1) global i32 5, align 4
@table = addrspace(1) global [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(1) @x to ptr)], align 4
define ptx_kernel void @k() {
  store ptr null, ptr addrspace(1) @table, align 4
  ret void
}`);
  expect(ptx).toContain('.visible .global .align 4 .u32 table[2] = {0, generic(x)};');
});

const printing = (format: string, length: number) => `${head}
@f = private unnamed_addr addrspace(4) constant [${length} x i8] c"${format}\\00", align 1
declare i32 @vprintf(ptr, ptr)
define ptx_kernel void @k() {
  %r = call i32 @vprintf(ptr addrspacecast (ptr addrspace(4) @f to ptr), ptr null)
  ret void
}`;

test('formats of printf have the sizes of the arguments', () => {
  const codes = (text: string): string => [...text].map((letter) => letter.charCodeAt(0)).join(', ');
  const ptx = ptxOf(printing('%5ld %zu %lld %lf %p%%', 24));
  expect(ptx).toContain(`{${codes('%5d %u %lld %lf %x%%')}}`);
});

test('a format with a pointer to text is not supported', () => {
  const { diagnostics } = compileIr(printing('%s', 3));
  expect(diagnostics.map(({ message }) => message)).toEqual(['`%s` in a format of a kernel is not supported']);
});
