// Block barriers of dispatched kernels: threads arrive one by one, at barriers with numbers and counts of their own. When no warp can go on,
// the workgroup counts who waits where, and lets those through whose barrier is complete.
import type { Instruction, Register } from '../../ptx/ast.ts';
import { asU32 } from '../../wgsl/cast.ts';
import { type DispatchEmitter, resultRegister } from './dispatch.ts';
import { readOperand, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';
import { emitStatus, statusCodes } from './status.ts';

const span = { start: 0, end: 0 };
const numberRegister: Register = { name: 'barrier_number', type: 'b32', span };
/// Threads the barrier waits for; 0 for all that have not ended.
const countRegister: Register = { name: 'barrier_threads', type: 'b32', span };
const voteRegister: Register = { name: 'barrier_vote', type: 'pred', span };
/// What bar.red makes of the votes: 0 nothing, 1 popc, 2 and, 3 or.
const reductionRegister: Register = { name: 'barrier_reduction', type: 'b32', span };

const declarations = `struct Barrier {
  waiting: atomic<u32>,  // threads that wait now
  arrived: atomic<u32>,  // threads that only arrived
  wanted: atomic<u32>,   // threads it waits for; 0: all
  votes: atomic<u32>,    // waiting threads whose predicate is true
}
var<workgroup> barriers: array<Barrier, 16>;
var<workgroup> threads_alive: atomic<u32>;
var<workgroup> threads_released: atomic<u32>;
// 0: all threads have ended; 1: some go on; 2: nobody can.
var<workgroup> block_state: u32;`;

export class BlockBarriers {
  private readonly scope: Scope;
  private readonly waitClass: number;
  private readonly lanes: DispatchEmitter;

  /// `waitClass`: what `wait` holds in a lane at a barrier.
  constructor(scope: Scope, waitClass: number, lanes: DispatchEmitter) {
    this.scope = scope;
    this.waitClass = waitClass;
    this.lanes = lanes;
  }

  /// Writes a lane's arrival. Returns false where the lane does not wait.
  arrive(instruction: Instruction): boolean {
    const { operands, row, mods } = instruction;
    const { a, b, c } = operands;
    const { scope } = this;
    this.declare();
    const id = a ? asU32(readOperand(scope, a, 'u32')) : { code: '0u', type: 'u32' as const };
    const count = b ? asU32(readOperand(scope, b, 'u32')) : { code: '0u', type: 'u32' as const };
    if (row.name.endsWith('.arrive')) {
      scope.out.line(`atomicAdd(&barriers[${id.code} & 15u].arrived, 1u);`);
      scope.out.line(`atomicMax(&barriers[${id.code} & 15u].wanted, ${count.code});`);
      return false;
    }
    writeResult(scope, numberRegister, id, 'u32');
    writeResult(scope, countRegister, count, 'u32');
    const reduction = row.name.includes('popc') ? 1 : row.name.includes('.red') ? (mods.op === 'and' ? 2 : 3) : 0;
    scope.write(reductionRegister, `${reduction}u`);
    if (c) scope.write(voteRegister, readOperand(scope, c, 'pred').code);
    scope.out.line(`${this.lanes.own('wait')} = ${this.waitClass}u;`);
    return true;
  }

  private declare(): void {
    const { declarations: table, specials } = this.scope.uses;
    table.set('barriers', declarations);
    specials.add('thread');
  }

  /// The workgroup's turn. Every invocation gets here.
  emitPhase(): void {
    this.declare();
    const { out } = this.scope;
    const wait = () => this.lanes.own('wait');
    const read = (register: Register) => this.scope.read(register);
    const here = `barriers[${read(numberRegister)} & 15u]`;
    const atBarrier = `${wait()} == ${this.waitClass}u`;
    out.line('// Every lane waits at a barrier, waits for lanes that do, or has ended.');
    this.lanes.slots(() => {
      out.line(`if (${wait()} != 0xffffffffu) { atomicAdd(&threads_alive, 1u); }`);
      out.open(`if (${atBarrier})`);
      out.line(`atomicAdd(&${here}.waiting, 1u);`);
      out.line(`atomicMax(&${here}.wanted, ${read(countRegister)});`);
      out.line(`if (${read(voteRegister)}) { atomicAdd(&${here}.votes, 1u); }`);
      out.close();
    });
    this.barrier();
    this.lanes.slots(() => {
      out.open(`if (${atBarrier})`);
      out.line(`let waiting_here = atomicLoad(&${here}.waiting);`);
      out.line(`let wanted_here = atomicLoad(&${here}.wanted);`);
      out.open(
        `if (waiting_here + atomicLoad(&${here}.arrived) >= select(wanted_here, atomicLoad(&threads_alive), wanted_here == 0u))`,
      );
      out.line(`let votes = atomicLoad(&${here}.votes);`);
      out.line(
        `if (${read(reductionRegister)} == 2u) { ${this.assign(resultRegister('pred'), 'votes == waiting_here')} }`,
      );
      out.line(`if (${read(reductionRegister)} == 3u) { ${this.assign(resultRegister('pred'), 'votes != 0u')} }`);
      out.line(this.assign(resultRegister('b32'), 'votes'));
      out.line(this.assign(voteRegister, 'false'));
      out.line(`${wait()} = 0u;`);
      out.line('atomicAdd(&threads_released, 1u);');
      out.close();
      out.close();
    });
    this.barrier();
    this.settle();
  }

  /// One invocation clears the barriers that are done, and says how things stand.
  private settle(): void {
    const { out } = this.scope;
    out.open('if (thread == 0u)');
    out.line('let alive_now = atomicLoad(&threads_alive);');
    out.open('for (var id = 0u; id < 16u; id++)');
    out.line('let waiting_there = atomicLoad(&barriers[id].waiting);');
    out.line('let wanted_there = atomicLoad(&barriers[id].wanted);');
    out.line(
      'let done = waiting_there != 0u && waiting_there + atomicLoad(&barriers[id].arrived) >= select(wanted_there, alive_now, wanted_there == 0u);',
    );
    out.line('if (done) { atomicStore(&barriers[id].arrived, 0u); atomicStore(&barriers[id].wanted, 0u); }');
    out.line('atomicStore(&barriers[id].waiting, 0u);');
    out.line('atomicStore(&barriers[id].votes, 0u);');
    out.close();
    out.line('block_state = select(select(2u, 1u, atomicLoad(&threads_released) != 0u), 0u, alive_now == 0u);');
    out.line('atomicStore(&threads_alive, 0u);');
    out.line('atomicStore(&threads_released, 0u);');
    out.close();
    out.line('let state = workgroupUniformLoad(&block_state);');
    out.open('if (state != 1u)');
    out.open('if (state == 2u)');
    emitStatus(this.scope, statusCodes.deadlock);
    out.close();
    out.line('break;');
    out.close();
  }

  private assign(register: Register, code: string): string {
    return `${this.scope.read(register)} = ${code};`;
  }

  private barrier(): void {
    this.scope.uses.memories.add('barrier');
    this.scope.out.line('workgroupBarrier();');
    this.scope.out.line('storageBarrier();');
  }
}
