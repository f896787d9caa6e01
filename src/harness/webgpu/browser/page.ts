// The page's program. It opens the device, then runs the jobs from Node. `scripts/bundle.mjs`
// bundles the program into one file.

import type { DeviceReport } from '../../../runtime/device/device.ts';
import { openDevice } from '../../../runtime/device/device.ts';
import { Engine } from '../../../runtime/device/engine.ts';
import { GpuError } from '../../../runtime/device/gpu-error.ts';
import { GpuRunner } from '../../../runtime/device/runner.ts';
import {
  decodeRequest,
  encodePhase,
  encodeResult,
  encodeSequenceResult,
  encodeTimes,
  type WireRequest,
} from '../wire.ts';
import { PhasedWork } from './phased-work.ts';
import { serveAnswers } from './serve-answers.ts';

/** The functions that Node calls through the debugging protocol. */
export interface PageApi {
  /**
   * Opens the device and starts to request jobs at `answerUrl`, which the page learns only from
   * this call. Returns the message of an error.
   */
  open(answerUrl: string): Promise<{ report: DeviceReport } | { error: string }>;
}

declare global {
  var lanewise: PageApi | undefined;
}

// Start to open the device before Node requests it, because Node needs a while to find the page.
const opening = openDevice(navigator.gpu);
opening.catch(() => undefined);

globalThis.lanewise = {
  async open(answerUrl) {
    try {
      const { device, report } = await opening;
      void serve(answerUrl, new GpuRunner(new Engine(device)));
      return { report };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
};

/** Runs the jobs that Node sends. */
async function serve(answerUrl: string, runner: GpuRunner): Promise<void> {
  let work: PhasedWork<BlobPart[]> | undefined;
  await serveAnswers(answerUrl, async (message) => {
    const request = decodeRequest(message);
    if (request.kind !== 'continue') work = start(request, runner);
    if (work === undefined) throw new GpuError('lost', 'the page has no work to continue');
    const { phase, result } = await work.next();
    return phase === undefined ? result : encodePhase(phase);
  });
}

function start(request: Exclude<WireRequest, { kind: 'continue' }>, runner: GpuRunner): PhasedWork<BlobPart[]> {
  return new PhasedWork(async (onPhase) => {
    switch (request.kind) {
      case 'job':
        return encodeResult(await runner.run(request.job, onPhase));
      case 'sequence':
        return encodeSequenceResult(await runner.time(request.sequence, onPhase));
      case 'shader':
        return encodeTimes(await runner.compile(request.shader));
    }
  });
}
