// Shows a buffer that a run wrote: its elements as numbers, as a plot, or as a picture.
import type { BufferParam } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import type { PtxType } from '../../src/isa/index.ts';
import { choice, el } from '../dom.ts';
import { formatBits, shorten } from '../format.ts';
import type { RunReport } from '../gpu/messages.ts';
import { elementNumbers } from '../program/element-numbers.ts';
import { unpackBits } from '../program/inputs.ts';
import { clip, maxNameLength } from '../program/limits.ts';
import type { Program } from '../program/program.ts';
import { hasLane } from '../program/scene.ts';
import type { Format } from '../state.ts';
import { drawPicture, drawPlot, suggestedWidth } from './buffer-canvas.ts';

type Verdict = 'agrees' | 'differs' | 'undefined' | 'unknown' | 'absent' | 'unwritten';

const marks: Readonly<Record<Verdict, string>> = {
  agrees: '✓',
  differs: '✗',
  undefined: '?',
  unknown: '',
  absent: '–',
  unwritten: '',
};
const words: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees with the reference',
  differs: 'differs from the reference',
  undefined: 'undefined by PTX, not compared',
  unknown: 'not compared',
  absent: 'inactive',
  unwritten: 'not written',
};

/** The maximum number of elements of a buffer that are shown. */
const maxShown = 256;

export interface WrittenBuffer {
  readonly param: BufferParam;
  readonly index: number;
  /** 1 for each element that the kernel wrote, and otherwise 0. */
  readonly marks: Uint8Array;
}

const views = [
  ['values', 'values'],
  ['plot', 'a plot'],
  ['picture', 'a picture'],
] as const;

export function bufferView(buffer: WrittenBuffer, report: RunReport, format: Format, program: Program): HTMLElement {
  const { param, index } = buffer;
  const register = program.outputs.find(
    ({ name }) => param.name === `out_${name.replace(/^%/, '').replace(/\W/g, '_')}`,
  );
  const type: PtxType = register?.type ?? param.type;
  const count = buffer.marks.length;
  const bytes = report.outputs.get(index) ?? new Uint8Array(); // A run returns all buffers.
  const body = el('div');
  const name = clip(register?.name ?? shortName(param.name, program), maxNameLength);
  const show = (view: string): void => {
    if (view === 'values') return body.replaceChildren(valueList(buffer, report, format, program, type));
    const numbers = elementNumbers(bytes, type, param.type);
    const canvas = el('canvas', {
      role: 'img',
      'aria-label': `${name} as ${view === 'plot' ? 'a plot' : 'a picture'}`,
    });
    if (view === 'plot') {
      body.replaceChildren(canvas);
      return drawPlot(canvas, numbers);
    }
    const width = el('input', {
      type: 'number',
      min: 1,
      max: count,
      value: suggestedWidth(count, program.launch),
      onchange: () => drawPicture(canvas, numbers, Math.min(Math.max(Math.trunc(Number(width.value)) || 1, 1), count)),
    });
    body.replaceChildren(el('label', { class: 'field' }, el('span', {}, 'Elements in a row'), width), canvas);
    drawPicture(canvas, numbers, Number(width.value));
  };
  show('values');
  return el(
    'section',
    { class: 'strip' },
    el(
      'div',
      { class: 'run-head' },
      el('h3', {}, el('code', {}, name), ` ${type}${register ? '' : `[${count.toLocaleString('en')}]`}`),
      count > 1 && choice(`Show ${name} as`, views, 'values', show),
    ),
    body,
  );
}

/**
 * Returns a parameter's name in the CUDA source. If that name is not available, returns the PTX
 * name without the kernel's name, which compilers put before the names of parameters.
 */
export function shortName(name: string, { entry, titles }: Program): string {
  const title = titles.get(name);
  if (title !== undefined) return title;
  return name.startsWith(`${entry}_`) ? name.slice(entry.length + 1) : name;
}

function valueList(
  { param, index, marks: written }: WrittenBuffer,
  { outputs, expected, undefinedMasks, comparison }: RunReport,
  format: Format,
  program: Program,
  type: PtxType,
): HTMLElement {
  const { bytes } = scalarFormats[param.type];
  const got = outputs.get(index) ?? new Uint8Array(); // A run returns all buffers.
  const want = expected?.get(index);
  const mask = undefinedMasks.get(index);
  const isRegister = program.dialect !== 'module';
  const agrees = comparison?.mismatches === 0;
  // Begin at the first element that differs, or otherwise at the first written element.
  const isOther = (at: number): boolean =>
    want !== undefined && unpackBits(want, at, bytes) !== unpackBits(got, at, bytes);
  const firstOther = agrees ? -1 : written.findIndex((mark, at) => mark !== 0 && isOther(at));
  const start = Math.floor(Math.max(0, firstOther >= 0 ? firstOther : written.indexOf(1)) / 32) * 32;
  const count = Math.min(written.length - start, maxShown);
  const cells = Array.from({ length: count }, (_, offset) => {
    const at = start + offset;
    const bits = unpackBits(got, at, bytes);
    const wanted = want && unpackBits(want, at, bytes);
    // If `mask` is undefined, every bit is defined.
    const isUndefined = mask?.subarray(at * bytes, (at + 1) * bytes).some((byte) => byte !== 0) ?? false;
    const verdict: Verdict =
      written[at] !== 1
        ? isRegister && !hasLane(program.runs, at)
          ? 'absent'
          : 'unwritten'
        : wanted === undefined
          ? 'unknown'
          : isUndefined
            ? 'undefined'
            : wanted === bits || agrees
              ? 'agrees'
              : 'differs';
    const text = formatBits(bits, type, format);
    const expects =
      verdict === 'differs' && wanted !== undefined ? `, expected ${formatBits(wanted, type, format)}` : '';
    return el(
      'li',
      {
        class: `outcome ${verdict}`,
        title: `${isRegister ? 'lane' : 'element'} ${at}: ${text}, ${words[verdict]}${expects}`,
      },
      el('span', { class: 'index' }, String(at)),
      el('span', { class: 'value' }, verdict === 'absent' ? '' : shorten(text, 8)),
      el('span', { class: 'mark', role: 'img', 'aria-label': words[verdict] + expects }, marks[verdict]),
    );
  });
  const list = el('ol', { class: 'outcomes' });
  list.append(...cells);
  const isPart = count < written.length;
  const range = `Elements ${start} to ${start + count - 1} of ${written.length.toLocaleString('en')}.`;
  return el('div', {}, isPart && el('p', { class: 'note' }, range), list);
}
