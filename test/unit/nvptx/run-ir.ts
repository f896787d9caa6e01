// Compiles kernels of LLVM IR to PTX, and runs them on the reference.
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { compileIr } from '../../../src/nvptx/index.ts';

/** Returns the PTX of a module. Throws its first diagnostic. */
export function ptxOf(ir: string): string {
  const { ptx, diagnostics } = compileIr(ir);
  if (ptx === undefined) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n'));
  return ptx;
}

/** Returns a module with one kernel `k`, whose body stores to `%out`. */
export const kernelOf = (body: string, declarations = ''): string => `
target triple = "nvptx64-nvidia-cuda"
${declarations}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
${body}
}
`;

/** Runs `k` with one thread for each 64-bit input. Returns the 64 bits that each thread stores. */
export function runKernel(ir: string, inputs: readonly bigint[]): readonly bigint[] {
  const data = new Uint8Array(new BigUint64Array(inputs).buffer);
  const bytes = data.byteLength;
  const { outputs } = runOnCpu({
    id: 'k',
    group: '',
    ptx: ptxOf(ir),
    ptxFile: 'k.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [inputs.length, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u64', bytes, data },
      { name: 'out', kind: 'buffer', type: 'u64', bytes },
    ],
  });
  const out = outputs.get(1);
  if (out === undefined) throw new Error('the kernel has an output');
  return [...new BigUint64Array(out.slice().buffer)];
}
