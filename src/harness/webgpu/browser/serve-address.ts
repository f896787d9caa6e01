// The address at which browsers reach the machine that serves their page.

export interface ServeAddress {
  /** The host as browsers write it: `127.0.0.1`, `192.168.1.5`, `bench-host`. */
  readonly host: string;
  /** The port, or 0 for any free port. */
  readonly port: number;
}

export const loopback: ServeAddress = { host: '127.0.0.1', port: 0 };

/** Whether only browsers on this machine can reach the address. */
export function isLoopback({ host }: Pick<ServeAddress, 'host'>): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/**
 * Parses an address such as `192.168.1.5:8100`, `bench-host` or `[fe80::1]:8100`. If the text has
 * no port, any free port is used. Throws RangeError if the text is invalid.
 */
export function parseServeAddress(text: string): ServeAddress {
  const [, host, port = '0'] = /^(\[[\da-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new RangeError(
      `invalid address '${text}': expected an address of this machine with a free port, such as 192.168.1.5:8100`,
    );
  }
  return { host, port: Number(port) };
}
