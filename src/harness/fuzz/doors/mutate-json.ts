// Mutates JSON documents: replaces values, and removes, duplicates or renames fields.
import type { Random } from '../../suites/random.ts';
import { mutateText } from './mutate-text.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const values: readonly [Json, ...Json[]] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  0.5,
  32,
  1024,
  65_536,
  2 ** 28,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e308,
  -1e308,
  '',
  '0',
  'NaN',
  '-Infinity',
  '0x7fffffff',
  '9'.repeat(500),
  'AAAA',
  '!!!!',
  'u32',
  'buffer',
  'pass',
  'unsupported',
  '../escaped',
  '/etc/passwd',
  'a\u001b[2J\nb',
  '\ud800',
  '\u202e\ufffe',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  '\'"><img src=x onerror=y>',
  '::error::x',
  [],
  {},
  [null],
  [[[[[]]]]],
  { toString: 1 },
  { __proto__: 1, constructor: null },
  { length: 5 },
];
const names = ['__proto__', 'constructor', 'toString', 'id', 'status', 'length', '', '\u0000', 'a b'] as const;

/** Returns a mutated document as text. Sometimes the text is damaged, too. */
export function mutateJson(text: string, other: string, rng: Random): string {
  if (rng.chance(0.15)) return mutateText(text, other, rng);
  let value: Json = JSON.parse(text);
  for (let rounds = 1 + rng.below(4); rounds > 0; rounds--) value = replaceSomewhere(value, rng, 0);
  const written = JSON.stringify(value) ?? '';
  return rng.chance(0.1) ? mutateText(written, other, rng) : written;
}

function replaceSomewhere(value: Json, rng: Random, depth: number): Json {
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || rng.chance(0.08) || depth > 12) return replacement(value, rng);
  return isList(value) ? changedList(value, rng, depth) : changedObject(value, rng, depth);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function replacement(value: Json, rng: Random): Json {
  if (typeof value === 'string' && rng.chance(0.3)) return mutateText(value, value, rng);
  if (typeof value === 'number' && rng.chance(0.3)) return value + rng.pick([-1, 1, 0.5, 2 ** 32, -value, value]);
  return rng.pick(values);
}

function changedList(list: readonly Json[], rng: Random, depth: number): Json {
  if (list.length === 0 || rng.chance(0.1)) return [...list, rng.pick(values)];
  const at = rng.below(list.length);
  if (rng.chance(0.1)) return list.toSpliced(at, 1);
  if (rng.chance(0.1)) return list.toSpliced(at, 0, ...list.slice(at, at + 1));
  return list.with(at, replaceSomewhere(list[at] ?? null, rng, depth + 1));
}

function changedObject(object: { readonly [name: string]: Json }, rng: Random, depth: number): Json {
  const fields = Object.entries(object);
  const at = rng.below(fields.length);
  const field = fields[at];
  if (field === undefined || rng.chance(0.06)) fields.push([rng.pick(names), rng.pick(values)]);
  else if (rng.chance(0.1)) fields.splice(at, 1);
  else if (rng.chance(0.05)) fields[at] = [rng.pick(names), field[1]];
  else fields[at] = [field[0], replaceSomewhere(field[1], rng, depth + 1)];
  return Object.fromEntries(fields);
}
