// Selects branches, and the moves that replace phis.
import { get } from '../../base/invariants.ts';
import type { Block, InstructionOf, Value } from '../ir/module.ts';
import { bitsOf, i1 } from '../ir/types.ts';
import { classOf, inRegister, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/**
 * Returns the blocks of a function in reverse postorder, so that definitions precede their uses.
 */
export function orderBlocks(blocks: readonly Block[]): Block[] {
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const seen = new Set<Block>();
  const order: Block[] = [];
  // Use an explicit stack, because the graph may be deeper than the call stack permits.
  const [entry] = blocks;
  if (entry === undefined) return [];
  seen.add(entry);
  const stack = [{ block: entry, targets: targetsOf(entry) }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = top.targets.pop();
    if (target === undefined) {
      order.push(top.block);
      stack.pop();
      continue;
    }
    const block = get(byName, target, 'the block');
    if (seen.has(block)) continue;
    seen.add(block);
    stack.push({ block, targets: targetsOf(block) });
  }
  return order.reverse();
}

function targetsOf({ instructions }: Block): string[] {
  const last = instructions.at(-1);
  if (last?.op === 'br') return [...last.targets];
  if (last?.op === 'switch') return [last.otherwise, ...last.cases.map(({ target }) => target)];
  return [];
}

export type Phi = InstructionOf<'phi'>;

export class Control {
  private readonly writer: Writer;
  private readonly labels = new Map<string, string>();
  private readonly phis = new Map<string, readonly Phi[]>();
  private readonly phiRegisters = new Map<Phi, readonly Scalar[]>();

  constructor(writer: Writer, blocks: readonly Block[], typeOf: (phi: Phi) => readonly Scalar['type'][]) {
    this.writer = writer;
    for (const { name, instructions } of blocks) {
      this.labels.set(name, writer.newLabel());
      const phis = instructions.filter((instruction) => instruction.op === 'phi');
      this.phis.set(name, phis);
      for (const phi of phis) {
        const registers = typeOf(phi).map((type) => inRegister(type, writer.register(classOf(type))));
        this.phiRegisters.set(phi, registers);
        if (phi.result !== undefined) writer.bind(phi.result, registers);
      }
    }
  }

  labelOf(block: string): string {
    return get(this.labels, block, 'the label');
  }

  /** Selects a branch. `next` is the block that follows in the text. */
  selectBranch({ condition, targets }: InstructionOf<'br'>, from: string, next: string | undefined): void {
    const [taken, other] = targets;
    if (condition === undefined || other === undefined || taken === other) return this.jump(from, taken ?? '', next);
    const chosen = this.writer.scalar(condition);
    if (chosen.constant !== undefined) return this.jump(from, chosen.constant === 1n ? (taken ?? '') : other, next);
    this.jumpIf(chosen.text, from, taken ?? '');
    this.jump(from, other, next);
  }

  selectSwitch({ value, otherwise, cases }: InstructionOf<'switch'>, from: string, next: string | undefined): void {
    const { writer } = this;
    const scalar = writer.extended(writer.scalar(value), 'zero');
    const width = registerBits(scalar.type);
    if (width === 1) return writer.unsupported('a switch on one bit');
    for (const { value: key, target } of cases) {
      const text = String(BigInt.asIntN(width, BigInt.asUintN(bitsOf(scalar.type), key)));
      const found = writer.compute(`setp.eq.s${width}`, i1, writer.inRegister(scalar), text);
      this.jumpIf(found.text, from, target);
    }
    this.jump(from, otherwise, next);
  }

  private jump(from: string, to: string, next: string | undefined): void {
    this.moves(from, to);
    if (to !== next) this.writer.emit(`bra \t${this.labelOf(to)}`);
  }

  /**
   * Emits a jump if a predicate is true. If the target has phis, their moves are in a separate
   * block on the edge.
   */
  private jumpIf(predicate: string, from: string, to: string): void {
    const { writer } = this;
    if (get(this.phis, to, 'the phis').length === 0) {
      writer.emit(`@${predicate} bra \t${this.labelOf(to)}`);
      return;
    }
    const after = writer.newLabel();
    writer.emit(`@!${predicate} bra \t${after}`);
    this.moves(from, to);
    writer.emit(`bra \t${this.labelOf(to)}`);
    writer.label(after);
  }

  /** Moves the incoming values of an edge into the registers of the target's phis, all at once. */
  private moves(from: string, to: string): void {
    const { writer } = this;
    const pairs = get(this.phis, to, 'the phis').flatMap((phi) => {
      const registers = get(this.phiRegisters, phi, 'the registers of a phi');
      const value = phi.incoming.find(({ block }) => block === from)?.value;
      return value === undefined || isUndefined(value) ? [] : this.pairsOf(registers, value);
    });
    const written = new Set(pairs.map(({ to: register }) => register.text));
    const clashes = (text: string): boolean => written.has(text);
    const copied = pairs.map(({ to: register, from: source }) => {
      const needsCopy = source.text !== register.text && clashes(source.text);
      return { register, source: needsCopy ? this.move(register.type, source.text).text : source.text };
    });
    for (const { register, source } of copied)
      if (register.text !== source) writer.emit(`mov.${classOf(register.type)} \t${register.text}, ${source}`);
  }

  private pairsOf(registers: readonly Scalar[], value: Value): { to: Scalar; from: Scalar }[] {
    const { writer } = this;
    return writer.scalars(value).map((scalar, index) => {
      const register = registers[index];
      if (register === undefined) return writer.unsupported('this phi');
      const { type } = register;
      const same = type.kind === 'ptr' ? writer.inSpace(scalar, type.space) : scalar;
      // `mov` accepts an immediate, except for predicates and halves.
      return {
        to: register,
        from: { ...same, text: same.constant === undefined ? writer.inRegister(same) : writer.operand(same) },
      };
    });
  }

  private move(type: Scalar['type'], text: string): Scalar {
    return this.writer.compute(`mov.${classOf(type)}`, type, text);
  }
}

const isUndefined = (value: Value): boolean => value.kind === 'undefined';
