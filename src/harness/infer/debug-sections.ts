// The sections of debug information in PTX. They consist of numbers and labels, which are assembled
// to bytes.

/** The bytes of a section. A reference to a label is assembled as 0. */
export interface DebugSection {
  readonly bytes: Uint8Array;
  /** The offsets of the section's own labels. */
  readonly labels: ReadonlyMap<string, number>;
  /** The labels to which the bytes refer, by the offset of the reference. */
  readonly references: ReadonlyMap<number, string>;
}

const widths: Readonly<Record<string, number>> = { '.b8': 1, '.b16': 2, '.b32': 4, '.b64': 8 };

/** Returns a section of a PTX text, or undefined if the text lacks it. */
export function debugSection(text: string, name: string): DebugSection | undefined {
  const start = new RegExp(`\\.section\\s+\\${name}\\s*\\{`).exec(text);
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const end = text.indexOf('}', from);
  const bytes: number[] = [];
  const labels = new Map<string, number>();
  const references = new Map<number, string>();
  let width = 1;
  for (const [item] of text.slice(from, end < 0 ? undefined : end).matchAll(/\/\/.*|[^\s,]+/g)) {
    const size = widths[item];
    if (size !== undefined) width = size;
    else if (item.endsWith(':')) labels.set(item.slice(0, -1), bytes.length);
    else if (!item.startsWith('//')) {
      const isNumber = /^(-?\d+|0x[\da-f]+)$/i.test(item);
      if (!isNumber) references.set(bytes.length, item);
      const value = isNumber ? BigInt.asUintN(64, BigInt(item)) : 0n;
      for (let at = 0; at < width; at++) bytes.push(Number((value >> BigInt(8 * at)) & 0xffn));
    }
  }
  return { bytes: Uint8Array.from(bytes), labels, references };
}
