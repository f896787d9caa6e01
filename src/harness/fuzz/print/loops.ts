// Prints loops. A loop that waits for other lanes maintains the mask of the lanes that are still in
// the loop.

import type { LoopStatement, TangleStatement, Trips } from '../kernels/tree.ts';
import { type Mask, maskText, type Place, registerMask, restrict } from './masks.ts';
import type { Printing } from './printing.ts';
import { inverse } from './writer.ts';

export function printLoop(printing: Printing, statement: LoopStatement, place: Place): void {
  const { writer } = printing;
  const { trips, leave } = statement;
  const quiet = place.quiet || statement.quiet;
  // All lanes that reach the loop have the same trip count, so the lanes in the loop do not change.
  const steady = trips.kind !== 'lane' && leave === undefined && !quiet;
  if (!steady) printing.together = false;
  const mask = steady || quiet ? place.mask : registerMask(writer);
  const [start, end] = [writer.label(), writer.label()];
  const whole = place.whole && trips.kind === 'constant' && steady;
  const inner: Place = { mask, quiet, whole, leaveTo: quiet ? end : undefined };
  const body = writer.capture(() => printing.printBody(printing, statement.body, inner));
  const rest = writer.capture(() => printing.printBody(printing, statement.rest, inner));
  if (body.length + rest.length === 0) return;
  const keepsMask = mask !== place.mask && mask.used;
  const limit = printTrips(printing, trips, { ...place, quiet });
  const counter = writer.temporary('r');
  const goesOn = writer.temporary('p');
  writer.line(`mov.u32 ${counter}, 0`);
  if (keepsMask) writer.line(`mov.b32 ${mask.name}, ${maskText(writer, place.mask)}`);
  writer.place(start);
  const test = () => {
    writer.line(`setp.lt.u32 ${goesOn}, ${counter}, ${limit}`);
    if (keepsMask) restrict(writer, mask, goesOn, mask);
  };
  if (!statement.testLast) {
    test();
    writer.line(`@!${goesOn} bra ${end}`);
  }
  writer.add(body);
  if (leave) {
    const leaves = writer.condition(leave);
    // Other instructions may reuse the predicate's register. So the mask is computed here, and the
    // branch follows immediately.
    if (keepsMask) restrict(writer, mask, inverse(leaves), mask);
    writer.line(`@${leaves} bra ${end}`);
  }
  writer.add(rest);
  writer.line(`add.u32 ${counter}, ${counter}, 1`);
  if (statement.testLast) {
    test();
    writer.line(`@${goesOn} bra ${start}`);
  } else writer.line(`bra ${start}`);
  writer.place(end);
}

/** Returns an operand with the trip count. */
function printTrips({ writer }: Printing, trips: Trips, { mask, quiet }: Place): string {
  if (trips.kind === 'constant') return `${trips.count}`;
  const limit = writer.temporary('r');
  writer.line(`and.b32 ${limit}, ${writer.register('r', trips.register)}, 3`);
  if (trips.kind === 'redux' && !quiet) writer.line(`redux.sync.min.u32 ${limit}, ${limit}, ${maskText(writer, mask)}`);
  return limit;
}

/**
 * Prints a loop that some lanes enter in the middle: lanes for which `into` is true begin with the
 * second part.
 */
export function printTangle(printing: Printing, { into, count, first, second }: TangleStatement, place: Place): void {
  const { writer } = printing;
  printing.together = false;
  const masks: readonly [Mask, Mask] = [registerMask(writer), registerMask(writer)];
  const within = (mask: Mask): Place => ({ ...place, whole: false, mask });
  const one = writer.capture(() => printing.printBody(printing, first, within(masks[0])));
  const two = writer.capture(() => printing.printBody(printing, second, within(masks[1])));
  if (one.length + two.length === 0) return;
  const condition = writer.condition(into);
  const [start, middle, end] = [writer.label(), writer.label(), writer.label()];
  const counter = writer.temporary('r');
  const again = writer.temporary('p');
  const waits = masks.some(({ used }) => used);
  writer.line(`mov.u32 ${counter}, 0`);
  if (waits) {
    writer.line(`mov.b32 ${masks[1].name}, ${maskText(writer, place.mask)}`);
    restrict(writer, masks[0], inverse(condition), masks[1]);
  }
  writer.line(`@${condition} bra ${middle}`);
  writer.place(start);
  writer.add(one);
  writer.place(middle);
  writer.add(two);
  writer.line(`add.u32 ${counter}, ${counter}, 1`);
  writer.line(`setp.lt.u32 ${again}, ${counter}, ${count}`);
  if (waits) {
    restrict(writer, masks[1], again, masks[1]);
    writer.line(`mov.b32 ${masks[0].name}, ${masks[1].name}`);
  }
  writer.line(`@${again} bra ${start}`);
  writer.place(end);
}
