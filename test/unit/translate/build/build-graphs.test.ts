// Random graphs of blocks: executed IR returns the results of the reference interpreter.
import { describe, expect, it } from 'vitest';
import { interpret } from '../../../../src/cpu-ref/interpreter/interpret.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { verifyProgram } from '../../../../src/translate/ir/verify.ts';
import { evaluateKernel } from '../../../ir/evaluate-kernel.ts';
import { generator, randomGraph, words } from '../../../ir/random-graph.ts';

const outBytes = 128;
const fuel = 40;

function inputOf(seed: number): Uint8Array {
  const random = generator(seed);
  const input = new Uint8Array(4 * words);
  const view = new DataView(input.buffer);
  for (let index = 0; index < words; index++)
    view.setInt32(4 * index, random(3) ? random(20) - 6 : random(2 ** 32) | 0, true);
  return input;
}

const le = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 2 ** (8 * index)) & 0xff);

function compareGraph(seed: number): void {
  const ptx = randomGraph(seed);
  const module = parsePtxOrThrow(ptx);
  const entry = module.functions.find(({ kind }) => kind === 'entry');
  if (entry === undefined) throw new Error('no kernel');
  const input = inputOf(seed + 1);
  const { program } = buildProgram(module, entry, { block: [1, 1, 1], dynamicShared: 0 });
  expect(verifyProgram(program), `seed ${seed}`).toEqual([]);
  const bytes = new Uint8Array(outBytes + input.length);
  bytes.fill(0xa5, 0, outBytes);
  bytes.set(input, outBytes);
  evaluateKernel(program, { bytes, params: [le(0, 8), le(outBytes, 8), le(fuel, 4)] });
  const result = interpret(module, {
    id: 'graph', group: 'graph', ptx, ptxFile: 'graph.ptx', entry: 'graph', grid: [1, 1, 1], block: [1, 1, 1], sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'u8', bytes: outBytes, data: new Uint8Array(outBytes).fill(0xa5) },
      { name: 'in', kind: 'buffer', type: 'u8', bytes: input.length, data: input },
      { name: 'fuel', kind: 'scalar', type: 'u32', value: fuel },
    ],
  }); // biome-ignore format: a table
  expect(result.status, `seed ${seed}: ${result.failure?.message}`).toBe('done');
  const wanted = result.outputs.get(0);
  const defined = result.undefinedMasks.get(0);
  const got = bytes.subarray(0, outBytes).map((byte, index) => byte & (defined?.[index] ?? 0xff));
  expect(got, `seed ${seed}\n${ptx}`).toEqual(wanted?.map((byte, index) => byte & (defined?.[index] ?? 0xff)));
}

describe('blocks in SSA form', () => {
  for (let first = 0; first < 150; first += 50) {
    it(`return the results of the reference, seeds ${first} to ${first + 49}`, () => {
      for (let seed = first; seed < first + 50; seed++) compareGraph(1000 * seed);
    });
  }
});
