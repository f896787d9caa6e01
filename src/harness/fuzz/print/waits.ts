// Prints threads and warps that wait for each other on flags. All threads of the block must be
// alive and reach the place.
//
// Each thread has 16 bytes: a flag, a counter, and a 64-bit value. The statement selects the kind
// of accesses to flags. Accesses to values are weak, and the flags order them.

import type { WaitStatement } from '../kernels/tree.ts';
import type { FlagAccess } from '../kernels/waits.ts';
import { Forms } from './phase.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

const cellBytes = 16;
const counterAt = 4;
const valueAt = 8;

export function printWait(printing: Printing, statement: WaitStatement): void {
  printing.waits = true;
  const needsWarps = statement.how === 'warps' || statement.how === 'lockWarps';
  const how = needsWarps && !printing.everyLaneLives ? 'turns' : statement.how;
  new WaitPrinter(printing, statement).print(how);
}

/** The modifiers and fences of each kind of flag access. */
const modifiers: Readonly<
  Record<FlagAccess, { load: string; store: string; atom: string; add: string; fence: boolean }>
> = {
  volatile: { load: '.volatile', store: '.volatile', atom: '', add: '', fence: true },
  relaxed: { load: '.relaxed', store: '.relaxed', atom: '.relaxed', add: '.relaxed', fence: true },
  acquire: { load: '.acquire', store: '.release', atom: '.acquire', add: '.acq_rel', fence: false },
};

class WaitPrinter {
  private readonly printing: Printing;
  private readonly statement: WaitStatement;
  private readonly writer: Writer;
  private readonly forms: Forms;
  /**
   * The register class of an address (`letter`), and its state-space suffix (`space`): `.shared`,
   * `.global`, or empty for generic.
   */
  private readonly letter: 'r' | 'd';
  private readonly space: string;
  private readonly scope: string;
  /** The address of the first thread's cell. */
  private readonly first: string;

  constructor(printing: Printing, statement: WaitStatement) {
    const { writer } = printing;
    this.printing = printing;
    this.statement = statement;
    this.writer = writer;
    this.forms = new Forms(statement.form);
    this.letter = statement.space === 'shared' ? 'r' : 'd';
    this.space = statement.space === 'generic' ? '' : `.${statement.space}`;
    this.scope = this.forms.next() % 2 === 0 ? 'cta' : 'gpu';
    this.first = this.firstCell();
  }

  print(how: WaitStatement['how']): void {
    const { writer, statement } = this;
    const own = this.cellOf('%thread');
    writer.line('bar.sync 0');
    writer.line(`st${this.space}.v2.b32 [${own}], {0, 0}`);
    writer.line(`st${this.space}.b64 [${own}+${valueAt}], 0`);
    writer.line('bar.sync 0');
    const result = writer.register('d', statement.d);
    switch (how) {
      case 'turns':
        this.turns(result);
        break;
      case 'tree':
        this.tree(own, result);
        break;
      case 'pairs':
        this.pairs(own, result);
        break;
      case 'toAndFro':
        this.toAndFro(result);
        break;
      case 'lock':
        this.lock(() => this.addTo(this.first));
        break;
      case 'tickets':
        this.tickets();
        break;
      case 'warps':
        this.warps(result);
        break;
      case 'lockWarps':
        this.lockWarps();
        break;
    }
    writer.line('bar.sync 0');
    if (how === 'lock' || how === 'tickets') writer.line(`ld${this.space}.b64 ${result}, [${this.first}+${valueAt}]`);
    if (how === 'lockWarps') writer.line(`ld${this.space}.b64 ${result}, [${this.laneCell()}+${valueAt}]`);
    writer.line('bar.sync 0');
  }

  private turns(result: string): void {
    const { writer, printing } = this;
    const isReversed = this.forms.next() % 2 === 1;
    const rank = isReversed ? writer.temporary('r') : '%thread';
    if (isReversed) writer.line(`sub.u32 ${rank}, ${printing.threads - 1}, %thread`);
    this.waitFor(this.first, rank);
    this.changeValue(this.first, result);
    this.release(this.first, this.plus(rank, 1));
  }

