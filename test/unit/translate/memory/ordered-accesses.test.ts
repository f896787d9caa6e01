// Memory whose accesses fences, releases and acquires order.
import { describe, expect, it } from 'vitest';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

/** Returns the WGSL of a kernel with buffers for data and a flag, and an output. */
const wgsl = (body: string): string =>
  wgslOf(
    `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 flag, .param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %d, %f, %o;
  ld.param.u64 %d, [data];
  ld.param.u64 %f, [flag];
  ld.param.u64 %o, [out];
  ${body}
  st.global.u32 [%o], %r1;
  ret;
}`,
    { block: [64, 1, 1], verify: true },
  );

const steps = (body: string): readonly string[] =>
  wgsl(body)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[^/]*(data|flag|out)\[|^wait_for_accesses\(\);|Barrier\(\)|^if \(zero/.test(line));

describe('a shader waits for the accesses of the lane', () => {
  it('at a fence, also for weak accesses to other buffers', () => {
    const body =
      'st.global.u32 [%d], 7; membar.gl; atom.global.exch.b32 %r1, [%f], 1; membar.gl; ld.global.u32 %r1, [%d];';
    expect(steps(body)).toEqual([
      'observed(atomicExchange(&data[0u + zero], 7u));',
      'wait_for_accesses();',
      'observed(atomicExchange(&flag[0u + zero], 1u));',
      'wait_for_accesses();',
      'let r1 = observed(atomicLoad(&data[0u + zero]));',
      'out[0u] = r1;',
    ]);
  });

  it.each([
    ['before a release', 'st.release.gpu.global.u32 [%f], 1;', ['wait_for_accesses();', 'observed(atomicExchange(&flag[0u + zero], 1u));']],
    ['after an acquire', 'ld.acquire.gpu.global.u32 %r1, [%f]; st.relaxed.gpu.global.u32 [%f], 1;', ['let r1 = observed(atomicLoad(&flag[0u + zero]));', 'wait_for_accesses();', 'observed(atomicExchange(&flag[0u + zero], 1u));']],
    ['before and after both', 'atom.acq_rel.gpu.global.add.u32 %r1, [%f], 1;', ['wait_for_accesses();', 'let r1 = observed(atomicAdd(&flag[0u + zero], 1u));', 'wait_for_accesses();']],
  ])('%s', (_, body, expected) => {
    expect(steps(body).slice(0, expected.length)).toEqual(expected);
  }); // biome-ignore format: one case per line

  it('before a barrier, after which another lane may release the accesses', () => {
    const body =
      'st.global.u32 [%d], 7; bar.sync 0; st.release.gpu.global.u32 [%f], 1; ld.acquire.gpu.global.u32 %r1, [%f]; ld.global.u32 %r1, [%d];';
    expect(steps(body).slice(0, 5)).toEqual([
      'observed(atomicExchange(&data[0u + zero], 7u));',
      'wait_for_accesses();',
      'if (zero != 0u) {',
      'atomicStore(&data[zero], zero);',
      'workgroupBarrier();',
    ]);
  });
});

describe('a shader does not wait', () => {
  it.each([
    ['if all accesses are weak, because no threads synchronize', 'st.global.u32 [%d], 7; membar.gl; ld.global.u32 %r1, [%d];'],
    ['if no instruction orders accesses', 'atom.global.exch.b32 %r1, [%f], 1; st.global.u32 [%d], %r1;'],
    ['at fences between proxies', 'atom.global.exch.b32 %r1, [%f], 1; fence.proxy.alias; st.global.u32 [%d], %r1;'],
  ])('%s', (_, body) => {
    expect(wgsl(body)).not.toMatch(/observed|zero/);
  }); // biome-ignore format: one case per line

  it('for memory that is only written, at fences of block scope', () => {
    const body = 'atom.cta.global.add.u32 %r1, [%f], 1; membar.cta; atom.cta.global.add.u32 %r1, [%f], 1;';
    expect(steps(body)).toEqual([
      'observed(atomicAdd(&flag[0u + zero], 1u));',
      'wait_for_accesses();',
      'let r1 = observed(atomicAdd(&flag[0u + zero], 1u));',
      'out[0u] = r1;',
    ]);
  });

  it.each([
    ['whose accesses all precede the release', 'st.global.u32 [%d], 7; membar.gl; atom.global.add.u32 %r1, [%f], 1;'],
    ['whose accesses all follow the acquire', 'ld.acquire.gpu.global.u32 %r1, [%f]; st.global.u32 [%d], 7;'],
  ])('for memory %s', (_, body) => {
    expect(steps(body)).toContain('data[0u] = 7u;');
    // In a loop, the accesses of the next iteration are on the other side.
    const again = `.reg .pred %p; AGAIN: ${body} ld.relaxed.gpu.global.u32 %r2, [%f]; setp.eq.u32 %p, %r2, 1; @%p bra AGAIN;`;
    expect(steps(again)).toContain('observed(atomicExchange(&data[0u + zero], 7u));');
  }); // biome-ignore format: one case per line
});

describe('a barrier also orders buffers', () => {
  it.each([
    ['if lanes store to one place before and after it', 'st.global.u32 [%d], 7; bar.sync 0; st.global.u32 [%d], 8;', true],
    ['if a load of stored memory follows it', 'st.global.u32 [%d], 7; bar.sync 0; ld.global.u32 %r1, [%d];', true],
    ['unless all stores follow it', 'bar.sync 0; st.global.u32 [%d], 8;', false],
    ['unless all stores precede it', 'ld.global.u32 %r1, [%d]; st.global.u32 [%d], 7; bar.sync 0;', false],
  ])('%s', (_, body, isOrdered) => {
    expect(steps(body).includes('storageBarrier();')).toBe(isOrdered);
  }); // biome-ignore format: one case per line
});
