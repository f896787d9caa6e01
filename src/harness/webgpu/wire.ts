// Encodes jobs and results as bytes, for HTTP between the page and Node: a JSON head, then the raw
// buffers.
//
// u32 length of the head | head, UTF-8 | padding to 8 | each buffer, padded to 8

import { alignUp } from '../../base/align.ts';
import { fieldsOf, isObject, type JsonObject } from '../../base/json-value.ts';
import type {
  CompileTimes,
  GpuBuffer,
  GpuErrorKind,
  GpuJob,
  GpuResult,
  GpuShader,
  JobPhase,
} from '../../runtime/device/job.ts';
import { GpuError, gpuErrorKinds } from '../../runtime/device/job.ts';
import {
  type GpuSequence,
  type GpuSequenceResult,
  type SharedBuffer,
  windowsOf,
} from '../../runtime/device/sequence.ts';

const ALIGN = 8;

type JobHead = Omit<GpuJob, 'buffers'> & {
  readonly buffers: readonly (Omit<GpuBuffer, 'data'> & { readonly dataBytes?: number })[];
};

type SequenceHead = {
  readonly sequence: Omit<GpuSequence, 'buffers'>;
  readonly buffers: readonly (Omit<SharedBuffer, 'data'> & { readonly dataBytes?: number })[];
};

interface ShaderHead {
  readonly shader: GpuShader;
}

interface SequenceResultHead {
  readonly stamps: GpuSequenceResult['stamps'];
  readonly clock: GpuSequenceResult['clock'];
  readonly windows: readonly { index: number; bytes: number }[];
}

interface ResultHead {
  readonly ms: number;
  readonly buffers: readonly { binding: number; bytes: number }[];
}

interface PhaseHead {
  readonly phase: JobPhase;
}

interface ErrorHead {
  readonly error: { kind: GpuErrorKind; message: string };
}

/**
 * The maximum number of characters of an error's message. Longer messages of the compiler, for long
 * shaders, are truncated.
 */
const MAX_ERROR_LENGTH = 1 << 16;

/** Encodes a job. Returns the message in parts, so that large buffers are not copied. */
export function encodeJob(job: GpuJob): Uint8Array<ArrayBuffer>[] {
  const buffers = job.buffers.map(({ data, ...rest }) => (data ? { ...rest, dataBytes: data.byteLength } : rest));
  const head: JobHead = { ...job, buffers };
  return encode(
    head,
    job.buffers.flatMap(({ data }) => (data ? [data] : [])),
  );
}

export function decodeJob(message: ArrayBuffer): GpuJob {
  const { head, take } = decode<JobHead>(message);
  const buffers = head.buffers.map(({ dataBytes, ...rest }) =>
    dataBytes === undefined ? rest : { ...rest, data: take(dataBytes) },
  );
  return { ...head, buffers };
}

export function encodeSequence({ buffers, ...sequence }: GpuSequence): Uint8Array<ArrayBuffer>[] {
  const specs = buffers.map(({ data, ...rest }) => (data ? { ...rest, dataBytes: data.byteLength } : rest));
  const head: SequenceHead = { sequence, buffers: specs };
  return encode(
    head,
    buffers.flatMap(({ data }) => (data ? [data] : [])),
  );
}

/** Encodes the request to compile a shader. */
export function encodeShader(shader: GpuShader): Uint8Array<ArrayBuffer>[] {
  return encode({ shader }, []);
}

/**
 * Encodes the request that follows a phase. The page answers it with the next phase or with the
 * job's answer.
 */
export function encodeContinue(): Uint8Array<ArrayBuffer>[] {
  return encode({ continues: true }, []);
}

/** A request to the page: run a job, measure a sequence, compile a shader, or continue. */
export type WireRequest =
  | { readonly kind: 'job'; readonly job: GpuJob }
  | { readonly kind: 'sequence'; readonly sequence: GpuSequence }
  | { readonly kind: 'shader'; readonly shader: GpuShader }
  | { readonly kind: 'continue' };

/** Decodes Node's request to the page. Throws `GpuError` 'lost' for a malformed message. */
export function decodeRequest(message: ArrayBuffer): WireRequest {
  try {
    return requestOf(message);
  } catch (error) {
    throw error instanceof GpuError ? error : malformed(error instanceof Error ? error.message : String(error));
  }
}

