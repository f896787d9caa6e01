// Agreement with ptxas 13.0, whose verdicts are recorded in test/ptx.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parsePtx } from '../../../src/ptx/index.ts';

function records(file: string): string[] {
  const text = readFileSync(new URL(`../../ptx/${file}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const kernel = (version: string, target: string, statement: string) => `.version ${version}
.target ${target}
.address_size 64
.global .u32 gv[4];
.const .u32 cv[4];
.visible .entry k(.param .u64 pp)
{
 .reg .pred p,q; .reg .b32 r,s; .reg .u32 u; .reg .s32 i; .reg .f32 f; .reg .b64 l; .reg .u64 ul; .reg .b16 h;
 .reg .u16 uh; .reg .f64 dd; .reg .u8 bb; .reg .b128 x128; .reg .v4 .f32 v4f; .reg .v2 .u32 v2u;
 .shared .u32 sh[4]; .local .u32 lv[4];
${statement}
L1: ret;
}
`;

const accepts = (text: string) => parsePtx(text).module !== undefined;

// Statements on which the parser differs from ptxas: ptxas is inconsistent there, and no program
// needs them.
const deliberate = new Set(['mul.s32.lo r, r, r;', 'bar.sync.cta 0;', 'ld.shared.u32 r, [h];', 'mov.u16 h, sh;']);

test('statements: the parser accepts and rejects the same as ptxas', () => {
  const all = records('ptxas-statements.txt').map((line) => {
    const [statement = '', why = ''] = line.slice(4).split('  ## ');
    return { statement, why, ok: line.startsWith('ok') };
  });
  expect(all.length).toBeGreaterThan(200);
  const different = all.filter(({ statement, ok }) => accepts(kernel('9.0', 'sm_90', statement)) !== ok);
  expect(different.map(({ statement }) => statement).filter((statement) => !deliberate.has(statement))).toEqual([]);
});

test('versions and targets: the parser accepts and rejects the same as ptxas', () => {
  let compared = 0;
  const different = records('ptxas-targets.txt').flatMap((line) => {
    const [statement = '', verdicts = ''] = line.split(' | ');
    return verdicts.split(', ').flatMap((verdict) => {
      const [, version = '', target = '', said] = /^([\d.]+)\/(\w+) (ok|no)$/.exec(verdict) ?? [];
      compared++;
      return accepts(kernel(version, target, statement)) === (said === 'ok') ? [] : [`${statement} ${verdict}`];
    });
  });
  expect(compared).toBeGreaterThan(380);
  expect(different).toEqual([]);
});
