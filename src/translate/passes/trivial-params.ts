// Removes block parameters that receive the same value on every edge.

import { allOf, getOrInsert } from '../../base/maps.ts';
import { replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  isDefinition,
  type Param,
  sameValue,
  type Value,
} from '../ir/nodes.ts';
import { removeParams } from './remove-dead-code.ts';

/**
 * Removes the parameters that have only one value. Each parameter starts as unknown. So parameters
 * that only pass each other around a loop have the value that enters the loop.
 */
export function removeTrivialParams(func: Func): boolean {
  const params = paramsIn(func);
  if (params.length === 0) return false;
  const { places, incoming, readers } = uses(func, params);
  /** The known value of each parameter, in the order of `params`. */
  const known: (Value | undefined)[] = new Array(params.length).fill(undefined);
  const knownOf = (value: Value): Value | undefined => {
    const place = value.kind === 'param' ? places.get(value) : undefined;
    return place === undefined ? value : known[place];
  };
  const queue = params.map((_, index) => params.length - 1 - index);
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const own = params[place];
    const before = known[place];
    if (own === undefined || before === own.param) continue;
    const { param, index } = own;
    let joined: Value | undefined;
    for (const args of allOf(incoming, param.block)) {
      const arg = args[index];
      const value = arg && knownOf(arg);
      if (value === undefined || value === param) continue;
      if (joined !== undefined && !isOneValue(joined, value)) {
        joined = param;
        break;
      }
      joined = value;
    }
    if (joined === undefined || joined === before || (before && isOneValue(before, joined))) continue;
    // If there is a second value, the parameter counts as a value of its own.
    known[place] = before === undefined ? joined : param;
    // Absent: no other parameter receives this parameter.
    for (const reader of readers[place] ?? []) queue.push(reader);
  }
  const replacements = new IdMap<Definition, Value>();
  for (const [place, { param }] of params.entries()) {
    const value = known[place];
    if (value !== undefined && value !== param) replacements.set(param, value);
  }
  if (replacements.size === 0) return false;
  replaceValues(func, replacements);
  removeParams(func, (param) => !replacements.has(param));
  return true;
}

/** A parameter, and its position in its block. */
interface Placed {
  readonly param: Param;
  readonly index: number;
}

/** Returns the parameters of all blocks except the first. */
function paramsIn({ blocks }: Func): readonly Placed[] {
  const params: Placed[] = [];
  for (let number = 1; number < blocks.length; number++) {
    blocks[number]?.params.forEach((param, index) => {
      params.push({ param, index });
    });
  }
  return params;
}

/**
 * Returns three lists: the position of each parameter in `params`; for each block, the arguments of
 * its edges; and for each parameter, the parameters that receive it, with one entry per edge.
 */
function uses(func: Func, params: readonly Placed[]) {
  const places = new IdMap<Param, number>();
  for (const [place, { param }] of params.entries()) places.set(param, place);
  const incoming = new IdMap<Block, (readonly Value[])[]>();
  const readers: (number[] | undefined)[] = new Array(params.length).fill(undefined);
  for (const { end } of func.blocks) {
    for (const { to, args } of edgesOf(end)) {
      if (args.length === 0) continue;
      getOrInsert(incoming, to, () => []).push(args);
      for (let index = 0; index < args.length; index++) {
        const arg = args[index];
        const param = to.params[index];
        const from = arg?.kind === 'param' && arg !== param ? places.get(arg) : undefined;
        const reader = from === undefined || param === undefined ? undefined : places.get(param);
        if (from === undefined || reader === undefined) continue;
        const list = readers[from];
        if (list) list.push(reader);
        else readers[from] = [reader];
      }
    }
  }
  return { places, incoming, readers };
}

const isOneValue = (a: Value, b: Value): boolean =>
  isDefinition(a) || isDefinition(b) ? a === b : sameValue(a, b) || (a.kind === 'undef' && b.kind === 'undef');
