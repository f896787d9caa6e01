// Advice that both the command line and the browser application show.

/** Advice for a kernel that changed no buffer. */
export const noWriteAdvice =
  'Look at the number of threads, and at numbers such as `n` that guard the stores: perhaps no thread passes the guard.';
