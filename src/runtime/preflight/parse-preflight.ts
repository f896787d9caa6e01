// Parses the results of a pre-flight from an untrusted document.

import { isObject } from '../../base/json-value.ts';
import { asMatrixConfig } from '../../base/matrix-config.ts';
import type { FloatPreflight } from './floats.ts';
import type { Preflight } from './preflight.ts';
import { possibleSizes, type SubgroupPreflight } from './subgroups.ts';

type Values = readonly [unknown, ...unknown[]];
const flags: Values = [true, false];
const roundings: Values = ['exact', 'approx'];

/** The permitted values of each property. The type checker requires a row for each property. */
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
  packHalf: roundings,
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

/**
 * Checks a document. Returns undefined if it is invalid: all properties are required, and no others
 * are permitted.
 */
export function parsePreflight(document: unknown): Preflight | undefined {
  return isPreflight(document) ? document : undefined;
}

function isPreflight(value: unknown): value is Preflight {
  if (!isObject(value) || !isObject(value.float)) return false;
  const { float, matrices, ...subgroups } = value;
  return (
    (matrices === undefined || isMatrices(matrices)) &&
    hasExactly(float, floatValues) &&
    Object.entries(floatValues).every(([name, values]) => values.includes(float[name])) &&
    hasExactly(subgroups, subgroupChecks) &&
    Object.entries(subgroupChecks).every(([name, check]) => check(subgroups[name]))
  );
}

const isMatrices = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((config) => {
    if (!isObject(config)) return false;
    const { component, result, m, n, k, sums } = config;
    return asMatrixConfig({ component, result, m, n, k, sums }) !== undefined;
  });

function hasExactly(value: object, names: object): boolean {
  const wanted = Object.keys(names);
  return Object.keys(value).length === wanted.length && wanted.every((name) => name in value);
}
