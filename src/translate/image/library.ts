// The library of texture and surface functions in PTX. It is translated with the kernel that calls
// them.
import type { TextureRowName } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { LibraryFunction } from './library-function.ts';
import { samplerFunction } from './sampler.ts';
import { surfaceLoadText, surfaceReductionText, surfaceStoreText, surfaceTexelText } from './surface.ts';

export interface LibraryCall {
  readonly fn: LibraryFunction;
  /**
   * The names of the operands that are passed to the function after the handle and the coordinates.
   */
  readonly takes: readonly string[];
}

const vecOf = (vec: string | undefined): number => (vec === undefined ? 1 : Number(vec.slice(1)));
const joined = (...words: readonly (string | undefined)[]): string =>
  words.filter((word) => word !== undefined).join('_');

type LibraryRow = (mods: Instruction['mods']) => LibraryCall;

const sampler =
  (shape: { readonly result: 'word' | 'pair'; readonly level?: boolean }): LibraryRow =>
  ({ geom = '', ctype = 'f32', dtype = '', comp }) => {
    const result = dtype === 'f16' ? 'half' : shape.result;
    const gathered = comp === undefined ? undefined : 'rgba'.indexOf(comp);
    // Textures have one level. Lookups at float coordinates always read this level, so they ignore
    // `lod`.
    const level = shape.level === true && ctype === 's32';
    return { fn: samplerFunction({ geom, ctype, result, gathered, level }), takes: level ? ['lod'] : [] };
  };

const access =
  (takes: readonly string[], functionOf: (mods: Instruction['mods']) => LibraryFunction): LibraryRow =>
  (mods) => ({ fn: functionOf(mods), takes });

/** The function for each row. The other rows are queries. */
const libraryRows: Readonly<Record<Exclude<TextureRowName, 'txq' | 'txq.level' | 'suq'>, LibraryRow>> = {
  tex: sampler({ result: 'word' }),
  'tex.level': sampler({ result: 'word', level: true }),
  'tex.grad': sampler({ result: 'word' }),
  'tex.f16x2': sampler({ result: 'pair' }),
  'tex.level.f16x2': sampler({ result: 'pair', level: true }),
  tld4: sampler({ result: 'word' }),
  'suld.b': access([], ({ geom = '', vec, type = '', clamp = '' }) => ({
    name: joined('suld', geom, vec, type, clamp),
    text: (own) => surfaceLoadText(own, { geom, clamp, type, count: vecOf(vec) }),
  })),
  'sust.b': access(['c'], ({ geom = '', vec, type = '', clamp = '' }) => ({
    name: joined('sust', geom, vec, type, clamp),
    text: (own) => surfaceStoreText(own, { geom, clamp, type, count: vecOf(vec) }),
  })),
  'sust.p': access(['c'], ({ geom = '', vec, clamp = '' }) => ({
    name: joined('sust_p', geom, vec, clamp),
    text: (own) => surfaceTexelText(own, { geom, clamp, count: vecOf(vec) }),
  })),
  'sured.b': access(['c'], ({ geom = '', op = '', type = '', clamp = '' }) => ({
    name: joined('sured', op, geom, type, clamp),
    text: (own) => surfaceReductionText(own, { geom, clamp, type, op, scaled: false }),
  })),
  'sured.p': access(['c'], ({ geom = '', op = '', type = '', clamp = '' }) => ({
    name: joined('sured_p', op, geom, type, clamp),
    text: (own) => surfaceReductionText(own, { geom, clamp, type, op, scaled: true }),
  })),
};

const byRow: Readonly<Record<string, LibraryRow>> = libraryRows;

/** Returns the call for an instruction; undefined for a query. */
export const libraryCall = ({ row, mods }: Instruction): LibraryCall | undefined => byRow[row.name]?.(mods);