  private tree(own: string, result: string): void {
    const { writer } = this;
    const [root, above] = [writer.temporary('p'), writer.temporary('r')];
    const start = writer.label();
    const before = writer.temporary('d');
    writer.line(`mov.b64 ${before}, 1`);
    writer.line(`setp.eq.u32 ${root}, %thread, 0`);
    writer.line(`@${root} bra ${start}`);
    writer.line(`sub.u32 ${above}, %thread, 1`);
    writer.line(`shr.u32 ${above}, ${above}, 1`);
    const cell = this.cellOf(above);
    this.waitFor(cell, '1');
    writer.line(`ld${this.space}.b64 ${before}, [${cell}+${valueAt}]`);
    writer.place(start);
    writer.line(`mad.lo.u64 ${result}, ${before}, 31, ${this.value()}`);
    writer.line(`st${this.space}.b64 [${own}+${valueAt}], ${result}`);
    this.release(own, '1');
  }

  private pairs(own: string, result: string): void {
    const { writer } = this;
    writer.line(`st${this.space}.b64 [${own}+${valueAt}], ${this.value()}`);
    this.release(own, '1');
    const other = this.cellOf(this.partner());
    this.waitFor(other, '1');
    writer.line(`ld${this.space}.b64 ${result}, [${other}+${valueAt}]`);
  }

  /**
   * Prints threads that exchange a value several times. The flag and the value are in the cell of
   * the thread with the lower number.
   */
  private toAndFro(result: string): void {
    const { writer } = this;
    const partner = this.partner();
    const [lower, turn] = [writer.temporary('r'), writer.temporary('r')];
    const [isAlone, isSecond] = [writer.temporary('p'), writer.temporary('p')];
    const end = writer.label();
    writer.line(`mov.b64 ${result}, 0`);
    writer.line(`setp.eq.u32 ${isAlone}, ${partner}, %thread`);
    writer.line(`@${isAlone} bra ${end}`);
    writer.line(`min.u32 ${lower}, ${partner}, %thread`);
    writer.line(`setp.gt.u32 ${isSecond}, %thread, ${partner}`);
    writer.line(`selp.u32 ${turn}, 1, 0, ${isSecond}`);
    const cell = this.cellOf(lower);
    const [again, more] = [writer.label(), writer.temporary('p')];
    writer.place(again);
    this.waitFor(cell, turn);
    this.changeValue(cell, result);
    this.release(cell, this.plus(turn, 1));
    writer.line(`add.u32 ${turn}, ${turn}, 2`);
    writer.line(`setp.lt.u32 ${more}, ${turn}, ${2 * (1 + (this.forms.next() % 3))}`);
    writer.line(`@${more} bra ${again}`);
    writer.place(end);
  }

  /** Prints a lock around `body`, which executes after the loop or inside the loop. */
  private lock(body: () => void): void {
    const { writer } = this;
    const [failed, again] = [writer.temporary('p'), writer.label()];
    const isInside = this.forms.next() % 2 === 1;
    writer.place(again);
    this.tryLock(failed);
    const next = isInside ? writer.label() : again;
    writer.line(`@${failed} bra ${next}`);
    this.fence();
    body();
    this.release(this.first, '0');
    if (!isInside) return;
    writer.place(next);
    writer.line(`@${failed} bra ${again}`);
  }

  private tryLock(failed: string): void {
    const { writer } = this;
    const old = writer.temporary('r');
    const order = this.ordered(modifiers[this.statement.access].atom);
    writer.line(`atom${order}${this.space}.cas.b32 ${old}, [${this.first}], 0, 1`);
    writer.line(`setp.ne.u32 ${failed}, ${old}, 0`);
  }

