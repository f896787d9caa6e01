// Dispatch emission, for kernels whose lanes meet at one `.sync` from different places, and for irreducible graphs. Each lane has a program
// counter and runs until it ends or waits; then the warp looks which groups are complete, by qualifiers and member mask, and executes
// their instruction; then lanes run on. Where lanes wait at block barriers, the workgroup looks likewise.
import type { Instruction, Register } from '../../ptx/ast.ts';
import { lowestBit } from '../../wgsl/warp/index.ts';
import { isBlockBarrier, type Kernel } from '../ir.ts';
import { operandType } from '../operand-types.ts';
import { type SplitBlock, splitAtSyncs, splitSuccessors } from '../split-at-syncs.ts';
import { BlockBarriers } from './dispatch-barriers.ts';
import { classify, type SyncClass } from './dispatch-classes.ts';
import { comment, emitInstruction } from './lane.ts';
import { laneNumber, readOperand, threadNumber, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';
import { emitStatus, emitTrap, statusCodes } from './status.ts';
import { type Executing, warpLoweringOf, warpWriter } from './warp.ts';

/// `wait` of a lane that runs, and of one that has ended; between them, the class it waits in.
const running = '0u';
const ended = '0xffffffffu';

export class DispatchEmitter {
  private readonly scope: Scope;
  private readonly blocks: readonly SplitBlock[];
  private readonly classes: readonly SyncClass[];
  private readonly classOf: ReadonlyMap<Instruction, SyncClass>;
  private readonly barriers: BlockBarriers | undefined;
  private readonly entries: ReadonlySet<number>;

  constructor(scope: Scope, kernel: Kernel) {
    this.scope = scope;
    this.blocks = splitAtSyncs(kernel.blocks);
    const syncs = this.blocks.flatMap(({ end }) => (end.kind === 'sync' ? [end.instruction] : []));
    this.classes = classify(syncs.filter((instruction) => !isBlockBarrier(instruction)));
    this.classOf = new Map(this.classes.flatMap((group) => group.members.map((member) => [member, group] as const)));
    this.barriers = syncs.some(isBlockBarrier) ? new BlockBarriers(scope, this.classes.length + 1, this) : undefined;
    this.entries = entryBlocks(this.blocks);
  }

  emit(): void {
    const { out } = this.scope;
    this.start();
    if (this.barriers) {
      out.open('loop');
      this.warpLoop();
      this.barriers.emitPhase();
      out.close();
    } else {
      this.warpLoop();
    }
  }

  /// WGSL of a lane's own state variable.
  own(name: 'pc' | 'wait', slot = 's'): string {
    const { slots } = this.scope.options;
    this.scope.uses.variables.set(name, slots > 1 ? `var ${name}: array<u32, ${slots}>;` : `var ${name} = 0u;`);
    return slots > 1 ? `${name}[${slot}]` : name;
  }

  slots(body: () => void): void {
    const { slots } = this.scope.options;
    if (slots === 1) return body();
    this.scope.out.open(`for (var s = 0u; s < ${slots}u; s++)`);
    body();
    this.scope.out.close();
  }

  private start(): void {
    const { block, mapping, plan } = this.scope.options;
    const threads = block[0] * block[1] * block[2];
    this.own('pc');
    this.own('wait');
    if (mapping === 'threads' || (threads % 32 === 0 && plan.kind !== 'wide')) return;
    this.slots(() =>
      this.scope.out.line(
        `${this.own('wait')} = select(${ended}, ${running}, ${threadNumber(this.scope, 's')} < ${threads}u);`,
      ),
    );
  }

  // Lanes run.

  private lanePhase(): void {
    const { out } = this.scope;
    this.slots(() => {
      out.line('// Each lane runs until it waits or ends.');
      out.open('loop');
      out.line(`if (${this.own('wait')} != ${running}) { break; }`);
      out.open(`switch ${this.own('pc')}`);
      for (const entry of [...this.entries].sort((a, b) => a - b)) {
        out.open(`case ${entry}u:`);
        this.block(entry);
        out.close();
      }
      out.line('default: {}');
      out.close();
      out.close();
    });
  }

  private block(id: number): void {
    const block = this.blocks[id];
    if (block === undefined) return;
    if (block.resumes) this.takeResults(block.resumes);
    for (const instruction of block.code) emitInstruction(this.scope, instruction);
    this.end(block.end);
  }

  private end(end: SplitBlock['end']): void {
    const { out } = this.scope;
    switch (end.kind) {
      case 'jump':
        return this.goTo(end.to);
      case 'exit':
        return out.line(`${this.own('wait')} = ${ended};`);
      case 'trap':
        emitTrap(this.scope);
        return out.line(`${this.own('wait')} = ${ended};`);
      case 'branch':
        out.open(`if (${end.guard.negated ? '!' : ''}${this.scope.read(end.guard.register)})`);
        this.goTo(end.then);
        out.middle('else');
        this.goTo(end.else);
        return out.close();
      case 'switch': {
        out.open(`switch ${readOperand(this.scope, end.selector, 'u32').code}`);
        const targets = [...new Set(end.targets)];
        targets.forEach((target, index) => {
          const values = end.targets.flatMap((to, value) => (to === target ? [`${value}u`] : [])).join(', ');
          out.open(index === targets.length - 1 ? `case ${values}, default:` : `case ${values}:`);
          this.goTo(target);
          out.close();
        });
        return out.close();
      }
      case 'sync':
        return this.arrive(end.instruction, end.next);
    }
  }

  private goTo(id: number): void {
    if (this.entries.has(id)) this.scope.out.line(`${this.own('pc')} = ${id}u;`);
    else this.block(id);
  }

  /// The lane leaves its operands where the group's instruction finds them.
  private arrive(instruction: Instruction, next: number): void {
    comment(this.scope, instruction);
    const { out } = this.scope;
    if (isBlockBarrier(instruction) && this.barriers) {
      if (!this.barriers.arrive(instruction)) return this.goTo(next);
    } else {
      const group = this.classOf.get(instruction);
      if (group === undefined) throw new Error('a sync of no class');
      for (const { name, staging, type } of group.staged) {
        const operand = instruction.operands[name];
        if (operand) writeResult(this.scope, staging, readOperand(this.scope, operand, type), type);
      }
      out.line(`${this.own('wait')} = ${group.id}u;`);
    }
    out.line(`${this.own('pc')} = ${next}u;`);
  }

  private takeResults(instruction: Instruction): void {
    for (const [name, operand] of Object.entries(instruction.operands)) {
      if (operand.kind !== 'register' || !['d', 'p'].includes(name)) continue;
      const type = operandType(instruction, name);
      writeResult(
        this.scope,
        operand.register,
        { code: this.scope.read(resultRegister(type)), type: type === 'pred' ? 'bool' : 'u32' },
        type,
      );
    }
  }

  // Groups execute.

  private warpLoop(): void {
    const { out } = this.scope;
    if (this.classes.length === 0) return this.lanePhase();
    out.open('loop');
    this.lanePhase();
    this.warpPhase();
    out.close();
  }

  private writer(executing: Executing) {
    return warpWriter(this.scope, executing);
  }

  private warpPhase(): void {
    const { out, options } = this.scope;
    const { plan, names } = options;
    const wide = plan.kind === 'wide';
    const someone = (mask: string) => (wide ? `subgroupAny(${mask} != 0u)` : `${mask} != 0u`);
    const nobody = (mask: string) => (wide ? `!subgroupAny(${mask} != 0u)` : `${mask} == 0u`);
    const w = this.writer({ active: undefined });
    const last = `${this.classes.length}u`;
    const waiting = w.ballot(
      'waiting',
      (s) => `(${this.own('wait', s)} != ${running} && ${this.own('wait', s)} <= ${last})`,
    );
    out.line(`if (${nobody(waiting)}) { break; }`);
    const alive = w.ballot('alive', (s) => `${this.own('wait', s)} != ${ended}`);
    out.line('// A group is complete when every lane of its mask that has not ended waits in it.');
    const pending = names.fresh('pending');
    const syncs = this.classes.filter(({ sync }) => sync).length;
    const grouped =
      syncs === this.classes.length
        ? waiting
        : w.ballot('grouped', (s) => `(${this.own('wait', s)} != ${running} && ${this.own('wait', s)} <= ${syncs}u)`);
    out.line(`var ${pending} = ${grouped};`);
    out.line('var executed = 0u;');
    out.open('loop');
    out.line(`if (${nobody(pending)}) { break; }`);
    const leader = w.uniform('leader', lowestBit(pending));
    const from = { type: 'u32', at: () => leader } as const;
    const kind = w.shuffle('kind', { type: 'u32', at: (s) => this.own('wait', s) }, from);
    const mask = w.shuffle('mask', { type: 'u32', at: (s) => this.scope.read(maskRegister, s) }, from);
    const same = w.each(
      'bool',
      'same',
      (s) =>
        `${pending} != 0u && ${this.own('wait', s)} == ${kind.at(s)} && ${this.scope.read(maskRegister, s)} == ${mask.at(s)}`,
    );
    const group = w.ballot('group', same.at);
    out.line(`${pending} &= ~(${group} | (1u << ${leader}));`);
    const complete = w.uniform('complete', `${group} != 0u && (${mask.at('0u')} & ${alive} & ~${group}) == 0u`);
    this.execute(
      (s) => `${complete} && ${same.at(s)}`,
      kind.at('0u'),
      mask.at('0u'),
      complete,
      (member) => member.sync,
    );
    out.line(`executed |= select(0u, ${group}, ${complete});`);
    this.slots(() => out.line(`if (${complete} && ${same.at('s')}) { ${this.own('wait')} = ${running}; }`));
    out.close();
    this.executeLoose(waiting, someone, nobody);
  }

  /// Instructions without `.sync` execute with the lanes that stand at them, once nothing else can happen.
  private executeLoose(waiting: string, someone: (mask: string) => string, nobody: (mask: string) => string): void {
    const { out } = this.scope;
    out.open(`if (${nobody('executed')})`);
    for (const member of this.classes.filter(({ sync }) => !sync)) {
      const w = this.writer({ active: undefined });
      const here = w.each('bool', 'here', (s) => `${this.own('wait', s)} == ${member.id}u`);
      const lanes = w.ballot('lanes', here.at);
      out.open(`if (${someone(lanes)})`);
      this.executeClass(member, here.at, '0u');
      out.line(`executed |= ${lanes};`);
      this.slots(() => out.line(`if (${here.at('s')}) { ${this.own('wait')} = ${running}; }`));
      out.close();
    }
    out.open(`if (${nobody('executed')})`);
    if (this.barriers) {
      out.line('// The missing lanes may come once a barrier lets them.');
      out.line('break;');
    } else {
      emitStatus(this.scope, statusCodes.deadlock);
      this.slots(() =>
        out.line(
          `if (((${waiting} >> ${laneNumber(this.scope, 's')}) & 1u) != 0u) { ${this.own('wait')} = ${ended}; }`,
        ),
      );
    }
    out.close();
    out.close();
  }

  private execute(
    active: (slot: string) => string,
    kind: string,
    mask: string,
    complete: string,
    which: (member: SyncClass) => boolean,
  ): void {
    const { out, options } = this.scope;
    for (const member of this.classes.filter(which)) {
      const condition = `${complete} && ${kind} == ${member.id}u`;
      out.open(`if (${options.plan.kind === 'wide' ? `subgroupAny(${condition})` : condition})`);
      this.executeClass(member, (s) => `${active(s)} && ${kind} == ${member.id}u`, mask);
      out.close();
    }
  }

  private executeClass(member: SyncClass, active: (slot: string) => string, mask: string): void {
    const { out } = this.scope;
    comment(this.scope, member.first);
    const own = this.writer({ active: undefined });
    const inGroup = own.each('bool', 'in_group', active);
    const w = this.writer({ active: inGroup.at });
    const results = warpLoweringOf(member.first)(w, member.first.mods, member.sources(this.scope, mask), member.wanted);
    const entries = Object.entries(results).filter(([name]) => member.wanted.has(name));
    if (entries.length === 0) return;
    this.slots(() => {
      out.open(`if (${inGroup.at('s')})`);
      for (const [name, value] of entries) {
        const type = operandType(member.first, name);
        writeResult(
          this.scope,
          resultRegister(type),
          { code: value.at('s'), type: value.type },
          type === 'pred' ? 'pred' : 'b32',
        );
      }
      out.close();
    });
  }
}

const span = { start: 0, end: 0 };
const predicateResult: Register = { name: 'result_p', type: 'pred', span };
const wordResult: Register = { name: 'result_d', type: 'b32', span };
export const maskRegister: Register = { name: 'operand_membermask', type: 'b32', span };

export const resultRegister = (type: string): Register => (type === 'pred' ? predicateResult : wordResult);

/// Blocks written inside each other at most; WGSL compilers limit how deep statements nest.
const deepest = 32;

/// Blocks that need a case of their own: the first, where lanes go on after waiting, those that several blocks or a later one jump to, and
/// now and then one of a long chain.
function entryBlocks(blocks: readonly SplitBlock[]): ReadonlySet<number> {
  const incoming = blocks.map(() => 0);
  const entries = new Set([0]);
  blocks.forEach(({ end, resumes }, id) => {
    if (resumes) entries.add(id);
    for (const to of splitSuccessors(end)) {
      incoming[to] = (incoming[to] ?? 0) + 1;
      if (to <= id && incoming[to] > 0 && end.kind !== 'sync') entries.add(to);
    }
  });
  incoming.forEach((count, id) => {
    if (count > 1) entries.add(id);
  });
  const depths = blocks.map(() => 0);
  blocks.forEach(({ end }, id) => {
    const depth = entries.has(id) ? 0 : (depths[id] ?? 0);
    if (depth > deepest) entries.add(id);
    for (const to of splitSuccessors(end)) depths[to] = depth > deepest ? 1 : depth + 1;
  });
  return entries;
}
