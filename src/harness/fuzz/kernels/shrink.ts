// Shrinks a failing kernel as long as it still fails. The tree determines the smaller kernels,
// which a general shrinker could not find: for example, a branch is replaced by its body. Any tree
// is valid, so every step is a simple edit.
import type { Dialect } from './dialects.ts';
import type {
  ChainStatement,
  FuzzFunction,
  FuzzKernel,
  LaneStatement,
  Meeting,
  Source,
  Statement,
  WarpOperands,
} from './tree.ts';
import { isShuffle, warpTemplates } from './warp-templates.ts';

/**
 * The template that replaces a shuffle. A shuffle needs extra code that checks its source lane; a
 * ballot synchronizes the same lanes in one line.
 */
const ballot = warpTemplates.find(({ row }) => row.name === 'vote.sync.ballot');

const lowerHalf = 0xffff;

/**
 * Returns the smallest kernel found for which `fails` is true. Tries at most `attempts` kernels,
 * until `deadline` (in the time of `performance.now`).
 */
export async function shrink(
  kernel: FuzzKernel,
  fails: (kernel: FuzzKernel) => Promise<boolean>,
  { attempts = 600, deadline = Number.POSITIVE_INFINITY } = {},
): Promise<FuzzKernel> {
  let best = kernel;
  let left = attempts;
  // Continue after the successful edit. Earlier edits are tried last, because they failed on a
  // larger kernel and most would fail again.
  for (let from = 0; ; ) {
    let found = false;
    let at = 0;
    for (const candidate of smaller(best)) {
      if (at++ < from) continue;
      if (left-- <= 0 || performance.now() > deadline) return best;
      if (!(await fails(candidate))) continue;
      best = candidate;
      from = at - 1;
      found = true;
      break;
    }
    if (!found && from === 0) return best;
    if (!found) from = 0;
  }
}

/** Yields every kernel that is one edit smaller. The largest reductions are first. */
export function* smaller(kernel: FuzzKernel): Generator<FuzzKernel> {
  for (const body of smallerLists(kernel.body)) yield { ...kernel, body };
  for (const functions of smallerFunctions(kernel.functions)) yield { ...kernel, functions };
  if (kernel.names !== 'plain') yield { ...kernel, names: 'plain' };
  const { farBytes, ...near } = kernel;
  if (farBytes !== undefined) yield near;
  const { cluster, ...alone } = kernel;
  if (cluster !== undefined) yield alone;
  if (kernel.blocks > (cluster ?? 1)) yield { ...kernel, blocks: cluster ?? 1 };
  if (kernel.block.join() !== '32,1,1') yield { ...kernel, block: [32, 1, 1] };
  if (kernel.data !== 'plain') yield { ...kernel, data: 'plain' };
  if (kernel.dialect !== 'common' && isIn('common', [kernel.body, kernel.functions]))
    yield { ...kernel, dialect: 'common' };
}

/** Whether a dialect supports everything in a part of the tree. */
function isIn(dialect: Dialect, part: unknown): boolean {
  if (Array.isArray(part)) return part.every((each) => isIn(dialect, each));
  if (typeof part !== 'object' || part === null) return true;
  if ('dialects' in part) return Array.isArray(part.dialects) && part.dialects.includes(dialect);
  return Object.values(part).every((each) => isIn(dialect, each));
}

/** Yields lists with fewer statements, then lists with simpler statements. */
function* smallerLists(list: readonly Statement[]): Generator<readonly Statement[]> {
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  }
  for (const [at, statement] of list.entries()) {
    const put = (instead: readonly Statement[]) => [...list.slice(0, at), ...instead, ...list.slice(at + 1)];
    for (const part of parts(statement)) if (part.length > 0) yield put(part);
    for (const simpler of simplerStatements(statement)) yield put([simpler]);
  }
}

function* smallerFunctions(functions: readonly FuzzFunction[]): Generator<readonly FuzzFunction[]> {
  for (const [i, each] of functions.entries()) {
    if (each.recursive) yield functions.with(i, { ...each, recursive: false });
    if (each.frame !== 'none') yield functions.with(i, { ...each, frame: 'none' });
    for (const less of smallerLists(each.body)) yield functions.with(i, { ...each, body: less.filter(isLane) });
  }
}

const isLane = (statement: Statement): statement is LaneStatement => statement.kind === 'lane';

/** Returns the lists of statements inside a statement. */
function parts(statement: Statement): (readonly Statement[])[] {
  switch (statement.kind) {
    case 'if':
      return [statement.body, statement.otherwise];
    case 'loop':
      return [[...statement.body, ...statement.rest]];
    case 'groups':
      return [statement.body];
    case 'switch':
      return [...statement.cases];
    case 'tangle':
      return [[...statement.first, ...statement.second], statement.first, statement.second];
    case 'arms':
      return statement.meetings.flatMap(({ template, before, operands, otherBefore, otherOperands }) => [
        [...before, { kind: 'warp', template, operands }],
        [...otherBefore, { kind: 'warp', template, operands: otherOperands }],
      ]);
    default:
      return [];
  }
}

