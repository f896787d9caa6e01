// Whether a kernel may have loops, and whether it may have control flow that only a dispatcher can
// execute: irreducible loops, or deep nesting. The answers need only the labels and branches of the
// text, and may be yes for a kernel without loops, or one that can be structured.
//
// A loop with two entries has a branch backwards, and a branch from elsewhere to a label between
// the two ends of that branch.

/** A function with more labels may nest deeper than WGSL permits. */
const maxLabels = 40;

/** Finds labels, branches, and the beginnings of functions. */
const marks = /^\s*([$%\w]+)\s*:(?!:)|\bbra(?:\.uni)?\s+([$%\w]+)|\.(?:entry|func)\b/gm;

/** Whether a branch may lead backwards. Recursive calls and bulk copies also become loops. */
export function mayLoop(ptx: string): boolean {
  if (/\b(call|brx|bulk)\b/.test(ptx)) return true;
  const labels = new Set<string>();
  for (const { 1: label, 2: target } of ptx.matchAll(marks)) {
    if (label !== undefined) labels.add(label);
    else if (target !== undefined && labels.has(target)) return true;
  }
  return false;
}

export function mayNeedDispatch(ptx: string): boolean {
  let labels = new Map<string, number>();
  let branches: { readonly from: number; readonly label: string }[] = [];
  for (const { index, 1: label, 2: target } of ptx.matchAll(marks)) {
    if (label !== undefined) labels.set(label, index);
    else if (target !== undefined) branches.push({ from: index, label: target });
    else {
      if (isIrregular(labels, branches)) return true;
      labels = new Map();
      branches = [];
    }
  }
  return isIrregular(labels, branches);
}

function isIrregular(
  labels: ReadonlyMap<string, number>,
  branches: readonly { readonly from: number; readonly label: string }[],
): boolean {
  if (labels.size > maxLabels) return true;
  // The entry is missing for a label in separate braces, which this reader does not follow.
  const edges = branches.map(({ from, label }) => ({ from, to: labels.get(label) }));
  return edges.some(({ from: end, to: start }) => {
    if (start === undefined) return true;
    if (start > end) return false;
    const isOutside = (place: number): boolean => place < start || place > end;
    return edges.some(({ from, to }) => to === undefined || (isOutside(from) && to > start && to <= end));
  });
}
