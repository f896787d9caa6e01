// Hints for the hardware about memory and registers. They do not affect defined results.
import { type Effects, type RowNames, rows } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const hint = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
const base = { kind: 'memory', writes: [], effects: hint, ptx: '7.4', target: 'sm_80' } as const;
const policy = { ...base, writes: ['d'], section: move('createpolicy') } as const;
const primary = ['L2::evict_last', 'L2::evict_normal', 'L2::evict_first', 'L2::evict_unchanged'] as const;
const secondary = ['L2::evict_first', 'L2::evict_unchanged'] as const;
const bytes = { a: 'address', n: 'immediate' } as const;
const grid = { ...base, ptx: '7.8', target: 'sm_90', types: {}, section: 'parallel-synchronization-and-communication-instructions-griddepcontrol' } as const;

export const hintRows = rows([
  { ...base, name: 'applypriority', syntax: 'applypriority{.global}.L2::evict_normal [a], n', types: bytes, section: move('applypriority'), doc: 'A hint without effect on results.' },
  { ...base, name: 'discard', effects: { ...hint, memory: 'writes' }, syntax: 'discard{.global}.L2 [a], n', types: bytes, section: move('discard'), doc: 'The bytes are undefined from here on.' },
  { ...policy, name: 'createpolicy.range', syntax: 'createpolicy.range{.global}.primary{.secondary}.b64 d, [a], n, size', where: { primary, secondary }, types: { d: 'b64', a: 'address', n: 'u32', size: 'u32' }, doc: 'A cache policy for a range of addresses.' },
  { ...policy, name: 'createpolicy.cvt', syntax: 'createpolicy.cvt.L2.b64 d, access', types: { d: 'b64', access: 'b64' }, doc: 'A cache policy from a property of the driver.' },
  { ...grid, name: 'griddepcontrol.wait', syntax: 'griddepcontrol.wait', doc: 'Waits for the grids before, which are done when a launch begins here.' },
  { ...grid, name: 'griddepcontrol.launch_dependents', syntax: 'griddepcontrol.launch_dependents', doc: 'Lets the grids behind begin early: a hint without effect on results.' },
  { ...base, name: 'setmaxnreg', syntax: 'setmaxnreg.action.sync.aligned.u32 n', where: { action: ['inc', 'dec'] }, types: { n: 'immediate' }, ptx: '8.0', target: 'sm_90', section: 'miscellaneous-instructions-setmaxnreg', doc: 'Gives registers to the warp, or takes them: without effect on results.' },
]);

export type HintRowName = RowNames<typeof hintRows>;
