// The limits of the page. A text may come from an untrusted link, so the page does not process
// parts that exceed a limit. It reports that it omits these parts.

/**
 * The maximum number of steps in a trace, and the maximum number of register names and values in
 * these steps.
 */
export const maxSteps = 10_000;
export const maxTraceWeight = 1_000_000;

/**
 * The maximum number of instructions that the reference executes for a trace, and the time limit in
 * milliseconds.
 */
export const maxExecuted = 50_000;
export const maxTraceMs = 2_000;

/**
 * The maximum number of parameters of a launch, and the maximum total number of bytes of its
 * buffers.
 */
export const maxParams = 1024;
export const maxLaunchBytes = 16 << 20;

/** The maximum length of each list, such as messages, kernels, inputs, or buffers of a run. */
export const maxMessages = 100;
export const maxEntries = 500;
export const maxShownInputs = 64;
export const maxShownBuffers = 64;

/** The maximum number of characters of a message, and that of a field's label. */
export const maxMessageLength = 600;
export const maxNameLength = 60;

/** The maximum number of characters of WGSL that the page shows. */
export const maxWgsl = 2_000_000;

/** Truncates a text that is too long. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
