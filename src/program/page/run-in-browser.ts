// Runs a whole program in a page of a headless browser.
import { guard } from '../../harness/sessions/open-sessions.ts';
import { type OpenInPage, openPage, type PageTransport } from '../../harness/webgpu/browser/page-transport.ts';
import { maxAnswerBytes } from './output-queue.ts';
import {
  decodeProgramAnswer,
  encodeMore,
  encodeProgram,
  type ProgramOutcome,
  type ProgramRequest,
  type Written,
} from './wire.ts';

/** The browsers in which programs run. */
export type ProgramBrowser = 'chrome' | 'firefox';

/**
 * Runs a program in a browser, and returns its end. `write` receives what the program writes.
 * Rejects with `GpuError`.
 */
export async function runInBrowser(
  browser: ProgramBrowser,
  request: ProgramRequest,
  write: (piece: Written) => void,
): Promise<ProgramOutcome> {
  const { transport, close } = await open(browser);
  try {
    return await perform(transport, request, write);
  } finally {
    await close();
  }
}

interface OpenedPage {
  readonly transport: PageTransport;
  readonly adapter: { readonly software?: boolean };
  close(): Promise<void>;
}

async function open(browser: ProgramBrowser): Promise<OpenedPage> {
  const openProgramPage: OpenInPage<OpenedPage> = (driver, options) =>
    openPage(driver, { ...options, script: 'program-page' }, (transport, { report }) => {
      const release = guard(transport);
      return { transport, adapter: report, close: () => transport.close().finally(release) };
    });
  if (browser === 'firefox')
    return await (await import('../../harness/webgpu/browser/firefox.ts')).openInFirefox({}, openProgramPage);
  return await (await import('../../harness/webgpu/browser/chrome.ts')).openInChrome({}, openProgramPage);
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
