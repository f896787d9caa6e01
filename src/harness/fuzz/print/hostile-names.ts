// Alternative names for a kernel's registers, labels, variables and parameters: valid in PTX, but
// likely to confuse a translator.
import { type Random, random } from '../../suites/random.ts';

/** WGSL's keywords, reserved words, types and functions. */
const wgsl =
  'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct ' +
  'switch true var while NULL Self active as async await class enum extern from get goto groupshared handle import lowp macro match meta mod move mut new nil ' +
  'null of operator partial pass precise private public ref register resource self set shared smooth static super target template this type typedef union unsafe ' +
  'use varying virtual void volatile wgsl where with yield array atomic bool f16 f32 i32 u32 ptr vec2 vec2u vec3 vec4 mat2x2f mat4x4 sampler texture_2d ' +
  'abs all any bitcast clamp countOneBits dot4U8Packed exp2 extractBits firstLeadingBit fma fract length max min pack4xU8 reverseBits select sign sqrt step ' +
  'arrayLength atomicAdd atomicLoad atomicStore storageBarrier workgroupBarrier workgroupUniformLoad subgroupAdd subgroupBallot subgroupBroadcastFirst ' +
  'subgroupElect subgroupShuffle subgroupShuffleXor quadSwapX subgroup_id subgroup_size subgroup_invocation_id local_invocation_id ' +
  'local_invocation_index global_invocation_id workgroup_id num_workgroups read read_write storage workgroup uniform function private_';

/** Names that generated shaders use. */
const own =
  'main result_d result_p result_q operand_a operand_b operand_c operand_membermask executed live lane lanes lane_id lane_up_1 slot slot_0 heap heap_words ' +
  'status params param_0 in_0 out_0 buffer buffer_0 shared_memory shared_bytes local_memory local_0 value values value_1 there mask mask_1 members member_lanes ' +
  'group groups more again next done round rounds state pc block warp warp_id warp_lanes subgroup thread thread_id active_lanes active_mask exited carry CC_CF ' +
  'lo hi lo1 hi1 lo_1 hi_1 add64 sub64 mul64 shl_u64 shr_s64 lt_u64 f32_add f32_mul f32_fma div_u32 rem_s32 prmt temp temp_0 x y z w e t v0 v1 v1_0 v10 a0 a_0 R0 P0';

/**
 * Names that are equal after their special characters are removed, and names that consist of
 * another name and a number.
 */
const alike =
  '$more $again $next return$g1 $g1 a$b a_b $a_b _a_b a__b a$_b f1 f11 f1_1 f11_1 f1_11 f1_1_1 f1$1 f1$_1 f1$11 f111 f1$1$1 r1$2 r1_2 r12 _$ $_ $$ __ ___ _0 $0 _1_ ' +
  'L_0 L__0 $L0 $L__BB0_3 L__BB0_3 L_BB0_3 result$d result_d$ result__d constructor toString __proto__ hasOwnProperty prototype valueOf';

/** Matches special registers, which cannot be redefined. */
const predefined =
  /^%(?:tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|clock|lanemask_\w+|envreg\d+|pm\d+|smid|nsmid|gridid)$/;

/**
 * Yields each name once, in an order that `rng` determines, with and without the usual `%` of
 * registers. It never ends.
 */
function* hostileNames(rng: Random): Generator<string> {
  const list = [wgsl, own, alike, alike].flatMap((names) => names.split(' '));
  const given = new Set<string>();
  while (list.length > 0) {
    const [name = ''] = list.splice(rng.below(list.length), 1);
    const text = rng.chance(0.4) && !name.startsWith('$') ? `%${name}` : name;
    if (given.has(text) || predefined.test(text)) continue;
    given.add(text);
    yield text;
  }
  for (let i = 0; ; i++) yield `f1_${i}f`;
}

/**
 * Replaces every name that is declared in `.reg`, `.shared`, `.local`, `.const` or `.param`, as a
 * label or after `.entry`.
 */
export function withHostileNames(text: string, seed: number): string {
  const rng = random(seed, 'names');
  const spread = text.replace(/%(\w+)<(\d+)>/g, (_, name: string, count: string) =>
    Array.from({ length: Number(count) }, (_each, index) => `%${name}${index}`).join(', '),
  );
  const fresh = hostileNames(rng);
  const names = new Map<string, string>();
  for (const name of declaredNames(spread)) {
    if (!names.has(name)) names.set(name, fresh.next().value ?? name);
  }
  // Keep opcodes and directives: a word after a dot is not a name. A word before a dot is a name
  // only if it is an operand with a selector.
  return spread
    .split('\n')
    .map((line) =>
      line.trimStart().startsWith('//')
        ? line
        : line.replace(
            /(?<![\w$%.:])[%$_A-Za-z][\w$]*(?![\w$]|::|\.(?![bh]\d+[,;]))/g,
            (word) => names.get(word) ?? word,
          ),
    )
    .join('\n');
}

function declaredNames(text: string): string[] {
  const registers = [...text.matchAll(/\.reg \.\w+ ([^;]*);/g)].flatMap(([, list = '']) => list.split(', '));
  const variables = [...text.matchAll(/\.b8 (\w+)\[|\.param \.u\d+ (\w+)/g)].map(
    ([, array, scalar]) => array ?? scalar ?? '',
  );
  const labels = [...text.matchAll(/^(\w+):/gm)].map(([, label = '']) => label);
  return [...registers, ...variables, ...labels];
}
