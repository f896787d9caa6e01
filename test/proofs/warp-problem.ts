// The WGSL of a warp instruction for one lane plan, and the claims of the PTX manual about its
// results.
import type { LanePlan } from '../../src/base/lane-plan.ts';
import { getOrInsert } from '../../src/base/maps.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { translate } from '../../src/translate/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import type { Claim } from './claim.ts';
import { isMatch } from './prove-match.ts';
import type { Problem } from './prove-shader.ts';
import type { Operands, WarpCase } from './rules/warp-cases.ts';
import { replace } from './terms/rewrite.ts';
import {
  and, anything, bitAt, constant, equal, ite, not, or, type Term, variable, wordOf, wordOfBits, yes,
} from './terms/term.ts'; // biome-ignore format: a list
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
 * Returns the member masks of a warp, which divide it into groups. The lanes of one group, which is
 * any set of lanes, have this set as their mask. The mask of another lane names this lane and no
 * lane of the group. The claims are about the lanes of the group, so they hold for all groups of
 * all such masks.
 */
function masksOf(group: readonly Term[], warp: number): readonly Term[] {
  const nameOf = (lane: number, other: number): string => `m${warp * 32 + lane}_${warp * 32 + other}`;
  const isNamed = (lane: number, other: number): Term => {
    if (lane === other) return yes();
    const outside = and(not(at(group, other)), variable(nameOf(lane, other), 0));
    return ite(at(group, lane), at(group, other), outside);
  };
  return lanesOfWarp.map((lane) => wordOfBits(lanesOfWarp.map((other) => isNamed(lane, other))));
}

/**
 * Returns equations of member masks with what is known about them. The masks of two lanes of the
 * group are equal. That of a lane in the group and that of another lane differ.
 */
function equationsOf(masks: readonly Term[], group: readonly Term[], warp: number): ReadonlyMap<Term, Term> {
  const equations = new Map<Term, Term>();
  for (const [lane, mask] of masks.entries()) {
    for (const [other, second] of masks.slice(0, lane).entries()) {
      const [a, b] = [at(group, lane), at(group, other)];
      equations.set(
        equal(mask, second),
        or(and(a, b), and(not(a), not(b), variable(`same${warp * 32 + lane}_${warp * 32 + other}`, 0))),
      );
    }
  }
  return equations;
}

/** Replaces the bits of lanes outside of a group by free values. */
const forgetOthers = (word: Term, group: readonly Term[]): Term =>
  wordOfBits(
    lanesOfWarp.map((lane) => {
      const [bit, isInside] = [bitAt(word, lane), at(group, lane)];
      return bit.value === undefined ? ite(isInside, replace(bit, new Map([[isInside, yes()]])), anything(0)) : bit;
    }),
  );

/** Forgets the bits of lanes outside of a group in the variables of loops. */
function forgetting(groups: readonly (readonly Term[])[], slots: number): (word: Term, invocation: number) => Term {
  const known = new Map<Term, Term>();
  return (word, invocation) =>
    getOrInsert(known, word, () => forgetOthers(word, at(groups, Math.floor((invocation * slots) / 32))));
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
    const group = truth('in_group');
    const members = masksOf(group, warp);
    const executes = masks === 'register' ? group : /@%g/.test(text) ? g : g.map(yes);
    const operands: Operands = {
      a: word('a'),
      aHigh: word('a_high'),
      b: word('b'),
      c: word('c'),
      p,
      executes,
      groups: lanesOfWarp.map(() => executes),
    };
    const loaded = {
      a: operands.a,
      a_high: operands.aHigh,
      b: operands.b,
      c: operands.c,
      p: p.map((each) => wordOf(each)),
      g: g.map((each) => wordOf(each)),
      m: members,
    };
    return { operands, loaded, group, equations: masks === undefined ? [] : [...equationsOf(members, group, warp)] };
  });
  const inputs = rows.flatMap((row) => warps.flatMap(({ loaded }) => loaded[row]));
  const outputs = Array.from({ length: 2 * lanes }, () => constant(0xcdcdcdcd));
  const [source, target] = program.params.map((param) => (param.kind === 'binding' ? param.binding : -1));
  const options = {
    invocations: lanes / plan.slots,
    subgroupSize: plan.subgroupSize,
    buffers: new Map([[source ?? -1, inputs], [target ?? -1, outputs]]), // biome-ignore format: short
    output: target ?? -1,
    equations: new Map(warps.flatMap(({ equations }) => equations)),
    ...(masks === undefined
      ? {}
      : {
          forget: forgetting(
            warps.map(({ group }) => group),
            plan.slots,
          ),
        }),
  };
  const claims = (words: readonly Term[]): readonly Claim[] =>
    warps.flatMap(({ operands }, warp) => {
      const { a, aHigh, groups, executes } = operands;
      const results = lanesOfWarp.map((lane) => at(words, warp * 32 + lane));
      if (match !== undefined && isMatch(results, match === 'b32' ? [a] : [a, aHigh], groups, executes)) return [];
      return lanesOfWarp.flatMap((lane) => {
        const { d, q, isDefined = yes() } = of(operands, lane);
        const index = warp * 32 + lane;
        const condition = at(executes, lane);
        const claim = (of: number, expected: Term, isRequired: Term): Claim => ({
          condition: and(condition, isRequired),
          found: at(words, of),
          expected,
        });
        return [
          ...(d === undefined ? [] : [claim(index, d, isDefined)]),
          ...(q === undefined ? [] : [claim(lanes + index, wordOf(q), yes())]),
        ];
      });
    });
  // The claims of `match.any` are about each pair of lanes, and those of groups about each pair of a
  // lane and a value.
  const units = match !== undefined || masks !== undefined ? { units: 250_000_000 } : {};
  return { code: program.code, options, claims, ...units };
}
