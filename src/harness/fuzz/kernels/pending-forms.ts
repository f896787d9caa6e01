// Forms that the translator or the reference does not support yet. Kernels are drawn without them; the tests of the generator
// print them all the same.

const pending: ReadonlySet<string> = new Set(['wait']);

export const isPending = (form: string): boolean => pending.has(form);
