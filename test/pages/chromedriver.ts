// Runs chromedriver as a WebDriver endpoint on this machine.

import { spawn } from 'node:child_process';
import { exited, guard, killGroup } from '../../src/harness/sessions/open-sessions.ts';
import { freePort } from '../free-port.ts';

const SHUTDOWN_MS = 10_000;
const STARTING_MS = 60_000;

export interface Chromedriver {
  readonly url: string;
  readonly pid: number;
  /** Ends chromedriver and every browser that it has started. */
  end(): Promise<void>;
}

/** Starts chromedriver. Throws an error if it does not answer within a minute. */
export async function startChromedriver(): Promise<Chromedriver> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // A signal would end only chromedriver. Browsers of sessions that are still open, for example
  // after a failed test, would continue to run. They are in chromedriver's process group.
  const child = spawn('chromedriver', [`--port=${port}`], { stdio: 'ignore', detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('chromedriver does not start');
  const end = async (): Promise<void> => {
    // chromedriver's own shutdown also removes the browser profiles.
    await fetch(`${url}/shutdown`, { signal: AbortSignal.timeout(SHUTDOWN_MS) }).catch(() => undefined);
    await exited(child, SHUTDOWN_MS);
    killGroup(pid);
    release();
  };
  const release = guard({ close: end, kill: () => killGroup(pid) });
  for (const deadline = Date.now() + STARTING_MS; ; ) {
    const answers = await fetch(`${url}/status`).catch(() => undefined);
    if (answers?.ok) return { url, pid, end };
    if (Date.now() > deadline) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await end();
  throw new Error('chromedriver does not answer');
}
