// Why a file or folder that a person named cannot be used.

/** The message lacks the path: whoever catches it names the file. */
export class FileError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'FileError';
  }
}

/** The system's words for an error of a file operation. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
