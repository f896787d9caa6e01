// The suites of the warp instructions: every row, every choice of its modifiers, every form that
// applies.
import { type IsaRow, type Mods, warpRows } from '../../../isa/index.ts';
import { warpsOf } from '../geometry.ts';
import { suiteId } from '../suite-id.ts';
import type { SuiteGroup } from '../types.ts';
import { type Form, forms } from './forms.ts';
import { modChoices, modsText, operandType } from './instruction-text.ts';
import { buildRowBatch, type RowSuite, type WarpRow } from './row-batch.ts';

/**
 * The number of warps of a suite in a default run: about 50,000 cases, including the shuffle sweep.
 */
const sampleWarps = 64;
const exhaustiveWarps = 2048;
const launchWarps = 512;

export function rowSuiteGroups(): SuiteGroup[] {
  // A barrier has no result, so its suites are in warp-barrier.ts.
  const rows: readonly WarpRow[] = warpRows.filter(({ name }) => name !== 'bar.warp.sync');
  return rows.flatMap((row) =>
    forms
      .filter((form) => form.applies(row))
      .flatMap((form) => kernelsOf(row, form).map((modifiers) => rowGroup(row, form, modifiers))),
  );
}

/** Groups choices of modifiers whose operands have the same width, because these share a kernel. */
function kernelsOf(row: IsaRow, form: Form): Mods[][] {
  const choices = modChoices(row);
  if (form.alone) return choices.map((mods) => [mods]);
  const isWide = (mods: Mods): boolean => operandType(row, mods, 'a') === 'b64';
  return [choices.filter((mods) => !isWide(mods)), choices.filter(isWide)].filter((group) => group.length > 0);
}

function rowGroup(row: WarpRow, form: Form, modifiers: readonly Mods[]): SuiteGroup {
  const immediates = form.immediates?.(row) ?? [{}];
  const suites = modifiers.map((mods): RowSuite => {
    const text = modsText(row, mods);
    return {
      id: suiteId(row.name, text, form.name),
      row: row.name,
      mods: text,
      form: form.name,
      variants: immediates.length,
      modifiers: mods,
      immediates,
      ...(form.native ? { native: form.native } : {}),
    };
  });
  return {
    suites,
    blockWarps: warpsOf(form.block),
    warps: { sample: sampleWarps, exhaustive: exhaustiveWarps },
    launchWarps,
    build: (choice) => buildRowBatch(row, form, suites, choice),
  };
}
