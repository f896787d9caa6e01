// The shader around the kernel's code: directives, bindings, helpers, and main with its builtins.

import type { Variable } from '../../ptx/ast.ts';
import { renderHelpers } from '../../wgsl/helpers.ts';
import { warpHelperCode } from '../../wgsl/warp/index.ts';
import type { MemoryArray } from '../layout.ts';
import type { ParamPlace, WgslProgram } from '../program.ts';
import { arrayName, vectorType } from './memory-words.ts';
import { layOutParams } from './params.ts';
import type { Scope } from './scope.ts';

export interface ProgramParts {
  readonly scope: Scope;
  readonly kernel: string;
  readonly mode: WgslProgram['mode'];
  readonly reason: string | undefined;
  readonly workgroupSize: number;
  readonly written: ReadonlySet<string>;
  readonly foldedGrid: readonly [number, number, number] | undefined;
}

type Place = WgslProgram['heap'] | undefined;

export function assemble(parts: ProgramParts): WgslProgram {
  const { scope, mode, workgroupSize } = parts;
  const { options, uses } = scope;
  const { plan, params, buffers, layout, names, atomics } = options;
  const declarations: string[] = [];
  let binding = 0;
  const bind = (declaration: string) => {
    declarations.push(`@group(0) @binding(${binding}) ${declaration}`);
    return binding++;
  };
  const element = (key: string) => {
    if (atomics.has(key)) return 'atomic<u32>';
    const granule = options.granules.get(key) ?? 1;
    return granule === 1 ? 'u32' : vectorType(granule);
  };

  const struct = layOutParams(params, buffers.bound, (param) => names.of(`.${param.name}`));
  let paramsBinding: WgslProgram['paramsBinding'];
  if (uses.memories.has('params')) {
    declarations.push(struct.code);
    paramsBinding = { binding: bind('var<uniform> params: Params;'), bytes: struct.bytes };
  }
  const places = params.map((param, index): ParamPlace => placeOf(param, index));
  function placeOf(param: Variable, index: number): ParamPlace {
    if (buffers.bound.has(param.name)) {
      if (!uses.memories.has(param.name)) return { kind: 'unused' };
      const access = parts.written.has(param.name) || atomics.has(param.name) ? 'read_write' : 'read';
      return {
        kind: 'binding',
        binding: bind(`var<storage, ${access}> ${names.of(`=${param.name}`)}: array<${element(param.name)}>;`),
        access,
      };
    }
    const field = struct.fields.find((candidate) => candidate.param === index);
    return field && paramsBinding ? { kind: 'value', offset: field.offset, bytes: field.bytes } : { kind: 'unused' };
  }
  let heap: Place;
  if (uses.memories.has('heap'))
    heap = { binding: bind(`var<storage, read_write> heap: array<${element('heap')}>;`), image: layout.heapImage };
  const status = uses.memories.has('status')
    ? { binding: bind('var<storage, read_write> status: atomic<u32>;') }
    : undefined;

  for (const array of layout.arrays) {
    if (uses.memories.has(array.key)) declarations.push(arrayDeclaration(scope, array));
  }
  const helpers = renderHelpers(uses.helpers).trim();
  const warpHelpers = [...uses.warpHelpers].flatMap((helper) => warpHelperCode(helper, plan) ?? []);
  const main = mainText(parts);
  const header = directives(scope, main + warpHelpers.join(''));
  const code = [
    header,
    declarations.join('\n'),
    [...uses.declarations.values()].join('\n\n'),
    helpers,
    warpHelpers.join('\n\n'),
    main,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
  return {
    code: `${code}\n`,
    entryPoint: 'main',
    kernel: parts.kernel,
    plan,
    mode,
    reason: parts.reason,
    block: options.block,
    workgroupSize,
    params: places,
    paramsBinding,
    heap,
    status,
    foldedGrid: parts.foldedGrid,
    float: scope.float.mode,
  };
}

function arrayDeclaration(scope: Scope, { key, space, bytes, granule, atomic }: MemoryArray): string {
  const element = atomic ? 'atomic<u32>' : granule === 1 ? 'u32' : vectorType(granule);
  const elements = `array<${element}, ${Math.max(Math.ceil(bytes / 4 / granule), 1)}>`;
  const name = arrayName(scope, key);
  if (space === 'shared') return `var<workgroup> ${name}: ${elements};`;
  const { slots } = scope.options;
  return `var<private> ${name}: ${slots > 1 ? `array<${elements}, ${slots}>` : elements};`;
}

function directives(scope: Scope, text: string): string {
  const { plan, mapping } = scope.options;
  const subgroups = /\bsubgroup[A-Z]|subgroup_/.test(text);
  return [
    subgroups ? 'enable subgroups;' : '',
    plan.sizeControl && mapping === 'warps' ? 'enable subgroup_size_control;' : '',
    subgroups && plan.subgroupId && text.includes('builtin(subgroup_id)') ? 'requires subgroup_id;' : '',
    // Conditions here are the same in a subgroup by construction, which WGSL’s analysis cannot see.
    subgroups ? 'diagnostic(off, subgroup_uniformity);' : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function mainText({ scope, workgroupSize, foldedGrid }: ProgramParts): string {
  const { options, uses } = scope;
  const { block, mapping, plan } = options;
  const builtins: string[] = [];
  const lines: string[] = [];
  const wants = (special: string) => uses.specials.has(special);
  const builtin = (name: string, as: string, type: string) => builtins.push(`@builtin(${name}) ${as}: ${type}`);

  if (wants('ctaid') || foldedGrid) builtin('workgroup_id', foldedGrid ? 'workgroup' : 'ctaid', 'vec3<u32>');
  if (foldedGrid) {
    builtin('num_workgroups', 'workgroups', 'vec3<u32>');
    const [x, y, z] = foldedGrid;
    lines.push('let block_number = workgroup.x + workgroup.y * workgroups.x;');
    lines.push(`if (block_number >= ${x * y * z}u) { return; }`);
    if (wants('ctaid'))
      lines.push(
        `let ctaid = vec3<u32>(block_number % ${x}u, (block_number / ${x}u) % ${y}u, block_number / ${x * y}u);`,
      );
    if (wants('nctaid')) lines.push(`let nctaid = vec3<u32>(${x}u, ${y}u, ${z}u);`);
  } else if (wants('nctaid')) {
    builtin('num_workgroups', 'nctaid', 'vec3<u32>');
  }
  if (mapping === 'threads') {
    if (wants('tid')) builtin('local_invocation_id', 'tid', 'vec3<u32>');
    if (wants('thread')) builtin('local_invocation_index', 'thread', 'u32');
  } else {
    if (wants('thread') || plan.kind === 'portable') builtin('local_invocation_index', 'thread', 'u32');
    warpIndices(scope, workgroupSize, builtin, lines);
  }
  const size = mapping === 'threads' ? block.join(', ') : String(workgroupSize);
  const control = plan.sizeControl && mapping === 'warps' ? ` @subgroup_size(${plan.subgroupSize})` : '';
  const laneValues = [...uses.laneValues].map(([code, name]) => `let ${name} = ${code};`);
  const variables = [...uses.variables.values()];
  const body = [...lines, ...laneValues, ...variables].map((line) => `  ${line}`);
  const signature = builtins.length > 2 ? `\n  ${builtins.join(',\n  ')},\n` : builtins.join(', ');
  return `@compute @workgroup_size(${size})${control}\nfn main(${signature}) {\n${[...body, scope.out.toString()].filter((text) => text !== '').join('\n')}\n}`;
}

/// `warp` (in the block), `lane`, `tid` (linear), by the lane plan. The mapping of invocations to subgroups is WGSL's own affair, so the
/// thread is told by its subgroup, never by its local invocation index.
function warpIndices(
  scope: Scope,
  invocations: number,
  builtin: (name: string, as: string, type: string) => void,
  lines: string[],
): void {
  const { uses, options } = scope;
  const { plan } = options;
  const wants = (special: string) => uses.specials.has(special);
  if (plan.kind === 'portable') {
    if (wants('warp')) lines.push('let warp = thread;');
    return;
  }
  const wide = plan.kind === 'wide';
  const needsWarp = wants('warp') || wants('tid');
  const needsLane =
    wants('lane') ||
    wants('tid') ||
    (wide && (wants('warp') || wants('warp_in_subgroup'))) ||
    (needsWarp && !plan.subgroupId);
  if (needsLane) builtin('subgroup_invocation_id', plan.kind === 'native' ? 'lane' : 'subgroup_lane', 'u32');
  const subgroup = wide ? 'subgroup' : 'warp';
  if (needsWarp && plan.subgroupId) builtin('subgroup_id', subgroup, 'u32');
  if (needsWarp && !plan.subgroupId) {
    const first = plan.kind === 'native' ? 'lane' : 'subgroup_lane';
    uses.declarations.set('subgroup_count', 'var<workgroup> subgroup_count: atomic<u32>;');
    lines.push('// This browser does not number subgroups: each takes the next number.');
    lines.push('var taken = 0u;');
    lines.push(`if (${first} == 0u) { taken = atomicAdd(&subgroup_count, 1u); }`);
    lines.push(`let ${subgroup} = subgroupBroadcastFirst(taken);`);
  }
  if (wide) {
    if (needsLane) lines.push('let warp_in_subgroup = subgroup_lane >> 5u;', 'let lane = subgroup_lane & 31u;');
    if (needsWarp) lines.push(`let warp = subgroup * ${plan.subgroupSize / 32}u + warp_in_subgroup;`);
  }
  if (!wants('tid')) return;
  // Dawn knows no limit of subgroup numbers, and would clamp each array access by the thread's number.
  const hasArrays = options.layout.arrays.some(({ key, space }) => space === 'shared' && uses.memories.has(key));
  lines.push(`let tid = ${hasArrays ? `min(warp * 32u + lane, ${invocations - 1}u)` : 'warp * 32u + lane'};`);
}
