// Which video instructions NVIDIA's compiler is known not to make as the manual says (docs/lab-notes/native-compiler.md). sm_90 has none of those on single
// parts: others stand for them.

/** By the opcode's word, its types, all its modifiers and the destination's selector. Whole classes: not every operand shows it, nor every type. */
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
  // Those on all parts of a word do.
  if (!/^v[a-z]+$/.test(word)) return false;
  const compares = modifiers.includes('min') || modifiers.includes('max');
  return part === 'h1' || compares || (saturates && (part !== undefined || types[0] === 'u32' || word === 'vshl'));
}
