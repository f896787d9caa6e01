// Jobs and results as bytes, for HTTP between the page and Node: a JSON head, then the buffers as they are.
//
//   u32 length of the head | head, UTF-8 | padding to 8 | each buffer, padded to 8

import type { GpuBuffer, GpuErrorKind, GpuJob, GpuResult } from './job.ts';
import { GpuError } from './job.ts';
import type { GpuSequence, GpuSequenceResult, SharedBuffer } from './sequence.ts';

const ALIGN = 8;

type JobHead = Omit<GpuJob, 'buffers'> & {
  readonly buffers: readonly (Omit<GpuBuffer, 'data'> & { readonly dataBytes?: number })[];
};

type SequenceHead = {
  readonly sequence: Omit<GpuSequence, 'buffers'>;
  readonly buffers: readonly (Omit<SharedBuffer, 'data'> & { readonly dataBytes?: number })[];
};

type SequenceResultHead =
  | {
      readonly stamps: GpuSequenceResult['stamps'];
      readonly clock: GpuSequenceResult['clock'];
      readonly windows: readonly { index: number; bytes: number }[];
    }
  | { readonly error: { kind: GpuErrorKind; message: string } };

type ResultHead =
  | { readonly ms: number; readonly buffers: readonly { binding: number; bytes: number }[] }
  | { readonly error: { kind: GpuErrorKind; message: string } };

/// The message in parts, so that large buffers are not copied.
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

/// What Node asks of the page: a job, or a sequence to be measured.
export function decodeRequest(
  message: ArrayBuffer,
): { job: GpuJob; sequence?: undefined } | { job?: undefined; sequence: GpuSequence } {
  const { head, take } = decode<JobHead | SequenceHead>(message);
  if (!('sequence' in head)) return { job: decodeJob(message) };
  const buffers = head.buffers.map(({ dataBytes, ...rest }) =>
    dataBytes === undefined ? rest : { ...rest, data: take(dataBytes) },
  );
  return { sequence: { ...head.sequence, buffers } };
}

export function encodeSequenceResult({ stamps, clock, windows }: GpuSequenceResult): Uint8Array<ArrayBuffer>[] {
  const sizes = [...windows].map(([index, data]) => ({ index, bytes: data.byteLength }));
  const head: SequenceResultHead = { stamps, clock, windows: sizes };
  return encode(head, [...windows.values()]);
}

/// Throws the `GpuError` that the other side met.
export function decodeSequenceResult(message: ArrayBuffer): GpuSequenceResult {
  const { head, take } = decode<SequenceResultHead>(message);
  if ('error' in head) throw new GpuError(head.error.kind, head.error.message);
  const windows = new Map(head.windows.map(({ index, bytes }) => [index, take(bytes).slice()]));
  return { stamps: head.stamps, clock: head.clock, windows };
}

export function encodeResult(result: GpuResult): Uint8Array<ArrayBuffer>[] {
  const buffers = [...result.buffers].map(([binding, data]) => ({ binding, bytes: data.byteLength }));
  const head: ResultHead = { ms: result.ms, buffers };
  return encode(head, [...result.buffers.values()]);
}

/// An error crosses as its kind and message. One that is no `GpuError` means that the page itself broke.
export function encodeError(error: unknown): Uint8Array<ArrayBuffer>[] {
  const kind = error instanceof GpuError ? error.kind : 'lost';
  const message = error instanceof Error ? error.message : String(error);
  const head: ResultHead = { error: { kind, message } };
  return encode(head, []);
}

/// Throws the `GpuError` that the other side met.
export function decodeResult(message: ArrayBuffer): GpuResult {
  const { head, take } = decode<ResultHead>(message);
  if ('error' in head) throw new GpuError(head.error.kind, head.error.message);
  // Copies, so that a small result does not keep the whole message alive.
  return { ms: head.ms, buffers: new Map(head.buffers.map(({ binding, bytes }) => [binding, take(bytes).slice()])) };
}

function encode(head: object, payloads: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = new Uint8Array(roundUp(4 + text.byteLength));
  new DataView(start.buffer).setUint32(0, text.byteLength, true);
  start.set(text, 4);
  const parts = [start];
  for (const payload of payloads) {
    const { buffer, byteOffset, byteLength } = payload;
    // Shared memory cannot be sent; nobody here makes any, but the type allows it.
    parts.push(
      buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(payload),
    );
    const padding = roundUp(byteLength) - byteLength;
    if (padding > 0) parts.push(new Uint8Array(padding));
  }
  return parts;
}

function decode<Head>(message: ArrayBuffer): { head: Head; take: (bytes: number) => Uint8Array<ArrayBuffer> } {
  const length = new DataView(message).getUint32(0, true);
  const head: Head = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 4, length)));
  let at = roundUp(4 + length);
  const take = (bytes: number): Uint8Array<ArrayBuffer> => {
    const view = new Uint8Array(message, at, bytes);
    at += roundUp(bytes);
    return view;
  };
  return { head, take };
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN;
}
