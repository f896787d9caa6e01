// Block parameters that are one value on every way in.

import { replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import { type Definition, edgesOf, type Func, isDefinition, type Param, sameValue, type Value } from '../ir/nodes.ts';
import { removeParams } from './remove-dead-code.ts';

/// Each starts out as unknown, so that parameters that only pass each other round a loop count as what
/// enters it.
export function removeTrivialParams(func: Func): boolean {
  const [entry] = func.blocks;
  const params: Param[] = [];
  const incoming = new IdMap<Param, Value[]>();
  const readers = new IdMap<Definition, Param[]>();
  for (const block of func.blocks) {
    if (block === entry) continue;
    for (const param of block.params) {
      params.push(param);
      incoming.set(param, []);
    }
  }
  if (params.length === 0) return false;
  for (const block of func.blocks) {
    for (const { to, args } of edgesOf(block.end)) {
      to.params.forEach((param, index) => {
        const arg = args[index];
        if (arg === undefined) return;
        incoming.get(param)?.push(arg);
        if (arg.kind !== 'param' || arg === param) return;
        const list = readers.get(arg);
        if (list) list.push(param);
        else readers.set(arg, [param]);
      });
    }
  }
  const known = new IdMap<Param, Value>();
  const knownOf = (value: Value): Value | undefined =>
    value.kind === 'param' && incoming.has(value) ? known.get(value) : value;
  const queue = [...params].reverse();
  for (let param = queue.pop(); param !== undefined; param = queue.pop()) {
    const before = known.get(param);
    if (before === param) continue;
    let joined: Value | undefined;
    for (const arg of incoming.get(param) ?? []) {
      const value = knownOf(arg);
      if (value === undefined || value === param) continue;
      if (joined !== undefined && !isOneValue(joined, value)) {
        joined = param;
        break;
      }
      joined = value;
    }
    if (joined === undefined || joined === before || (before && isOneValue(before, joined))) continue;
    // Once it has changed its mind, it is a value of its own.
    known.set(param, before === undefined ? joined : param);
    for (const reader of readers.get(param) ?? []) queue.push(reader);
  }
  const replacements = new IdMap<Definition, Value>();
  for (const param of params) {
    const value = known.get(param);
    if (value !== undefined && value !== param) replacements.set(param, value);
  }
  if (replacements.size === 0) return false;
  replaceValues(func, replacements);
  removeParams(func, (param) => !replacements.has(param));
  return true;
}

const isOneValue = (a: Value, b: Value): boolean =>
  isDefinition(a) || isDefinition(b) ? a === b : sameValue(a, b) || (a.kind === 'undef' && b.kind === 'undef');
