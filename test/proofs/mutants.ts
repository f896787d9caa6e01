// Makes mutants of WGSL: copies of a shader with one change in a function.

interface Change {
  readonly pattern: RegExp;
  readonly to: (found: string) => string;
}

const changes: readonly Change[] = [
  { pattern: /\b\d+u\b/g, to: (found) => `${(Number.parseInt(found, 10) + 1) >>> 0}u` },
  { pattern: / << /g, to: () => ' >> ' },
  { pattern: / >> /g, to: () => ' << ' },
  { pattern: / & /g, to: () => ' | ' },
  { pattern: / \| /g, to: () => ' & ' },
  { pattern: / \+ /g, to: () => ' - ' },
  { pattern: / - /g, to: () => ' + ' },
  { pattern: / <= /g, to: () => ' < ' },
  { pattern: / < /g, to: () => ' <= ' },
  { pattern: / == /g, to: () => ' != ' },
];

export interface Mutant {
  readonly line: number;
  readonly text: string;
  readonly code: string;
}

/** Changes of the masks of kernels with control flow. */
const maskChanges: readonly Change[] = [
  { pattern: / && /g, to: () => ' || ' },
  { pattern: / \|\| /g, to: () => ' && ' },
  { pattern: /!(?=\w)/g, to: () => '' },
  { pattern: /\btrue\b/g, to: () => 'false' },
  { pattern: /\bfalse\b/g, to: () => 'true' },
];

/**
 * Returns the mutants of a shader. Declarations, loop heads, comments, and lines that load operands
 * or store results, or compute their addresses, are not changed.
 */
export const mutantsOf = (code: string): readonly Mutant[] =>
  changed(
    code,
    changes,
    (line) => /^\s+(let|return|if|var \w+ =)/.test(line) && !/\[|array|for \(|break|\btid\b|= row /.test(line),
  );

/** Returns the mutants of a shader in which one update of an active mask differs. */
export const maskMutantsOf = (code: string): readonly Mutant[] =>
  changed(code, maskChanges, (line) => /^\s+(live|waiting|other_arm)\w* = /.test(line));

const changed = (code: string, list: readonly Change[], isChanged: (line: string) => boolean): readonly Mutant[] => {
  const lines = code.split('\n');
  return lines.flatMap((line, number) => {
    if (!isChanged(line)) return [];
    return list.flatMap(({ pattern, to }) =>
      [...line.matchAll(pattern)].map((match) => {
        const text = line.slice(0, match.index) + to(match[0]) + line.slice(match.index + match[0].length);
        return {
          line: number + 1,
          text: text.trim(),
          code: [...lines.slice(0, number), text, ...lines.slice(number + 1)].join('\n'),
        };
      }),
    );
  });
};