function* simplerStatements(statement: Statement): Generator<Statement> {
  switch (statement.kind) {
    case 'lane': {
      const { guard: _, ...bare } = statement;
      if (statement.guard) yield bare;
      for (const sources of smallerSources(statement.sources)) yield { ...statement, sources };
      return;
    }
    case 'warp': {
      const { guard: _, ...bare } = statement;
      if (statement.guard) yield bare;
      if (statement.guard && 'lanes' in statement.guard && statement.guard.lanes !== lowerHalf)
        yield { ...statement, guard: { lanes: lowerHalf } };
      if (isShuffle(statement.template) && ballot) yield { ...statement, template: ballot };
      for (const operands of simplerOperands(statement.operands)) yield { ...statement, operands };
      return;
    }
    case 'if':
      if (statement.otherwise.length > 0) yield { ...statement, otherwise: [] };
      if (statement.decision.kind === 'lanes' && statement.decision.lanes !== lowerHalf)
        yield { ...statement, decision: { kind: 'lanes', lanes: lowerHalf } };
      for (const body of smallerLists(statement.body)) yield { ...statement, body };
      for (const otherwise of smallerLists(statement.otherwise)) yield { ...statement, otherwise };
      return;
    case 'loop': {
      const { leave: _, ...staying } = statement;
      if (statement.leave) yield { ...staying, body: [...statement.body, ...statement.rest], rest: [] };
      if (statement.trips.kind !== 'constant') yield { ...statement, trips: { kind: 'constant', count: 2 } };
      else if (statement.trips.count > 1) yield { ...statement, trips: { kind: 'constant', count: 1 } };
      for (const body of smallerLists(statement.body)) yield { ...statement, body };
      for (const rest of smallerLists(statement.rest)) yield { ...statement, rest };
      return;
    }
    case 'exit':
      if (!statement.branch) yield { ...statement, branch: true };
      return;
    case 'groups':
      if (statement.bits > 1) yield { ...statement, bits: 1 };
      for (const body of smallerLists(statement.body)) yield { ...statement, body };
      return;
    case 'switch':
      if (statement.uniform) yield { ...statement, uniform: false };
      if (statement.cases.length > 2) yield { ...statement, cases: statement.cases.slice(0, 2) };
      for (const [i, list] of statement.cases.entries()) {
        for (const less of smallerLists(list)) yield { ...statement, cases: statement.cases.with(i, less) };
      }
      return;
    case 'tangle':
      if (statement.count > 1) yield { ...statement, count: 1 };
      for (const first of smallerLists(statement.first)) yield { ...statement, first };
      for (const second of smallerLists(statement.second)) yield { ...statement, second };
      return;
    case 'arms':
      if (statement.rounds > 1) yield { ...statement, rounds: 1 };
      for (const [i, meeting] of statement.meetings.entries()) {
        if (statement.meetings.length > 1) yield { ...statement, meetings: statement.meetings.toSpliced(i, 1) };
        for (const simpler of simplerMeetings(meeting))
          yield { ...statement, meetings: statement.meetings.with(i, simpler) };
      }
      return;
    case 'exchange':
    case 'contend':
      if (statement.barrier !== 'bar.sync 0') yield { ...statement, barrier: 'bar.sync 0' };
      return;
    case 'call':
      if (statement.how === 'table') yield { ...statement, how: 'name' };
      return;
    case 'handover':
      if (statement.form !== 0) yield { ...statement, form: 0 };
      return;
    case 'wait':
      if (statement.form !== 0) yield { ...statement, form: 0 };
      if (statement.space !== 'shared') yield { ...statement, space: 'shared' };
      if (statement.access !== 'volatile') yield { ...statement, access: 'volatile' };
      return;
    case 'matrix':
      if (statement.values !== 'few') yield { ...statement, values: 'few' };
      return;
    case 'box':
      if (statement.form !== 0) yield { ...statement, form: 0 };
      if (statement.map !== 'parameter') yield { ...statement, map: 'parameter' };
      return;
    case 'warpgroup':
    case 'cluster':
      if (statement.form !== 0) yield { ...statement, form: 0 };
      return;
    case 'leave':
    case 'print':
    case 'trap':
      return;
    case 'image':
      if (statement.wild) yield { ...statement, wild: false };
      return;
    case 'chain':
      yield* simplerChains(statement);
      return;
  }
}

function* simplerChains(statement: ChainStatement): Generator<Statement> {
  const { links, trips, loads } = statement;
  for (let size = links.length - 1; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < links.length; at += size) {
      const fewer = links.toSpliced(at, size);
      if (fewer.length > 0) yield { ...statement, links: fewer };
    }
  }
  if (loads !== 'once') yield { ...statement, loads: loads === 'each' ? 'once' : 'each' };
  if (trips.kind !== 'constant') yield { ...statement, trips: { kind: 'constant', count: 2 } };
  else if (trips.count > 1) yield { ...statement, trips: { kind: 'constant', count: 1 } };
  for (const [i, link] of links.entries()) {
    const { guard, ...bare } = link;
    if (guard) yield { ...statement, links: links.with(i, bare) };
  }
}

function* simplerMeetings(meeting: Meeting): Generator<Meeting> {
  if (isShuffle(meeting.template) && ballot) yield { ...meeting, template: ballot };
  for (const before of smallerLists(meeting.before)) yield { ...meeting, before };
  for (const otherBefore of smallerLists(meeting.otherBefore)) yield { ...meeting, otherBefore };
  for (const operands of simplerOperands(meeting.operands)) yield { ...meeting, operands };
  for (const otherOperands of simplerOperands(meeting.otherOperands)) yield { ...meeting, otherOperands };
}

function* simplerOperands(operands: WarpOperands): Generator<WarpOperands> {
  if (operands.maskRegister) yield { ...operands, maskRegister: false };
  for (const name of ['b', 'c'] as const) {
    const source = operands[name];
    if (source.constant === undefined)
      yield { ...operands, [name]: { register: 0, constant: name === 'b' ? 1 : 0x1f } };
  }
}

function* smallerSources(sources: readonly Source[]): Generator<Source[]> {
  for (const [i, { register, constant, negated }] of sources.entries()) {
    if (negated) yield sources.with(i, { register });
    if (constant !== undefined && constant > 1) yield sources.with(i, { register, constant: 1 });
  }
}
