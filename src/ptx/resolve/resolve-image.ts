// Resolves `[handle, {x, y}]`: textures and surfaces with coordinates.
import type { PtxType } from '../../isa/index.ts';
import type { ImageOperand, ImageReference, Operand, Register, VectorOperand } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Name, RawOperand } from '../syntax.ts';
import { fits, type ImageSlot } from '../types.ts';
import { fail, type OperandContext, undefinedName } from './resolve-name.ts';

type Element = VectorOperand['elements'][number];
type ResolveElement = (raw: RawOperand, type: PtxType) => Element;

/**
 * By geometry: the number of coordinates, and the length of the vector that ptxas requires for
 * them.
 */
const lengths: Readonly<Record<string, { readonly used: number; readonly vector: number }>> = {
  '1d': { used: 1, vector: 1 },
  '2d': { used: 2, vector: 2 },
  '3d': { used: 3, vector: 4 },
  a1d: { used: 2, vector: 2 },
  a2d: { used: 3, vector: 4 },
};

const variableType: Readonly<Record<'texture' | 'surface', string>> = { texture: '.texref', surface: '.surfref' };

function resolveObject(name: Name, slot: 'texture' | 'surface', context: OperandContext): Register | ImageReference {
  const { text, span } = name;
  const entity = context.scope.find(text);
  if (entity === undefined) {
    const rest = { component: undefined, sign: '', offset: undefined, index: undefined, span } as const;
    return undefinedName({ kind: 'name', name: text, ...rest }, context);
  }
  if (entity.kind === 'opaque') {
    if (entity.type === variableType[slot]) return { reference: text };
    return fail(diagnostics().unsupportedOpaque(span, text, entity.type));
  }
  if (entity.kind !== 'register') return fail(diagnostics().wantsRegister(span, `\`${text}\``));
  const { register } = entity;
  if (!fits(register.type, 'b64', 'exact'))
    return fail(diagnostics().typeMismatch(span, register.name, register.type, 'b64', [context.typeLabel(register)]));
  return register;
}

/** Returns the elements that are used, without the padding of the vector. */
function elementsOf(raw: RawOperand, types: readonly PtxType[], vector: number, resolve: ResolveElement): Element[] {
  const given = raw.kind === 'vector' ? raw.elements : [raw];
  const fitsLength = given.length >= vector && (given.length <= 2 || given.length === 4);
  if (!fitsLength) return fail(diagnostics().vectorSize(raw.span, vector, given.length));
  return types.flatMap((type, index) => {
    const element = given[index];
    return element === undefined ? [] : [resolve(element, type)];
  });
}

/**
 * Resolves an operand of a texture or surface instruction that is not a plain value, such as a
 * handle or coordinates. Throws `SyntaxFailure` if the operand is invalid.
 */
export function resolveImageSlot(
  raw: RawOperand,
  slot: ImageSlot,
  context: OperandContext,
  resolve: ResolveElement,
): Operand {
  const { geom = '', ctype = 'f32' } = context.mods;
  const length = lengths[geom];
  if (slot === 'offset')
    return fail(diagnostics().unsupportedOperand(raw.span, 'an offset, or a depth to compare with,'));
  if (slot === 'gradient') {
    const used = geom.startsWith('a') ? (length?.used ?? 1) - 1 : (length?.used ?? 1);
    const types = Array.from({ length: used }, (): PtxType => 'f32');
    const elements = elementsOf(
      raw,
      types,
      raw.kind === 'vector' ? Math.min(used, raw.elements.length) : used,
      resolve,
    );
    return { kind: 'vector', elements, span: raw.span };
  }
  if (raw.kind === 'address' && raw.base !== undefined && length === undefined) {
    if (raw.offset !== 0n || raw.index !== 0n) return fail(diagnostics().notAddress(raw.span));
    return image(resolveObject(raw.base, slot, context), [], raw);
  }
  if (raw.kind !== 'image' || length === undefined)
    return fail(diagnostics().wantsImage(raw.span, slot, length !== undefined));
  if (raw.sampler !== undefined)
    return fail(diagnostics().unsupportedOperand(raw.sampler.span, 'a sampler apart from its texture'));
  const along: PtxType = slot === 'surface' || ctype === 's32' ? 's32' : 'f32';
  const types = Array.from(
    { length: length.used },
    (_, index): PtxType => (geom.startsWith('a') && index === 0 ? 'u32' : along),
  );
  const elements = elementsOf(raw.coordinates, types, length.vector, resolve);
  return image(resolveObject(raw.object, slot, context), elements, raw);
}

const image = (
  object: ImageOperand['object'],
  coordinates: readonly Element[],
  { span }: RawOperand,
): ImageOperand => ({
  kind: 'image',
  object,
  coordinates,
  span,
});
