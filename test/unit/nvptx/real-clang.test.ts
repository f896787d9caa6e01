// A kernel compiled by clang in WebAssembly itself, with the headers of this project.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compileCudaInWasm, loadWasmClang } from '../../../src/cli/compile/wasm-clang.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';

const source = `
#include <arpa/inet.h>
#include <cuda_fp16.h>
#include <locale.h>
__device__ float table[2] = {0.5f, 2};
extern "C" __global__ void k(const float *x, float *y, int n) {
  __shared__ float last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 3) last = __half2float(__hfma_relu(__float2half(-2.0f), __float2half(1.0f), __float2half(1.0f))) + 7;
  __syncthreads();
  if (i < n) y[i] = x[i] * table[i & 1] + last;
}
locale_t place; // <iostream> needs this type.
int main() {
  float x[4] = {1, 1, 1, 1};
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float *device;
  cudaMallocManaged(&device, sizeof(x));
  cudaMemcpyToSymbol(table, x, sizeof(table));
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
  k<<<1, 4>>>(device, device, 4);
  void *arguments[] = {&device};
  cudaLaunchCooperativeKernel((void *)k, 1, 4, arguments);
  printf("%s %s %g", properties.name, cudaGetErrorString(cudaGetLastError()), M_PI);
}`;

let folder = '';
beforeAll(() => {
  // The compiler runs once, so optimizing it would cost more than it saves.
  setFlagsFromString('--wasm-lazy-compilation');
  setFlagsFromString('--liftoff-only');
  folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  vi.stubEnv('LANEWISE_CACHE', 'off');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('a file with a kernel and its host program compiles, and the kernel runs', async () => {
  const file = join(folder, 'k.cu');
  writeFileSync(file, source);
  const clang = await loadWasmClang();
  if (clang === undefined) throw new Error('the package @yowasp/clang is installed');
  const { ptx, warnings } = await compileCudaInWasm(clang, file);
  expect(warnings).toBe('');
  // The product and the sum become one fma, which has the line of the source.
  expect(ptx).toMatch(/\.loc\t\d+ 11 \d+\n\tfma\.rn\.f32/);
  const { outputs } = runOnCpu({
    id: 'k',
    group: '',
    ptx,
    ptxFile: 'k.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [4, 1, 1],
    sharedBytes: 0,
    params: [
      {
        name: 'x',
        kind: 'buffer',
        type: 'f32',
        bytes: 16,
        data: new Uint8Array(new Float32Array([2, 3, 4, 5]).buffer),
      },
      { name: 'y', kind: 'buffer', type: 'f32', bytes: 16 },
      { name: 'n', kind: 'scalar', type: 's32', value: 4 },
    ],
  });
  expect([...new Float32Array(outputs.get(1)?.slice().buffer ?? new ArrayBuffer(0))]).toEqual([8, 13, 9, 17]);
});
