/**
 * The error for a launch that does not fit the kernel: unknown entry, wrong parameters, too many
 * threads.
 */
export class LaunchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LaunchError';
  }
}
