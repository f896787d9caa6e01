// The door of messages between Node and the page: jobs, sequences and results as bytes.

import { joinBytes } from '../../../base/bytes.ts';
import { GpuError } from '../../../runtime/device/job.ts';
import type { Random } from '../../suites/random.ts';
import {
  decodeRequest,
  decodeResult,
  decodeSequenceResult,
  encodeError,
  encodeJob,
  encodeResult,
  encodeSequence,
  encodeSequenceResult,
} from '../../webgpu/wire.ts';
import type { Door } from './door.ts';
import { mutateJson } from './mutate-json.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const data = Uint8Array.from({ length: 37 }, (_, index) => index * 7);
const step = { code: 'fn f() {}', entryPoint: 'f', bindings: [], workgroups: [1, 1, 1] } as const;

const ownSeeds: readonly [Bytes, ...Bytes[]] = [
  joinBytes(
    encodeResult({
      ms: 1.5,
      buffers: new Map([
        [1, data],
        [4, new Uint8Array(0)],
      ]),
    }),
  ),
  joinBytes(encodeError(new GpuError('out-of-memory', 'too much'))),
  joinBytes(encodeSequenceResult({ stamps: [[1, 2]], clock: 'gpu', windows: new Map([[0, data]]) })),
  joinBytes(
    encodeJob({
      label: 'k',
      code: 'fn f() {}',
      entryPoint: 'f',
      buffers: [
        { binding: 0, kind: 'storage', bytes: 40, data, read: true },
        { binding: 1, kind: 'uniform', bytes: 8, read: false },
      ],
      workgroups: [1, 2, 3],
    }),
  ),
  joinBytes(
    encodeSequence({
      label: 's',
      buffers: [{ bytes: 40, uniform: false, data, read: true }],
      prepare: [],
      steps: [step],
      timing: { repeat: 1, samples: 1, warmup: 0 },
    }),
  ),
];

export function wireDoor(kept: readonly Bytes[] = []): Door<Bytes> {
  const seeds: readonly [Bytes, ...Bytes[]] = [...ownSeeds, ...kept];
  return {
    name: 'wire',
    seeds,
    mutate: (rng) => (rng.chance(0.5) ? withOtherHead(rng.pick(ownSeeds), rng) : withOtherBytes(rng.pick(seeds), rng)),
    enter(bytes) {
      const message = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      const outcomes = [decodeResult, decodeSequenceResult, decodeRequest].map((decode) => tryDecode(decode, message));
      return outcomes.includes('taken') ? 'taken' : 'refused';
    },
  };
}

function tryDecode(decode: (message: ArrayBuffer) => unknown, message: ArrayBuffer): string {
  try {
    decode(message);
    return 'taken';
  } catch (error) {
    if (!(error instanceof GpuError)) throw error;
    return 'refused';
  }
}

/** Replaces the message's head, so that the head does not describe the payload. */
function withOtherHead(bytes: Bytes, rng: Random): Bytes {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  const head = new TextEncoder().encode(mutateJson(text, text, rng));
  const start = new Uint8Array(Math.ceil((4 + head.length) / 8) * 8);
  new DataView(start.buffer).setUint32(0, rng.chance(0.05) ? rng.u32() : head.length, true);
  start.set(head, 4);
  return joinBytes([start, bytes.subarray(Math.ceil((4 + length) / 8) * 8)]);
}

function withOtherBytes(bytes: Bytes, rng: Random): Bytes {
  const copy = bytes.slice(0, rng.chance(0.3) ? rng.below(bytes.length + 1) : bytes.length);
  for (let count = rng.below(5); count > 0; count--) copy[rng.below(copy.length)] = rng.u32();
  return copy;
}
