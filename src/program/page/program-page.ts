// The program of a page of a headless browser that runs one whole program for Node, and of the thread
// of that program. `scripts/bundle.mjs` bundles it.
import { servePage } from '../../harness/webgpu/browser/page-api.ts';
import { messageOf } from '../../runtime/device/gpu-error.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { runHostThread } from './host-thread.ts';
import { OutputQueue } from './output-queue.ts';
import { openWebgpu, runInPage } from './run-in-page.ts';
import { decodeProgram, encodeAnswer, type ProgramRequest } from './wire.ts';

if (typeof document === 'undefined') runHostThread();
else
  servePage((device) => {
    const output = new OutputQueue();
    return async (message) => {
      const request = decodeProgram(message);
      if (request !== undefined) void run(request, device, output);
      return encodeAnswer(await output.next());
    };
  });

async function run({ program, float }: ProgramRequest, device: GPUDevice, output: OutputQueue): Promise<void> {
  try {
    const code = await runInPage(program, {
      open: (print, warn) => openWebgpu({ device, float, cache: false }, print, warn),
      write: (stream, bytes) => output.write(stream, bytes),
      hostScript: import.meta.url,
    });
    output.end({ code });
  } catch (error) {
    const isUsage = error instanceof KernelError;
    output.end({ error: isUsage ? error.render(false) : messageOf(error), isUsage });
  }
}
