/**
 * Bytes in a separate `ArrayBuffer`, never in shared memory. TypeScript 5.7 and later write the
 * type as `Uint8Array<ArrayBuffer>`, which earlier versions reject in declarations.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;
