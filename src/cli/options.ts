// Parsers of option values. They throw an error that Commander prints as a usage error.

import { InvalidArgumentError } from 'commander';
import { largestSizes } from '../base/dim3.ts';
import type { PlanKind } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import type { MatrixMode } from '../base/matrix-mode.ts';
import type { Choice } from '../build/build-kernels.ts';
import { type ExecutorChoice, executorNames, isWebDriver } from '../harness/executors/executor.ts';
import { parseWebDriverTarget } from '../harness/webgpu/browser/webdriver-target.ts';

/** Options of the commands that run kernels. */
export interface ExecutorOptions {
  readonly on: readonly ExecutorChoice[];
  readonly adapter?: string;
  readonly plan?: PlanKind;
  readonly requireHardware?: boolean;
  readonly timeout?: number;
  /** The time limit of a compilation by the driver, in milliseconds. */
  readonly compileTimeout?: number;
  readonly json?: boolean;
  readonly float: 'exact' | 'fast';
  readonly matrix?: MatrixMode;
  /** See `OpenOptions.facts`. */
  readonly facts?: 'measured' | 'kept';
}

export interface RunCommandOptions extends ExecutorOptions {
  readonly optimize?: number;
  readonly fresh?: boolean;
}

/**
 * Parses a list such as `cpu,chrome` or `webdriver=http://grid:4444?browserName=firefox`. Repeating
 * an executor is an error.
 */
export function parseExecutors(list: string): ExecutorChoice[] {
  const choices = [...new Set(splitList(list).map((text) => parseExecutor(text.trim())))];
  if (choices.filter(isWebDriver).length > 1) {
    throw new InvalidArgumentError('Several browsers through WebDriver are a fleet: use `lanewise fleet`.');
  }
  return choices;
}

/** Splits a text at commas, except inside the brackets of a capability's JSON. */
function splitList(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of list) {
    if ('[{'.includes(character)) depth++;
    if (']}'.includes(character)) depth--;
    if (character === ',' && depth <= 0) parts.push('');
    else parts.push(`${parts.pop()}${character}`);
  }
  return parts;
}

function parseExecutor(text: string): ExecutorChoice {
  const [name, target] = /^(webdriver)=(.*)$/s.exec(text)?.slice(1) ?? [];
  if (name && target) {
    try {
      parseWebDriverTarget(target);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new InvalidArgumentError(error.message);
    }
    return `webdriver=${target}`;
  }
  const found = executorNames.find((candidate) => candidate === text);
  if (found === 'webdriver') throw new InvalidArgumentError('It needs an address: webdriver=http://grid:4444.');
  if (!found)
    throw new InvalidArgumentError(`unknown executor '${text}': expected one of ${executorNames.join(', ')}.`);
  return found;
}

export function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff || text.trim() === '') {
    throw new InvalidArgumentError('A seed is an integer from 0 to 4294967295.');
  }
  return seed;
}

export function parsePattern(text: string): string {
  try {
    new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : 'It must be a regular expression.');
  }
  return text;
}

/** Parses a non-negative integer. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0 || text.trim() === '') {
    throw new InvalidArgumentError('It must be a non-negative integer.');
  }
  return count;
}

/** Parses a number of seconds. Returns milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0) || !Number.isFinite(seconds)) throw new InvalidArgumentError('It must be a number above 0.');
  return Math.ceil(seconds * 1000);
}

/** Parses a percentage that is 0 or more. */
export function parsePercent(text: string): number {
  const percent = Number(text);
  if (text.trim() === '' || !(percent >= 0) || !Number.isFinite(percent)) {
    throw new InvalidArgumentError('It must be a number that is 0 or more.');
  }
  return percent;
}

/** Parses a size such as `256`, `16,16` or `8,8,4`. An `x` may be used instead of a comma. */
function parseSize(text: string, what: string, most: Dim3): Dim3 {
  const parts = text.split(/[,x]/);
  const sizes = parts.map((part) => (/^\d+$/.test(part.trim()) ? Number(part) : 0));
  if (sizes.length > 3 || sizes.some((size) => size < 1)) {
    throw new InvalidArgumentError(`invalid ${what} size ${text}: expected one to three positive integers.`);
  }
  const tooLarge = sizes.findIndex((size, axis) => size > (most[axis] ?? 0)); // A size has three axes.
  if (tooLarge >= 0) {
    throw new InvalidArgumentError(`invalid ${what} size ${text}: ${'xyz'[tooLarge]} is at most ${most[tooLarge]}.`);
  }
  const [x = 1, y = 1, z = 1] = sizes;
  return [x, y, z];
}

