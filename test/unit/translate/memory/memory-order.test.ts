// Kernels that require a memory order that only CUDA has: a warning at the instruction's line, on
// request.
import { describe, expect, it } from 'vitest';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';

const kernel = (line: string) => `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .shared .align 8 .b8 tile[64];
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  ${line}
  st.global.u32 [%rd0+8], %r1;
  ret;
}
`;

function warningsOf(line: string, warnMemoryOrder: boolean): readonly string[] {
  return diagnosticsOf(line, warnMemoryOrder).map(({ text, hint }) => {
    const [, tests] = /`lanewise litmus ([^`]*)`/.exec(hint) ?? [];
    expect(tests).toBe(/^(fence|membar)/.test(line) ? 'MP SB' : 'MP');
    return text;
  });
}

function diagnosticsOf(line: string, warnMemoryOrder: boolean): readonly { text: string; hint: string }[] {
  const { module, diagnostics: errors } = parsePtx(kernel(line), { file: 'k.ptx' });
  if (!module) throw new Error(errors.map(({ message }) => message).join('\n'));
  const { program, diagnostics } = translate(module, {
    block: [32, 1, 1],
    plan: planFor(32),
    float: exactFloats,
    warnMemoryOrder,
  });
  expect(program).toBeDefined();
  return diagnostics.map(({ code, severity, span, hint }) => {
    expect({ code, severity }).toEqual({ code: 'LW2010', severity: 'warning' });
    return { text: module.source.text.slice(span.start, span.end), hint: hint ?? '' };
  });
}

const wide = [
  'membar.gl;',
  'membar.sys;',
  'fence.sc.gpu;',
  'fence.acq_rel.sys;',
  'ld.acquire.gpu.global.u32 %r1, [%rd0];',
  'st.release.sys.global.u32 [%rd0], %r0;',
  'atom.acq_rel.gpu.global.add.u32 %r1, [%rd0], 1;',
  'red.release.gpu.global.add.u32 [%rd0], 1;',
  'ld.acquire.gpu.u64 %rd1, [%rd0];',
];

const narrow = [
  'membar.cta;',
  'fence.acq_rel.cta;',
  'fence.sc.cluster;',
  'ld.acquire.cta.global.u32 %r1, [%rd0];',
  'ld.relaxed.gpu.global.u32 %r1, [%rd0];',
  'ld.volatile.global.u32 %r1, [%rd0];',
  'atom.global.add.u32 %r1, [%rd0], 1;',
  'atom.acq_rel.gpu.shared.add.u32 %r1, [tile], 1;',
  'fence.proxy.alias;',
  'fence.proxy.async.shared::cta;',
  'membar.proxy.alias;',
  'fence.mbarrier_init.release.cluster;',
  'fence.acquire.sync_restrict::shared::cluster.cluster;',
];

describe('weak 64-bit loads', () => {
  const load = 'ld.global.u64 %rd1, [%rd0];';

  it('may be torn beside a fence', () => {
    const [fence, torn] = diagnosticsOf(`membar.gl; ${load} ${load}`, true);
    expect([fence?.text, torn?.text]).toEqual(['membar.gl;', load]);
    expect(torn?.hint).toContain('ld.relaxed');
  });

  it.each([
    ['without a fence', load],
    ['of shared memory', 'membar.gl; ld.shared.u64 %rd1, [tile];'],
    ['that are relaxed', 'membar.gl; ld.relaxed.gpu.global.u64 %rd1, [%rd0];'],
    ['of 32 bits', 'membar.gl; ld.global.u32 %r1, [%rd0];'],
  ])('%s are whole', (_, lines) => {
    expect(diagnosticsOf(lines, true).filter(({ hint }) => hint.includes('ld.relaxed'))).toEqual([]);
  });
});

describe('memory order across blocks', () => {
  it.each(wide)('%s', (line) => {
    expect(warningsOf(line, true)).toEqual([line]);
    expect(warningsOf(line, false)).toEqual([]);
  });
  it.each(narrow)('%s: none', (line) => {
    expect(warningsOf(line, true)).toEqual([]);
  });
});
