// Combinations of modifiers that surface instructions do not have.
import { type Rule, when } from './objection.ts';

/** Checks the size of an access, which is at most 16 bytes. */
export const surfaceVectors: Rule = ({ vec, type }) =>
  when(vec === 'v4' && type === 'b64', 'four elements of 64 bits are more than a surface access can have');

const reduced: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64'],
  min: ['u32', 's32', 'u64', 's64'],
  max: ['u32', 's32', 'u64', 's64'],
  and: ['b32'],
  or: ['b32'],
};

export const surfaceReduction: Rule = ({ op = '', type = '' }) => {
  const allowed = reduced[op] ?? [];
  return when(
    !allowed.includes(type),
    `there is no \`.${op}\` of \`.${type}\``,
    `\`.${op}\` takes ${allowed.map((name) => `.${name}`).join(', ')}`,
  );
};
