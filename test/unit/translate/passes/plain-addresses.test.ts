// Addresses of matrices as sums: each word keeps its number in every thread.
import { describe, expect, it } from 'vitest';
import { at } from '../../../../src/base/invariants.ts';
import { type Random, random } from '../../../../src/harness/suites/random.ts';
import { findRanges, threadRanges } from '../../../../src/translate/analysis/ranges.ts';
import { Builder } from '../../../../src/translate/ir/builder.ts';
import type { Inst, Value } from '../../../../src/translate/ir/nodes.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';
import { printProgram } from '../../../../src/translate/ir/print.ts';
import { cleanUp } from '../../../../src/translate/passes/clean-up.ts';
import { writePlainAddresses } from '../../../../src/translate/passes/matrices/plain-addresses.ts';

const block = [256, 1, 1] as const;

/** Returns a kernel whose first instructions are `lines`, and which stores `%last`. */
const kernel = (lines: readonly string[]): string => `param param out: u64 bytes 8 align 8

kernel k {
b0:
  %out:i64 = load.i64 param(0)[0]
  %tid:i32 = special.i32 "%tid.x"
${lines.map((line) => `  ${line}\n`).join('')}  store.i32 address(global)[%out], %last
  exit
}
`;

/** Returns the stored value of a kernel, before or after its addresses are rewritten. */
function stored(lines: readonly string[], isRewritten: boolean): { readonly value: Value; readonly text: string } {
  const { program, ids } = parseProgram(kernel(lines));
  const builder = new Builder(ids);
  if (isRewritten) {
    writePlainAddresses(program.kernel, builder, findRanges(program.kernel, threadRanges(block)));
    cleanUp(program.kernel, builder);
  }
  const insts = program.kernel.blocks.flatMap((each) => each.insts);
  const store = insts.find(({ op }) => op === 'store');
  return { value: at(store?.args ?? [], 1, 'the stored value'), text: printProgram(program) };
}

/** Evaluates a word in one thread. */
function numberOf(value: Value, thread: number): bigint {
  if (value.kind === 'constant') return value.bits;
  if (value.kind !== 'result') throw new Error(`${value.kind} is not computed`);
  const { op, operation, args, attrs }: Inst = value.inst;
  if (op === 'special') return BigInt(thread);
  const types = args.map(({ type }) => type);
  const numbers = args.map((arg) => numberOf(arg, thread));
  return at(operation.fold?.(numbers, types, attrs as never) ?? [], value.index, op);
}

const threads = [0, 1, 2, 3, 5, 31, 32, 77, 128, 200, 255];

/** Returns an operation on `%name`. */
function drawStep(rng: Random, name: string): string {
  const amount = rng.below(16);
  switch (rng.below(6)) {
    case 0:
      return `ubfe %${name}, ${amount}, ${1 + rng.below(16)}`;
    case 1:
      return `and %${name}, ${rng.pick([0x3ffff, 0x3fff, 0x3fff0, 0x3fc20, 0x7ff, 0x4000, 240])}`;
    case 2:
      return `iadd %${name}, ${rng.pick([2, 4, 32, 512, 4096, 12_288, -16])}`;
    case 3:
      return `lshrw %${name}, ${amount}`;
    default:
      return `shlw %${name}, ${amount}`;
  }
}

describe('plain addresses', () => {
  it('have the same numbers in every thread', () => {
    let shorter = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const rng = random(seed, 'addresses');
      const count = 2 + rng.below(6);
      const lines = Array.from({ length: count }, (_, index) => {
        const name = index === count - 1 ? 'last' : `s${index}`;
        return `%${name}:i32 = ${drawStep(rng, index === 0 ? 'tid' : `s${index - 1}`)}`;
      });
      const [before, after] = [stored(lines, false), stored(lines, true)];
      const numbers = ({ value }: typeof before) => threads.map((thread) => numberOf(value, thread));
      expect(numbers(after), lines.join('\n')).toEqual(numbers(before));
      if (after.text.length < before.text.length) shorter += 1;
    }
    expect(shorter).toBeGreaterThan(100);
  });

  it('of descriptors are sums', () => {
    const lines = [
      '%bit:i32 = and %tid, 1',
      '%stage:i32 = shlw %bit, 13',
      '%start:i32 = iadd %stage, 16384',
      '%masked:i32 = and %start, 261120',
      '%units:i32 = lshrw %masked, 4',
      '%next:i32 = iadd %units, 2',
      '%field:i32 = and %next, 16383',
      '%last:i32 = shlw %field, 4',
    ];
    const { text } = stored(lines, true);
    expect(text).toContain('iadd %stage, 16416');
    expect(text).not.toMatch(/lshrw|261120|16383/);
  });
});
