// Case files: a kernel launch as JSON, with the expected contents of its buffers. Safe for
// browsers; `case-file-node.ts` reads files from disk.

import { countOf, largestSizes, maxSharedBytes } from '../../base/dim3.ts';
import { isObject, type JsonObject } from '../../base/json-value.ts';
import type {
  BufferParam,
  BytesParam,
  Dim3,
  InnerPointer,
  Launch,
  LaunchParam,
  ScalarParam,
} from '../../base/launch.ts';
import { printedWords } from '../../base/printed.ts';
import { encodeScalar, isElementKind, isScalarKind, readScalar, scalarFormats } from '../../base/scalars.ts';
import { imageJson, imageParam, isImageKind } from './case-image.ts';
import { tensorMapJson, tensorMapParam } from './case-tensor-map.ts';
import {
  base64,
  CaseError,
  contents,
  count,
  expectation,
  flag,
  type ReadCaseFile,
  scalarValue,
  shown,
  text,
  toBase64,
} from './case-values.ts';
import { readableContents } from './contents.ts';

export { CaseError };

/** A case without its PTX text. `ptxPath` is relative to the case file. */
export interface CaseDescription {
  readonly ptxPath: string;
  readonly launch: Omit<Launch, 'ptx' | 'ptxFile'>;
}

const maxBlockThreads = 1024;
/**
 * The maximum size of all parameters together. The reference needs seven times as much memory,
 * because it records for each byte whether the byte is defined and which thread wrote it.
 */
const maxParamBytes = 256 * 2 ** 20;
/** The maximum number of parameters. PTX limits the size of all parameters to 32,764 bytes. */
const maxParams = 4096;
const idPattern = /^[A-Za-z0-9_.:-]{1,200}$/;
/** An identifier, as PTX defines it. */
const entryPattern = /^[A-Za-z_$%][A-Za-z0-9_$]*$/;
const kinds =
  'buffer, memory, tensormap, texture, surface, bytes, u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64';

/** Checks an id. Throws `CaseError` if it cannot be the name of results and files. */
export function checkId(id: string): void {
  if (idPattern.test(id)) return;
  throw new CaseError(
    'id',
    `${shown(id)} is not a valid id: expected up to 200 letters, digits and the characters _ . : -`,
  );
}

function dim3(object: JsonObject, key: string, most: Dim3): Dim3 {
  const value = object[key];
  if (!Array.isArray(value) || value.length !== 3) throw new CaseError(key, 'must be [x, y, z]');
  const size = (axis: 0 | 1 | 2): number => {
    const n = count(value[axis], `${key}[${axis}]`, most[axis]);
    if (n === 0) throw new CaseError(`${key}[${axis}]`, 'must be at least 1');
    return n;
  };
  return [size(0), size(1), size(2)];
}

function bufferParam(object: JsonObject, name: string, path: string, read?: ReadCaseFile): BufferParam {
  const type = text(object, 'type', path);
  if (!isElementKind(type)) throw new CaseError(`${path}.type`, `unknown type ${shown(type)}`);
  const bytes = count(object.bytes, `${path}.bytes`, maxParamBytes);
  if (bytes === 0) throw new CaseError(`${path}.bytes`, 'must be at least 1');
  const place = { path, type, bytes, read };
  const data = contents(object, 'data', place);
  const expect = expectation(object, place);
  const tolerance = object.tolerance;
  if (tolerance !== undefined) {
    if (!isObject(tolerance)) throw new CaseError(`${path}.tolerance`, 'must be { "rel": number, "abs": number }');
    for (const key of ['rel', 'abs']) {
      const value = tolerance[key];
      if (typeof value !== 'number' || !(value >= 0)) {
        throw new CaseError(`${path}.tolerance.${key}`, 'must be a nonnegative number');
      }
    }
    if (!scalarFormats[type].float)
      throw new CaseError(`${path}.tolerance`, `applies to f16, bf16, f32 and f64 only, not to ${type}`);
  }
  return {
    name,
    kind: 'buffer',
    type,
    bytes,
    ...(data === undefined ? {} : { data }),
    ...(expect === undefined ? {} : { expect }),
    ...(tolerance === undefined ? {} : { tolerance: { rel: Number(tolerance.rel), abs: Number(tolerance.abs) } }),
  };
}

