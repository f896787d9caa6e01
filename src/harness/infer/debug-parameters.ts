// Reads the names of a kernel's parameters from the debug information (DWARF) that `nvcc -G` adds
// to PTX.

import { type DebugSection, debugSection } from './debug-sections.ts';

/** The codes of DWARF that this reader uses: https://dwarfstd.org/doc/DWARF5.pdf, section 7.5. */
const tags = { formalParameter: 0x05, subprogram: 0x2e } as const;
/**
 * The attributes that are names: `name`, `linkage_name`, and the code of `linkage_name` before
 * DWARF 4.
 */
const nameAttributes: ReadonlySet<number> = new Set([0x03, 0x6e, 0x2007]);

interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly (readonly [attribute: number, form: number])[];
}

/** An entry of the debug information: a function, a parameter, a type and so on. */
interface Entry {
  readonly tag: number;
  readonly parent: Entry | undefined;
  readonly names: readonly string[];
}

/**
 * Returns the names of a kernel's parameters, or undefined if the PTX lacks debug information about
 * them. `entry` is the kernel's name in PTX.
 */
export function debugParameters(text: string, entry: string, count: number): string[] | undefined {
  if (!text.includes('.debug_info')) return undefined;
  const info = debugSection(text, '.debug_info');
  const abbreviations = debugSection(text, '.debug_abbrev');
  if (info === undefined || abbreviations === undefined) return undefined;
  const entries = entriesOf(info, abbreviations.bytes, debugSection(text, '.debug_str'));
  for (const kernel of entries) {
    if (kernel.tag !== tags.subprogram || !kernel.names.includes(entry)) continue;
    const parameters = entries.filter(({ tag, parent }) => tag === tags.formalParameter && parent === kernel);
    const names = parameters.flatMap(({ names: [name] }) => name ?? []);
    if (parameters.length === count && new Set(names).size === count) return names;
  }
  return undefined;
}

/** Returns all entries. The list ends at debug information that this reader does not support. */
function entriesOf(info: DebugSection, abbreviations: Uint8Array, strings: DebugSection | undefined): Entry[] {
  const entries: Entry[] = [];
  const reader = new Reader(info.bytes);
  try {
    while (reader.at < info.bytes.length) {
      const end = reader.at + 4 + reader.number(4);
      const version = reader.number(2);
      if (version >= 5) reader.skip(1);
      let addressSize = version >= 5 ? reader.number(1) : 0;
      const table = tableAt(abbreviations, reader.number(4));
      if (version < 5) addressSize = reader.number(1);
      const values = new Values(reader, info, strings, version, addressSize);
      let parent: Entry | undefined;
      const parents: (Entry | undefined)[] = [];
      while (reader.at < end) {
        const code = reader.variable();
        if (code === 0) {
          parent = parents.pop();
          continue;
        }
        const abbreviation = table.get(code);
        if (abbreviation === undefined) return entries;
        const entry = entryOf(abbreviation, values, parent);
        entries.push(entry);
        if (!abbreviation.hasChildren) continue;
        parents.push(parent);
        parent = entry;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return entries;
}

function entryOf({ tag, attributes }: Abbreviation, values: Values, parent: Entry | undefined): Entry {
  const names: string[] = [];
  for (const [attribute, form] of attributes) {
    const value = values.read(form);
    if (nameAttributes.has(attribute) && value !== undefined) names.push(value);
  }
  return { tag, parent, names };
}

function tableAt(bytes: Uint8Array, offset: number): ReadonlyMap<number, Abbreviation> {
  const table = new Map<number, Abbreviation>();
  const reader = new Reader(bytes, offset);
  for (let code = reader.variable(); code !== 0; code = reader.variable()) {
    const tag = reader.variable();
    const hasChildren = reader.number(1) !== 0;
    const found: [number, number][] = [];
    for (;;) {
      const attribute = reader.variable();
      const form = reader.variable();
      if (attribute === 0 && form === 0) break;
      // The value of DW_FORM_implicit_const is part of the abbreviation.
      if (form === 0x21) reader.variable();
      found.push([attribute, form]);
    }
    table.set(code, { tag, hasChildren, attributes: found });
  }
  return table;
}

/** Reads bytes. Each method throws RangeError if it reads after the end. */
class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  skip(count: number): void {
    if (this.at + count > this.#bytes.length) throw new RangeError('the debug information ends early');
    this.at += count;
  }

  number(width: number): number {
    const start = this.at;
    this.skip(width);
    return this.#bytes.subarray(start, this.at).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  /** Reads a LEB128 number. Signed numbers are only skipped. */
  variable(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.number(1);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const start = this.at;
    while (this.number(1) !== 0);
    return new TextDecoder().decode(this.#bytes.subarray(start, this.at - 1));
  }
}

/** Reads the values of a unit's attributes. */
class Values {
  readonly #reader: Reader;
  readonly #info: DebugSection;
  readonly #strings: DebugSection | undefined;
  readonly #version: number;
  readonly #addressSize: number;

  constructor(reader: Reader, info: DebugSection, strings: DebugSection | undefined, version: number, size: number) {
    this.#reader = reader;
    this.#info = info;
    this.#strings = strings;
    this.#version = version;
    this.#addressSize = size;
  }

  /**
   * Reads a value, and returns it if it is a string; otherwise undefined. Throws RangeError for an
   * unknown form.
   */
  read(form: number): string | undefined {
    const reader = this.#reader;
    const size = this.#sizes.get(form);
    if (size !== undefined) return void reader.skip(size);
    // biome-ignore format: a table
    switch (form) {
      case 0x01: return void reader.skip(this.#addressSize); // addr
      case 0x03: return void reader.skip(reader.number(2)); // block2
      case 0x04: return void reader.skip(reader.number(4)); // block4
      case 0x08: return reader.text(); // string
      case 0x09: case 0x18: return void reader.skip(reader.variable()); // block, exprloc
      case 0x0a: return void reader.skip(reader.number(1)); // block1
      case 0x0d: case 0x0f: case 0x15: return void reader.variable(); // sdata, udata, ref_udata
      case 0x0e: return this.#stringAt(); // strp
      case 0x10: return void reader.skip(this.#version === 2 ? this.#addressSize : 4); // ref_addr
      case 0x16: return this.read(reader.variable()); // indirect
      default: throw new RangeError(`unknown form ${form}`);
    }
  }

  /** The sizes in bytes of forms with a fixed size: data, flags, references. */
  readonly #sizes: ReadonlyMap<number, number> = new Map([
    [0x05, 2], [0x06, 4], [0x07, 8], [0x0b, 1], [0x0c, 1], [0x11, 1], [0x12, 2], [0x13, 4], [0x14, 8], [0x17, 4], [0x19, 0], [0x20, 8], [0x21, 0],
  ]); // biome-ignore format: a table

  /** Reads a string of the section `.debug_str`, at a label or an offset. */
  #stringAt(): string | undefined {
    const [, label, addend = '0'] = /^(.*?)(?:\+(\d+))?$/.exec(this.#info.references.get(this.#reader.at) ?? '') ?? [];
    const offset = this.#reader.number(4);
    const base = label === '' ? offset : label === '.debug_str' ? 0 : this.#strings?.labels.get(label ?? '');
    if (this.#strings === undefined || base === undefined) return undefined;
    return new Reader(this.#strings.bytes, base + Number(addend)).text();
  }
}