function requestOf(message: ArrayBuffer): WireRequest {
  const { head, take } = decode<JobHead | SequenceHead | ShaderHead | { readonly continues: true }>(message);
  if ('continues' in head) return { kind: 'continue' };
  if ('shader' in head) return { kind: 'shader', shader: head.shader };
  if (!('sequence' in head)) return { kind: 'job', job: decodeJob(message) };
  const buffers = head.buffers.map(({ dataBytes, ...rest }) =>
    dataBytes === undefined ? rest : { ...rest, data: take(dataBytes) },
  );
  return { kind: 'sequence', sequence: { ...head.sequence, buffers } };
}

export function encodeSequenceResult({ stamps, clock, windows }: GpuSequenceResult): Uint8Array<ArrayBuffer>[] {
  const sizes = [...windows].map(([index, data]) => ({ index, bytes: data.byteLength }));
  const head: SequenceResultHead = { stamps, clock, windows: sizes };
  return encode(head, [...windows.values()]);
}

/**
 * Decodes the answer to a sequence. Throws the `GpuError` that the page reports, or `GpuError`
 * 'lost' if the answer is malformed.
 */
export function decodeSequenceResult(message: ArrayBuffer): GpuSequenceResult {
  const { head, take } = decodeAnswer(message);
  const { stamps, clock, windows } = head;
  if (!Array.isArray(stamps) || !stamps.every(isStamp)) throw malformed('invalid timestamps');
  if (clock !== 'gpu' && clock !== 'host') throw malformed('unknown clock');
  return { stamps, clock, windows: takeBuffers(windows, 'index', take) };
}

/** Encodes a message that reports the start of a phase. Such messages precede the answer. */
export function encodePhase(phase: JobPhase): Uint8Array<ArrayBuffer>[] {
  const head: PhaseHead = { phase };
  return encode(head, []);
}

/** Returns the phase that a message reports, or undefined for an answer or a malformed message. */
export function phaseIn(message: ArrayBuffer): JobPhase | undefined {
  try {
    const { phase } = fieldsOf(decode<unknown>(message).head);
    return phase === 'compiling' || phase === 'running' ? phase : undefined;
  } catch {
    return undefined;
  }
}

export function encodeTimes(times: CompileTimes): Uint8Array<ArrayBuffer>[] {
  return encode(times, []);
}

/**
 * Decodes the answer to a shader. Throws the `GpuError` that the page reports, or `GpuError` 'lost'
 * if the answer is malformed.
 */
export function decodeTimes(message: ArrayBuffer): CompileTimes {
  const { moduleMs, pipelineMs } = decodeAnswer(message).head;
  if (!isNumber(moduleMs) || !isNumber(pipelineMs)) throw malformed('missing times');
  return { moduleMs, pipelineMs };
}

/** Returns the maximum size of the buffers in a sequence's answer, in bytes. */
export function sequenceAnswerBytes({ buffers }: GpuSequence): number {
  const windowBytes = buffers.flatMap(({ read, bytes }) => (read ? windowsOf(Math.max(4, bytes)) : []));
  return windowBytes.reduce((sum, [, bytes]) => sum + alignUp(bytes, ALIGN), 0);
}

export function encodeResult(result: GpuResult): Uint8Array<ArrayBuffer>[] {
  const buffers = [...result.buffers].map(([binding, data]) => ({ binding, bytes: data.byteLength }));
  const head: ResultHead = { ms: result.ms, buffers };
  return encode(head, [...result.buffers.values()]);
}

/**
 * Encodes the kind and the message of an error. If the error is not a `GpuError`, the page itself
 * has failed, and the kind is 'lost'.
 */
export function encodeError(error: unknown): Uint8Array<ArrayBuffer>[] {
  const kind = error instanceof GpuError ? error.kind : 'lost';
  const message = error instanceof Error ? error.message : String(error);
  const head: ErrorHead = { error: { kind, message: message.slice(0, MAX_ERROR_LENGTH) } };
  return encode(head, []);
}

