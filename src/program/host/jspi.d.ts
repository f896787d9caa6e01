// WebAssembly's integration of promises (JSPI): https://webassembly.github.io/js-promise-integration
declare namespace WebAssembly {
  /** An import that suspends the program until the promise that it returns has settled. */
  const Suspending: new (work: (...args: never[]) => unknown) => (...args: never[]) => unknown;
  /** Returns a function that calls an export, and returns a promise of its result. */
  function promising(work: (...args: readonly number[]) => unknown): (...args: readonly number[]) => Promise<unknown>;
}
