// A small case for tests of the command line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launch } from '../src/base/launch.ts';
import { writeCase } from '../src/harness/launches/case-file.ts';

/** Returns a kernel of one warp, in which every lane stores the ballot of `%laneid < limit`. */
export const ballot = (body = 'vote.sync.ballot.b32 %word, %below, 0xffffffff;'): string => `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p_out, .param .u32 p_limit)
{
  .reg .b64 %out, %offset;
  .reg .b32 %lane, %limit, %word;
  .reg .pred %below;
  ld.param.u64 %out, [p_out];
  ld.param.u32 %limit, [p_limit];
  mov.u32 %lane, %laneid;
  setp.lt.u32 %below, %lane, %limit;
  ${body}
  mul.wide.u32 %offset, %lane, 4;
  add.s64 %out, %out, %offset;
  st.global.b32 [%out], %word;
  ret;
}
`;

/** Writes `<name>.json` and its PTX into a folder. The case expects `expected` in every lane. */
export function writeBallotCase(folder: string, name: string, expected: number, ptx = ballot()): string {
  const launch: Launch = {
    id: name,
    group: 'test',
    ptx,
    ptxFile: `${name}.ptx`,
    entry: 'k',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [
      {
        name: 'out',
        kind: 'buffer',
        type: 'u32',
        bytes: 128,
        expect: new Uint8Array(new Uint32Array(32).fill(expected).buffer),
      },
      { name: 'limit', kind: 'scalar', type: 'u32', value: 5 },
    ],
  };
  writeFileSync(join(folder, `${name}.ptx`), ptx);
  writeFileSync(join(folder, `${name}.json`), writeCase(launch, `${name}.ptx`));
  return join(folder, `${name}.json`);
}
