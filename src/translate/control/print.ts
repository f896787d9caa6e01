// Prints the control tree as text, for `--print-after` and for tests.
import { InstPrinter, type Names, type PrintOptions } from '../ir/print-insts.ts';
import { body } from './notation.ts';
import type { Tree } from './tree.ts';

export interface ControlPrintOptions extends PrintOptions {
  /** The kernel's name. */
  readonly name: string;
  /** The names of the values. */
  readonly names: Names;
}

export function printControl(tree: readonly Tree[], { name, names, spans = false }: ControlPrintOptions): string {
  const insts = new InstPrinter(names, new Map(), { spans });
  return `control ${name} ${body.print(tree, { insts, labels: new Map() })}\n`;
}