/** Reads the addresses inside a by-value parameter. `checkPointers` checks their targets. */
function innerPointers(value: unknown, data: Uint8Array, path: string): readonly InnerPointer[] {
  if (!Array.isArray(value)) throw new CaseError(`${path}.pointers`, 'must be an array');
  return value.map((pointer, index) => {
    const place = `${path}.pointers[${index}]`;
    if (!isObject(pointer))
      throw new CaseError(place, 'must be { "at": byte, "to": parameter number, "offset": byte }');
    const at = count(pointer.at, `${place}.at`, data.length - 8);
    const to = count(pointer.to, `${place}.to`, maxParams);
    return { at, to, offset: count(pointer.offset, `${place}.offset`, maxParamBytes) };
  });
}

/** Throws if an argument of the kernel follows memory that is not an argument. */
function checkOrder(list: readonly LaunchParam[]): void {
  const isUnpassed = (param: LaunchParam) => param.kind === 'buffer' && param.unpassed === true;
  const first = list.findIndex(isUnpassed);
  const after = first < 0 ? -1 : list.findIndex((param, index) => index > first && !isUnpassed(param));
  if (after >= 0)
    throw new CaseError(`params[${first}]`, `must follow the kernel's parameters, such as params[${after}]`);
}

/** Throws unless each address points to a byte of a buffer, or to its end. */
function checkPointers(list: readonly LaunchParam[]): void {
  for (const [index, given] of list.entries()) {
    if (given.kind !== 'bytes') continue;
    for (const [number, { to, offset }] of (given.pointers ?? []).entries()) {
      const target = list[to];
      const path = `params[${index}].pointers[${number}]`;
      if (target?.kind !== 'buffer' || target.image !== undefined)
        throw new CaseError(`${path}.to`, `parameter ${to} is not a buffer`);
      if (offset > target.bytes) throw new CaseError(`${path}.offset`, `must be at most ${target.bytes}`);
    }
  }
}

function param(value: unknown, index: number, read?: ReadCaseFile): LaunchParam {
  const path = `params[${index}]`;
  if (!isObject(value)) throw new CaseError(path, 'must be an object');
  const name = text(value, 'name', path);
  const kind = text(value, 'kind', path);
  if (kind === 'buffer') return bufferParam(value, name, path, read);
  if (kind === 'memory') return { ...bufferParam(value, name, path, read), unpassed: true };
  if (kind === 'tensormap') return tensorMapParam(value, name, path);
  if (isImageKind(kind)) return imageParam(value, name, kind, path, read);
  if (kind === 'bytes') {
    const data = Array.isArray(value.data)
      ? contents(value, 'data', { path, type: 'u8', bytes: value.data.length, read })
      : base64(value.data, `${path}.data`);
    if (data === undefined || data.length === 0) throw new CaseError(`${path}.data`, 'must contain at least 1 byte');
    const pointers = value.pointers === undefined ? {} : { pointers: innerPointers(value.pointers, data, path) };
    return { name, kind: 'bytes', data, ...pointers } satisfies BytesParam;
  }
  if (!isScalarKind(kind)) throw new CaseError(`${path}.kind`, `unknown kind ${shown(kind)}; one of ${kinds}`);
  return {
    name,
    kind: 'scalar',
    type: kind,
    value: scalarValue(kind, value.value, `${path}.value`),
  } satisfies ScalarParam;
}

