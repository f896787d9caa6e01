// The limits of the page. A text may come from an untrusted link, so the page never processes a
// part that exceeds a limit. It reports that it omits this part.

/** The maximum number of steps in a trace, and of register names and values in them. */
export const maxSteps = 10_000;
export const maxTraceWeight = 1_000_000;

/**
 * The limit of instructions that the reference executes for the picture, and its time limit in
 * milliseconds.
 */
export const maxExecuted = 50_000;
export const maxTraceMs = 2_000;

/** The maximum number of parameters of a launch, and of bytes of its buffers in total. */
export const maxParams = 1024;
export const maxLaunchBytes = 16 << 20;

/** The maximum length of each list: messages, kernels, inputs, buffers of a run. */
export const maxMessages = 100;
export const maxEntries = 500;
export const maxShownInputs = 64;
export const maxShownBuffers = 64;

/** The maximum number of characters of a message, and of a field's label. */
export const maxMessageLength = 600;
export const maxNameLength = 60;

/** The maximum number of WGSL characters shown. */
export const maxWgsl = 2_000_000;

/** Cuts a text that is too long. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