  private tickets(): void {
    const { writer } = this;
    const ticket = writer.temporary('r');
    const { add } = modifiers[this.statement.access];
    writer.line(`atom${this.ordered(add)}${this.space}.add.u32 ${ticket}, [${this.first}+${counterAt}], 1`);
    this.waitFor(this.first, ticket);
    this.addTo(this.first);
    this.release(this.first, this.plus(ticket, 1));
  }

  /**
   * Prints warps that wait for each other. The word that they read is the same in all lanes of a
   * warp, and different in each warp.
   */
  private warps(result: string): void {
    const { writer } = this;
    const warp = writer.temporary('r');
    writer.line(`shr.u32 ${warp}, %thread, 5`);
    this.inFirstLane(() => this.waitFor(this.first, warp));
    writer.line('bar.warp.sync 0xffffffff');
    writer.line(`ld${this.space}.b64 ${result}, [${this.first}+${valueAt}]`);
    writer.line('bar.warp.sync 0xffffffff');
    const next = writer.temporary('d');
    this.inFirstLane(() => {
      writer.line(`mad.lo.u64 ${next}, ${result}, 3, 1`);
      writer.line(`st${this.space}.b64 [${this.first}+${valueAt}], ${next}`);
      this.release(this.first, this.plus(warp, 1));
    });
    const [bit, odd] = [writer.temporary('d'), writer.temporary('p')];
    const [other, end] = [writer.label(), writer.label()];
    writer.line(`and.b64 ${bit}, ${result}, 1`);
    writer.line(`setp.ne.u64 ${odd}, ${bit}, 0`);
    writer.line(`@${odd} bra ${other}`);
    writer.line('bar.sync 0');
    writer.line(`add.u64 ${result}, ${result}, ${this.value()}`);
    writer.line(`bra ${end}`);
    writer.place(other);
    writer.line('bar.sync 0');
    writer.line(`not.b64 ${result}, ${result}`);
    writer.place(end);
  }

  private lockWarps(): void {
    const { writer } = this;
    this.inFirstLane(() => {
      const [failed, again] = [writer.temporary('p'), writer.label()];
      writer.place(again);
      this.tryLock(failed);
      writer.line(`@${failed} bra ${again}`);
      this.fence();
    });
    writer.line('bar.warp.sync 0xffffffff');
    this.addTo(this.laneCell());
    writer.line('bar.warp.sync 0xffffffff');
    this.inFirstLane(() => this.release(this.first, '0'));
  }

  private inFirstLane(body: () => void): void {
    const { writer } = this;
    const [others, end] = [writer.temporary('p'), writer.label()];
    writer.line(`setp.ne.u32 ${others}, ${writer.provide('lane')}, 0`);
    writer.line(`@${others} bra ${end}`);
    body();
    writer.place(end);
  }

  private waitFor(cell: string, expected: string): void {
    const { writer, statement, forms } = this;
    const [flag, waits] = [writer.temporary('r'), writer.temporary('p')];
    const again = writer.label();
    const look = `ld${this.ordered(modifiers[statement.access].load)}${this.space}.u32 ${flag}, [${cell}]`;
    writer.place(again);
    writer.line(look);
    if (forms.next() % 3 === 0) {
      const end = writer.label();
      writer.line(`setp.eq.u32 ${waits}, ${flag}, ${expected}`);
      writer.line(`@${waits} bra ${end}`);
      writer.line('nanosleep.u32 20');
      writer.line(`bra ${again}`);
      writer.place(end);
    } else {
      writer.line(`setp.ne.u32 ${waits}, ${flag}, ${expected}`);
      writer.line(`@${waits} bra ${again}`);
    }
    this.fence();
  }

  private release(cell: string, value: string): void {
    this.fence();
    const { store } = modifiers[this.statement.access];
    this.writer.line(`st${this.ordered(store)}${this.space}.u32 [${cell}], ${value}`);
  }

