// Results of warp instructions that their operands tell: a shuffle within reach of every lane is in range in every lane.

import { eachMma } from '../../isa/index.ts';
import type { CollectiveRow } from '../ir/attributes.ts';
import { replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import { constant, constantOf, type Definition, type Func, type Value } from '../ir/nodes.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/// By result; undefined for those that are not known.
type KnownResults = (inst: WarpInst) => readonly (Value | undefined)[];

const nothing: KnownResults = () => [];

/// `b` and `c` stand behind the value.
const shuffled: KnownResults = ({ attrs: { mods }, args: [, b, c] }) => {
  const [distance, clamp] = [constantOf(b), constantOf(c)];
  // Operands count modulo 32, and the segment mask stands in the third one's second byte.
  const low = distance === undefined ? undefined : Number(distance & 31n);
  const reaches = clamp !== undefined && isAlwaysInRange(mods.mode, low, Number(clamp & 0x1f1fn));
  return [undefined, reaches ? constant('i1', 1) : undefined];
};

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
function isAlwaysInRange(mode: string | undefined, own: number | undefined, c: number): boolean {
  const segmask = c >> 8;
  const clamp = c & 31;
  for (let lane = 0; lane < 32; lane++) {
    const maxLane = (lane & segmask) | (clamp & ~segmask);
    // Where the distance is not known, the farthest lane that there can be.
    const farthest = (lane & segmask) | (~segmask & 31);
    switch (mode) {
      case 'up':
        if (own === undefined || lane - own < maxLane) return false;
        break;
      case 'down':
        if (own === undefined || lane + own > maxLane) return false;
        break;
      case 'bfly':
        if ((own === undefined ? 31 : lane ^ own) > maxLane) return false;
        break;
      default:
        if ((own === undefined ? farthest : (lane & segmask) | (own & ~segmask)) > maxLane) return false;
    }
  }
  return true;
}

const knownResults: Readonly<Record<CollectiveRow, KnownResults>> = {
  'shfl.sync': shuffled,
  shfl: shuffled,
  'vote.sync': nothing,
  'vote.sync.ballot': nothing,
  vote: nothing,
  'vote.ballot': nothing,
  'match.any.sync': nothing,
  'match.all.sync': nothing,
  'redux.sync': nothing,
  'redux.sync.bitwise': nothing,
  'redux.sync.f32': nothing,
  activemask: nothing,
  'elect.sync': nothing,
  'bar.warp.sync': nothing,
  ...eachMma(nothing),
};

/// Whether anything that is read was known. Needs constants in place: it runs after the first clean-up.
export function foldWarpResults(func: Func): boolean {
  const replacements = new IdMap<Definition, Value>();
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      if (inst.op !== 'warp' || inst.when !== undefined) continue;
      const values = knownResults[inst.attrs.row](inst);
      inst.results.forEach((result, index) => {
        const value = values[index];
        if (value) replacements.set(result, value);
      });
    }
  }
  return replaceValues(func, replacements);
}
