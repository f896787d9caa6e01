// Writes PTX kernels that execute one warp instruction repeatedly.
import type { IsaRow, Mods } from '../../../isa/index.ts';
import { instructionText, operandType } from '../../suites/rows/instruction-text.ts';
import { moduleDemands } from '../../suites/rows/kernel-text.ts';

/**
 * The form of the measured instruction.
 * - `immediate`: every operand except `a` is an immediate.
 * - `register`: `b` and `c` are registers; `b` changes with every instruction, and `c` with every
 * iteration.
 * - `arbitrary`: `b` and `c` change with every instruction.
 * - `mask`: like `register`, but with a mask register that is computed for every instruction.
 * - `guard`: the lower half of the lanes executes the instruction, under a guard that is computed
 * for every instruction. The mask is a ballot of the guard.
 * - `unrelated`: like `guard`, but with an immediate mask, so that no compiler can derive that the
 * named lanes are the lanes of the guard.
 * - `groups`: like `mask`, but both halves of the warp execute the instruction, each with its own
 * mask.
 * - `predicate`: like `immediate`, but with the destination predicate.
 * - `…-invariant`: operands, masks and guards stay the same for the whole loop, so that compilers
 * can hoist computations that depend on them.
 */
export type InstructionForm =
  | 'immediate'
  | 'register'
  | 'arbitrary'
  | 'mask'
  | 'guard'
  | 'unrelated'
  | 'groups'
  | 'predicate'
  | `${'register' | 'mask' | 'guard' | 'groups'}-invariant`;

/** The part of a form's name that determines which operands are registers. */
type Kind = Exclude<InstructionForm, 'unrelated' | `${string}-invariant`>;

const kinds: Readonly<Record<InstructionForm, Kind>> = {
  immediate: 'immediate',
  register: 'register',
  arbitrary: 'arbitrary',
  mask: 'mask',
  guard: 'guard',
  unrelated: 'guard',
  groups: 'groups',
  predicate: 'predicate',
  'register-invariant': 'register',
  'mask-invariant': 'mask',
  'guard-invariant': 'guard',
  'groups-invariant': 'groups',
};

/** Returns the kind of a form: which operands are registers, whether they are invariant or not. */
export const kindOf = (form: InstructionForm): Kind => kinds[form];

export const isInvariant = (form: InstructionForm): boolean => form.endsWith('-invariant');

/**
 * The dependence between instructions. `dependent`: each instruction needs the result of the
 * previous instruction. `independent`: eight chains are interleaved.
 */
export type Chain = 'dependent' | 'independent';

export interface InstructionChoice {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly form: InstructionForm;
  readonly chain: Chain;
  /** The number of instructions in one iteration of the loop, a multiple of 8. */
  readonly unroll: number;
}

const wordsPerThread = 5;
/**
 * The number of threads that have their own input. Other threads use the input of one of these
 * threads.
 */
const inputThreads = 1024;
const lowerHalf = 0x0000ffff;
const chains = 8;

/**
 * Returns the operand `c` of a shuffle among all lanes, or within each half. The clamp of `.up` is
 * lane 0.
 */
function segment({ mods, form }: Pick<InstructionChoice, 'mods' | 'form'>): number {
  const halves = kindOf(form) === 'guard' || kindOf(form) === 'groups';
  return (halves ? 0x1000 : 0) | (mods.mode === 'up' ? 0 : 0x1f);
}

/**
 * Returns the input records. Each record has a value, `b`, `c`, the membermask, and a zero that
 * compilers cannot know.
 */
export function inputWords(choice: InstructionChoice, random: () => number): Uint32Array<ArrayBuffer> {
  const kind = kindOf(choice.form);
  const words = new Uint32Array(inputThreads * wordsPerThread);
  // Sources stay within the segments, because a source lane of another group would make the result
  // undefined.
  const reach = kind === 'groups' ? 16 : 32;
  for (let thread = 0; thread < inputThreads; thread++) {
    const half = thread % 32 < 16 ? lowerHalf : 0xffff0000;
    words.set(
      [random(), random() % reach, segment(choice), kind === 'groups' ? half : 0xffffffff, 0],
      thread * wordsPerThread,
    );
  }
  return words;
}

/**
 * Returns the kernel `k(in, out, iterations)`, for blocks of one dimension. The kernel stores the
 * xor of the chains in out[thread].
 */
