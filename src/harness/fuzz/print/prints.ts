// Prints calls of `vprintf`. Formats are constant strings of the module, and arguments are in local
// memory.
import type { PrintStatement } from '../kernels/tree.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

/**
 * The formats and their arguments: `r` is a word, `d` is 64 bits, `n` is the word as a whole f64,
 * `c` is a letter, and `s` is a string.
 */
export const formats: readonly (readonly [text: string, takes: string])[] = [
  ['%d %u\n', 'rr'],
  ['%x|%08X|%c\n', 'rrc'],
  ['[%5d]%-6i.\n', 'rr'],
  ['%lld %llx\n', 'dd'],
  ['%u: %llu, %hd\n', 'rdr'],
  ['%f %e\n', 'nn'],
  ['%d %.3g%%\n', 'rn'],
  ['%s=%d\n', 'sr'],
  ['plain\n', ''],
];

/** The number of the format that `%s` prints, which is the last. */
const stringFormat = formats.length - 1;

export function printPrint({ writer }: Printing, { format, sources }: PrintStatement): void {
  const number = format % formats.length;
  const [, takes] = formats[number] ?? ['', ''];
  writer.provide('prints');
  let offset = 0;
  for (const [index, kind] of [...takes].entries()) {
    const source = sources[index] ?? 0;
    const size = kind === 'r' || kind === 'c' ? 4 : 8;
    offset = Math.ceil(offset / size) * size;
    writer.line(`st.local.b${8 * size} [args+${offset}], ${argument(writer, kind, source)}`);
    offset += size;
  }
  const [text, place, result] = [writer.temporary('d'), writer.temporary('d'), writer.temporary('r')];
  writer.line(`mov.u64 ${text}, format_${number}`);
  writer.line(`cvta.global.u64 ${text}, ${text}`);
  writer.line(`mov.u64 ${place}, args`);
  writer.line(`cvta.local.u64 ${place}, ${place}`);
  writer.raw('\t{');
  for (const line of [
    '.param .b64 fn_arg0',
    '.param .b64 fn_arg1',
    '.param .b32 fn_ret0',
    `st.param.b64 [fn_arg0], ${text}`,
    `st.param.b64 [fn_arg1], ${place}`,
    'call (fn_ret0), vprintf, (fn_arg0, fn_arg1)',
    `ld.param.b32 ${result}, [fn_ret0]`,
  ])
    writer.line(line);
  writer.raw('\t}');
}

function argument(writer: Writer, kind: string, source: number): string {
  if (kind === 'r') return writer.register('r', source);
  if (kind === 'd') return writer.register('d', source);
  if (kind === 'c') {
    const letter = writer.temporary('r');
    writer.line(`and.b32 ${letter}, ${writer.register('r', source)}, 63`);
    writer.line(`add.u32 ${letter}, ${letter}, 32`);
    return letter;
  }
  const wide = writer.temporary('d');
  if (kind === 's') {
    writer.line(`mov.u64 ${wide}, format_${stringFormat}`);
    writer.line(`cvta.global.u64 ${wide}, ${wide}`);
  } else writer.line(`cvt.rn.f64.s32 ${wide}, ${writer.register('r', source)}`);
  return wide;
}

/** Declarations before a kernel that prints. */
export const printDeclarations: readonly string[] = [
  '.extern .func (.param .b32 fn_result) vprintf (.param .b64 fn_x, .param .b64 fn_y);',
  ...formats.map(([text], number) => {
    const bytes = [...text].map((character) => character.charCodeAt(0));
    return `.global .align 1 .b8 format_${number}[${bytes.length + 1}] = {${[...bytes, 0].join(', ')}};`;
  }),
];
