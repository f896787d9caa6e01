// For dispatch: ends a block at every warp instruction and barrier, so that a lane that waits there has a place to go on from.
import type { Instruction } from '../ptx/ast.ts';
import { type Block, isCollective, retarget, successors, type Terminator } from './ir.ts';

/// The lane waits at `instruction`, and goes on at `next`.
export interface SyncEnd {
  readonly kind: 'sync';
  readonly instruction: Instruction;
  readonly next: number;
}

export interface SplitBlock {
  readonly code: readonly Instruction[];
  readonly end: Terminator | SyncEnd;
  /// The instruction whose results the lane takes over when it arrives here.
  readonly resumes: Instruction | undefined;
}

export function splitAtSyncs(blocks: readonly Block[]): SplitBlock[] {
  const result: SplitBlock[] = blocks.map(() => ({ code: [], end: { kind: 'exit' }, resumes: undefined }));
  const add = (block: SplitBlock) => result.push(block) - 1;
  blocks.forEach(({ code, end }, id) => {
    let at = id;
    let resumes: Instruction | undefined;
    let run: Instruction[] = [];
    const empty: SplitBlock = { code: [], end: { kind: 'exit' }, resumes: undefined };
    for (const instruction of code) {
      if (!isCollective(instruction)) {
        run.push(instruction);
        continue;
      }
      const { guard } = instruction;
      const rest = add(empty);
      const resume = add({ code: [], end: { kind: 'jump', to: rest }, resumes: instruction });
      const sync: SyncEnd = { kind: 'sync', instruction: { ...instruction, guard: undefined }, next: resume };
      const stop =
        guard === undefined
          ? sync
          : { kind: 'branch' as const, guard, then: add({ ...empty, end: sync }), else: rest, span: instruction.span };
      result[at] = { code: run, end: stop, resumes };
      at = rest;
      run = [];
      resumes = undefined;
    }
    result[at] = { code: run, end: retarget(end, (to) => to), resumes };
  });
  return result;
}

export function splitSuccessors(end: SplitBlock['end']): readonly number[] {
  return end.kind === 'sync' ? [end.next] : successors(end);
}
