// Where browsers find the machine that serves their page.

export interface ServeAddress {
  /** As browsers write it: `127.0.0.1`, `192.168.1.5`, `bench-host`. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

export const loopback: ServeAddress = { host: '127.0.0.1', port: 0 };

/** Whether only browsers of this machine reach it. */
export function isLoopback({ host }: Pick<ServeAddress, 'host'>): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** `192.168.1.5:8100`, `bench-host`, `[fe80::1]:8100`; any port without one. Throws RangeError. */
export function parseServeAddress(text: string): ServeAddress {
  const [, host, port = '0'] = /^(\[[\da-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new RangeError(`'${text}' is no address of this machine: use 192.168.1.5:8100, with a port that is free`);
  }
  return { host, port: Number(port) };
}
