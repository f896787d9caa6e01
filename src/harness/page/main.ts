// The page's side: opens the device, then runs the jobs that Node tells it to fetch.

import type { DeviceReport } from '../gpu/device.ts';
import { openDevice } from '../gpu/device.ts';
import { JobRunner } from '../gpu/runner.ts';
import { decodeJob, encodeError, encodeResult } from '../gpu/wire.ts';

/// What Node calls through the debugging protocol.
export interface PageApi {
  /// Opens the device. An error comes back as its text.
  open(): Promise<{ report: DeviceReport } | { error: string }>;
  /// Fetches the job under `id`, runs it and posts the result, or the error, to the same place.
  runJob(id: number): Promise<void>;
}

declare global {
  var lanewise: PageApi | undefined;
}

let runner: JobRunner | undefined;

globalThis.lanewise = {
  async open() {
    try {
      const { device, report } = await openDevice(navigator.gpu);
      runner = new JobRunner(device);
      return { report };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },

  async runJob(id) {
    const place = `/exchange/${id}`;
    const job = decodeJob(await (await fetch(place)).arrayBuffer());
    const answer = runner ? await runner.run(job).then(encodeResult, encodeError) : encodeError('no device was opened');
    await fetch(place, { method: 'POST', body: new Blob(answer) });
  },
};
