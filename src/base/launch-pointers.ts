// Addresses inside by-value parameters. Each executor assigns its own addresses.
import type { BytesParam, Launch } from './launch.ts';
import { encodeScalar } from './scalars.ts';

/** Returns the numbers of the buffer parameters whose addresses are inside by-value parameters. */
export function pointedParams({ params }: Pick<Launch, 'params'>): ReadonlySet<number> {
  const pointed = params.flatMap((param) => (param.kind === 'bytes' ? (param.pointers ?? []) : []));
  return new Set(pointed.map(({ to }) => to));
}

/**
 * Returns the bytes of a by-value parameter, with the addresses filled in. `addressOf` returns the
 * address of the buffer parameter with a number.
 */
export function bytesWithAddresses(
  { data, pointers = [] }: BytesParam,
  addressOf: (index: number) => bigint,
): Uint8Array {
  if (pointers.length === 0) return data;
  const bytes = data.slice();
  for (const { at, to, offset } of pointers) bytes.set(encodeScalar('u64', addressOf(to) + BigInt(offset)), at);
  return bytes;
}
