// Atomics of every kind in every memory: the emitted WGSL in the lockstep interpreter against the
// reference.
import { describe, expect, it } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { isLong } from '../../../effort.ts';
import { type AtomicForm, type AtomicPlace, ownCells } from '../../../lockstep/atomic-kernels.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const reference = cpuExecutor();
const executors = [lockstepExecutor(32), lockstepExecutor(1)];
const places: readonly AtomicPlace[] = ['global', 'shared', 'generic', 'generic-shared', 'generic-mixed'];

const form = (opcode: 'atom' | 'red', tail: string, register: AtomicForm['register']): AtomicForm => ({
  opcode,
  tail,
  register,
  operands: tail.startsWith('cas') ? 2 : 1,
});

const words = [
  'add.u32 add.s32 min.u32 max.u32 min.s32 max.s32 and.b32 or.b32 xor.b32 exch.b32 cas.b32 inc.u32 dec.u32'
    .split(' ')
    .map((tail) => form('atom', tail, 'b32')),
  'add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32 inc.u32 dec.u32'.split(' ').map((tail) => form('red', tail, 'b32')),
].flat();

const wides = [
  'add.u64 min.u64 max.u64 min.s64 max.s64 and.b64 or.b64 xor.b64 exch.b64 cas.b64'
    .split(' ')
    .map((tail) => form('atom', tail, 'b64')),
  'add.u64 min.s64 max.u64 and.b64 or.b64 xor.b64'.split(' ').map((tail) => form('red', tail, 'b64')),
].flat();

const floats = ['f32', 'f64'].flatMap((type) => {
  const register = type === 'f32' ? 'f32' : 'f64';
  return [form('atom', `add.${type}`, register), form('red', `add.${type}`, register)];
});

const halves = [
  form('atom', 'cas.b16', 'b16'),
  ...['f16', 'bf16'].flatMap((type) => [
    form('atom', `add.noftz.${type}`, 'b16'),
    form('red', `add.noftz.${type}`, 'b16'),
  ]),
  ...['f16x2', 'bf16x2'].flatMap((type) => [
    form('atom', `add.noftz.${type}`, 'b32'),
    form('red', `add.noftz.${type}`, 'b32'),
  ]),
];

const vectors: readonly AtomicForm[] = [
  { ...form('atom', 'add.v2.f32', 'f32'), vector: 2 },
  { ...form('red', 'add.v4.f32', 'f32'), vector: 4 },
  { ...form('atom', 'add.noftz.v4.f16', 'b16'), vector: 4 },
  { ...form('red', 'max.noftz.v8.bf16', 'b16'), vector: 8 },
  { ...form('atom', 'min.noftz.v2.f16x2', 'b32'), vector: 2 },
  { ...form('red', 'add.noftz.v4.bf16x2', 'b32'), vector: 4 },
];

const named = (forms: readonly AtomicForm[]) => forms.map((each) => [`${each.opcode}.${each.tail}`, each] as const);
const scalars = named([...words, ...wides, ...floats, ...halves]);
const inGlobal = named([...words, ...wides, ...floats, ...halves, ...vectors]);

/**
 * Whether the run covers a form in a place. A short run covers each form in every other place: even
 * forms in the first place, odd forms in the second, and so on.
 */
const isIn = (place: AtomicPlace, index: number) => isLong || (places.indexOf(place) + index) % 2 === 0;
const executorsOf = (place: AtomicPlace, index: number) =>
  executors.filter((_, at) => isLong || (Math.floor(places.indexOf(place) / 2) + Math.floor(index / 2) + at) % 2 === 0);

describe.each(places)('on %s', (place) => {
  // PTX has vector atomics only in global memory, also through generic addresses.
  const forms = (place === 'global' || place === 'generic' ? inGlobal : scalars)
    .map(([name, each], index) => [name, each, index] as const)
    .filter(([, , index]) => isIn(place, index));
  it.each(forms)('%s', async (_, each, index) => {
    const launch = ownCells(each, place, 7);
    const { outputs: expected } = await reference.run(launch);
    for (const executor of executorsOf(place, index)) {
      const { outputs } = await executor.run(launch);
      const { mismatches, first } = compareOutputs(launch, expected, outputs);
      expect({ plan: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});
