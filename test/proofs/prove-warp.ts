// Proves that the WGSL of a warp instruction returns what the PTX manual says, for one lane plan.
import type { LanePlan } from '../../src/base/lane-plan.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { translate } from '../../src/translate/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import { proveShader } from './prove-shader.ts';
import type { Operands, WarpCase } from './rules/warp-cases.ts';
import type { Solver, Verdict } from './terms/solver.ts';
import { and, constant, equal, implies, not, type Term, variable, wordOf, yes } from './terms/term.ts';
import { at } from './wgsl/place.ts';

/** Returns a kernel in which each lane loads its operands from a buffer, and stores its results. */
function kernelOf(instruction: string, lanes: number): string {
  const step = 4 * lanes;
  // Targets from sm_70 on do not have the forms without `.sync`.
  const target = /sync|activemask/.test(instruction) ? 'sm_90' : 'sm_60';
  return `.version 8.6
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p, %q, %g;
  .reg .b32 %a, %b, %c, %d, %t, %pw, %gw, %qw;
  .reg .b64 %in, %out, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  add.s64 %in, %in, %at;
  add.s64 %out, %out, %at;
  ld.global.u32 %a, [%in];
  ld.global.u32 %b, [%in+${step}];
  ld.global.u32 %c, [%in+${2 * step}];
  ld.global.u32 %pw, [%in+${3 * step}];
  ld.global.u32 %gw, [%in+${4 * step}];
  setp.ne.u32 %p, %pw, 0;
  setp.ne.u32 %g, %gw, 0;
  mov.u32 %d, 0;
  setp.ne.u32 %q, 0, 0;
  ${instruction}
  selp.u32 %qw, 1, 0, %q;
  st.global.u32 [%out], %d;
  st.global.u32 [%out+${step}], %qw;
  ret;
}
`;
}

/**
 * Proves one instruction for one plan. `change` modifies the WGSL before the proof, to test that
 * wrong code is refuted.
 */
export async function proveWarp(
  solver: Solver,
  { name, text, of }: WarpCase,
  plan: LanePlan,
  change: (code: string) => string = (code) => code,
): Promise<Verdict> {
  const lanes = Math.max(32, plan.subgroupSize);
  const module = parsePtxOrThrow(kernelOf(text, lanes), { file: `${name}.ptx` });
  const { program, diagnostics } = translate(module, { entry: 'k', block: [lanes, 1, 1], plan, float: exactFloats });
  if (program === undefined) throw new Error(`${name}: ${diagnostics.map(({ message }) => message).join('; ')}`);
  const inputs = [...'abcpg'].flatMap((row) => Array.from({ length: lanes }, (_, lane) => variable(`${row}${lane}`)));
  const outputs = Array.from({ length: 2 * lanes }, () => constant(0xcdcdcdcd));
  const operandsOf = (warp: number): Operands => {
    const row = (index: number): Term[] => inputs.slice(index * lanes + warp * 32, index * lanes + warp * 32 + 32);
    const truths = (index: number): Term[] => row(index).map((word) => not(equal(word, constant(0))));
    return {
      a: row(0),
      b: row(1),
      c: row(2),
      p: truths(3),
      executes: text.startsWith('@') ? truths(4) : row(4).map(yes),
    };
  };
  const options = {
    invocations: lanes / plan.slots,
    subgroupSize: plan.subgroupSize,
    buffers: new Map([[0, inputs], [1, outputs]]), // biome-ignore format: short
  };
  return proveShader(solver, change(program.code), options, (words) => {
    const claims: Term[] = [];
    for (let warp = 0; warp < lanes / 32; warp++) {
      const operands = operandsOf(warp);
      for (const [lane, executes] of operands.executes.entries()) {
        const { d, q, isDefined = yes() } = of(operands, lane);
        const index = warp * 32 + lane;
        if (d !== undefined) claims.push(implies(and(executes, isDefined), equal(at(words, index), d)));
        if (q !== undefined) claims.push(implies(executes, equal(at(words, lanes + index), wordOf(q))));
      }
    }
    return claims;
  });
}
