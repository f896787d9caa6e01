// The library functions that copy boxes of tensors.
import { get, missing } from '../../base/invariants.ts';
import { type MapMode, typeNumbers } from '../../base/tensor-map-fields.ts';
import { tensorReductions } from '../../base/tensor-reductions.ts';
import type { Mods } from '../../isa/index.ts';
import { dimensionsOf } from '../../isa/tensors.ts';
import type { LibraryFunction } from '../image/library-function.ts';
import { boxRegisters, eachElement, loadUnits, rowLoops, storeUnit, type UnitCode } from './box.ts';
import { faultText } from './fault.ts';
import { axesFrom, fieldRegisters, fieldsText } from './map-fields.ts';
import { pixelRanges, rangeRegisters, tileRanges } from './ranges.ts';

/** A form of a copy: its mode, and the number of dimensions. */
interface Form {
  readonly mode: MapMode;
  readonly rank: number;
}

const formOf = (mode: MapMode, mods: Mods): Form => ({ mode, rank: dimensionsOf(mods) });
const suffixOf = ({ mode, rank }: Form): string => (mode === 'tile' ? `${rank}d` : `${rank}d_${mode}`);

const parameters = (names: readonly string[]): string =>
  ['.reg .b64 %map', '.reg .b32 %shared', ...names.map((name) => `.reg .b32 ${name}`)].join(', ');

type Direction = 'load' | 'store';

/**
 * Returns a function whose last result is the number of a fault, or 0. `types`: the numbers of the
 * types that a reduction supports.
 */
const functionText = (
  name: string,
  { mode, rank }: Form,
  direction: Direction,
  unit: UnitCode,
  types?: readonly number[],
): string => {
  const [bytes, end] =
    direction === 'load' ? ['.reg .b32 %bytes, ', 'mul.lo.u32 %bytes, %allrows, %rowbytes;'] : ['', ''];
  const hasOffsets = mode === 'im2col' && direction === 'load';
  const given = [
    ...axesFrom(0, rank).map((d) => `%c${d}`),
    ...(hasOffsets ? axesFrom(0, rank - 2).map((index) => `%o${index}`) : []),
    '%me',
    '%threads',
  ];
  return `.func (${bytes}.reg .b32 %fault) ${name}(${parameters(given)})
{
${fieldRegisters}
${boxRegisters}
${rangeRegisters}
${fieldsText(rank)}
${mode === 'tile' ? tileRanges(rank) : pixelRanges(rank, hasOffsets)}
${faultText(rank, mode, direction === 'store', types)}
${rowLoops(rank, unit, (d) => (hasOffsets && d < rank - 1 ? `%offset${d}` : undefined))}
${end}
ret;
}`;
};

/** Copies a box to shared memory. Returns the number of its bytes, and the fault. */
export function loadFunction(mode: MapMode, mods: Mods): LibraryFunction {
  const form = formOf(mode, mods);
  return {
    name: `tensor_load_${suffixOf(form)}`,
    divisible: true,
    text: (name) => functionText(name, form, 'load', loadUnits),
  };
}

/** Copies a box from shared memory to its tensor. Returns the fault. */
export function storeFunction(mode: MapMode, mods: Mods): LibraryFunction {
  const form = formOf(mode, mods);
  return {
    name: `tensor_store_${suffixOf(form)}`,
    divisible: true,
    text: (name) => functionText(name, form, 'store', storeUnit),
  };
}

/** How sums, and bitwise operations, update elements of each type. */
const sumNames = new Map([
  ['s32', 'u32'],
  ['f16', 'noftz.f16'],
  ['bf16', 'noftz.bf16'],
  ['f32.ftz', 'f32'],
]);
const updateName = (op: string, type: string): string => {
  if (op === 'add') return sumNames.get(type) ?? type;
  return op === 'and' || op === 'or' || op === 'xor' ? type.replace(/^[us]/, 'b') : type;
};

const numbers = new Map<string, number>(Object.entries(typeNumbers));
const numberOf = (type: string): number => get(numbers, type, 'the number of a type');

/**
 * Operations that a loop performs, by type: PTX has no minimum of a single half in memory, and
 * flushes subnormals of f32 there, as reductions of f32.ftz do.
 */
const looped: ReadonlySet<string> = new Set(['f32', 'f16', 'bf16']);

const wide = { bits: 'b64', value: '%v0', old: '%v1', next: '%v2', found: '%v3' };
const word = { bits: 'b32', value: '%w0', old: '%w1', next: '%w2', found: '%w3' };
const half = { bits: 'b16', value: '%h0', old: '%h1', next: '%h2', found: '%h3' };
const registersOf = (as: string) => (as.endsWith('64') ? wide : as.endsWith('16') ? half : word);

function updateText(op: string, type: string, as: string): string {
  const { bits, value, old, next, found } = registersOf(as);
  const load = `ld.shared.${bits} ${value}, [%s];`;
  if (as !== type || !looped.has(as)) return `${load} red.global.${op}.${as} [%wide], ${value};`;
  return `${load} ld.volatile.global.${bits} ${old}, [%wide];
AGAIN_${numberOf(type)}:
${op}.${as} ${next}, ${old}, ${value}; atom.global.cas.${bits} ${found}, [%wide], ${old}, ${next};
setp.ne.${bits} %more, ${found}, ${old}; mov.${bits} ${old}, ${found};
@%more bra AGAIN_${numberOf(type)};`;
}

/** Updates the elements of a tensor with those of a box in shared memory. Returns the fault. */
export function reduceFunction(mode: MapMode, mods: Mods): LibraryFunction {
  const form = formOf(mode, mods);
  const op = mods.op ?? missing('the operation of a reduction');
  // The numbers of types with TF32 are those of f32 and f32.ftz, whose sums are the same.
  const types = get(tensorReductions, op, 'the types of a reduction').filter((type) => !type.startsWith('tf32'));
  const label = (type: string) => `TYPE_${numberOf(type)}`;
  const elementText = [
    ...types.map((type) => `setp.eq.u32 %more, %type, ${numberOf(type)};\n@%more bra ${label(type)};`),
    'bra NEXT_ELEMENT;',
    ...types.map((type) => `${label(type)}:\n${updateText(op, type, updateName(op, type))}\nbra NEXT_ELEMENT;`),
  ].join('\n');
  const more = '.reg .b16 %h1, %h2, %h3; .reg .b64 %v<4>;';
  return {
    name: `tensor_${op}_${suffixOf(form)}`,
    divisible: true,
    text: (name) =>
      functionText(name, form, 'store', eachElement(elementText), types.map(numberOf)).replace('{\n', `{\n${more}\n`),
  };
}
