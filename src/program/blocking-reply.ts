// Replies in shared memory, for a program whose thread blocks until the reply has arrived.
import type { DeviceReply, DeviceRequest, ProgramMessage } from './protocol.ts';

/** The words of a reply, before its data. */
const place = { state: 0, error: 1, value: 2, second: 3 } as const;
const headBytes = 16;

const wordsOf = (reply: SharedArrayBuffer): Int32Array => new Int32Array(reply, 0, headBytes / 4);

/** The maximum size of the memory that is kept for the next request, in bytes. */
const maxKeptBytes = 64 << 20;

/** Posts requests, and blocks the thread until the reply to each has arrived. */
export class BlockingRequests {
  readonly #post: (message: ProgramMessage) => void;
  #kept = new SharedArrayBuffer(4096);

  constructor(post: (message: ProgramMessage) => void) {
    this.#post = post;
  }

  request(request: DeviceRequest): DeviceReply {
    const bytes = request.op === 'read' ? request.to.length : request.op === 'write' ? request.data.length : 0;
    const reply = this.#memory(headBytes + bytes);
    const data = new Uint8Array(reply, headBytes, bytes);
    const words = wordsOf(reply);
    Atomics.store(words, place.state, 0);
    if (request.op === 'write') data.set(request.data);
    this.#post({ kind: 'request', request: shared(request, data), reply });
    Atomics.wait(words, place.state, 0);
    if (request.op === 'read') request.to.set(data);
    const word = (at: number): number => Atomics.load(words, at) >>> 0;
    return { error: word(place.error), value: word(place.value), second: word(place.second) };
  }

  #memory(bytes: number): SharedArrayBuffer {
    if (bytes <= this.#kept.byteLength) return this.#kept;
    const made = new SharedArrayBuffer(bytes);
    if (bytes <= maxKeptBytes) this.#kept = made;
    return made;
  }
}

/** Returns a request whose data is in shared memory. */
function shared(request: DeviceRequest, data: Uint8Array): DeviceRequest {
  if (request.op === 'read') return { ...request, to: data };
  return request.op === 'write' ? { ...request, data } : request;
}

/** Writes a reply, and wakes the program. */
export function writeReply(to: SharedArrayBuffer, { error, value, second }: DeviceReply): void {
  const words = wordsOf(to);
  words[place.error] = error;
  words[place.value] = value;
  words[place.second] = second;
  Atomics.store(words, place.state, 1);
  Atomics.notify(words, place.state);
}

/** Blocks the thread for some time, in milliseconds. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
