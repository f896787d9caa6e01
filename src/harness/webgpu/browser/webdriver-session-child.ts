// The process that owns a WebDriver session: it opens the session, and ends it when its parent disconnects or has gone. A parent that is
// killed while the session opens could not end it: nobody would know its name.

import selenium from 'selenium-webdriver';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import type { FromSessionOwner, ToSessionOwner } from './webdriver-messages.ts';

/** An endpoint that takes longer ends the session itself, after a while in which nobody uses it. */
const QUIT_LIMIT_MS = 8_000;

const parentGone = new Promise<void>((resolve) => process.once('disconnect', resolve));

function send(message: FromSessionOwner): void {
  // A parent that has gone shows by 'disconnect'.
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
    // Its browser, its grid or both may have gone.
    await withTimeLimit(Promise.resolve(session.quit()), QUIT_LIMIT_MS, 'quit').catch(() => undefined);
  }
}

process.once('message', (message: ToSessionOwner) => {
  own(message)
    .catch((error: unknown) => send({ kind: 'failed', message: messageOf(error) }))
    // Connections that are kept open would hold the process.
    .finally(() => (process.connected ? process.disconnect() : undefined))
    .finally(() => process.exit());
});
