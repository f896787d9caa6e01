// Checks native CUDA: `node dist/harness/runs/cuda-smoke.js` adds two vectors and prints the
// device.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Launch } from '../../base/launch.ts';
import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import { type CudaReport, openCuda } from '../cuda/session.ts';
import { exitCodes } from './results.ts';

const COUNT = 1000;

const ptx = `.version 6.0
.target sm_30
.address_size 64
.visible .entry vector_add(.param .u64 x, .param .u64 y, .param .u64 sum, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r3, %r4;
  @%p ret;
  mul.wide.u32 %rd0, %r3, 4;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [sum];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  add.s64 %rd1, %rd1, %rd0;
  add.s64 %rd2, %rd2, %rd0;
  add.s64 %rd3, %rd3, %rd0;
  ld.global.f32 %f0, [%rd1];
  ld.global.f32 %f1, [%rd2];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
`;

export interface SmokeResult {
  readonly report: CudaReport;
  readonly ms: number;
}

/**
 * Adds two vectors on the GPU, and checks every element. Throws `GpuError`, or an Error if a sum is
 * wrong.
 */
export async function smokeTest(): Promise<SmokeResult> {
  const x = Float32Array.from({ length: COUNT }, (_, index) => index / 4);
  const y = Float32Array.from({ length: COUNT }, (_, index) => 3 * index);
  const input = (name: string, { buffer, byteLength: bytes }: Float32Array) =>
    ({ name, kind: 'buffer', type: 'f32', bytes, data: new Uint8Array(buffer) }) as const;
  const launch: Launch = {
    id: 'vector_add',
    group: 'smoke',
    ptx,
    ptxFile: 'vector_add.ptx',
    entry: 'vector_add',
    grid: [Math.ceil(COUNT / 128), 1, 1],
    block: [128, 1, 1],
    sharedBytes: 0,
    params: [
      input('x', x),
      input('y', y),
      { name: 'sum', kind: 'buffer', type: 'f32', bytes: 4 * COUNT },
      { name: 'n', kind: 'scalar', type: 'u32', value: COUNT },
    ],
  };
  const session = await openCuda();
  try {
    const { outputs, ms } = await session.run(launch, { timeoutMs: 30_000 });
    const bytes = outputs.get(2);
    if (bytes?.length !== 4 * COUNT) throw new Error(`the GPU gave ${bytes?.length ?? 'no'} bytes, not ${4 * COUNT}`);
    const sum = new Float32Array(bytes.buffer, bytes.byteOffset, COUNT);
    // Every sum is a small multiple of 1/4, so it is exact.
    const wrong = sum.findIndex((value, index) => value !== 3.25 * index);
    if (wrong >= 0) throw new Error(`element ${wrong} of the sum is ${sum[wrong]}, expected ${3.25 * wrong}`);
    return { report: session.describe(), ms };
  } finally {
    await session.close();
  }
}

async function main(): Promise<number> {
  try {
    const { report, ms } = await smokeTest();
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n${COUNT} sums are correct, ${ms.toFixed(3)} ms\n`);
    return exitCodes.ok;
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error)}\n`);
    if (!(error instanceof GpuError)) return exitCodes.mismatch;
    return error.kind === 'unavailable' ? exitCodes.unavailable : exitCodes.device;
  }
}

const started = process.argv[1];
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) process.exitCode = await main();
