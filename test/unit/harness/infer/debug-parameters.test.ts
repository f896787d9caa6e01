// The names of parameters in the debug information of PTX.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { analyze } from '../../../../demo/program/program.ts';
import { initialState } from '../../../../demo/state.ts';
import { buildKernels } from '../../../../src/build/build-kernels.ts';
import { debugParameters, entriesOf, parameterNamesOf } from '../../../../src/harness/infer/index.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';

const file = new URL('../../../ptx/debug_names.ptx', import.meta.url);
const text = readFileSync(file, 'utf8');
const scale = '_Z5scalePff5Range';

describe('debug information of nvcc -G', () => {
  test.each([
    [scale, ['values', 'factor', 'range']],
    ['shift', ['numbers', 'by']],
  ])('names the parameters of %s', (entry, names) => {
    expect(debugParameters(text, entry, names.length)).toEqual(names);
    // A function with a different number of parameters is not this kernel.
    expect(debugParameters(text, entry, names.length + 1)).toBeUndefined();
  });

  test('names the parameters of messages, built modules and the page', () => {
    const module = parsePtxOrThrow(text);
    expect(entriesOf(module).map((entry) => parameterNamesOf(module, entry))).toEqual([
      ['values', 'factor', 'range'],
      ['numbers', 'by'],
    ]);
    const [built] = buildKernels(module, {
      entries: ['shift'],
      block: [{ value: [32, 1, 1] }],
      float: 'exact',
      plans: ['portable'],
    });
    expect(built?.parameters.map(({ name }) => name)).toEqual(['numbers', 'by']);
    const { program } = analyze({ ...initialState, text, entry: 'shift' });
    expect([...(program?.titles ?? [])]).toEqual([
      ['shift_param_0', 'numbers'],
      ['shift_param_1', 'by'],
    ]);
  });

  test.each([0, 100, 1000, 5000])('is ignored if it is damaged at %i', (at) => {
    const start = text.indexOf('.debug_abbrev') + at;
    const damaged = `${text.slice(0, start)}255${text.slice(start + 1)}`;
    expect(() => debugParameters(damaged, scale, 3)).not.toThrow();
  });

  test.each(['shift', scale])('is cut anywhere without an error: %s', (entry) => {
    const first = text.indexOf('.debug_abbrev');
    for (let end = first; end < text.length; end += 61)
      expect([undefined, 2, 3]).toContain(debugParameters(text.slice(0, end), entry, entry === scale ? 3 : 2)?.length);
  });
});

/** Returns numbers of one byte each as PTX. */
const bytes = (...values: readonly number[]): string => `.b8 ${values.join(',')}`;
const ascii = (word: string): number[] => [...word].map((letter) => letter.charCodeAt(0));

/** Returns debug information. Names are in the section `.debug_str`. */
const section = (version: number, header: readonly string[], body: readonly string[]): string => `
.section .debug_abbrev
{
${bytes(1, 0x11, 1, 0, 0)} // a unit
${bytes(2, 0x2e, 1, 3, 0x0e, 0, 0)} // a function: name
${bytes(3, 0x05, 0, 3, 0x0e, 0x49, 0x13, 0, 0)} // a parameter: name, type
${bytes(0)}
}
.section .debug_info
{
.b32 1000
.b16 ${version}
${header.join('\n')}
${body.join('\n')}
}
.section .debug_str
{
${bytes(...ascii('unused'), 0)}
$name:
${bytes(...ascii('kernel'), 0)}
${bytes(...ascii('first'), 0, ...ascii('second'), 0)}
}
`;

describe('debug information with strings in a section', () => {
  const parameters = ['.b8 3', '.b32 $name+7', '.b32 0', '.b8 3', '.b32 .debug_str+20', '.b32 0', '.b8 0', '.b8 0'];

  test.each([
    [2, ['.b32 .debug_abbrev', '.b8 8']],
    [4, ['.b32 .debug_abbrev', '.b8 8']],
    [5, ['.b8 1', '.b8 8', '.b32 .debug_abbrev']],
  ])('of version %i', (version, header) => {
    const body = ['.b8 1', '.b8 2', '.b32 $name', ...parameters];
    expect(debugParameters(section(version, header, body), 'kernel', 2)).toEqual(['first', 'second']);
  });
});
