// The reasons why a file or folder that the user named cannot be used.

/**
 * A reason why a file or folder cannot be used. The message does not contain the path: the code
 * that catches the error adds it.
 */
export class FileError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'FileError';
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a file of that name exists',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links form a cycle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file is too large',
  EIO: 'the device reported an error',
  ENXIO: 'the device does not exist',
  ETXTBSY: 'a program is running from it',
};

/**
 * Returns the reason for a failed file operation. For an error that is not in the table, returns
 * the system's message.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return reasons[code] ?? error.message; // The error code is not in the table.
}
