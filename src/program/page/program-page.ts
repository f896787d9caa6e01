// The program of a page of a headless browser that runs one whole program for Node.
// `scripts/bundle.mjs` bundles it.
import type {} from '../../harness/webgpu/browser/page.ts';
import { serveAnswers } from '../../harness/webgpu/browser/serve-answers.ts';
import { openDevice } from '../../runtime/device/device.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { OutputQueue } from './output-queue.ts';
import { openWebgpu, runInPage } from './run-in-page.ts';
import { decodeProgram, encodeAnswer, type ProgramRequest } from './wire.ts';

const opening = openDevice(navigator.gpu);
opening.catch(() => undefined);

globalThis.lanewise = {
  async open(answerUrl) {
    try {
      const { device, report } = await opening;
      const output = new OutputQueue();
      void serveAnswers(answerUrl, async (message) => {
        const request = decodeProgram(message);
        if (request !== undefined) void run(request, device, output);
        return encodeAnswer(await output.next());
      });
      return { report };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
};

async function run({ program, float }: ProgramRequest, device: GPUDevice, output: OutputQueue): Promise<void> {
  try {
    const code = await runInPage(program, {
      open: (print, warn) => openWebgpu({ device, float, cache: false }, print, warn),
      write: (stream, bytes) => output.write(stream, bytes),
    });
    output.end({ code });
  } catch (error) {
    const isUsage = error instanceof KernelError;
    const text = error instanceof Error ? error.message : String(error);
    output.end({ error: isUsage ? error.render(false) : text, isUsage });
  }
}
