// Splits a wide instruction (`wide-opcodes.ts`) into its pieces.
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import type { RawInstruction, RawOperand } from '../syntax.ts';
import { elementNames, type Scope } from './scope.ts';

/** The size of half of a 256-bit vector in bytes. */
const halfBytes = 16n;

/**
 * Returns the pieces of a wide instruction. Accesses are ordered so that no piece overwrites an
 * operand of a later piece; moves are simultaneous. Throws `SyntaxFailure` if the operands are
 * invalid.
 */
export function expandWide(raw: RawInstruction, scope: Scope): readonly RawInstruction[] {
  const { operands } = raw;
  const wide = raw.wide?.wide;
  const piece = (own: readonly RawOperand[]): RawInstruction => ({ ...raw, wide: undefined, operands: own });
  const [first, second] = operands;
  if (wide === undefined || wide === 'whole' || first === undefined || second === undefined || operands.length > 2)
    return [piece(operands)];
  const [a, b] = [elementsOf(first, scope), elementsOf(second, scope)];
  if (wide === 'halves') {
    const isLoad = a !== undefined;
    const [vector, address] = isLoad ? [a, second] : [b, first];
    const length = (vector?.length ?? 0) / 2;
    if (vector === undefined || (length !== 2 && length !== 4))
      throw new SyntaxFailure(diagnostics().wantsVector((isLoad ? first : second).span, 4));
    const half = (index: number): RawInstruction => {
      const elements = vector.slice(index * length, (index + 1) * length);
      const part: RawOperand = { kind: 'vector', elements, span: (isLoad ? first : second).span };
      const place = index === 0 ? address : moved(address);
      return piece(isLoad ? [part, place] : [place, part]);
    };
    // A load may overwrite its address register, so the half that overwrites the register is last.
    const base = address.kind === 'address' ? address.base?.text : undefined;
    const isOverwritten = isLoad && vector.slice(0, length).some((each) => each.kind === 'name' && each.name === base);
    return isOverwritten ? [half(1), half(0)] : [half(0), half(1)];
  }
  if (wide === 'pair') return expandPair(first, second, a, b).map(piece);
  if (a === undefined || b === undefined || a.length !== b.length)
    throw new SyntaxFailure(
      diagnostics().wantsVector((a === undefined ? first : second).span, a?.length ?? b?.length ?? 2),
    );
  return a
    .map((to, index) => [to, b[index] ?? to] as const)
    .filter(([to]) => to.kind !== 'sink')
    .map(piece);
}

function moved(address: RawOperand): RawOperand {
  if (address.kind === 'address') return { ...address, offset: address.offset + halfBytes };
  if (address.kind === 'name') return { ...address, offset: (address.offset ?? 0n) + halfBytes };
  throw new SyntaxFailure(diagnostics().wantsAddress(address.span));
}

/** Returns the elements of `{a, b}`, of a vector register, or of a vector special register. */
function elementsOf(raw: RawOperand, scope: Scope): readonly RawOperand[] | undefined {
  if (raw.kind === 'vector') return raw.elements;
  if (raw.kind !== 'name' || raw.component !== undefined || raw.sign !== '') return undefined;
  const entity = scope.find(raw.name);
  if (entity === undefined && /^%n?(tid|ctaid)$/.test(raw.name)) {
    // The fourth element of a vector special register is always 0.
    const zero = { kind: 'int', value: 0n, unsigned: false } as const;
    return elementNames.map((component) =>
      component === 'w' ? { kind: 'constant', value: zero, span: raw.span } : { ...raw, component },
    );
  }
  if (entity?.kind !== 'vector') return undefined;
  return entity.elements.map((_, index) => ({ ...raw, component: elementNames[index] }));
}

/**
 * Splits `mov.b128`. Each half of an operand is an element, or a vector of half of the elements.
 */
function expandPair(
  first: RawOperand,
  second: RawOperand,
  a: readonly RawOperand[] | undefined,
  b: readonly RawOperand[] | undefined,
): readonly (readonly RawOperand[])[] {
  const half = (elements: readonly RawOperand[] | undefined, whole: RawOperand, index: number): RawOperand => {
    const length = (elements?.length ?? 0) / 2;
    if (elements === undefined || (length !== 1 && length !== 2))
      throw new SyntaxFailure(diagnostics().wantsVector(whole.span, 2));
    const [low, high] = elements.slice(index * length, (index + 1) * length);
    if (low === undefined || high === undefined) return low ?? whole;
    return { kind: 'vector', elements: [low, high], span: whole.span };
  };
  return [0, 1]
    .map((index) => [half(a, first, index), half(b, second, index)] as const)
    .filter(([to]) => to.kind !== 'sink');
}
