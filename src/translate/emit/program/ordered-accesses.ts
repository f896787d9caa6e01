// Memory whose accesses fences, releases and acquires order. WGSL's atomics are relaxed, and its
// barriers order memory within a workgroup only. So a lane waits at a fence until its accesses are
// complete: each access is an atomic operation with a result, the lane combines the results, and
// the addresses of its later accesses depend on the combination.
//
// On a GPU that stores each word in one place, an operation that has returned its result is complete
// for all threads. WGSL does not guarantee this property of the hardware. `lanewise litmus` tests it.
import { get } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { Writer } from '../../../wgsl/tree/writer.ts';
import { type Access, acquires, ordersThreads, releases } from '../../ir/access-orders.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

/** Where the statements of a wait are written. */
interface Waiting {
  readonly uses: ProgramUses;
  readonly writer: Writer;
}

/** Private variables of an invocation. */
interface Progress {
  /** A combination of the results of all accesses to ordered memory so far. */
  readonly results: Expr;
  /** The number 0, computed from `results` when the lane last waited. */
  readonly zero: Expr;
}

const progressOf = (uses: ProgramUses): Progress =>
  uses.once('progress of ordered accesses', () => {
    const variable = (hint: string): Expr => {
      const name = new Name(hint);
      uses.declarations.push({ kind: 'variable', space: 'private', name, type: 'u32' });
      return w.ref(name, 'u32');
    };
    return { results: variable('results'), zero: variable('zero') };
  });

/** Returns the number 0, which depends on all accesses before the lane's last wait. */
export const zeroOf = (uses: ProgramUses): Expr => progressOf(uses).zero;

/** Returns the result of an access to ordered memory, for which the lane waits at its next fence. */
export function observed(uses: ProgramUses, given: Expr): Expr {
  const comment = 'The next fence waits for the result of this access.';
  const fn = uses.func('observed', 'observed', { params: [['word', 'u32']], result: 'u32', comment }, (word) => {
    const { results } = progressOf(uses);
    return [w.assign(results, w.xor(results, word)), w.give(word)];
  });
  return w.call(fn, 'u32', given);
}

/** A number with an even number of ones. */
const evenOnes = w.u32(3);

/** Returns a call of the function that waits until the lane's accesses are complete. */
function waiting(uses: ProgramUses): Stmt {
  const comment = 'Later accesses wait for earlier ones. `zero` is always 0, but no compiler knows that.';
  const fn = uses.func('wait_for_accesses', 'wait_for_accesses', { params: [], comment }, () => {
    const { results, zero } = progressOf(uses);
    const ones = (value: Expr): Expr => w.builtin('countOneBits', 'u32', value);
    return [w.assign(zero, w.and(w.add(ones(results), ones(w.xor(results, evenOnes))), w.u32(1)))];
  });
  return w.perform(w.call(fn, 'u32'));
}

/** Writes a fence. */
export function writeFence(to: Waiting, { attrs }: InstNamed<'fence'>): void {
  if (ordersThreads(attrs.order)) wait(to);
}

/** Writes an access, with the waits before a release and after an acquire. */
export function withWaits(to: Waiting, { attrs: { order } }: Access, write: () => void): void {
  if (releases.has(order)) wait(to);
  write();
  if (acquires.has(order)) wait(to);
}

/** Writes a wait, if the program has ordered memory. */
function wait({ uses, writer }: Waiting): void {
  const { heap, buffers, arrays } = uses.options.memory;
  if ([heap, ...buffers.values(), ...arrays].some(({ ordered }) => ordered)) writer.push(waiting(uses));
}

/**
 * Writes the wait before a barrier: another lane may then release the accesses of this lane. A
 * barrier has no address, so a store that is never executed depends on the accesses.
 */
export function waitBeforeBarrier({ uses, writer }: Waiting): void {
  const { heap, buffers } = uses.options.memory;
  const buffer = [...buffers.values()].find(({ ordered }) => ordered);
  const variable = heap.ordered ? uses.heap : buffer && get(uses.buffers, buffer.param, 'a buffer');
  if (variable === undefined) return;
  const { zero } = progressOf(uses);
  const store = w.builtin('atomicStore', 'u32', w.addressOf(w.index(uses.use(variable), zero)), zero);
  writer.push(waiting(uses));
  writer.push(w.when(w.ne(zero, w.u32(0)), [w.perform(store)]));
}
