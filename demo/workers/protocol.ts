// The messages between the page and its workers.

/** The types of the arguments, the result and the progress messages of a request. */
export interface Exchange {
  readonly args: unknown;
  readonly result: unknown;
  readonly progress?: unknown;
}

export type Progress<E> = E extends { progress: infer P } ? P : never;

/** A request. `R` maps each kind of request to its `Exchange`. */
export interface Request<R, K extends keyof R = keyof R> {
  readonly id: number;
  readonly kind: K;
  readonly args: R[K] extends Exchange ? R[K]['args'] : never;
}

export interface PlainError {
  readonly name: string;
  /** The kind of a `GpuError`, or `overrun` or `superseded` if the worker was ended. */
  readonly kind: string | undefined;
  readonly message: string;
}

export type Reply =
  | { readonly id: number; readonly kind: 'result'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'progress'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'error'; readonly error: PlainError }
  /**
   * Reports that the worker has loaded its modules. The time limits of requests start at this
   * moment.
   */
  | { readonly id: 0; readonly kind: 'ready' }
  /** Reports that the worker has lost the GPU device between two requests. */
  | { readonly id: 0; readonly kind: 'lost'; readonly message: string };

/** A function for each kind of request. */
export type Handlers<R extends { [K in keyof R]: Exchange }> = {
  [K in keyof R]: (args: R[K]['args'], progress: (value: Progress<R[K]>) => void) => Promise<R[K]['result']>;
};
