// Prints statements as PTX. Omits a statement that its place does not permit: a warp instruction in
// a quiet place, or a barrier that only some threads of the block reach.
import type {
  ArmsStatement,
  Decision,
  GroupsStatement,
  IfStatement,
  Statement,
  SwitchStatement,
  TrapStatement,
} from '../kernels/tree.ts';
import { printBox } from './box.ts';
import { printCall } from './calls.ts';
import { printChain } from './chain.ts';
import { printContention } from './contended.ts';
import { printExchange } from './exchange.ts';
import { printHandover } from './handover.ts';
import { printImage } from './image.ts';
import { printLane } from './lane.ts';
import { printLoop, printTangle } from './loops.ts';
import { allLanes, knownMask, type Mask, maskText, type Place, registerMask, restrict } from './masks.ts';
import { printMatrix } from './matrix.ts';
import type { Printing } from './printing.ts';
import { printPrint } from './prints.ts';
import { printRemote } from './remote.ts';
import { printWait } from './waits.ts';
import { printLaneSet, printOperation, printWarp } from './warp.ts';
import { printWarpgroup } from './warpgroup.ts';
import { inverse } from './writer.ts';

/** A placeholder for the stores of all registers, until the registers are known. */
export const storesHere = '<stores>';

export function printStatements(printing: Printing, statements: readonly Statement[], place: Place): void {
  for (const statement of statements) printStatement(printing, statement, place);
}

function printStatement(printing: Printing, statement: Statement, place: Place): void {
  switch (statement.kind) {
    case 'lane':
      return printLane(printing, statement);
    case 'warp':
      if (place.quiet || (!statement.template.sync && !printing.together)) return;
      return printWarp(printing, statement, place);
    case 'if':
      return printIf(printing, statement, place);
    case 'loop':
      return printLoop(printing, statement, place);
    case 'leave':
      if (place.leaveTo === undefined) return;
      printing.together = false;
      return printing.writer.line(`@${printing.writer.condition(statement.on)} bra ${place.leaveTo}`);
    case 'exit':
      return printExit(printing, printing.writer.condition(statement.on), statement.branch);
    case 'groups':
      return place.quiet ? undefined : printGroups(printing, statement, place);
    case 'arms':
      return place.quiet ? undefined : printArms(printing, statement, place);
    case 'switch':
      return printSwitch(printing, statement, place);
    case 'tangle':
      return printTangle(printing, statement, place);
    case 'exchange':
      if (place.quiet || (statement.among !== 'lanes' && !place.whole)) return;
      return printExchange(printing, statement, place);
    case 'call':
      return printCall(printing, statement, printing.functions);
    case 'trap':
      return printTrap(printing, statement);
    case 'print':
      return printPrint(printing, statement);
    case 'matrix':
      return printMatrix(printing, statement, place);
    case 'image':
      return printImage(printing, statement);
    case 'chain':
      return printChain(printing, statement, place);
    case 'handover':
      return place.quiet || !place.whole || !printing.everyThreadLives ? undefined : printHandover(printing, statement);
    case 'box':
      return place.quiet || !place.whole || !printing.everyThreadLives ? undefined : printBox(printing, statement);
    case 'warpgroup':
      return place.quiet || !place.whole ? undefined : printWarpgroup(printing, statement, place);
    case 'cluster':
      return place.quiet || !place.whole || !printing.everyThreadLives || !printing.blocksTogether
        ? undefined
        : printRemote(printing, statement);
    case 'wait':
      return place.quiet || !place.whole || !printing.everyThreadLives ? undefined : printWait(printing, statement);
    case 'contend':
      return place.quiet || !place.whole ? undefined : printContention(printing, statement);
  }
}

/**
 * Prints a branch on `condition`. `otherwise` may be undefined. `uniform`: all lanes take the same
 * arm.
 */