  private fence(): void {
    const { statement, scope, writer } = this;
    if (!modifiers[statement.access].fence) return;
    if (statement.access === 'relaxed') writer.line(`fence.acq_rel.${scope}`);
    else writer.line(scope === 'cta' ? 'membar.cta' : 'membar.gl');
  }

  /** Returns the modifiers of an order, with a scope if the order requires one. */
  private ordered(order: string): string {
    return order === '' || order === '.volatile' ? order : `${order}.${this.scope}`;
  }

  /** Returns the thread's own number as 64 bits. */
  private value(): string {
    const { writer, statement } = this;
    const wide = writer.temporary('d');
    writer.line(`cvt.u64.u32 ${wide}, ${writer.register('r', statement.a)}`);
    return wide;
  }

  private changeValue(cell: string, result: string): void {
    const { writer } = this;
    writer.line(`ld${this.space}.b64 ${result}, [${cell}+${valueAt}]`);
    writer.line(`mad.lo.u64 ${result}, ${result}, 31, ${this.value()}`);
    writer.line(`st${this.space}.b64 [${cell}+${valueAt}], ${result}`);
  }

  private addTo(cell: string): void {
    const { writer } = this;
    const sum = writer.temporary('d');
    writer.line(`ld${this.space}.b64 ${sum}, [${cell}+${valueAt}]`);
    writer.line(`add.u64 ${sum}, ${sum}, ${this.value()}`);
    writer.line(`st${this.space}.b64 [${cell}+${valueAt}], ${sum}`);
  }

  /** Returns the thread's partner at a distance, or the thread itself if it has no partner. */
  private partner(): string {
    const { writer, printing, forms } = this;
    const [other, isThere] = [writer.temporary('r'), writer.temporary('p')];
    const distances = [1, 32, 31, 33, 16, 63];
    writer.line(`xor.b32 ${other}, %thread, ${distances[forms.next() % distances.length]}`);
    writer.line(`setp.lt.u32 ${isThere}, ${other}, ${printing.threads}`);
    writer.line(`selp.u32 ${other}, ${other}, %thread, ${isThere}`);
    return other;
  }

  private laneCell(): string {
    return this.cellOf(this.writer.provide('lane'));
  }

  private plus(number: string, more: number): string {
    const sum = this.writer.temporary('r');
    this.writer.line(`add.u32 ${sum}, ${number}, ${more}`);
    return sum;
  }

  private cellOf(thread: string): string {
    const { writer, letter } = this;
    const address = writer.temporary(letter);
    writer.line(`mad.${letter === 'r' ? 'lo' : 'wide'}.u32 ${address}, ${thread}, ${cellBytes}, ${this.first}`);
    return address;
  }

  private firstCell(): string {
    const { writer, statement } = this;
    if (statement.space === 'shared') return this.firstShared();
    const global = writer.temporary('d');
    writer.line(`mul.wide.u32 ${global}, %thread, 32`);
    writer.line(`sub.u64 ${global}, ${writer.provide('mem')}, ${global}`);
    if (statement.space === 'global') return global;
    const shared = writer.temporary('d');
    const [bit, odd] = [writer.temporary('r'), writer.temporary('p')];
    writer.line(`cvt.u64.u32 ${shared}, ${this.firstShared()}`);
    writer.line(`cvta.shared.u64 ${shared}, ${shared}`);
    writer.line(`mov.u32 ${bit}, %ctaid.x`);
    writer.line(`and.b32 ${bit}, ${bit}, 1`);
    writer.line(`setp.ne.u32 ${odd}, ${bit}, 0`);
    writer.line(`selp.b64 ${shared}, ${global}, ${shared}, ${odd}`);
    return shared;
  }

  private firstShared(): string {
    const { writer } = this;
    const cells = writer.temporary('r');
    writer.line(`shl.b32 ${cells}, %thread, 4`);
    writer.line(`sub.u32 ${cells}, ${writer.provide('cell')}, ${cells}`);
    return cells;
  }
}
