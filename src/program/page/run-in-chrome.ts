// Runs a whole program in a page of headless Chrome.

import { guard } from '../../harness/sessions/open-sessions.ts';
import { openInChrome } from '../../harness/webgpu/browser/chrome.ts';
import { openPage, type PageTransport } from '../../harness/webgpu/browser/page-transport.ts';
import { maxAnswerBytes } from './output-queue.ts';
import {
  decodeProgramAnswer,
  encodeMore,
  encodeProgram,
  type ProgramOutcome,
  type ProgramRequest,
  type Written,
} from './wire.ts';

/** Runs a program, and returns its end. `write` receives what the program writes. Rejects with `GpuError`. */
export async function runInChrome(request: ProgramRequest, write: (piece: Written) => void): Promise<ProgramOutcome> {
  const { transport, close } = await openInChrome({}, (driver, options) =>
    openPage(driver, { ...options, script: 'program-page' }, (transport, { report }) => {
      const release = guard({ close: () => transport.close(), kill: () => transport.kill() });
      return { transport, adapter: report, close: () => transport.close().finally(release) };
    }),
  );
  try {
    return await perform(transport, request, write);
  } finally {
    await close();
  }
}

async function perform(
  transport: PageTransport,
  request: ProgramRequest,
  write: (piece: Written) => void,
): Promise<ProgramOutcome> {
  for (let message = encodeProgram(request); ; message = encodeMore()) {
    const { written, end } = decodeProgramAnswer(await transport.exchange(message, maxAnswerBytes));
    for (const piece of written) write(piece);
    if (end !== undefined) return end;
  }
}
