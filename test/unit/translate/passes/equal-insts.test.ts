// The table in which folding finds equal instructions.
import { expect, test } from 'vitest';
import type { Variable } from '../../../../src/ptx/ast.ts';
import { Builder, Ids } from '../../../../src/translate/ir/builder.ts';
import type { Inst } from '../../../../src/translate/ir/nodes.ts';
import { AvailableInsts } from '../../../../src/translate/passes/equal-insts.ts';

const variable = (name: string): Variable => ({
  name,
  space: 'local',
  type: 'b32',
  bytes: 8,
  align: 4,
  array: true,
  external: false,
  initializers: [],
  span: { start: 0, end: 0 },
});

/** Returns the address of a variable. `onRead` is called for each read of its attributes. */
function address(builder: Builder, of: Variable, onRead = () => {}): Inst {
  const inst: Inst = builder.make('symbol', { variable: of, offset: 4 }, []);
  const { attrs } = inst;
  return Object.defineProperty(inst, 'attrs', {
    get() {
      onRead();
      return attrs;
    },
  });
}

test('addresses are compared with few other addresses', () => {
  const builder = new Builder(new Ids());
  let reads = 0;
  const variables = Array.from({ length: 1000 }, (_, index) => variable(`v${index}`));
  const available = AvailableInsts.of(variables.length);
  for (const each of variables) {
    const inst = address(builder, each, () => {
      reads += 1;
    });
    expect(available.find(inst)).toBeUndefined();
  }
  expect(reads).toBeLessThan(8 * variables.length);
});

test('an equal address of an earlier user is not found', () => {
  const builder = new Builder(new Ids());
  const first = address(builder, variable('v'));
  const available = AvailableInsts.of(8);
  expect(available.find(first)).toBeUndefined();
  expect(available.find(first)).toBe(first);
  available.release();
  expect(AvailableInsts.of(8).find(first)).toBeUndefined();
});
