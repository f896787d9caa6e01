// Whether a browser can suspend programs, as `runSuspending` requires.

/** Returns why this browser cannot run whole programs, or undefined if it can. */
export const suspensionProblem = (): string | undefined =>
  'Suspending' in WebAssembly
    ? undefined
    : 'This browser cannot run whole programs: it lacks JSPI (WebAssembly.Suspending).';
