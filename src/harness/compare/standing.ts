// Several answers to one question: who stands alone.

export interface Voice {
  readonly name: string;
  /// Bits in hexadecimal, or what stands in their place.
  readonly answer: string;
}

/// A sentence on a disagreement: the one that differs from all others, or who agrees with whom. '' where all agree, and between two,
/// of whom neither stands more alone than the other.
export function standing(voices: readonly Voice[]): string {
  const camps = campsOf(voices);
  if (voices.length < 3 || camps.length < 2) return '';
  if (camps.length === voices.length) return 'no two agree';
  const [most = [], ...rest] = camps;
  const agreeing = `${listOf(most)} agree`;
  const [loner = []] = rest;
  if (rest.length === 1 && loner.length === 1) return `${listOf(loner)} stands alone: ${agreeing}`;
  return [
    agreeing,
    ...rest.map((camp) => (camp.length === 1 ? `${listOf(camp)} differs` : `so do ${listOf(camp)}`)),
  ].join(', ');
}

/// Names by answer, the largest camp first.
function campsOf(voices: readonly Voice[]): string[][] {
  const camps = new Map<string, string[]>();
  for (const { name, answer } of voices) camps.set(answer, [...(camps.get(answer) ?? []), name]);
  return [...camps.values()].sort((a, b) => b.length - a.length);
}

function listOf(names: readonly string[]): string {
  const [last = '', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}
