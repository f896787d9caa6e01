// Joins modules so that the driver can compile them in one call. Half of the compilation time of a
// short kernel does not depend on its text.

export interface JoinedModule {
  readonly text: string;
  /** The kernel's name in the joined module, by the original module. */
  readonly entries: ReadonlyMap<string, string>;
}

interface LoneKernel {
  readonly header: string;
  /** The declarations of dynamic shared memory, which all kernels of a module can share. */
  readonly dynamic: readonly string[];
  readonly entry: string;
  /** The text after the kernel's name. */
  readonly rest: string;
}

/**
 * Whether the text declares a `.global` variable, which keeps its value between launches. The
 * `.global` of an opcode (`ld.global`) does not count. Comments and `.ptr .global` may be mistaken
 * for a declaration, which is harmless.
 */
export const declaresGlobals = (ptx: string): boolean => /(?:^|[\s;{}/])\.global\b/.test(ptx);

/**
 * Returns the parts of a module that contains exactly one kernel. Returns undefined for any other
 * module, because its names could conflict with those of other modules. The kernel may declare
 * variables of its own, and the module dynamic shared memory.
 */
function loneKernel(ptx: string): LoneKernel | undefined {
  const [, version = '', dynamic = '', entry = '', rest] =
    /^\s*(\.version\s[^\n]*\n\s*\.target\s[^\n]*\n\s*\.address_size\s+64)\s+((?:\.extern\s+\.shared\s[^;]*;\s+)*)\.visible\s+\.entry\s+([A-Za-z]\w*)(\s*\([\s\S]*)$/.exec(
      ptx,
    ) ?? [];
  if (rest === undefined || rest.includes('"') || rest.includes('/*') || declaresGlobals(rest)) return undefined;
  const code = rest.replace(/\/\/[^\n]*/g, '').trim();
  let depth = 0;
  for (const { 0: brace, index } of code.matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1;
    if (depth === 0 && index !== code.length - 1) return undefined;
  }
  if (depth !== 0 || !code.endsWith('}')) return undefined;
  return { header: version.replace(/\s+/g, ' '), dynamic: dynamic.match(/\.extern[^;]*;/g) ?? [], entry, rest };
}

/**
 * Joins `first` with every compatible module in `others`. Compatible modules have one kernel each,
 * and the same version and target. Returns undefined if `first` or all others are not compatible.
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
  const dynamic = new Set([...kernels.values()].flatMap((kernel) => kernel.dynamic));
  const named = [...kernels].map(([text, { entry, rest }], at) => ({ text, name: `${entry}_${at}`, rest }));
  return {
    text: [header, ...dynamic, ...named.map(({ name, rest }) => `.visible .entry ${name}${rest}`)].join('\n'),
    entries: new Map(named.map(({ text, name }) => [text, name])),
  };
}
