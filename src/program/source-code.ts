// The code of a CUDA source, without its comments.

/** Replaces comments and string literals by spaces, so that positions stay the same. */
export const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g, (found) => found.replace(/[^\n]/g, ' '));

/** Whether a program has a `main`. */
export const hasMain = (text: string): boolean => /\b(?:int|auto)\s+main\s*\(/.test(codeOf(text));
