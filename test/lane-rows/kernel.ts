// The PTX of a kernel that applies lane instructions one after the other. Each thread loads a
// case's operands, executes the instruction, and stores the results.
import type { Bits } from '../../src/cpu-ref/index.ts';
import { anyInstructionText } from '../../src/harness/suites/rows/instruction-text.ts';
import { type IsaRow, isaRows, type Mods } from '../../src/isa/index.ts';
import type { Operand, Variant } from './variants.ts';

/**
 * The presentation of operands:
 * - `declared`: registers of the operand's type.
 * - `crossed`: f32 and f64 values in untyped registers, and untyped bits in f32 and f64 registers.
 * - `constantLast`: the last operand is known at compile time.
 * - `constant`: all operands are known at compile time.
 */
export type Presentation = 'declared' | 'crossed' | 'constantLast' | 'constant';

export interface LaneCase {
  readonly variant: Variant;
  readonly presentation: Presentation;
  readonly vectors: readonly (readonly Bits[])[];
}

/** A case, and the start of its records of words in the buffers. */
export interface Placed {
  readonly laneCase: LaneCase;
  readonly input: number;
  readonly output: number;
  readonly inputWords: number;
  readonly outputWords: number;
}

export const blockSize = 64;

/** Whether a type is f16 or bf16, alone or in pairs. */
export const isHalf = (type: string): boolean => /^b?f16(x2)?$/.test(type);

function widthOf(type: string): number {
  if (isHalf(type)) return type.endsWith('x2') ? 32 : 16;
  return type === 'pred' || type === 'immediate' ? 32 : Number(/\d+$/.exec(type)?.[0] ?? 32);
}

export const wordsOf = ({ type }: Operand): number => (widthOf(type) === 64 ? 2 : 1);

/** Whether an operand is a constant from the first vector. */
export function isKnown({ variant, presentation }: LaneCase, index: number): boolean {
  if (variant.sources[index]?.type === 'immediate' || presentation === 'constant') return true;
  return presentation === 'constantLast' && index === variant.sources.length - 1;
}

/** Whether an operand has a selector or a sign. Constants cannot have these. */
const isMarked = (row: IsaRow, mods: Mods, name: string): boolean =>
  Object.keys(row.selectors ?? {}).some((mark) => mods[mark] !== undefined && mark.startsWith(name));

/** Returns a kernel with two parameters: the operands and the results. */
export function laneKernel(placed: readonly Placed[]): string {
  const cases = placed.map((place, index) => new CaseText(place, index).write());
  return `.version 8.8
.target sm_100a
.address_size 64
.visible .entry lanes(.param .u64 operands, .param .u64 results)
{
  .reg .b64 %source, %target, %in, %out;
  .reg .b32 %row, %t, %word, %high;
  .reg .b16 %half;
  ld.param.u64 %source, [operands];
  ld.param.u64 %target, [results];
  cvta.to.global.u64 %source, %source;
  cvta.to.global.u64 %target, %target;
  mov.u32 %row, %ctaid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %row, %row, ${blockSize}, %t;
${cases.join('')}  ret;
}
`;
}

/**
 * Whether an operand may be a constant. Rows that reject constant values still accept their
 * immediate operands.
 */
const takesConstant = (row: IsaRow, mods: Mods, { name, type }: Operand): boolean =>
  type === 'immediate' || (row.constants !== 'none' && !isMarked(row, mods, name));

class CaseText {
  private readonly place: Placed;
  private readonly index: number;
  private readonly lines: string[] = [];

  constructor(place: Placed, index: number) {
    this.place = place;
    this.index = index;
  }

  write(): string {
    const { laneCase, inputWords, outputWords } = this.place;
    const { variant } = laneCase;
    this.line(`mad.wide.u32 %in, %row, ${inputWords * 4}, %source;`);
    this.line(`mad.wide.u32 %out, %row, ${outputWords * 4}, %target;`);
    const operands: Record<string, string> = {};
    const row = isaRows.find(({ name }) => name === variant.row);
    if (row === undefined) throw new Error(`no row ${variant.row}`);
    let at = this.place.input * 4;
    variant.sources.forEach((operand, number) => {
      const text = isKnown(laneCase, number)
        ? this.constant(operand, laneCase.vectors[0]?.[number] ?? 0, takesConstant(row, variant.mods, operand))
        : this.load(operand, at);
      if (operand.name === 'carry') this.line(`add.cc.u32 %word, ${text}, 0xffffffff;`);
      else operands[operand.name] = text;
      at += wordsOf(operand) * 4;
    });
    const results = variant.results.filter(({ name }) => name !== 'carry');
    for (const result of results) operands[result.name] = this.register(result, 'r');
    this.line(`${anyInstructionText(row, variant.mods, operands)};`);
    at = this.place.output * 4;
    for (const result of variant.results) {
      this.store(result, operands[result.name], at);
      at += wordsOf(result) * 4;
    }
    return `  // ${variant.label}, ${laneCase.presentation}\n${this.lines.join('')}`;
  }

