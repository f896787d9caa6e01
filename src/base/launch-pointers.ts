// Addresses inside by-value parameters: each executor has addresses of its own.
import type { BytesParam, Launch } from './launch.ts';
import { encodeScalar } from './scalars.ts';

/** Buffer parameters, by number, whose addresses by-value parameters hold. */
export function pointedParams({ params }: Pick<Launch, 'params'>): ReadonlySet<number> {
  const pointed = params.flatMap((param) => (param.kind === 'bytes' ? (param.pointers ?? []) : []));
  return new Set(pointed.map(({ to }) => to));
}

/** The bytes of a by-value parameter. `addressOf` returns the address of a buffer parameter, given its number. */
export function bytesWithAddresses(
  { data, pointers = [] }: BytesParam,
  addressOf: (index: number) => bigint,
): Uint8Array {
  if (pointers.length === 0) return data;
  const bytes = data.slice();
  for (const { at, to, offset } of pointers) bytes.set(encodeScalar('u64', addressOf(to) + BigInt(offset)), at);
  return bytes;
}
