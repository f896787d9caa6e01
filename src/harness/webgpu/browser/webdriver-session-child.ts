// The process that owns a WebDriver session. It opens the session, and ends the session when its
// parent disconnects or exits. The parent cannot own the session: if the parent were killed during
// the opening, the session's id would be unknown, so that nothing could end the session.

import selenium from 'selenium-webdriver';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import type { FromSessionOwner, ToSessionOwner } from './webdriver-messages.ts';

/**
 * The time limit for ending the session, in milliseconds. An endpoint that takes longer ends the
 * idle session itself after a while.
 */
const QUIT_LIMIT_MS = 8_000;

const parentGone = new Promise<void>((resolve) => process.once('disconnect', resolve));

function send(message: FromSessionOwner): void {
  // Ignore an error: if the parent has exited, the 'disconnect' event follows.
  process.send?.(message, () => undefined);
}

async function own({ url, capabilities }: ToSessionOwner): Promise<void> {
  const { Builder, Capabilities } = selenium;
  const session = await new Builder()
    .disableEnvironmentOverrides()
    .usingServer(url)
    .withCapabilities(new Capabilities({ ...capabilities }))
    .build();
  try {
    const got = await session.getCapabilities();
    const named = [...got.keys()].map((key) => [key, got.get(key)] as const);
    send({ kind: 'opened', id: (await session.getSession()).getId(), capabilities: named });
    await parentGone;
  } finally {
    // The session's browser or its grid may have ended.
    await withTimeLimit(Promise.resolve(session.quit()), QUIT_LIMIT_MS, 'quit').catch(() => undefined);
  }
}

process.once('message', (message: ToSessionOwner) => {
  own(message)
    .catch((error: unknown) => send({ kind: 'failed', message: messageOf(error) }))
    // Open keep-alive connections would prevent the process from exiting.
    .finally(() => (process.connected ? process.disconnect() : undefined))
    .finally(() => process.exit());
});
