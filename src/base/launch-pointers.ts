// Addresses inside by-value parameters. Each executor assigns its own addresses.
import { type BytesParam, isInnerPointer, type Launch } from './launch.ts';
import { encodeScalar } from './scalars.ts';

/**
 * Returns the numbers of the parameters that cannot have their own binding: buffers whose address
 * is inside a by-value parameter, and by-value parameters that consist of only such an address.
 */
export function pointedParams(launch: Pick<Launch, 'params'>): ReadonlySet<number> {
  const pointed = new Set<number>();
  launch.params.forEach((param, index) => {
    if (param.kind !== 'bytes') return;
    for (const { to } of param.pointers ?? []) pointed.add(to);
    if (isInnerPointer(param)) pointed.add(index);
  });
  return pointed;
}

/**
 * Returns the bytes of a by-value parameter, including its addresses. `addressOf` returns the
 * address of the buffer parameter with a certain number.
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
