// Valid combinations of operation and type in asynchronous updates.
import type { AsyncUpdateRowName } from '../../isa/index.ts';
import { type Rule, when } from './objection.ts';

const halves = ['f16', 'bf16'];

/** The types of each operation, for asynchronous updates in shared memory. */
const asyncTypes: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64', 's64'],
  min: ['u32', 's32'],
  max: ['u32', 's32'],
  inc: ['u32'],
  dec: ['u32'],
  and: ['b32'],
  or: ['b32'],
  xor: ['b32'],
};
const bulkMinima = ['u32', 's32', 'u64', 's64', 'f16', 'bf16'];
const bulkTypes: Readonly<Record<string, readonly string[]>> = {
  ...asyncTypes,
  add: ['u32', 's32', 'u64', 'f16', 'bf16', 'f32', 'f64'],
  min: bulkMinima,
  max: bulkMinima,
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
};

const updates =
  (types: Readonly<Record<string, readonly string[]>>): Rule =>
  ({ op = '', type = '', noftz }) => {
    const allowed = types[op] ?? [];
    const isSum = op === 'add' && halves.includes(type);
    return (
      when(
        !allowed.includes(type),
        `there is no \`.${op}\` of \`.${type}\` here`,
        `\`.${op}\` takes ${allowed.map((name) => `.${name}`).join(', ')}`,
      ) ??
      when(
        isSum !== (noftz !== undefined),
        `\`.noftz\` ${isSum ? 'is needed for' : 'does not apply to'} \`.${op}.${type}\``,
      )
    );
  };

export const updateRules: Readonly<Record<Exclude<AsyncUpdateRowName, 'st.async'>, Rule>> = {
  'red.async': updates(asyncTypes),
  'cp.reduce.async.bulk.move': updates({ ...asyncTypes, add: ['u32', 's32', 'u64'] }),
  'cp.reduce.async.bulk.store': updates(bulkTypes),
};