/**
 * Decodes the answer to a job. Throws the `GpuError` that the page reports, or `GpuError` 'lost' if
 * the answer is malformed.
 */
export function decodeResult(message: ArrayBuffer): GpuResult {
  const { head, take } = decodeAnswer(message);
  const { ms, buffers } = head;
  if (!isNumber(ms)) throw malformed('missing time');
  return { ms, buffers: takeBuffers(buffers, 'binding', take) };
}

/** Returns the size of the buffers in a job's answer, in bytes. */
export function answerBytes({ buffers }: GpuJob): number {
  return buffers.reduce((sum, { read, bytes }) => sum + (read ? alignUp(bytes, ALIGN) : 0), 0);
}

/**
 * Checks that a result contains exactly the requested buffers, each with its size. Throws
 * `GpuError` 'lost' otherwise.
 */
export function checkResult({ label, buffers }: GpuJob, result: GpuResult): GpuResult {
  const wanted = buffers.filter(({ read }) => read);
  const isWhole = wanted.every(({ binding, bytes }) => result.buffers.get(binding)?.byteLength === bytes);
  if (isWhole && result.buffers.size === wanted.length) return result;
  throw new GpuError('lost', `${label}: the answer does not contain exactly the requested buffers`);
}

/** Returns the next payload of a message, which has this size. */
export type Take = (bytes: number) => Uint8Array<ArrayBuffer>;

/** Decodes an answer. If the answer contains an error, throws it. */
export function decodeAnswer(message: ArrayBuffer): { head: JsonObject; take: Take } {
  let decoded: { head: unknown; take: Take };
  try {
    decoded = decode(message);
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error));
  }
  const { head, take } = decoded;
  if (!isObject(head)) throw malformed('its head is not an object');
  const { error } = head;
  if (isObject(error)) {
    const kind = gpuErrorKinds.find((name) => name === error.kind) ?? 'lost';
    throw new GpuError(kind, typeof error.message === 'string' ? error.message : 'an error without a message');
  }
  return { head, take };
}

/** Copies the buffers, so that a small result does not keep the whole message in memory. */
function takeBuffers(list: unknown, key: 'binding' | 'index', take: Take): Map<number, Uint8Array> {
  if (!Array.isArray(list)) throw malformed('missing buffers');
  const taken = new Map<number, Uint8Array>();
  for (const item of list) {
    const { [key]: place, bytes } = fieldsOf(item);
    if (!isCount(place) || !isCount(bytes)) throw malformed('a buffer lacks its index or size');
    if (taken.has(place)) throw malformed(`duplicate buffer ${place}`);
    taken.set(place, take(bytes).slice());
  }
  return taken;
}

function malformed(why: string): GpuError {
  return new GpuError('lost', `the message is malformed: ${why}`);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value >= 0;
}

function isStamp(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isNumber);
}

/** Encodes a message: a head that JSON can represent, and the payloads that follow it. */
export function encode(head: object, payloads: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = new Uint8Array(alignUp(4 + text.byteLength, ALIGN));
  new DataView(start.buffer).setUint32(0, text.byteLength, true);
  start.set(text, 4);
  const parts = [start];
  for (const payload of payloads) {
    const { buffer, byteOffset, byteLength } = payload;
    // A `SharedArrayBuffer` cannot be sent, so copy its bytes. No payload has one, but the type
    // allows it.
    parts.push(
      buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(payload),
    );
    const padding = alignUp(byteLength, ALIGN) - byteLength;
    if (padding > 0) parts.push(new Uint8Array(padding));
  }
  return parts;
}

/**
 * Decodes a message. Throws RangeError if the message is shorter than its header says, and
 * SyntaxError if its head is not valid JSON.
 */
export function decode<Head>(message: ArrayBuffer): { head: Head; take: Take } {
  const length = new DataView(message).getUint32(0, true);
  const head: Head = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 4, length)));
  let at = alignUp(4 + length, ALIGN);
  const take = (bytes: number): Uint8Array<ArrayBuffer> => {
    if (at + bytes > message.byteLength) throw malformed('it ends inside a buffer');
    const view = new Uint8Array(message, at, bytes);
    at += alignUp(bytes, ALIGN);
    return view;
  };
  return { head, take };
}
