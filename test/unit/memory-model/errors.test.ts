// The messages for invalid litmus tests.
import { expect, test } from 'vitest';
import { parseLitmus, verdictOf } from '../../../src/memory-model/index.ts';

const head = `test T
.global .u32 x;
thread a, block 0
`;
const errorOf = (text: string): string => {
  try {
    for (const parsed of parseLitmus({ file: 't.litmus', text })) verdictOf(parsed);
    return 'no error';
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? '';
  }
};

test.each([
  ['test T\n.global .u32 x;\n.global .u32 y;\nalias y\nthread a\nexists [x] == 0', 't.litmus:4:1: error[LIT0201]: expected `alias NAME = NAME` after the declarations, found `y`'],
  ['test T\n.global .u32 x;\nalias x = x\n.global .u32 y;\nthread a\nexists [x] == 0', 't.litmus:3:1: error[LIT0201]: expected `alias NAME = NAME` after the declarations, found other lines before `thread`'],
  ['test T\n.global .u32 x;\n.global .u64 y;\nalias y = x\nthread a\nexists [x] == 0', 't.litmus:4:1: error[LIT0303]: an alias must be a global variable of the size of another global variable'],
  ['test T\n.global .u32 x;\nalias z = x\nthread a\nexists [x] == 0', 't.litmus:3:1: error[LIT0302]: unknown variable `z`'],
  ['thread a\nexists [x] == 0', 't.litmus:1:1: error[LIT0201]: expected `test NAME`, found other text'],
  [`${head}  st.global.u32 [x], 1;\n`, 't.litmus:3:1: error[LIT0201]: expected `thread NAME` for each thread, then `allowed`, `forbidden`, `exists` or `always`, found `thread`'],
  [`${head}  st.global.u32 [x], 1;\nexists [x] = 1`, 't.litmus:5:12: error[LIT0201]: expected `==` or `!=`, found `=`'],
  [`${head}  st.global.u32 [x], 1;\nexists b:%r0 == 1`, 't.litmus:5:8: error[LIT0302]: unknown thread `b`'],
  [`${head}  st.global.u32 [x], 1;\nexists a:%r0 == 1`, 't.litmus:5:8: error[LIT0302]: unknown register `%r0`'],
  [`${head}  st.global.u32 [x], 1;\nexists [y] == 1`, 't.litmus:5:8: error[LIT0302]: unknown variable `y`'],
  [`${head}thread a, block 1\n  st.global.u32 [x], 1;\nexists [x] == 1`, 't.litmus:4:1: error[LIT0301]: thread `a` is defined twice'],
  [`${head}  st.gobal.u32 [x], 1;\nexists [x] == 1`, 't.litmus:4:'],
  [`${head}  st.global.u32 [x+4], 1;\nexists [x] == 1`, 't.litmus:4:3: error[LIT0802]: this access is outside of the variables of the test'],
  [`${head}  shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;\nexists a:%r0 == 1`, 't.litmus:4:3: error[LIT0801]: this form of `shfl.sync` is not supported in a litmus test'],
  [`${head}  ld.global.u32 %r0, [x];\nalways a:%r0 == 1 || a:%r0 == 2`, 'expected one value for each register and variable, found this condition'],
])('%j', (text, message) => {
  expect(errorOf(text)).toContain(message);
}); // biome-ignore format: a table
