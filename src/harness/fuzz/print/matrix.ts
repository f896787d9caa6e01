// Instructions of whole warps on matrices, where all lanes come for certain. Results go through registers of the printer's, as there are more of them than a
// kernel has; all of them show in one.
import { destinations } from '../../../isa/index.ts';
import { vectorType } from '../../../isa/match.ts';
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import type { MatrixStatement } from '../kernels/tree.ts';
import { allLanes, type Place } from './masks.ts';
import type { Printing } from './printing.ts';

export function printMatrix(printing: Printing, statement: MatrixStatement, { quiet, mask }: Place): void {
  const { writer, everyLaneLives } = printing;
  if (quiet || mask.bits !== allLanes || !everyLaneLives) return;
  const { template, d, from, step } = statement;
  const { row, mods } = template;
  const written = new Set(destinations(row));
  const texts: Record<string, string> = {};
  const results: string[] = [];
  let next = from;
  let isWide = false;
  for (const [name, type] of Object.entries(row.types)) {
    if (type === 'address') texts[name] = `[${writer.provide('base')}]`;
    if (name === 'stride' || type === 'address') continue;
    const vector = type === 'vector' ? vectorType(row, name, mods) : { type: 'b32', count: 1 };
    const register = vector.type === 'f64' ? 'd' : 'r';
    const names = Array.from({ length: vector.count }, () => {
      if (written.has(name)) return writer.temporary(register);
      next += step;
      return writer.register(register, next);
    });
    texts[name] = type === 'vector' ? `{${names.join(', ')}}` : (names[0] ?? '');
    if (!written.has(name)) continue;
    results.push(...names);
    isWide = register === 'd';
  }
  const sum = writer.register(isWide ? 'd' : 'r', d);
  writer.line(anyInstructionText(row, mods, texts));
  for (const result of results) writer.line(`mad.lo.u${isWide ? 64 : 32} ${sum}, ${sum}, 31, ${result}`);
}
