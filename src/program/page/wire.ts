// Encodes programs, and what they write, for HTTP between Node and the page.
import { fieldsOf } from '../../base/json-value.ts';
import { decode, decodeAnswer, encode } from '../../harness/webgpu/wire.ts';
import type { PageProgram } from './run-in-page.ts';

export interface ProgramRequest {
  readonly program: PageProgram;
  readonly float: 'exact' | 'fast';
}

interface RequestHead extends Pick<PageProgram, 'modules' | 'args' | 'env'>, Pick<ProgramRequest, 'float'> {
  readonly wasmBytes: number;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

export function encodeProgram({ program, float }: ProgramRequest): Uint8Array[] {
  const { wasm, modules, args, env, files } = program;
  const sizes = files.map(([path, { length }]) => ({ path, bytes: length }));
  const head: RequestHead = { modules, args, env, float, wasmBytes: wasm.length, files: sizes };
  return encode(head, [wasm, ...files.map(([, bytes]) => bytes)]);
}

/** Encodes the request for more of what the program writes. */
export const encodeMore = (): Uint8Array[] => encode({ more: true }, []);

/** Decodes a request. Returns undefined for `encodeMore`. */
export function decodeProgram(message: ArrayBuffer): ProgramRequest | undefined {
  const { head, take } = decode<RequestHead | { readonly more: true }>(message);
  if ('more' in head) return undefined;
  const { modules, args, env, float, wasmBytes, files } = head;
  const wasm = take(wasmBytes);
  const contents = files.map(({ path, bytes }) => [path, take(bytes)] as const);
  return { float, program: { wasm, modules, args, env, files: contents } };
}

/** A piece of what a program writes. */
export interface Written {
  readonly stream: 1 | 2;
  readonly bytes: Uint8Array;
}

export interface ProgramAnswer {
  readonly written: readonly Written[];
  /** The end of the program; undefined if it has not ended. */
  readonly end: ProgramOutcome | undefined;
}

/** The exit code of a program, or the error that ended it. */
export type ProgramOutcome =
  | { readonly code: number }
  /** `isUsage`: whether the error is that of a kernel that cannot be translated. */
  | { readonly error: string; readonly isUsage: boolean };

export function encodeAnswer({ written, end }: ProgramAnswer): Uint8Array<ArrayBuffer>[] {
  const head = { written: written.map(({ stream, bytes }) => ({ stream, bytes: bytes.length })), end };
  return encode(
    head,
    written.map(({ bytes }) => bytes),
  );
}

/** Decodes an answer. Throws `GpuError` if the page reports an error of its own. */
export function decodeProgramAnswer(message: ArrayBuffer): ProgramAnswer {
  const { head, take } = decodeAnswer(message);
  const list = Array.isArray(head.written) ? head.written : [];
  const written = list.map((item): Written => {
    const { stream, bytes } = fieldsOf(item);
    return { stream: stream === 2 ? 2 : 1, bytes: take(Number(bytes)).slice() };
  });
  if (head.end === undefined) return { written, end: undefined };
  const { code, error, isUsage } = fieldsOf(head.end);
  const end = typeof error === 'string' ? { error, isUsage: isUsage === true } : { code: Number(code) };
  return { written, end };
}
