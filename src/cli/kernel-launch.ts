// Creates a launch from a command line: a file of PTX or CUDA C++, one of its kernels, a grid, a
// block, and an argument for each parameter.

import { basename } from 'node:path';
import { clusterOf } from '../base/cluster.ts';
import type { BufferParam, ElementKind, Launch, LaunchParam, ScalarKind } from '../base/launch.ts';
import { oneLine } from '../base/printable.ts';
import { encodeScalar, isScalarKind, scalarFormats } from '../base/scalars.ts';
import { parseModule, rememberKernel } from '../harness/executors/load-kernel.ts';
import { FileError } from '../harness/files/file-error.ts';
import { maxDocumentBytes, readBytes } from '../harness/files/read-text.ts';
import {
  chooseEntry,
  entryTitle,
  inferKernel,
  type KernelUse,
  type ParamUse,
  parameterNamesOf,
  suggestBlocks,
} from '../harness/infer/index.ts';
import { type Argument, type BufferArgument, numberFor, parseArgument } from '../harness/launches/argument.ts';
import { fileContents, filled } from '../harness/launches/contents.ts';
import { toleranceReasonOf, withTolerance } from '../harness/launches/tolerance.ts';
import type { PtxFunction } from '../ptx/ast.ts';
import { type Console, UsageError } from './console.ts';
import type { KernelOptions } from './kernel-file.ts';
import { readKernelText } from './read-kernel-text.ts';

