// Why a file or folder that a person named cannot be used.

/** The message lacks the path: whoever catches it names the file. */
export class FileError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'FileError';
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'the system does not permit that',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'there is a file of that name',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links form a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file is too large',
  EIO: 'the device reported an error',
  ENXIO: 'the device does not exist',
  ETXTBSY: 'a program is running from it',
};

/** Why a file operation failed, in words; of errors that are not in the table, the system's own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return reasons[code] ?? error.message; // Absent: an error without a row in the table.
}
