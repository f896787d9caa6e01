// Finds declarations of registers and variables in module scope, of which each thread has a
// separate instance.
import type { RawModule } from '../syntax.ts';

/** Whether a declarator declares `name`, directly or in its range (`%r<5>`). */
export function isNamed(text: string, count: number | undefined, name: string): boolean {
  if (count === undefined) return text === name;
  const digits = name.slice(text.length);
  return name.startsWith(text) && /^(0|[1-9]\d{0,7})$/.test(digits) && Number(digits) < count;
}

/** Whether a declaration of the module declares a register or variable with that name. */
export function declares(declaration: RawModule['perThread'][number], name: string): boolean {
  if (declaration.kind === 'variable') return declaration.name.text === name;
  return declaration.names.some(({ text, count }) => isNamed(text, count, name));
}
