// Video instructions that NVIDIA's compiler implements differently from the manual
// (docs/lab-notes/native-compiler.md). sm_90 lacks the instructions on single parts of a word, so
// the compiler expands them.

/**
 * Returns whether a video instruction differs from the manual, by its opcode's word, types,
 * modifiers and destination selector. The answer is coarse: for some operands, the results agree
 * although it is true.
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
