import { createServer } from 'node:net';

/** Returns a port of 127.0.0.1 that is currently free. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return address !== null && typeof address !== 'string' ? address.port : 0;
}