function printBranch(
  { writer }: Printing,
  condition: string,
  body: readonly string[],
  otherwise: readonly string[],
  uniform = false,
): void {
  const end = writer.label();
  const bra = uniform ? 'bra.uni' : 'bra';
  if (otherwise.length === 0) {
    writer.line(`@${inverse(condition)} ${bra} ${end}`);
    writer.add(body);
  } else {
    const other = writer.label();
    writer.line(`@${inverse(condition)} ${bra} ${other}`);
    writer.add(body);
    writer.line(`${bra} ${end}`);
    writer.place(other);
    writer.add(otherwise);
  }
  writer.place(end);
}

/**
 * Prints a trap. All tested bits of the parameter are set, so a thread traps only if the condition
 * is true.
 */
function printTrap(printing: Printing, { on }: TrapStatement): void {
  const { writer } = printing;
  if (on) {
    printing.native = false;
    printing.traps = true;
    return writer.line(`@${writer.condition(on)} trap`);
  }
  const never = writer.temporary('p');
  writer.line(`setp.ne.u32 ${never}, ${writer.provide('full')}, 0x${allLanes.toString(16)}`);
  writer.line(`@${never} trap`);
}

function printExit(printing: Printing, condition: string, branch: boolean): void {
  const { writer, exits } = printing;
  printing.together = false;
  if (branch) {
    exits.used = true;
    return writer.line(`@${condition} bra ${exits.label}`);
  }
  const body = writer.capture(() => {
    writer.line(storesHere);
    writer.line('exit');
  });
  printBranch(printing, condition, body, []);
}

function printIf(printing: Printing, statement: IfStatement, place: Place): void {
  const { writer } = printing;
  const { decision } = statement;
  const before = printing.together;
  const splits = decision.kind === 'lane' || decision.kind === 'lanes';
  const condition = printDecision(printing, decision, place);
  if (splits) printing.together = false;
  const [first, second] = splits ? armMasks(printing, decision, place.mask) : [place.mask, place.mask];
  const whole = place.whole && decision.kind === 'block';
  const { blocksTogether } = printing;
  printing.blocksTogether = false;
  const body = writer.capture(() => printStatements(printing, statement.body, { ...place, whole, mask: first }));
  const otherwise = writer.capture(() =>
    printStatements(printing, statement.otherwise, { ...place, whole, mask: second }),
  );
  printing.blocksTogether = blocksTogether;
  if (body.length + otherwise.length === 0) {
    printing.together = before;
    return;
  }
  if (splits) printArmMasks(printing, condition, place.mask, first, second);
  printBranch(printing, condition, body, otherwise, !splits && decision.kind !== 'vote');
}

function armMasks({ writer }: Printing, decision: Decision, from: Mask): [Mask, Mask] {
  if (decision.kind === 'lanes' && from.bits !== undefined) {
    const [first, second] = [knownMask(from.bits & decision.lanes), knownMask(from.bits & ~decision.lanes)];
    if (first.bits !== 0 && second.bits !== 0) return [first, second];
  }
  return [registerMask(writer), registerMask(writer)];
}

/** Computes the masks of the two arms, if code in them has used a mask. */
function printArmMasks({ writer }: Printing, condition: string, from: Mask, first: Mask, second: Mask): void {
  if (first.bits !== undefined || (!first.used && !second.used)) return;
  if (first.used) restrict(writer, first, condition, from);
  if (!second.used) return;
  if (!first.used) return restrict(writer, second, inverse(condition), from);
  writer.line(`not.b32 ${second.name}, ${first.name}`);
  writer.line(`and.b32 ${second.name}, ${second.name}, ${maskText(writer, from)}`);
}

function printDecision({ writer }: Printing, decision: Decision, { mask, quiet }: Place): string {
  if (decision.kind === 'lane' || (decision.kind === 'vote' && quiet)) return writer.condition(decision.on);
  if (decision.kind === 'lanes') return printLaneSet(writer, decision);
  const result = writer.temporary('p');
  if (decision.kind === 'vote') {
    writer.line(
      `vote.sync.${decision.mode}.pred ${result}, ${writer.condition(decision.on)}, ${maskText(writer, mask)}`,
    );
    return result;
  }
  const number = writer.temporary('r');
  if (decision.kind === 'block') writer.line(`mov.u32 ${number}, %ctaid.x`);
  else writer.line(`shr.u32 ${number}, %thread, 5`);
  writer.line(`and.b32 ${number}, ${number}, ${1 << decision.bit}`);
  writer.line(`setp.ne.u32 ${result}, ${number}, 0`);
  return result;
}

