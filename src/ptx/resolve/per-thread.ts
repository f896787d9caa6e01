// Which names declarations of a module give, of registers and variables that each thread has one of.
import type { RawModule } from '../syntax.ts';

/** Whether a declarator's name, or its range (`%r<5>`), is or has `name`. */
export function isNamed(text: string, count: number | undefined, name: string): boolean {
  if (count === undefined) return text === name;
  const digits = name.slice(text.length);
  return name.startsWith(text) && /^(0|[1-9]\d{0,7})$/.test(digits) && Number(digits) < count;
}

/** Whether a declaration of the module has a register or variable of that name. */
export function declares(declaration: RawModule['perThread'][number], name: string): boolean {
  if (declaration.kind === 'variable') return declaration.name.text === name;
  return declaration.names.some(({ text, count }) => isNamed(text, count, name));
}
