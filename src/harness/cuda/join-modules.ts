// Modules that are compiled as one: half of what the driver takes for a short kernel is the same for any text.

export interface JoinedModule {
  readonly text: string;
  /** The kernel's name in it, by the module that it comes from. */
  readonly entries: ReadonlyMap<string, string>;
}

interface LoneKernel {
  readonly header: string;
  readonly entry: string;
  /** The text behind the name. */
  readonly rest: string;
}

/**
 * Whether a `.global` stands by itself and not in an opcode (`ld.global`): a variable, which keeps its value between launches. Wrong only on the safe
 * side: in comments, in `.ptr .global`.
 */
export const declaresGlobals = (ptx: string): boolean => /(?:^|[\s;{}/])\.global\b/.test(ptx);

/** Undefined for a module that holds anything but one kernel: other names could be another's, too. A kernel may declare variables of its own. */
function loneKernel(ptx: string): LoneKernel | undefined {
  const [, version = '', entry = '', rest] =
    /^\s*(\.version\s[^\n]*\n\s*\.target\s[^\n]*\n\s*\.address_size\s+64)\s+\.visible\s+\.entry\s+([A-Za-z]\w*)(\s*\([\s\S]*)$/.exec(
      ptx,
    ) ?? [];
  if (rest === undefined || rest.includes('"') || rest.includes('/*') || declaresGlobals(rest)) return undefined;
  const code = rest.replace(/\/\/[^\n]*/g, '').trim();
  let depth = 0;
  for (const { 0: brace, index } of code.matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1;
    if (depth === 0 && index !== code.length - 1) return undefined;
  }
  return depth === 0 && code.endsWith('}') ? { header: version.replace(/\s+/g, ' '), entry, rest } : undefined;
}

/**
 * One module of `first` and of those of `others` that can be put beside it: with one kernel each, and for the same version and target. Undefined where there
 * is none.
 */
export function joinModules(first: string, others: readonly string[]): JoinedModule | undefined {
  const leader = loneKernel(first);
  if (leader === undefined) return undefined;
  const kernels = new Map([[first, leader]]);
  for (const text of others) {
    const kernel = kernels.has(text) ? undefined : loneKernel(text);
    if (kernel?.header === leader.header) kernels.set(text, kernel);
  }
  if (kernels.size === 1) return undefined;
  const [header = ''] = /^[\s\S]*?\.address_size\s+64/.exec(first) ?? [];
  const named = [...kernels].map(([text, { entry, rest }], at) => ({ text, name: `${entry}_${at}`, rest }));
  return {
    text: [header, ...named.map(({ name, rest }) => `.visible .entry ${name}${rest}`)].join('\n'),
    entries: new Map(named.map(({ text, name }) => [text, name])),
  };
}
