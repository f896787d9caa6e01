// Assembles the shader around the kernel's code, and collects the facts that a launch needs.
import { missing } from '../../../base/invariants.ts';
import type { Source } from '../../../ptx/ast.ts';
import { lineOf } from '../../../ptx/diagnostics/source.ts';
import type { Declaration, Name, Origin, PrintedShader, Shader } from '../../../wgsl/tree/nodes.ts';
import { printShader } from '../../../wgsl/tree/print.ts';
import { wordsIn } from '../../../wgsl/tree/types.ts';
import type { WarpPrelude } from '../../../wgsl/warp/index.ts';
import { lockWords } from '../../memory-plan.ts';
import type { WgslProgram } from '../../program.ts';
import { bind, memoryVariables } from './bindings.ts';
import { entryPoint, type Finished } from './entry-point.ts';
import type { ProgramUses } from './program-uses.ts';

/** Assembles and prints the program. */
export function assemble(uses: ProgramUses, finished: Finished): WgslProgram {
  const { program, plan, memory, block, workgroupSize, foldedGrid, float, shapeReason } = uses.options;
  // Create the entry point before the list of builtins, because the statements of the entry point
  // use builtins.
  const main = entryPoint(uses, finished);
  const bindings = bind(uses);
  const prelude = uses.once<WarpPrelude | undefined>('warp prelude', () => undefined);
  const shader: Shader = {
    enables: [
      ...(uses.subgroups ? ['subgroups'] : []),
      ...(uses.matrices.size > 0 ? ['chromium_experimental_subgroup_matrix'] : []),
      ...(uses.matrices.has('f16') ? ['f16'] : []),
      ...(main.subgroupSize === undefined ? [] : ['subgroup_size_control']),
    ],
    requires: main.usesSubgroupId ? ['subgroup_id'] : [],
    // Conditions are subgroup-uniform by construction, but WGSL's analysis cannot prove this.
    diagnosticsOff: [
      ...(uses.subgroups ? ['subgroup_uniformity'] : []),
      ...(uses.matrices.size > 0 ? ['chromium.subgroup_matrix_uniformity'] : []),
    ],
    declarations: [
      ...bindings.declarations,
      ...memoryVariables(uses),
      ...[...uses.invocationValues.values()].map(
        ({ name }): Declaration => ({ kind: 'variable', space: 'private', name, type: 'u32' }),
      ),
      ...uses.declarations.filter(({ kind }) => kind !== 'function'),
      // Absent: the program has no warp instruction.
      ...(prelude?.declarations ?? []),
      ...uses.declarations.filter(({ kind }) => kind === 'function'),
      main.declaration,
    ],
  };
  const { code, sourceMap } = printShader(shader, program.source.text);
  return {
    code,
    sourceMap: linesOf(program.source, sourceMap),
    entryPoint: 'main',
    kernel: program.kernel.name,
    plan,
    mode: finished.mode,
    reason: finished.reason,
    shapeReason,
    matrixNote: uses.options.matrixNote,
    block,
    workgroupSize,
    workgroupBytes: workgroupBytes(shader.declarations),
    params: bindings.places,
    unclearParams: [...memory.unclear],
    paramsBinding: bindings.params,
    heapStart: uses.options.heapStart,
    heapBytes: memory.heapImage.length,
    instructions:
      bindings.instructions === undefined
        ? undefined
        : { binding: bindings.instructions, data: bytesOf(memory.instructions ?? missing('the instructions')) },
    heap: bindings.heap === undefined ? undefined : { binding: bindings.heap, image: memory.heapImage },
    locks: bindings.locks === undefined ? undefined : { binding: bindings.locks, bytes: lockWords.global * 4 },
    blockMemory:
      bindings.blockMemory === undefined
        ? undefined
        : {
            binding: bindings.blockMemory,
            blockBytes: (uses.blockMemory ?? missing('the memory of blocks')).blockBytes,
          },
    status:
      bindings.status === undefined
        ? undefined
        : { binding: bindings.status, sites: uses.sites, strings: memory.heapImage },
    gridBarrier: program.gridBarrier,
    foldedGrid,
    cluster: undefined,
    float: float.mode,
  };
}

function workgroupBytes(declarations: readonly Declaration[]): number {
  const membersOf = (struct: Name) =>
    declarations.flatMap((each) =>
      each.kind === 'struct' && each.name === struct ? each.members.map(({ type }) => type) : [],
    );
  return declarations.reduce(
    (sum, each) =>
      each.kind === 'variable' && each.space === 'workgroup' ? sum + 4 * wordsIn(each.type, membersOf) : sum,
    0,
  );
}

/**
 * Returns the PTX line of each WGSL line. Adjacent lines usually have the same origin, so the last
 * result is reused.
 */
function linesOf(source: Source, map: PrintedShader['sourceMap']): WgslProgram['sourceMap'] {
  let last: Origin | undefined;
  let ptxLine = 0;
  return map.map(({ line, origin }) => {
    if (origin !== last) ptxLine = lineOf(source, origin.start);
    last = origin;
    return { wgslLine: line, ptxLine };
  });
}

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
