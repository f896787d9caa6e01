// Calls of device functions in the kernel's module: direct, through a table of addresses, and
// recursive.
import { registerClasses, registerCounts } from '../kernels/registers.ts';
import type { CallStatement, FuzzFunction, FuzzKernel } from '../kernels/tree.ts';
import { printLane } from './lane.ts';
import type { Printing } from './printing.ts';
import { ptxTypes, temporaryLetters, Writer } from './writer.ts';

const nameOf = (index: number): string => `fn_${index}`;
const signature = '(.param .b32 fn_result) NAME (.param .b32 fn_x, .param .b32 fn_y)';
/**
 * The number of entries of the table. It is a power of two, regardless of the number of functions.
 */
const tableSize = 4;
/** The mask that limits the depth of recursion. */
const depthMask = 3;

export function printCall(printing: Printing, { how, index, d, a, b }: CallStatement, functions: number): void {
  if (functions === 0) return;
  const { writer } = printing;
  if (how === 'nothing') return writer.line(`call${index % 2 === 0 ? '' : '.uni'} fn_nothing`);
  const [x, y] = [writer.register('r', a), writer.register('r', b)];
  const result = writer.register('r', d);
  if (how === 'name') return printSequence(printing, result, x, y, nameOf(index % functions));
  const [address, entry] = [writer.temporary('d'), writer.temporary('r')];
  writer.line(`and.b32 ${entry}, ${y}, ${tableSize - 1}`);
  writer.line(`mov.u64 ${address}, fn_table`);
  const offset = writer.temporary('d');
  writer.line(`mul.wide.u32 ${offset}, ${entry}, 8`);
  writer.line(`add.u64 ${address}, ${address}, ${offset}`);
  writer.line(`ld.global.u64 ${address}, [${address}]`);
  printSequence(printing, result, x, y, address);
}

/**
 * The parts of the printer that a call needs. The writer also allocates the label of the prototype,
 * which a call through a register needs.
 */
type Sequence = Pick<Printing, 'writer' | 'dialect'>;

/**
 * Returns the name of the state space of a function's parameters and results: the specific or the
 * general name.
 */
const windowOf = (dialect: Printing['dialect'], isNamed: boolean): string =>
  isNamed && dialect !== 'old' ? 'param::func' : 'param';

function printSequence({ writer, dialect }: Sequence, result: string, x: string, y: string, callee: string): void {
  const prototype = callee.startsWith('%') ? writer.label() : undefined;
  const window = windowOf(dialect, prototype === undefined);
  writer.raw('\t{');
  if (prototype !== undefined)
    writer.raw(`\t${prototype}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);`);
  writer.line('.param .b32 fn_arg0');
  writer.line('.param .b32 fn_arg1');
  writer.line('.param .b32 fn_ret0');
  writer.line(`st.${window}.b32 [fn_arg0], ${x}`);
  writer.line(`st.${window}.b32 [fn_arg1], ${y}`);
  const call = prototype === undefined ? 'call.uni' : 'call';
  writer.line(`${call} (fn_ret0), ${callee}, (fn_arg0, fn_arg1)${prototype === undefined ? '' : `, ${prototype}`}`);
  writer.line(`ld.${window}.b32 ${result}, [fn_ret0]`);
  writer.raw('\t}');
}

/**
 * Returns the texts of the functions, which precede the kernel, and of their table. The statements
 * of functions use separate registers.
 */
export function functionTexts({ functions }: FuzzKernel, printing: Omit<Printing, 'writer'>): string[] {
  if (functions.length === 0) return [];
  const texts = functions.flatMap((each, index) => functionText(each, index, printing));
  const entries = Array.from({ length: tableSize }, (_, entry) => nameOf(entry % functions.length));
  return [
    ...functions.map((_, index) => `.func ${signature.replace('NAME', nameOf(index))};`),
    `.global .align 8 .u64 fn_table[${tableSize}] = {${entries.join(', ')}};`,
    '.func fn_nothing { ret.uni; }',
    ...texts,
  ];
}

