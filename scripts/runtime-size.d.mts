/** Returns the number of compressed bytes of each part of the runtime. */
export function runtimeSize(): Promise<Readonly<Record<string, number>>>;