  private line(text: string): void {
    this.lines.push(`  ${text}\n`);
  }

  /** Declares a register for an operand; `kind` distinguishes sources from results. */
  private register({ name, type }: Operand, kind: 's' | 'r'): string {
    const register = `%${kind}${this.index}_${name}`;
    this.line(`.reg .${this.registerType(name, type)} ${register};`);
    return register;
  }

  private registerType(name: string, type: string): string {
    if (type === 'b8') return type;
    if (type.endsWith('8')) return 'b16';
    // PTX does not have registers of type bf16, so declare bits.
    if (isHalf(type) && (type.startsWith('b') || this.place.laneCase.presentation === 'crossed'))
      return `b${widthOf(type)}`;
    if (this.place.laneCase.presentation !== 'crossed' || name === 'carry') return type;
    const crossed: Readonly<Record<string, string>> = { f32: 'b32', b32: 'f32', f64: 'b64', b64: 'f64' };
    return crossed[type] ?? type;
  }

  private constant({ name, type }: Operand, value: Bits, isTaken: boolean): string {
    if (type === 'f64' && isTaken) return `0d${value.toString(16).padStart(16, '0')}`;
    // PTX does not have constants of these types, so use a register with a known value.
    if (type === 'b8') {
      const register = this.register({ name, type }, 's');
      this.line(`cvt.u8.u32 ${register}, 0x${value.toString(16)};`);
      return register;
    }
    if (isHalf(type) || (!isTaken && type !== 'pred')) {
      const register = this.register({ name, type }, 's');
      this.line(`mov.b${widthOf(type)} ${register}, 0x${value.toString(16)};`);
      return register;
    }
    if (type === 'f32') return `0f${value.toString(16).padStart(8, '0')}`;
    if (type !== 'pred') return `0x${value.toString(16)}`;
    const register = this.register({ name, type }, 's');
    this.line(`setp.ne.u32 ${register}, ${value}, 0;`);
    return register;
  }

  private load(operand: Operand, at: number): string {
    const register = this.register(operand, 's');
    this.line(`ld.global.b32 %word, [%in+${at}];`);
    if (operand.type === 'pred') this.line(`setp.ne.u32 ${register}, %word, 0;`);
    else if (wordsOf(operand) === 2) {
      this.line(`ld.global.b32 %high, [%in+${at + 4}];`);
      this.line(`mov.b64 ${register}, {%word, %high};`);
    } else if (isHalf(operand.type) && widthOf(operand.type) === 16) this.line(`mov.b32 {${register}, _}, %word;`);
    else if (operand.type === 'b8') this.line(`cvt.u8.u32 ${register}, %word;`);
    else if (widthOf(operand.type) < 32) this.line(`cvt.u16.u32 ${register}, %word;`);
    else this.line(`mov.b32 ${register}, %word;`);
    return register;
  }

  private store(result: Operand, register: string | undefined, at: number): void {
    if (result.name === 'carry') this.line('addc.u32 %word, 0, 0;');
    else if (result.type === 'pred') this.line(`selp.u32 %word, 1, 0, ${register};`);
    else if (wordsOf(result) === 2) {
      this.line(`mov.b64 {%word, %high}, ${register};`);
      this.line(`st.global.b32 [%out+${at + 4}], %high;`);
    } else if (result.type.endsWith('8')) this.line(`cvt.u32.u8 %word, ${register};`);
    else if (isHalf(result.type) && widthOf(result.type) === 16) {
      this.line(`mov.b16 %half, ${register};`);
      this.line('cvt.u32.u16 %word, %half;');
    } else if (widthOf(result.type) < 32) this.line(`cvt.u32.u16 %word, ${register};`);
    else this.line(`mov.b32 %word, ${register};`);
    this.line(`st.global.b32 [%out+${at}], %word;`);
  }
}