function functionText(
  { body, recursive, frame }: FuzzFunction,
  index: number,
  outer: Omit<Printing, 'writer'>,
): string[] {
  const writer = new Writer();
  const printing: Printing = { ...outer, writer };
  for (const statement of body) printLane(printing, statement);
  // Facts about the function also apply to the kernel.
  outer.native &&= printing.native;
  const [x, y] = ['%r0', '%r1'];
  const [first, second] = [writer.register('r', 0), writer.register('r', 1)];
  const result = ['mov.b32 %total, 0', ...registersOf(writer).flatMap(([name, register]) => foldLines(name, register))];
  const inner = new Writer();
  printSequence({ writer: inner, dialect: outer.dialect }, '%inner', '%total', '%depth', nameOf(index));
  const window = windowOf(outer.dialect, index % 2 === 0);
  const again = recursive
    ? [
        `\tand.b32 %depth, %given, ${depthMask};`,
        '\tsetp.eq.u32 %done, %depth, 0;',
        '\t@%done bra LAST;',
        '\tsub.u32 %depth, %depth, 1;',
        ...inner.take(),
        '\tmad.lo.u32 %total, %total, 31, %inner;',
        'LAST:',
      ]
    : [];
  return [
    `.func ${signature.replace('NAME', nameOf(index))}`,
    '{',
    '\t.reg .b32 %total, %word, %given, %inner, %depth;',
    '\t.reg .b64 %wide, %place;',
    ...(frame === 'none' ? [] : [`\t.local .align 4 .b8 frame[${4 * frameWords}];`]),
    '\t.reg .pred %done;',
    ...registerClasses.flatMap((name) => [
      ...(writer.named[name].size > 0 ? [`\t.reg .${ptxTypes[name]} %${name}<${registerCounts[name]}>;`] : []),
      ...(writer.temporaries[name] > 0
        ? [`\t.reg .${ptxTypes[name]} %${temporaryLetters[name]}<${writer.temporaries[name]}>;`]
        : []),
    ]),
    `\tld.${window}.b32 ${first}, [fn_x];`,
    `\tld.${window}.b32 ${second}, [fn_y];`,
    `\tmov.b32 %given, ${second};`,
    ...registersOf(writer).flatMap(([name, register, number]) => startLines(name, register, number, x, y)),
    ...writer.take(),
    ...result.map((line) => `\t${line};`),
    ...(frame === 'none' ? [] : frameStores()),
    ...again,
    ...frameLoads(frame),
    `\tst.${window}.b32 [fn_result], %total;`,
    '\tret.uni;',
    '}',
  ];
}

const frameWords = 4;
/** The number of stores to a frame. Shorter functions are inlined. */
const frameStoreCount = 24;

const frameStores = (): string[] =>
  Array.from({ length: frameStoreCount }, (_, index) => [
    `\tmad.lo.u32 %total, %total, 31, ${index};`,
    `\tst.local.b32 [frame+${4 * (index % frameWords)}], %total;`,
  ]).flat();

/** Returns lines that fold a word of the frame into the result, after the calls. */
const frameLoads = (frame: FuzzFunction['frame']): readonly string[] => {
  if (frame === 'none') return [];
  const load =
    frame === 'constant'
      ? ['ld.local.b32 %word, [frame+8]']
      : [
          `and.b32 %word, %given, ${frameWords - 1}`,
          'mul.wide.u32 %wide, %word, 4',
          'mov.u64 %place, frame',
          'add.u64 %place, %place, %wide',
          'ld.local.b32 %word, [%place]',
        ];
  return [...load, 'mad.lo.u32 %total, %total, 31, %word'].map((line) => `\t${line};`);
};

type Named = readonly [name: string, register: string, number: number];

const registersOf = (writer: Writer): Named[] =>
  registerClasses.flatMap((name) =>
    [...writer.named[name]].sort().map((index): Named => [name, `%${name}${index}`, index]),
  );

/** Returns lines that initialize a register from the two parameters. */
function startLines(name: string, register: string, number: number, x: string, y: string): string[] {
  if (register === x || register === y) return [];
  const mixed = `mad.lo.u32 %word, ${x}, ${2 * number + 3}, ${y}`;
  const lines: Readonly<Record<string, readonly string[]>> = {
    r: [mixed.replace('%word', register)],
    d: [mixed, `mov.b64 ${register}, {%word, ${y}}`],
    h: [mixed, `cvt.u16.u32 ${register}, %word`],
    f: [mixed, `mov.b32 ${register}, %word`],
    p: [mixed, `setp.lt.s32 ${register}, %word, ${x}`],
  };
  return (lines[name] ?? []).map((line) => `\t${line};`);
}

/** Returns lines that fold a register of the function into its result. */
function foldLines(name: string, register: string): string[] {
  const add = 'mad.lo.u32 %total, %total, 31, %word';
  const lines: Readonly<Record<string, readonly string[]>> = {
    r: [`mad.lo.u32 %total, %total, 31, ${register}`],
    d: [`mov.b64 {%word, %inner}, ${register}`, add, 'xor.b32 %total, %total, %inner'],
    h: [`cvt.u32.u16 %word, ${register}`, add],
    f: [`mov.b32 %word, ${register}`, add],
    p: [`selp.u32 %word, 1, 0, ${register}`, add],
  };
  return [...(lines[name] ?? [])];
}