function printGroups(printing: Printing, { register, bits, body }: GroupsStatement, place: Place): void {
  const { writer } = printing;
  const mask = registerMask(writer);
  const inner = writer.capture(() => printStatements(printing, body, { ...place, whole: false, mask }));
  if (mask.used) {
    const key = writer.temporary('r');
    writer.line(`and.b32 ${key}, ${writer.register('r', register)}, ${2 ** bits - 1}`);
    writer.line(`match.any.sync.b32 ${mask.name}, ${key}, ${maskText(writer, place.mask)}`);
  }
  writer.add(inner);
}

function printArms(printing: Printing, { on, meetings, rounds }: ArmsStatement, place: Place): void {
  const { writer } = printing;
  const condition = writer.condition(on);
  printing.together = false;
  const masks = [registerMask(writer), registerMask(writer)] as const;
  const within = (mask: Mask): Place => ({ ...place, whole: false, mask });
  const first = writer.capture(() => {
    meetings.forEach(({ template, before, operands }, index) => {
      const meet = () => {
        printStatements(printing, before, within(masks[0]));
        printOperation(printing, template, operands, place.mask);
      };
      if (index === 0 && rounds > 1) printRounds(printing, rounds, meet);
      else meet();
    });
  });
  const second = writer.capture(() => {
    meetings.forEach(({ template, otherBefore, otherOperands }, index) => {
      for (let round = 0; round < (index === 0 ? rounds : 1); round++) {
        printStatements(printing, otherBefore, within(masks[1]));
        printOperation(printing, template, otherOperands, place.mask);
      }
    });
  });
  if (first.length + second.length === 0) return;
  printArmMasks(printing, condition, place.mask, ...masks);
  printBranch(printing, condition, first, second);
}

function printRounds({ writer }: Printing, rounds: number, body: () => void): void {
  const counter = writer.temporary('r');
  const again = writer.temporary('p');
  const start = writer.label();
  writer.line(`mov.u32 ${counter}, 0`);
  writer.place(start);
  body();
  writer.line(`add.u32 ${counter}, ${counter}, 1`);
  writer.line(`setp.lt.u32 ${again}, ${counter}, ${rounds}`);
  writer.line(`@${again} bra ${start}`);
}

function printSwitch(printing: Printing, { uniform, register, cases }: SwitchStatement, place: Place): void {
  const { writer } = printing;
  if (!uniform) printing.together = false;
  const mask = uniform ? place.mask : registerMask(writer);
  const whole = uniform && place.whole;
  const { blocksTogether } = printing;
  printing.blocksTogether = false;
  const bodies = cases.map((body) => writer.capture(() => printStatements(printing, body, { ...place, whole, mask })));
  printing.blocksTogether = blocksTogether;
  if (bodies.every((body) => body.length === 0)) return;
  const key = writer.temporary('r');
  if (uniform) writer.line(`mov.u32 ${key}, %ctaid.x`);
  writer.line(`and.b32 ${key}, ${uniform ? key : writer.register('r', register)}, ${cases.length - 1}`);
  if (mask.used && !uniform) writer.line(`match.any.sync.b32 ${mask.name}, ${key}, ${maskText(writer, place.mask)}`);
  const [table, end] = [writer.label(), writer.label()];
  const labels = cases.map(() => writer.label());
  writer.raw(`${table}: .branchtargets ${labels.join(', ')};`);
  writer.line(`brx.idx${uniform ? '.uni' : ''} ${key}, ${table}`);
  bodies.forEach((body, i) => {
    writer.place(labels[i] ?? '');
    writer.add(body);
    if (i < bodies.length - 1) writer.line(`bra${uniform ? '.uni' : ''} ${end}`);
  });
  writer.place(end);
}
