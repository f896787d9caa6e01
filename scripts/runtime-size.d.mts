/** Returns the compressed bytes of each part of the runtime, and of each folder of the sources. */
export function runtimeSize(): Promise<{
  readonly parts: Readonly<
    Record<
      | 'runtime'
      | 'compiler'
      | 'helpers'
      | 'matrices'
      | 'doubles'
      | 'lanes'
      | 'collectives'
      | 'atomics'
      | 'variables'
      | 'workarounds'
      | 'guards'
      | 'async'
      | 'check'
      | 'capture'
      | 'sanitizer',
      number
    >
  >;
  readonly folders: ReadonlyMap<string, number>;
}>;
