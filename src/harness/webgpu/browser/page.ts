// The page's program. It opens the device, then runs the jobs from Node. `scripts/bundle.mjs`
// bundles the program into one file.

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
import { servePage } from './page-api.ts';
import { PhasedWork } from './phased-work.ts';

servePage((device) => {
  const runner = new GpuRunner(new Engine(device));
  let work: PhasedWork<BlobPart[]> | undefined;
  return async (message) => {
    const request = decodeRequest(message);
    if (request.kind !== 'continue') work = start(request, runner);
    if (work === undefined) throw new GpuError('lost', 'the page has no work to continue');
    const { phase, result } = await work.next();
    return phase === undefined ? result : encodePhase(phase);
  };
});

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
