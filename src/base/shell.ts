// Text for command lines that a person may copy into a shell.

/** Returns the text in single quotes, as one word of a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
