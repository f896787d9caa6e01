// The interface between a program's WASI and the files that it may use.

/** An error of a file operation, by the name of its code in POSIX, such as `ENOENT`. */
export class FileFailure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export interface FileFacts {
  readonly kind: 'file' | 'folder';
  readonly bytes: number;
}

export interface OpenChoice {
  readonly create: boolean;
  /** Whether an existing file is an error. */
  readonly exclusive: boolean;
  readonly truncate: boolean;
  readonly writes: boolean;
}

/** An open file. */
export interface OpenFile {
  size(): number;
  /** Reads bytes at an offset. Returns their number, which is 0 at the end of the file. */
  read(offset: number, to: Uint8Array): number;
  /** Writes all bytes at an offset. */
  write(offset: number, from: Uint8Array): void;
  resize(bytes: number): void;
  close(): void;
}

/** The files of a program. Paths are relative to its folder. The methods throw `FileFailure`. */
export interface Files {
  facts(path: string): FileFacts;
  open(path: string, choice: OpenChoice): OpenFile;
  list(path: string): readonly string[];
  makeFolder(path: string): void;
  remove(path: string): void;
  removeFolder(path: string): void;
  rename(from: string, to: string): void;
}
