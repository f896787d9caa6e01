// The loop of an encoded kernel. Each iteration reads the number of a case from the code, and
// executes this case.
import { at } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Block, Param, Terminator, Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';

export class Machine {
  readonly builder: Builder;
  /** The array of registers. */
  private readonly array: number;
  private readonly header: Block;
  /** The index of the current instruction's first word in the code. */
  private readonly pc: Param;
  private readonly numbers = new Map<string, number>();
  private readonly cases: Block[] = [];
  /** The number of words of the current instruction that its case has read. */
  private words = 1;

  constructor(builder: Builder, array: number) {
    this.builder = builder;
    this.array = array;
    this.header = builder.block();
    this.pc = builder.param(this.header, 'i32', 'pc');
  }

  /** Returns the number of the case with a key. `write` writes the case, and returns its end. */
  caseOf(key: string, write: () => Terminator): number {
    return getOrInsert(this.numbers, key, () => {
      const block = this.builder.block();
      const number = this.cases.push(block) - 1;
      this.words = 1;
      this.builder.into(block.insts);
      block.end = write();
      return number;
    });
  }

  /** Returns the blocks of the kernel. */
  finish(): Block[] {
    const { builder, header, cases } = this;
    const entry = builder.block();
    builder.span = undefined;
    builder.jump(entry, header, [builder.i32(0)]);
    builder.into(header.insts);
    const selector = this.word(this.pc);
    header.end = { kind: 'switch', selector, edges: cases.map((to) => builder.edge(to)), span: undefined };
    return [entry, header, ...cases];
  }

  /** Returns the next word of the instruction. */
  field(): Value {
    return this.word(this.builder.iadd(this.pc, this.builder.i32(this.words++)));
  }

  /** Returns the word of the instruction that is `index` words after those that the case has read. */
  fieldAt(index: Value): Value {
    return this.word(this.builder.iadd(this.after, index));
  }

  private word(index: Value): Value {
    const place = { root: { kind: 'instructions' }, unit: 4, offset: 0, indexed: true } as const;
    const words = this.builder.emit('load', { place, type: 'i32', order: 'weak', scope: 'gpu', count: 1 }, [index]);
    return at(words, 0, 'a word');
  }

  /** Returns the contents of the register that the next word of the instruction names. */
  read(type: Type): Value {
    const { builder } = this;
    const word = at(builder.emit('load', this.registers, [this.field()]), 0, 'a word');
    return type === 'i1' ? builder.icmp('ne', word, builder.i32(0)) : builder.bitcast(word, type);
  }

  /** Writes the register that the next word of the instruction names. */
  write(value: Value): void {
    const { builder } = this;
    const isFlag = value.type === 'i1';
    const word = isFlag ? builder.select(value, builder.i32(1), builder.i32(0)) : builder.bitcast(value, 'i32');
    builder.emit('store', this.registers, [this.field(), word]);
  }

  /** Writes the index of the next instruction to the register that the next word names. */
  writeNext(): void {
    const register = this.field();
    this.builder.emit('store', this.registers, [register, this.after]);
  }

  private get registers() {
    const place = { root: { kind: 'array', array: this.array }, unit: 4, offset: 0, indexed: true } as const;
    return { place, type: 'i32', order: 'weak', scope: 'cta', count: 1 } as const;
  }

  /** Continues with the next instruction. */
  next(): Terminator {
    return this.goTo(this.after);
  }

  goTo(pc: Value): Terminator {
    return { kind: 'jump', to: this.builder.edge(this.header, [pc]), span: undefined };
  }

  private get after(): Value {
    return this.builder.iadd(this.pc, this.builder.i32(this.words));
  }
}
