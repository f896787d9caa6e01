// Video instructions that NVIDIA's compiler implements differently from the manual
// (docs/lab-notes/native-compiler.md). sm_90 lacks the ones on single parts, so the compiler
// expands these.

/**
 * Returns whether a video instruction differs, by its opcode's word, types, modifiers and
 * destination selector. Classes are coarse: some operands or types of a class agree.
 */
export function departsAsVideo(
  word: string,
  types: readonly string[],
  modifiers: readonly string[],
  part: string | undefined,
): boolean {
  const saturates = modifiers.includes('sat');
  if (word === 'vmad') {
    const isScaled = modifiers.some((modifier) => modifier.startsWith('shr'));
    return (saturates || isScaled) && types.slice(1).includes('u32');
  }
  // Instructions on all parts of a word agree with the manual.
  if (!/^v[a-z]+$/.test(word)) return false;
  const compares = modifiers.includes('min') || modifiers.includes('max');
  return part === 'h1' || compares || (saturates && (part !== undefined || types[0] === 'u32' || word === 'vshl'));
}
