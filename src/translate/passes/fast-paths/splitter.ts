// Splits blocks into fast and slow paths. The instructions of a group have a cheap form, which is
// correct if a guard holds, and an exact form:
//
//    before: guard = …; branch guard, fast, slow
//    fast:   the cheap form; jump after(results)
//    slow:   the exact form; jump after(results)
//    after(results): …
//
// If the guard also tests the results of the cheap form, the fast path has no block: `before`
// executes the cheap form.
import { at } from '../../../base/invariants.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Block, Definition, Edge, Func, Param, Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import { HiddenConstants } from '../hide-constants.ts';
import type { Parts } from './parts.ts';

/**
 * The results of a path: values that are computed before the guard, or a function that emits the
 * path and returns its results.
 */
export type Path = readonly Value[] | (() => readonly Value[]);

export class PathSplitter {
  /** The block that receives the next instructions. */
  current: Block;
  /** Values that replace constants that drivers must not know. */
  readonly hidden: HiddenConstants;
  private readonly func: Func;
  private readonly builder: Builder;
  /** The blocks that replace the block that is being split. */
  private blocks: Block[] = [];
  private readonly tails = new Map<Block, Block>();
  private readonly replaced = new IdMap<Definition, Value>();

  constructor(func: Func, builder: Builder) {
    this.func = func;
    this.builder = builder;
    this.hidden = new HiddenConstants(builder);
    this.current = at(func.blocks, 0, 'the first block');
  }

  /** Rebuilds the blocks with groups. `emit` writes a group at the builder's position. */
  split<Group>(parts: Parts<Group>, emit: (group: Group) => void): void {
    const { func } = this;
    func.blocks = func.blocks.flatMap((block) => {
      const own = parts.get(block);
      if (own === undefined) return [block];
      const { end } = block;
      this.blocks = [];
      block.insts = [];
      this.enter(block);
      for (const part of own) {
        if (part.kind === 'inst') this.current.insts.push(part.inst);
        else emit(part.group);
      }
      this.current.end = end;
      this.tails.set(block, this.current);
      return this.blocks;
    });
  }

  /** Continues in a new block. The caller must set the terminator of the previous block. */
  enter(block: Block): void {
    this.blocks.push(block);
    this.current = block;
    this.builder.into(block.insts);
  }

  /** Emits both paths, and continues after them. Returns the values of `results` at that place. */
  join(
    condition: Value,
    results: readonly { readonly type: Type; readonly hint: string | undefined }[],
    fast: Path,
    slow: Path,
  ): readonly Param[] {
    const { builder, current: before } = this;
    const { span } = builder;
    const after = builder.block();
    const params = results.map(({ type, hint }) => builder.param(after, type, hint));
    const edgeTo = (path: Path): Edge => {
      if (typeof path !== 'function') return { to: after, args: path };
      const block = builder.block();
      this.enter(block);
      const args = path();
      this.current.end = { kind: 'jump', to: { to: after, args }, span };
      return { to: block, args: [] };
    };
    before.end = { kind: 'branch', condition, then: edgeTo(fast), else: edgeTo(slow), span };
    this.enter(after);
    return params;
  }

  /** Replaces a value in the whole function by the value of a path. */
  replace(old: Definition, value: Value): void {
    this.replaced.set(old, value);
  }

  /** Returns the block that now contains the terminator of `block`. */
  tailOf = (block: Block): Block => this.tails.get(block) ?? block;

  /** Completes the function after all blocks are split. */
  finish(): void {
    this.func.blocks[0]?.insts.unshift(...this.hidden.insts);
    replaceValues(this.func, this.replaced);
  }
}