function parseJson(json: string): unknown {
  try {
    // Editors on Windows may start the file with a byte order mark.
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new CaseError('', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function paramBytes(value: LaunchParam): number {
  if (value.kind === 'buffer') return value.bytes;
  return value.kind === 'bytes' ? value.data.length : scalarFormats[value.type].bytes;
}

/** Reads the parameters, in the order of the kernel. */
function params(list: readonly unknown[], read?: ReadCaseFile): LaunchParam[] {
  if (list.length > maxParams)
    throw new CaseError('params', `has ${list.length} elements, but the limit is ${maxParams}`);
  let total = 0;
  const all = list.map((value, index) => {
    const parsed = param(value, index, read);
    total += paramBytes(parsed);
    if (total > maxParamBytes) {
      throw new CaseError(`params[${index}]`, `all parameters together exceed ${maxParamBytes} bytes`);
    }
    return parsed;
  });
  checkOrder(all);
  checkPointers(all);
  return all;
}

/** Reads a list of printed texts. The list is limited, because a launch cannot print more texts. */
function texts(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) throw new CaseError(path, 'must be an array');
  if (value.length > printedWords)
    throw new CaseError(path, `has ${value.length} elements, but the limit is ${printedWords}`);
  return value.map((element, index) => {
    if (typeof element !== 'string') throw new CaseError(`${path}[${index}]`, 'must be a string');
    return element;
  });
}

/**
 * Reads and checks everything in a case except its PTX. `read` reads the files that contain the
 * contents of buffers. Throws `CaseError`.
 */
export function describeCase(json: string, read?: ReadCaseFile): CaseDescription {
  const object = parseJson(json);
  if (!isObject(object)) throw new CaseError('', 'must be a JSON object');
  if (!Array.isArray(object.params)) throw new CaseError('params', 'must be an array');
  const block = dim3(object, 'block', largestSizes.block);
  const threads = countOf(block);
  if (threads > maxBlockThreads)
    throw new CaseError('block', `has ${threads} threads, but the limit is ${maxBlockThreads}`);
  const id = text(object, 'id', '');
  checkId(id);
  const entry = text(object, 'entry', '');
  if (!entryPattern.test(entry)) throw new CaseError('entry', `${shown(entry)} is not a valid kernel name`);
  return {
    ptxPath: text(object, 'ptx', ''),
    launch: {
      id,
      group: object.group === undefined || object.group === '' ? '' : text(object, 'group', ''),
      entry,
      grid: dim3(object, 'grid', largestSizes.grid),
      block,
      sharedBytes: object.sharedBytes === undefined ? 0 : count(object.sharedBytes, 'sharedBytes', maxSharedBytes),
      params: params(object.params, read),
      ...(object.cluster === undefined ? {} : { cluster: dim3(object, 'cluster', largestSizes.cluster) }),
      ...(object.cooperative === undefined ? {} : { cooperative: flag(object.cooperative, 'cooperative') }),
      ...(object.prints === undefined ? {} : { prints: texts(object.prints, 'prints') }),
      ...(object.fails === undefined ? {} : { fails: text(object, 'fails', '') }),
    },
  };
}

/**
 * Parses a case from its JSON and its PTX text. `ptxFile` is the name of the PTX in diagnostics.
 * `read` returns the contents of the files that buffers name. Throws `CaseError`.
 */
export function parseCase(json: string, ptx: string, ptxFile?: string, read?: ReadCaseFile): Launch {
  const { launch, ptxPath } = describeCase(json, read);
  return { ...launch, ptx, ptxFile: ptxFile ?? ptxPath };
}

function paramJson(value: LaunchParam, readable: boolean): JsonObject {
  switch (value.kind) {
    case 'buffer': {
      const { data, expect, image, unpassed, ...rest } = value;
      const written = (bytes: Uint8Array) => (readable && readableContents(value.type, bytes)) || toBase64(bytes);
      return {
        ...(image === undefined ? rest : imageJson(value.name, image)),
        ...(unpassed === undefined ? {} : { kind: 'memory' }),
        ...(data === undefined ? {} : { data: written(data) }),
        ...(expect === undefined ? {} : { expect: expect === 'any' ? expect : written(expect) }),
      };
    }
    case 'bytes':
      if (value.tensorMap !== undefined) return tensorMapJson(value, value.tensorMap);
      return { ...value, data: readable && value.data.length <= 64 ? [...value.data] : toBase64(value.data) };
    case 'scalar': {
      const stored = readScalar(value.type, encodeScalar(value.type, value.value), 0);
      const plain = typeof stored === 'number' && Number.isFinite(stored);
      return { name: value.name, kind: value.type, value: plain ? stored : String(stored) };
    }
  }
}

/**
 * Returns the JSON of a case whose PTX is at `ptxPath`, relative to the case. `parseCase` restores
 * the launch. With `readable`, contents are written as patterns and lists of numbers if possible,
 * and otherwise as base64.
 */
export function writeCase(
  launch: Launch,
  ptxPath: string,
  { readable = false }: { readonly readable?: boolean } = {},
): string {
  const { id, group, entry, grid, block, sharedBytes, params, cluster, cooperative, prints, fails } = launch;
  const told = {
    ...(cluster === undefined ? {} : { cluster }),
    ...(cooperative === undefined ? {} : { cooperative }),
    ...(prints === undefined ? {} : { prints }),
    ...(fails === undefined ? {} : { fails }),
  };
  const head = { id, group, ptx: ptxPath, entry, grid, block, sharedBytes, ...told };
  return `${JSON.stringify({ ...head, params: params.map((param) => paramJson(param, readable)) }, null, 1)}\n`;
}