export function parseBlock(text: string): Dim3 {
  const [x, y, z] = parseSize(text, 'block', [1024, 1024, 1024]);
  if (x * y * z > 1024) {
    throw new InvalidArgumentError(`invalid block size ${text}: a block has at most 1024 threads, not ${x * y * z}.`);
  }
  return [x, y, z];
}

export const parseCluster = (text: string): Dim3 => parseSize(text, 'cluster', largestSizes.cluster);
export const parseGrid = (text: string): Dim3 => parseSize(text, 'grid', largestSizes.grid);

/** A buffer, and the number of its elements to print, such as `y:16`. */
export interface PrintChoice {
  readonly name: string;
  readonly count?: number;
}

/** Adds a value of a repeatable option to the earlier values. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/** Parses a value of the repeatable option --print, and adds it to the earlier values. */
export function parsePrint(text: string, before: readonly PrintChoice[] = []): PrintChoice[] {
  const [, name, count] = /^([A-Za-z_$%][\w$]*)(?::(\d+))?$/.exec(text) ?? [];
  if (name === undefined || count === '0') {
    throw new InvalidArgumentError(`invalid buffer '${text}': expected a name and a number of elements, such as y:16.`);
  }
  return [...before, count === undefined ? { name } : { name, count: Number(count) }];
}

export function parseSubgroupSize(text: string): number {
  const size = Number(text);
  if (text.trim() === '' || ![0, 4, 8, 16, 32, 64, 128].includes(size)) {
    throw new InvalidArgumentError('It must be 4, 8, 16, 32, 64, 128, or 0 for no subgroups.');
  }
  return size;
}

/** Parses an optimization level of the CUDA driver. */
export function parseOptimize(text: string): number {
  if (!/^[0-4]$/.test(text)) throw new InvalidArgumentError('A level is 0, 1, 2, 3 or 4.');
  return Number(text);
}

/** Parses `VALUE` or `KERNEL=VALUE`, and adds it to the earlier values. */
function parseChoice<T>(text: string, before: readonly Choice<T>[] = [], parse: (value: string) => T): Choice<T>[] {
  const at = text.lastIndexOf('=');
  const kernel = at < 0 ? undefined : text.slice(0, at);
  if (kernel === '') throw new InvalidArgumentError(`'${text}' lacks the name of a kernel before the '='.`);
  return [...before, { kernel, value: parse(text.slice(at + 1)) }];
}

export const parseBlockChoice = (text: string, before?: readonly Choice<Dim3>[]): Choice<Dim3>[] =>
  parseChoice(text, before, parseBlock);

export const parseSharedChoice = (text: string, before?: readonly Choice<number>[]): Choice<number>[] =>
  parseChoice(text, before, parseCount);

/** Parses a list of names, such as `n,a,x,y` or `saxpy=n,a,x,y`. */
export const parseNamesChoice = (
  text: string,
  before?: readonly Choice<readonly string[]>[],
): Choice<readonly string[]>[] =>
  parseChoice(text, before, (list) => {
    const names = list.split(',').map((name) => name.trim());
    const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
    if (wrong !== undefined || new Set(names).size !== names.length)
      throw new InvalidArgumentError(`invalid names '${list}': expected different identifiers, such as n,a,x,y.`);
    return names;
  });

/**
 * Returns the options that select the same adapter and arithmetic again, or '' if none are needed.
 */
export function reproducingOptions({ adapter, plan, float, matrix }: ExecutorOptions): string {
  return [
    ...(adapter ? [`--adapter ${adapter}`] : []),
    ...(plan ? [`--plan ${plan}`] : []),
    ...(float === 'fast' ? ['--float fast'] : []),
    ...(matrix ? [`--matrix ${matrix}`] : []),
  ].join(' ');
}
