/**
 * Bytes in a separate `ArrayBuffer`, never in shared memory. TypeScript 5.7 and later write the
 * type as `Uint8Array<ArrayBuffer>`, which earlier versions reject in declarations.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** Returns the bytes of all parts, one after the other. */
export function joinBytes(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
