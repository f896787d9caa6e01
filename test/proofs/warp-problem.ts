// The WGSL of a warp instruction for one lane plan, and the claims of the PTX manual about its
// results.
import type { LanePlan } from '../../src/base/lane-plan.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { translate } from '../../src/translate/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import { isMatch } from './prove-match.ts';
import type { Problem } from './prove-shader.ts';
import type { Operands, WarpCase } from './rules/warp-cases.ts';
import { and, constant, equal, implies, type Term, variable, wordOf, wordOfBits, yes } from './terms/term.ts';
import { at } from './wgsl/place.ts';

/** The words that each lane loads, in order. */
const rows = ['a', 'a_high', 'b', 'c', 'p', 'g', 'm'] as const;
const registers = ['%a', '%h', '%b', '%c', '%pw', '%gw', '%m'];

/** Each lane loads its operands from a buffer, and stores its results. */
function kernelOf(instructions: string, lanes: number): string {
  const step = 4 * lanes;
  // Targets from sm_70 on lack the forms without `.sync`.
  const target = /sync|activemask/.test(instructions) ? 'sm_90' : 'sm_60';
  const loads = registers.map((register, row) => `  ld.global.u32 ${register}, [%in+${row * step}];`);
  return `.version 8.6
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p, %q, %g;
  .reg .b32 %a, %h, %b, %c, %m, %d, %t, %pw, %gw, %qw, %n;
  .reg .b64 %in, %out, %at, %A;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  add.s64 %in, %in, %at;
  add.s64 %out, %out, %at;
${loads.join('\n')}
  mov.b64 %A, {%a, %h};
  setp.ne.u32 %p, %pw, 0;
  setp.ne.u32 %g, %gw, 0;
  mov.u32 %d, 0;
  setp.ne.u32 %q, 0, 0;
  ${instructions}
  selp.u32 %qw, 1, 0, %q;
  st.global.u32 [%out], %d;
  st.global.u32 [%out+${step}], %qw;
  ret;
}
`;
}

const lanesOfWarp = Array.from({ length: 32 }, (_, lane) => lane);

/**
 * Returns the member masks of a warp: for each lane, whether its mask names each other lane. Two
 * lanes name each other, or neither names the other: all partitions of the warp into groups have
 * such masks.
 */
function masksOf(warp: number): readonly (readonly Term[])[] {
  return lanesOfWarp.map((lane) =>
    lanesOfWarp.map((other) =>
      lane === other
        ? yes()
        : variable(`m${warp * 32 + Math.min(lane, other)}_${warp * 32 + Math.max(lane, other)}`, 0),
    ),
  );
}

export function warpProblem({ name, text, masks, match, of }: WarpCase, plan: LanePlan): Problem {
  const lanes = Math.max(32, plan.subgroupSize);
  const module = parsePtxOrThrow(kernelOf(text, lanes), { file: `${name}.ptx` });
  const { program, diagnostics } = translate(module, { entry: 'k', block: [lanes, 1, 1], plan, float: exactFloats });
  if (program === undefined) throw new Error(`${name}: ${diagnostics.map(({ message }) => message).join('; ')}`);
  const warps = Array.from({ length: lanes / 32 }, (_, warp) => {
    const word = (row: string): Term[] => lanesOfWarp.map((lane) => variable(`${row}${warp * 32 + lane}`));
    const truth = (row: string): Term[] => lanesOfWarp.map((lane) => variable(`${row}${warp * 32 + lane}`, 0));
    const [p, g] = [truth('p'), truth('g')];
    const members = masksOf(warp);
    const executes = /@%g/.test(text) ? g : g.map(yes);
    const operands: Operands = {
      a: word('a'),
      aHigh: word('a_high'),
      b: word('b'),
      c: word('c'),
      p,
      executes,
      groups: masks === 'register' ? members : lanesOfWarp.map(() => executes),
    };
    const loaded = {
      a: operands.a,
      a_high: operands.aHigh,
      b: operands.b,
      c: operands.c,
      p: p.map((each) => wordOf(each)),
      g: g.map((each) => wordOf(each)),
      m: members.map((bits) => wordOfBits(bits)),
    };
    return { operands, loaded };
  });
  const inputs = rows.flatMap((row) => warps.flatMap(({ loaded }) => loaded[row]));
  const outputs = Array.from({ length: 2 * lanes }, () => constant(0xcdcdcdcd));
  const [source, target] = program.params.map((param) => (param.kind === 'binding' ? param.binding : -1));
  const options = {
    invocations: lanes / plan.slots,
    subgroupSize: plan.subgroupSize,
    buffers: new Map([[source ?? -1, inputs], [target ?? -1, outputs]]), // biome-ignore format: short
    output: target ?? -1,
  };
  const claims = (words: readonly Term[]): readonly Term[] =>
    warps.flatMap(({ operands }, warp) => {
      const { a, aHigh, groups, executes } = operands;
      const results = lanesOfWarp.map((lane) => at(words, warp * 32 + lane));
      if (match !== undefined && isMatch(results, match === 'b32' ? [a] : [a, aHigh], groups, executes)) return [];
      return lanesOfWarp.flatMap((lane) => {
        const { d, q, isDefined = yes() } = of(operands, lane);
        const index = warp * 32 + lane;
        const condition = at(executes, lane);
        return [
          ...(d === undefined ? [] : [implies(and(condition, isDefined), equal(at(words, index), d))]),
          ...(q === undefined ? [] : [implies(condition, equal(at(words, lanes + index), wordOf(q)))]),
        ];
      });
    });
  return { code: program.code, options, claims };
}
