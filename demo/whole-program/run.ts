// The worker that runs whole programs. It owns the device of the program.
import { openReference, openWebgpu, runInPage } from '../../src/program/page/run-in-page.ts';
import { GpuError } from '../../src/runtime/device/gpu-error.ts';
import { plain } from '../gpu/plain-error.ts';
import type { Handlers, Request } from '../workers/protocol.ts';
import { serve } from '../workers/serve.ts';
import type { ProgramRequests } from './messages.ts';

const handlers: Handlers<ProgramRequests> = {
  async run({ program, float }, progress) {
    const decoders = { 1: new TextDecoder(), 2: new TextDecoder() } as const;
    const code = await runInPage(program, {
      async open(print, warn) {
        const device = await openWebgpu({ float }, print, warn).catch((error: unknown) => {
          if (error instanceof GpuError && error.kind === 'unavailable') return openReference(print, warn);
          throw error;
        });
        progress({ kind: 'device', name: device.facts.name });
        return device;
      },
      write: (stream, bytes) =>
        progress({ kind: 'output', stream, text: decoders[stream].decode(bytes, { stream: true }) }),
      hostScript: self.location.href,
    });
    return { code };
  },
};

/** Answers all requests, beginning with those in `early`. */
export function answer(early: readonly MessageEvent<Request<ProgramRequests>>[]): void {
  serve(handlers, plain, early);
}
