// Cases from PTX, or from IR, to WGSL: the plans of a case, its kernel and its launch.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type LanePlan, planFor, portablePlan } from '../../src/base/lane-plan.ts';
import type { Dim3, Launch } from '../../src/base/launch.ts';
import type { WgslProgram } from '../../src/translate/index.ts';
import { type FileCase, withoutComments } from './file-cases.ts';

/** Lane plans by the names that cases use. With `portable`, the compiler chooses the shape. */
const plans: Readonly<Record<string, LanePlan>> = {
  native: planFor(32),
  'wide 64': planFor(64),
  'wide 128': planFor(128),
  'narrow 16': planFor(16),
  'narrow 8': planFor(8),
  'narrow 4': planFor(4),
  portable: planFor(0),
  'portable lane': portablePlan('lane'),
  'portable warp': portablePlan('warp'),
};

/** Plans that can run any kernel. */
export const everyPlan: readonly string[] = Object.keys(plans).filter((name) => name !== 'portable lane');

export function planOf(name: string): LanePlan {
  const plan = plans[name];
  if (plan === undefined) throw new RangeError(`no plan is called \`${name}\``);
  return plan;
}

/** How a launch ends: all threads end, a thread traps, or lanes wait for each other forever. */
const endings = ['done', 'trap', 'deadlock'] as const;
export type Ending = (typeof endings)[number];

/**
 * The part of the WGSL in the file: the entry point and the case's device functions, the whole
 * program, or only the control mode.
 */
const shown = ['kernel', 'all', 'mode'] as const;
type Shown = (typeof shown)[number];

export interface WgslCase {
  readonly title: string;
  /** The names of the plans whose WGSL is in the file. */
  readonly plans: readonly string[];
  readonly launch: Launch;
  /**
   * The IR to compile instead of the launch's PTX. The PTX then only computes the expected results.
   */
  readonly ir: string | undefined;
  /** Whether the kernel is encoded, although it is small. Only for IR. */
  readonly isEncoded: boolean;
  readonly ends: Ending;
  readonly shows: Shown;
  readonly maxInvocations: number | undefined;
  readonly maxWorkgroups: number | undefined;
}

/** The name of the section with PTX that computes the same as the IR. */
export const referenceSection = 'reference';

const isEnding = (text: string): text is Ending => endings.some((ending) => ending === text);
const isShown = (text: string): text is Shown => shown.some((part) => part === text);

/** Reads a case. Its first line is, for example, `native, narrow 8; block 64; ends deadlock`. */
export function readCase({ head, title, before, results }: FileCase): WgslCase {
  if (title === '') throw new Error(`a case \`${head}\` lacks a title`);
  const fail = (what: string): never => {
    throw new Error(`${title}: ${what}`);
  };
  const [planList = '', ...words] = head.split(';').map((part) => part.trim());
  const names = planList.split(',').map((name) => name.trim());
  for (const name of names) planOf(name);
  const options = new Map(words.map((word) => [word.split(' ')[0] ?? '', word.split(' ').slice(1).join(' ')]));
  const known = ['block', 'grid', 'ends', 'input', 'shows', 'encoded', 'max-invocations', 'max-workgroups'];
  for (const key of options.keys()) if (!known.includes(key)) fail(`unknown option \`${key}\``);
  const sizes = (key: string): Dim3 => {
    const [x = 1, y = 1, z = 1] = (options.get(key) ?? '1').split('x').map(Number);
    return [x, y, z];
  };
  const numberOf = (key: string): number | undefined => {
    const text = options.get(key);
    return text === undefined ? undefined : Number(text);
  };
  const ends = options.get('ends') ?? 'done';
  if (!isEnding(ends)) return fail(`\`${ends}\` is not ${endings.join(', ')}`);
  const shows = options.get('shows') ?? 'kernel';
  if (!isShown(shows)) return fail(`\`${shows}\` is not ${shown.join(', ')}`);
  const input = withoutComments(before);
  const isIr = options.get('input') === 'ir';
  const body = isIr ? results.get(referenceSection) : input;
  if (body === undefined) return fail(`IR needs a section \`; --- ${referenceSection}\` of PTX`);
  const [block, grid] = [options.has('block') ? sizes('block') : ([32, 1, 1] as const), sizes('grid')];
  return {
    title,
    plans: names,
    launch: laneLaunch(title, body, block, grid),
    ir: isIr ? input : undefined,
    isEncoded: options.has('encoded'),
    ends,
    shows,
    maxInvocations: numberOf('max-invocations'),
    maxWorkgroups: numberOf('max-workgroups'),
  };
}

