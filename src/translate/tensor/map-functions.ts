// The library functions that change and copy tensor maps.

import { at, InternalError, missing } from '../../base/invariants.ts';
import { type BitField, mapFields, replacedTf32, strideUnit, tensorMapBytes } from '../../base/tensor-map-fields.ts';
import type { Mods } from '../../isa/index.ts';
import type { LibraryFunction } from '../image/library-function.ts';

/** Returns the space of the map's address in an access, and the type of the address. */
function spaceOf({ space }: Mods): { readonly suffix: string; readonly type: string } {
  if (space === undefined) return { suffix: '', type: 'b64' };
  return space === 'global' ? { suffix: '.global', type: 'b64' } : { suffix: '.shared', type: 'b32' };
}

const single: Readonly<Record<string, BitField>> = {
  rank: mapFields.rank,
  elemtype: mapFields.type,
  interleave_layout: mapFields.interleave,
  swizzle_mode: mapFields.swizzle,
  fill_mode: mapFields.fill,
};
const listed: Readonly<Record<string, readonly BitField[]>> = {
  box_dim: mapFields.box,
  global_dim: mapFields.sizes,
  element_stride: mapFields.steps,
};

/** Returns code that stores the low bits of `%v` in a field within a word. */
function insert({ bit, bits }: BitField, suffix: string): string {
  const at = `[%map + ${4 * Math.floor(bit / 32)}]`;
  return `ld${suffix}.b32 %w, ${at}; bfi.b32 %w, %v, %w, ${bit % 32}, ${bits}; st${suffix}.b32 ${at}, %w;`;
}

/** Replaces a field of a map. A mode is a constant; other values are arguments. */
export function replaceFunction(mods: Mods, dimension: number | undefined, mode: number | undefined): LibraryFunction {
  const { field = '', type: width = 'b32', space = 'any' } = mods;
  const { suffix, type } = spaceOf(mods);
  const value = mode === undefined ? `, .reg .${width} %value` : '';
  const body = (): string => {
    if (field === 'global_address') return `st${suffix}.b64 [%map], %value;`;
    if (field === 'global_stride') {
      const number = dimension ?? missing('the dimension of a stride');
      const low = at(mapFields.strides, number, 'a stride');
      const high = at(mapFields.highStrides, number, 'a stride');
      return `shr.u64 %value, %value, ${Math.log2(strideUnit)}; mov.b64 {%v, %h}, %value;
${insert(low, suffix)} mov.b32 %v, %h; ${insert(high, suffix)}`;
    }
    const place = dimension === undefined ? single[field] : listed[field]?.[dimension];
    if (place === undefined) throw new InternalError(`a tensor map has no field ${field} ${dimension}`);
    const tf32 = field === 'elemtype' && mode !== undefined ? replacedTf32.get(mode) : undefined;
    if (tf32 !== undefined)
      return `mov.b32 %v, ${tf32}; ${insert(place, suffix)} mov.b32 %v, 1; ${insert(mapFields.tf32, suffix)}`;
    const set = mode === undefined ? 'mov.b32 %v, %value;' : `mov.b32 %v, ${mode};`;
    return `${set} ${dimension === undefined ? '' : 'sub.u32 %v, %v, 1;'} ${insert(place, suffix)}`;
  };
  return {
    name: ['tensor_replace', field, dimension, mode, space.replace('::', '_')]
      .filter((word) => word !== undefined)
      .join('_'),
    text: (name) => `.func ${name}(.reg .${type} %map${value})
{
.reg .b32 %w, %v, %h;
${body()}
ret;
}`,
  };
}

/** Copies a map from shared to global memory: each lane of a warp copies a word. */
export const copyMapFunction: LibraryFunction = {
  name: 'tensor_copy_map',
  text: (name) => `.func ${name}(.reg .b64 %to, .reg .b32 %from)
{
.reg .b32 %lane, %at, %w; .reg .b64 %wide;
bar.warp.sync 0xffffffff;
mov.u32 %lane, %laneid;
mul.lo.u32 %lane, %lane, ${tensorMapBytes / 32};
add.u32 %at, %from, %lane; cvt.u64.u32 %wide, %lane; add.u64 %wide, %to, %wide;
ld.shared.b32 %w, [%at];
st.global.b32 [%wide], %w;
bar.warp.sync 0xffffffff;
ret;
}`,
};
