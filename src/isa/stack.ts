// Instructions that allocate memory on a function's stack. The front end replaces them
// (src/ptx/resolve/stack.ts).
import { type Effects, type RowNames, rows } from './row.ts';

const type = ['u32', 'u64'] as const;
const effects: Effects = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false };
const base = { kind: 'memory', effects, where: { type }, ptx: '7.3', target: 'sm_52' } as const;
const section = (name: string) => `stack-manipulation-instructions-${name}`;

export const stackRows = rows([
  { ...base, name: 'stacksave', writes: ['d'], syntax: 'stacksave.type d', types: { d: '.type' }, section: section('stacksave'), doc: 'Where the stack ends.' },
  { ...base, name: 'stackrestore', constants: 'none', writes: [], syntax: 'stackrestore.type a', types: { a: '.type' }, section: section('stackrestore'), doc: 'Gives back what the stack has beyond a place that stacksave told.' },
  { ...base, name: 'alloca', writes: ['d'], syntax: 'alloca.type d, a{, b}', types: { d: '.type', a: '.type', b: 'immediate' }, section: section('alloca'), doc: 'Local memory until the function returns: 4 KiB in a kernel, 1 KiB in every call of a function; a launch that asks for more ends with a message.' },
]);

export type StackRowName = RowNames<typeof stackRows>;