/** Separates the text at module scope from the kernel's body. */
const kernelLine = '// kernel\n';

/**
 * Returns the launch of a kernel around a body. `%me` is the number of the thread in the block,
 * `%lane` its lane, and `%x` its word of the input, which is below 2^23. The kernel stores `%r` at
 * DONE as the thread's word of the output, whose initial value is 0xa5a5a5a5. `%r` is 77 before the
 * body, which may use the other registers. `%few` is a small number that all threads share and that
 * the compiler does not know. Lines before `// kernel` are at module scope.
 */
function laneLaunch(title: string, text: string, block: Dim3, grid: Dim3): Launch {
  const [first = '', second] = text.split(kernelLine);
  const [module, body] = second === undefined ? ['', first] : [first, second];
  const [threads, blocks] = [block[0] * block[1] * block[2], grid[0] * grid[1] * grid[2]];
  const numbers = (count: number, of: (index: number) => number): Uint8Array =>
    new Uint8Array(Uint32Array.from({ length: count }, (_, index) => of(index)).buffer);
  const count = threads * blocks;
  const ptx = `.version 8.6
.target sm_90
.address_size 64
${module}.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>, %r, %x, %me, %lane, %few, %at<3>;
  .reg .b64 %d<8>, %in, %out, %own;
  .reg .f32 %f<4>;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
${placeOf(block, grid)}  and.b32 %lane, %me, 31;
  mul.wide.u32 %own, %at0, 4;
  add.u64 %in, %in, %own;
  add.u64 %out, %out, %own;
  ld.global.u32 %x, [%in];
  mov.u32 %few, %nctaid.x;
  add.u32 %few, %few, 3;
  mov.u32 %r, 77;
${body}DONE:
  st.global.u32 [%out], %r;
  ret;
}
`;
  const input = numbers(count, (index) => Math.imul(index + 5, 0x9e3779b1) >>> 9);
  const output = numbers(count, () => 0xa5a5a5a5);
  return {
    id: title,
    group: 'filetests',
    ptx,
    ptxFile: 'case.ptx',
    entry: 'k',
    grid,
    block,
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: input.byteLength, data: input },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: output.byteLength, data: output },
    ],
  };
}

/**
 * Returns instructions that compute the number of the thread in its block in `%me`, and in the grid
 * in `%at0`. There are few instructions, so that the WGSL is short.
 */
function placeOf(block: Dim3, grid: Dim3): string {
  const lines = ['mov.u32 %me, %tid.x;'];
  if (block[1] > 1 || block[2] > 1)
    lines.push(
      'mov.u32 %at1, %tid.z;',
      'mov.u32 %at2, %tid.y;',
      `mad.lo.u32 %at1, %at1, ${block[1]}, %at2;`,
      `mad.lo.u32 %me, %at1, ${block[0]}, %me;`,
    );
  if (grid.every((size) => size === 1)) lines.push('mov.u32 %at0, %me;');
  else lines.push('mov.u32 %at1, %ctaid.x;', `mad.lo.u32 %at0, %at1, ${block[0] * block[1] * block[2]}, %me;`);
  return lines.map((line) => `  ${line}\n`).join('');
}

const folder = join(import.meta.dirname, 'wgsl');

/** Returns the names and paths of the files with cases. */
export const wgslFiles = (): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.cases'))
    .sort()
    .map((file) => [file, join(folder, file)]);

/**
 * Returns the part of a program that a file holds. Bindings and helper functions are the same in
 * most cases, and the execution of the program tests them.
 */
export function shownPart({ launch, shows }: WgslCase, { code, mode, reason }: WgslProgram): string {
  if (shows === 'mode') return `${mode}${reason === undefined ? '' : `: ${reason}`}\n`;
  const text = code.trim();
  if (shows === 'all') return `${text}\n`;
  const functions = [...launch.ptx.matchAll(/\.func\b[^{;]*?\b(\w+)\s*\(/g)].map(([, name]) => `fn ${name}(`);
  const isOwn = (part: string): boolean =>
    part.includes('@compute') || functions.some((start) => part.split('\n').some((line) => line.startsWith(start)));
  return `${text.split('\n\n').filter(isOwn).join('\n\n')}\n`;
}
