// What a pre-flight found, from a document that somebody else may have written.

import { isObject } from '../../base/json-value.ts';
import type { FloatPreflight } from './floats.ts';
import type { Preflight } from './preflight.ts';
import { possibleSizes, type SubgroupPreflight } from './subgroups.ts';

type Values = readonly [unknown, ...unknown[]];
const flags: Values = [true, false];
const roundings: Values = ['exact', 'approx'];

/** What each may be: the type checker asks for a row of each. */
const floatValues: Readonly<Record<keyof FloatPreflight, Values>> = {
  denormals: ['kept', 'flushed'],
  add: roundings,
  mul: roundings,
  fma: ['fused', 'unfused', 'approx'],
  contracts: flags,
  div: roundings,
  sqrt: roundings,
  extremes: roundings,
  exp2: ['close', 'approx'],
  nans: ['canonical', 'any'],
  nanPayload: flags,
};

const isSize = (value: unknown): boolean => possibleSizes.some((size) => size === value);

const subgroupChecks: Readonly<Record<keyof SubgroupPreflight, (value: unknown) => boolean>> = {
  subgroupSize: (value) => value === 0 || isSize(value),
  explicitSizes: (value) => Array.isArray(value) && value.every(isSize),
  subgroupId: (value) => typeof value === 'boolean',
  linear: (value) => typeof value === 'boolean',
  problems: (value) => Array.isArray(value) && value.every((problem) => typeof problem === 'string'),
};

/** Undefined for what is none. All has to be there, and nothing else. */
export function parsePreflight(document: unknown): Preflight | undefined {
  return isPreflight(document) ? document : undefined;
}

function isPreflight(value: unknown): value is Preflight {
  if (!isObject(value) || !isObject(value.float)) return false;
  const { float, ...subgroups } = value;
  return (
    hasExactly(float, floatValues) &&
    Object.entries(floatValues).every(([name, values]) => values.includes(float[name])) &&
    hasExactly(subgroups, subgroupChecks) &&
    Object.entries(subgroupChecks).every(([name, check]) => check(subgroups[name]))
  );
}

function hasExactly(value: object, names: object): boolean {
  const wanted = Object.keys(names);
  return Object.keys(value).length === wanted.length && wanted.every((name) => name in value);
}
