// What the page takes on. More is said to be left out, never worked through: a text may come from a stranger's link.

/** Steps of a trace that are kept, and register names and values in them. */
export const maxSteps = 1000;
export const maxTraceWeight = 1_000_000;

/** Instructions that the reference executes for the picture, and milliseconds it may take. */
export const maxExecuted = 50_000;
export const maxTraceMs = 2_000;

/** Parameters of a launch, and bytes of its buffers together. */
export const maxParams = 1024;
export const maxLaunchBytes = 16 << 20;

/** Of each shown list: messages, kernels, inputs, buffers of a run. */
export const maxMessages = 100;
export const maxEntries = 500;
export const maxShownInputs = 64;
export const maxShownBuffers = 64;

/** Characters of a message, and of a name beside a field. */
export const maxMessageLength = 600;
export const maxNameLength = 60;

/** Characters of WGSL that are shown. */
export const maxWgsl = 2_000_000;

/** The beginning of a text that is too long for its place. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