/** A description of a parameter and its argument, for the user. */
export interface KernelParameter {
  readonly name: string;
  /** The argument as text, such as `f32[1024] = iota, read`. */
  readonly text: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

export interface KernelLaunch {
  readonly launch: Launch;
  /** The declaration of the kernel in C++. */
  readonly title: string;
  readonly parameters: readonly KernelParameter[];
  /**
   * The reason why floating-point results are compared with a tolerance; undefined if their bits
   * are compared.
   */
  readonly toleranceReason: string | undefined;
}

/**
 * Reads, compiles and parses the file, and creates the launch. Throws `UsageError`, `RangeError`
 * for invalid arguments, and `KernelError` for invalid PTX.
 */
export async function kernelLaunch(
  file: string,
  given: readonly string[],
  options: KernelOptions,
  console: Pick<Console, 'err'>,
): Promise<KernelLaunch> {
  const args = given.map(parseArgument);
  const { name, text, origins, warnings } = await readKernelText(file);
  if (warnings !== '') console.err(`${warnings}\n`);
  const module = parseModule(text, name, origins);
  if (module.dialect !== 'module')
    throw new UsageError(`${file} has instructions without a kernel: write them into an .entry`);
  const entry = chooseEntry(module, options.entry);
  const use = inferKernel(module, entry);
  const names = parameterNamesOf(module, entry);
  if (args.length !== use.params.length) throw new UsageError(countMessage(entry, use, names, args.length));
  const made = use.params.map((param, index) => {
    const argument = args[index];
    const own = names[index];
    if (argument === undefined || own === undefined) throw new UsageError(countMessage(entry, use, names, args.length));
    checkName(argument, index, names);
    return parameterOf(param, argument, argument.name ?? own, module.addressSize);
  });
  const repeated = made.find(
    ({ param }, index) => made.findIndex((other) => other.param.name === param.name) !== index,
  );
  if (repeated !== undefined) throw new UsageError(`two arguments have the name '${repeated.param.name}'`);
  const [block = [32, 1, 1] as const] = options.block === undefined ? suggestBlocks(use.threads) : [options.block];
  if (options.block === undefined)
    console.err(`block ${block.join(',')}, which suits the kernel's accesses (--block chooses another)\n`);
  const toleranceReason = toleranceReasonOf(module, entry);
  const launch: Launch = {
    id:
      basename(file)
        .replace(/\.(cu|ptx)$/, '')
        .replace(/[^A-Za-z0-9_.:-]/g, '_') || 'kernel',
    group: '',
    ptx: text,
    ptxFile: name,
    ...(origins.length === 0 ? {} : { origins }),
    entry: entry.name,
    grid: options.grid ?? clusterOf(entry.cluster, options),
    block,
    ...(options.cluster && { cluster: options.cluster }),
    sharedBytes: options.shared ?? 0,
    params: made.map(({ param }) =>
      param.kind === 'buffer' && toleranceReason !== undefined ? withTolerance(param) : param,
    ),
  };
  rememberKernel(launch, module);
  const parameters = made.map(({ param, text: shown, reads, writes }) => ({
    name: param.name,
    text: shown,
    reads,
    writes,
  }));
  return { launch, title: entryTitle(entry.name), parameters, toleranceReason };
}

/** Checks an argument's name. Throws `UsageError` if it is the name of another parameter. */
function checkName({ text, name }: Argument, index: number, names: readonly string[]): void {
  const other = name === undefined ? -1 : names.indexOf(name);
  if (other < 0 || other === index) return;
  throw new UsageError(
    `argument ${index + 1}, '${text}', has the name of parameter ${other + 1}: arguments are in the kernel's order, ${names.join(', ')}`,
  );
}

function countMessage(entry: PtxFunction, { params }: KernelUse, names: readonly string[], count: number): string {
  const lines = params.map((param, index) => `  ${names[index]}: ${wantedText(param)}`);
  const needs = `${params.length} ${params.length === 1 ? 'argument' : 'arguments'}, not ${count}`;
  const title = oneLine(entryTitle(entry.name), 300);
  return [`${title} needs ${needs}${lines.length === 0 ? '' : ', in this order:'}`, ...lines].join('\n');
}

function wantedText(use: ParamUse): string {
  const { variable, fields, image } = use;
  if (image !== undefined) return 'a texture or surface, which only a case file can describe';
  const [field] = fields;
  if (variable.array)
    return `a struct of ${variable.bytes} bytes, such as u8[${variable.bytes}]=1,2,3,… or u32[${Math.ceil(variable.bytes / 4)}]=…`;
  if (field?.use.kind === 'pointer') {
    const { element, reads, writes } = field.use;
    return `a buffer such as ${element}[1024]=iota (${directionText(reads, writes)})`;
  }
  return `a number of type ${scalarKind(use)}`;
}

const directionText = (reads: boolean, writes: boolean): string =>
  reads && writes ? 'read and written' : writes ? 'written' : reads ? 'read' : 'not accessed';

function scalarKind({ variable: { type, bytes }, declared }: ParamUse): ScalarKind {
  if (declared?.isPointer === false && scalarFormats[declared.kind].bytes === bytes) return declared.kind;
  if (isScalarKind(type)) return type;
  return bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : bytes === 4 ? 'u32' : 'u64';
}

interface MadeParameter {
  readonly param: LaunchParam;
  readonly text: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

function parameterOf(use: ParamUse, argument: Argument, name: string, addressSize: number): MadeParameter {
  const { variable, fields, image } = use;
  const { value, text } = argument;
  const wanted = `parameter '${oneLine(name, 100)}' is ${wantedText(use)}`;
  if (image !== undefined) throw new UsageError(wanted);
  const [field] = fields;
  if (value.kind === 'number') {
    if (variable.array || field?.use.kind === 'pointer') throw new UsageError(`${wanted}, not ${text}`);
    return numberParameter(scalarKind(use), value.text, name, text);
  }
  if (variable.array) {
    const type = value.type ?? 'u8';
    const data = contentsOf(value, type, text);
    if (data.length !== variable.bytes) throw new UsageError(`${wanted}: '${text}' has ${data.length} bytes`);
    return { param: { name, kind: 'bytes', data }, text: shown(value, type), reads: false, writes: false };
  }
  const pointer = field?.use.kind === 'pointer' ? field.use : undefined;
  // An integer parameter with the width of an address may be an address that the kernel passes on.
  const isAddress = variable.bytes * 8 === addressSize && !/^f/.test(variable.type);
  if (pointer === undefined && !isAddress) throw new UsageError(`${wanted}, not ${text}`);
  const type = value.type ?? pointer?.element ?? 'u32'; // The element type of a buffer without accesses is unknown.
  const param: BufferParam = {
    name,
    kind: 'buffer',
    type,
    bytes: value.count * scalarFormats[type].bytes,
    ...('fill' in value.contents && value.contents.fill === 'zeros' ? {} : { data: contentsOf(value, type, text) }),
  };
  const direction = pointer === undefined ? '' : `, ${directionText(pointer.reads, pointer.writes)}`;
  return {
    param,
    text: `${shown(value, type)}${direction}`,
    reads: pointer?.reads ?? true,
    writes: pointer?.writes ?? true,
  };
}

/**
 * For each integer type, the type of the same width with the other signedness; other types are
 * unchanged.
 */
const otherSigns: Readonly<Record<ScalarKind, ScalarKind>> = {
  u8: 's8', s8: 'u8', u16: 's16', s16: 'u16', u32: 's32', s32: 'u32', u64: 's64', s64: 'u64', f16: 'f16', bf16: 'bf16', f32: 'f32', f64: 'f64',
}; // biome-ignore format: a table

function numberParameter(type: ScalarKind, number: string, name: string, text: string): MadeParameter {
  let value: number | bigint;
  try {
    value = numberFor(type, number);
  } catch (error) {
    throw error instanceof RangeError
      ? new UsageError(`invalid argument '${text}' for '${name}': ${error.message}`)
      : error;
  }
  // PTX integers do not have a sign, so a number such as 0xffffffff may be intended for a signed
  // integer.
  const { float, min, max } = scalarFormats[type];
  const kind = float || (value >= min && value <= max) ? type : otherSigns[type];
  return {
    param: { name, kind: 'scalar', type: kind, value },
    text: `${kind} = ${number}`,
    reads: false,
    writes: false,
  };
}

function shown({ count, contents }: BufferArgument, type: ElementKind): string {
  const list = 'numbers' in contents ? contents.numbers : [];
  const what =
    'fill' in contents
      ? `${contents.fill}${contents.fill === 'random' ? ` (seed ${contents.seed})` : ''}`
      : 'file' in contents
        ? oneLine(contents.file, 100)
        : `${list.slice(0, 8).join(', ')}${list.length > 8 ? ', …' : ''}`;
  return `${type}[${count}] = ${what}`;
}

/**
 * Returns the initial bytes of a buffer. Throws `UsageError` if the numbers or the file do not fill
 * the buffer.
 */
function contentsOf({ count, contents }: BufferArgument, type: ElementKind, text: string): Uint8Array {
  const { bytes: width } = scalarFormats[type];
  try {
    if ('fill' in contents) return filled(type, count * width, contents.fill, contents.seed);
    if ('file' in contents) return fileData(contents.file, type, count * width);
    if (contents.numbers.length !== count)
      throw new RangeError(`it has ${contents.numbers.length} numbers for ${count} elements`);
    const data = new Uint8Array(count * width);
    for (const [index, number] of contents.numbers.entries())
      data.set(encodeScalar(type, numberFor(type, number)), index * width);
    return data;
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`invalid argument '${text}': ${error.message}`) : error;
  }
}

function fileData(file: string, type: ElementKind, bytes: number): Uint8Array {
  try {
    const data = fileContents(file, readBytes(file, maxDocumentBytes), type);
    if (data.length === bytes) return data;
    throw new RangeError(`${file} has ${data.length} bytes, but the buffer has ${bytes}`);
  } catch (error) {
    if (error instanceof FileError) throw new RangeError(`cannot read ${file}: ${error.message}`);
    throw error;
  }
}