export function instructionKernel(choice: InstructionChoice): string {
  const { row, form, chain, unroll } = choice;
  const { version, target } = moduleDemands(row);
  const width = chain === 'dependent' ? 1 : chains;
  const registers = Array.from({ length: width }, (_, index) => `%x${index}`);
  const steps = Array.from({ length: unroll }, (_, index) => step(choice, registers, index));
  // Compute `c` again from a word of the chains and the zero. Its value stays the same, but
  // compilers cannot know that.
  const changesC = form === 'register' || form === 'mask' || form === 'groups';
  const perIteration = changesC && row.types.c !== undefined ? unhoisted('%c', '%c0', '%x0') : [];
  return `.version ${version}
.target ${target}
.address_size 64

.visible .entry k(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)
{
  .reg .b64 %in, %out, %offset, %pair;
  .reg .b32 %thread, %t, %y, %b, %c, %c0, %mask, %mask0, %zero, %n, %lane, %d;
  .reg .b32 ${registers.join(', ')};
  .reg .pred %q, %p, %result, %low, %more;
  mov.u32 %thread, %ntid.x;
  mov.u32 %t, %ctaid.x;
  mul.lo.u32 %thread, %thread, %t;
  mov.u32 %t, %tid.x;
  add.u32 %thread, %thread, %t;
  mov.u32 %d, 0;
  and.b32 %lane, %t, 31;
  setp.lt.u32 %low, %lane, 16;
  setp.ne.u32 %result, %lane, %lane;
  setp.ne.u32 %p, %lane, %lane;
  ld.param.u64 %in, [p_in];
  cvta.to.global.u64 %in, %in;
  and.b32 %t, %thread, ${inputThreads - 1};
  mul.wide.u32 %offset, %t, ${wordsPerThread * 4};
  add.s64 %in, %in, %offset;
  ld.global.b32 %y, [%in];
  ld.global.b32 %b, [%in+4];
  ld.global.b32 %c0, [%in+8];
  ld.global.b32 %mask0, [%in+12];
  ld.global.b32 %zero, [%in+16];
  mov.b32 %c, %c0;
  mov.b32 %mask, %mask0;
  ld.param.u32 %n, [p_n];
${registers.map((register, index) => `  add.u32 ${register}, %y, ${index * 12345};`).join('\n')}
LOOP:
${perIteration.map((line) => `  ${line}\n`).join('')}${steps.map((lines) => lines.map((line) => `  ${line}`).join('\n')).join('\n')}
  sub.u32 %n, %n, 1;
  setp.ne.u32 %more, %n, 0;
  @%more bra LOOP;
${registers
  .slice(1)
  .map((register) => `  xor.b32 %x0, %x0, ${register};`)
  .join('\n')}
  ld.param.u64 %out, [p_out];
  cvta.to.global.u64 %out, %out;
  mul.wide.u32 %offset, %thread, 4;
  add.s64 %out, %out, %offset;
  st.global.b32 [%out], %x0;
  ret;
}
`;
}

function maskOf(form: InstructionForm): string {
  const kind = kindOf(form);
  if (kind === 'mask' || kind === 'groups' || form === 'guard') return '%mask';
  return kind === 'guard' ? `${lowerHalf}` : '0xffffffff';
}

/**
 * Returns code that copies `from` to `to` in a way that depends on `x`, so that compilers cannot
 * hoist the copy.
 */
const unhoisted = (to: string, from: string, x: string): string[] => [
  `and.b32 %t, ${x}, %zero;`,
  `or.b32 ${to}, ${from}, %t;`,
];

/**
 * Returns the code of one step: the computation of the operands, the instruction, and the move of
 * its result to its chain's register.
 */
function step(choice: InstructionChoice, registers: readonly string[], index: number): string[] {
  const { row, mods, form } = choice;
  const kind = kindOf(form);
  const register = (ahead: number): string => registers[(index + ahead) % registers.length] ?? '%x0';
  const x = register(0);
  const types = (name: string): string => operandType(row, mods, name);
  const before = types('a') === 'pred' ? [`setp.lt.s32 %q, ${x}, %y;`] : [];
  const wide = types('a') === 'b64';
  if (wide) before.push(`mov.b64 %pair, {${x}, %y};`);
  const takesB = row.types.b !== undefined;
  const changesMask = form === 'mask' || form === 'groups';
  if (changesMask) before.push(...unhoisted('%mask', '%mask0', x));
  // A lane must not read a lane of the other group.
  if (form === 'groups' && takesB) before.push(`and.b32 %b, ${register(3)}, 15;`);
  if (form === 'guard' || form === 'unrelated')
    before.push(...unhoisted('%t', '%lane', x), 'setp.lt.u32 %low, %t, 16;');
  if (form === 'guard') before.push('vote.sync.ballot.b32 %mask, %low, 0xffffffff;');
  const inRegisters = kind === 'register' || kind === 'arbitrary' || kind === 'mask' || kind === 'groups';
  const b = isInvariant(form) || form === 'groups' ? '%b' : register(3);
  const c = form === 'arbitrary' ? register(5) : '%c';
  const operands: Record<string, string> = {
    a: types('a') === 'pred' ? '%q' : wide ? '%pair' : x,
    b: inRegisters ? b : '5',
    c: inRegisters ? c : `${segment(choice)}`,
    membermask: maskOf(form),
  };
  const guard = kind === 'guard' ? '@%low ' : '';
  if (row.types.d === undefined) {
    return [...before, `${guard}${instructionText(row, mods, operands)};`, `add.u32 ${x}, ${x}, %y;`];
  }
  const votes = row.types.d === 'pred';
  // The addition after each instruction prevents two optimizations. A compiler cannot join two
  // shuffles, and it cannot see that a result that is equal in all lanes stays equal.
  const moves = row.name.startsWith('shfl') && mods.mode !== 'idx';
  operands.d = votes ? '%result' : moves ? x : '%d';
  const wantsPredicate = form === 'predicate' || row.syntax.includes(' d|p');
  if (wantsPredicate) operands.p = '%p';
  const line = `${guard}${instructionText(row, mods, operands)};`;
  const after = votes ? [`selp.b32 %d, %y, %lane, %result;`] : [];
  const mix = [
    `add.u32 ${x}, ${x}, ${moves ? '%y' : '%d'};`,
    ...(mods.mode === 'idx' ? [`xor.b32 ${x}, ${x}, %lane;`] : []),
  ];
  const counts = form === 'predicate' ? [`@%p add.u32 ${x}, ${x}, 1;`] : [];
  return [...before, line, ...after, ...mix, ...counts];
}
