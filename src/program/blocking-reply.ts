// Replies in shared memory, for a program whose thread blocks until the reply has arrived.
import type { DeviceReply, DeviceRequest, ProgramMessage } from './protocol.ts';

/** The words of a reply, before its data. */
const place = { state: 0, error: 1, value: 2, second: 3 } as const;
const headBytes = 16;

const wordsOf = (reply: SharedArrayBuffer): Int32Array => new Int32Array(reply, 0, headBytes / 4);

/** Posts a request, and blocks the thread until its reply has arrived. */
export function requestAndBlock(request: DeviceRequest, post: (message: ProgramMessage) => void): DeviceReply {
  const reply = new SharedArrayBuffer(headBytes + (request.op === 'read' ? request.bytes : 0));
  const words = wordsOf(reply);
  post({ kind: 'request', request, reply });
  Atomics.wait(words, place.state, 0);
  const word = (at: number): number => Atomics.load(words, at) >>> 0;
  return {
    error: word(place.error),
    value: word(place.value),
    second: word(place.second),
    data: new Uint8Array(reply, headBytes),
  };
}

/** Writes a reply, and wakes the program. */
export function writeReply(to: SharedArrayBuffer, { error, value, second, data }: DeviceReply): void {
  const words = wordsOf(to);
  new Uint8Array(to, headBytes).set(data);
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
