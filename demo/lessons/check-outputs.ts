// Creates the launches of a lesson, and compares their outputs with the task's definition.
import { missing } from '../../src/base/invariants.ts';
import type { BufferParam, Dim3, Launch, LaunchOutputs } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { random } from '../../src/harness/suites/random.ts';
import type { Lesson } from './lesson.ts';

export interface Failure {
  readonly kind: 'failed';
  readonly title: string;
  /** The problem. Text between backticks is code. */
  readonly text: string;
  readonly hint?: string;
  /** The line of the CUDA source, counted from 1. */
  readonly line?: number;
}

/** The kernel of a launch: its name in the PTX, and the PTX. */
export interface CompiledKernel {
  readonly ptx: string;
  readonly entry: string;
}

/** Returns a launch of a lesson's kernel. The seed and the size determine its inputs. */
export function launchOf(lesson: Lesson, { ptx, entry }: CompiledKernel, size: number, seed: number): Launch {
  const trial = lesson.trial(size, random(seed, lesson.kernel, size));
  return { id: lesson.kernel, group: 'lessons', ptx, ptxFile: 'lesson.ptx', entry, sharedBytes: 0, ...trial };
}

export interface OutputFacts {
  /** By parameter number: the bits that PTX leaves undefined. */
  readonly undefinedMasks?: LaunchOutputs;
  /** By parameter number: the thread that wrote each byte last, or -1. */
  readonly writers?: ReadonlyMap<number, Int32Array>;
}

/** Returns the first wrong element of a launch's outputs, or undefined if there is none. */
export function findWrong(launch: Launch, outputs: LaunchOutputs, facts: OutputFacts = {}): Failure | undefined {
  for (const [number, param] of launch.params.entries()) {
    const failure = param.kind === 'buffer' ? wrongElement(launch, number, param, outputs, facts) : undefined;
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function wrongElement(
  launch: Launch,
  number: number,
  { name, type, expect }: BufferParam,
  outputs: LaunchOutputs,
  { undefinedMasks = new Map(), writers }: OutputFacts,
): Failure | undefined {
  if (!(expect instanceof Uint8Array)) return missing('the expected contents of a buffer', name);
  const compared = compareOutputs(launch, new Map([[number, expect]]), outputs, { undefinedMasks });
  const unknown = compared.undefined + compared.partial;
  const { first, mismatches } = compared;
  const where = `This launch had ${launchText(launch)}.`;
  if (first !== undefined) {
    const [got, wanted] = [shown(first.gotValue), shown(first.expectedValue)];
    const element = `\`${name}[${first.index}]\``;
    const more = mismatches > 1 ? ` In total, ${mismatches} elements are wrong.` : '';
    // A buffer without writers has no entry.
    const isUnwritten =
      writers !== undefined && (writers.get(number)?.[first.index * scalarFormats[type].bytes] ?? -1) < 0;
    if (isUnwritten) {
      const text = `No thread wrote ${element}, which must be ${wanted}.${more} ${where}`;
      return { kind: 'failed', title: 'Missing result', text };
    }
    const text = `${element} is ${got}, but must be ${wanted}.${more} ${where}`;
    return { kind: 'failed', title: 'Wrong result', text };
  }
  if (unknown === 0) return undefined;
  const elements = unknown === 1 ? '1 element' : `${unknown} elements`;
  const text = `The kernel computed ${elements} of \`${name}\` from memory or registers that it had not written. ${where}`;
  return { kind: 'failed', title: 'Undefined result', text };
}

/** Shortens a fraction to the digits that a float has. Other numbers and NaN stay as they are. */
const shown = (value: string): string => (value.includes('.') ? String(Number(Number(value).toPrecision(7))) : value);

/** Describes a launch: its scalar parameters, its blocks and its threads. */
export function launchText({ params, grid, block }: Launch): string {
  const scalars = params.flatMap((param) => (param.kind === 'scalar' ? [`\`${param.name}\` = ${param.value}`] : []));
  const blocks = grid.every((size) => size === 1) ? '1 block' : `${sizeText(grid)} blocks`;
  return [...scalars, `${blocks} of ${sizeText(block)} threads`].join(', ');
}

const sizeText = ([x, y, z]: Dim3): string =>
  [x, y, z]
    .slice(0, z > 1 ? 3 : y > 1 ? 2 : 1)
    .map((size) => size.toLocaleString('en'))
    .join(' × ');
