// Makes lanes that wait through memory yield after each read that they may wait for. A yield
// releases its threads after all other threads have run as far as they can
// (emit/dispatch/dispatch-barriers.ts). A word is read before the yield and tested after it. So if
// the word shows a write, everything that was written before is visible at the test.
import type { Wait } from '../analysis/wait.ts';
import { findWaits } from '../analysis/waits.ts';
import type { Builder } from '../ir/builder.ts';
import type { Inst, Program, Value } from '../ir/nodes.ts';

export function scheduleWaits(program: Program, b: Builder): void {
  const found = findWaits(program);
  const waits = new Map(found.waits.map((wait): [Inst, Wait] => [wait.inst, wait]));
  for (const inst of [...waits.keys(), ...found.looks]) loadEachTime(inst);
  for (const block of new Set([...waits.values()].map((wait) => wait.block))) {
    const { insts } = block;
    block.insts = [];
    b.into(block.insts);
    for (const inst of insts) {
      block.insts.push(inst);
      const wait = waits.get(inst);
      if (wait === undefined) continue;
      b.span = inst.span;
      const [read] = inst.results;
      const seen = wait.ends || read === undefined ? undefined : wordOf(b, read);
      const args = seen ? [seen] : [];
      if (wait.yieldPoint === undefined) b.emit('barrier', { kind: 'yield', counted: false }, args);
      else wait.yieldPoint.args = args;
    }
  }
}

/** Other threads store to the word while the lane waits, so each execution must load it. */
function loadEachTime(inst: Inst): void {
  if (inst.op === 'load' && inst.attrs.order === 'weak') inst.attrs = { ...inst.attrs, order: 'volatile' };
}

/** Returns a word that changes if the value changes, except for a few 64-bit values. */
function wordOf(b: Builder, value: Value): Value {
  switch (value.type) {
    case 'f16':
    case 'bf16':
      return b.resize(b.bitcast(value, 'i16'), 'i32');
    case 'f32':
      return b.bitcast(value, 'i32');
    case 'f64':
      return wordOf(b, b.bitcast(value, 'i64'));
    case 'i64': {
      const [low, high] = b.split(value);
      return b.xor(low, high);
    }
    case 'i128': {
      const [low, high] = b.split(value);
      return wordOf(b, b.xor(low, high));
    }
    default:
      return b.resize(value, 'i32');
  }
}
