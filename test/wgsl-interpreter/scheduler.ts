// A dispatch. Workgroups run one after the other; in a workgroup, each subgroup in turn runs to its
// next barrier.

import { raise, WgslError } from './error.ts';
import type { EntryPoint } from './functions.ts';
import type { Barrier, Lanes, Machine } from './machine.ts';
import { evaluateConstant } from './module-scope.ts';
import type { Program } from './program.ts';
import { attribute } from './program.ts';
import { checkRaces } from './races.ts';
import { createMachine } from './state.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { memberOffset, registersOf } from './types.ts';

export type Triple = readonly [number, number, number];

export interface Dispatch {
  readonly workgroups: Triple;
  readonly subgroupSize: number;
  /** Maps a position among a workgroup's subgroups and lanes to local_invocation_index. */
  readonly order: (count: number) => readonly number[];
  /**
   * The words of each memory variable. Each workgroup clears those in the workgroup address space.
   */
  readonly memories: readonly Uint32Array[];
  readonly maxSteps: number;
  readonly uniformSubgroups: boolean;
  /** Selects the workgroup variables in which races are errors, by name. */
  readonly races: (name: string) => boolean;
}

/** Returns the entry point's `@workgroup_size`. Throws if it is missing. */
export function workgroupSize(program: Program, entry: EntryPoint): Triple {
  const { node } = entry;
  const written = node.attributes.find((each) => each.name === 'workgroup_size');
  if (written === undefined) return raise(node, `${node.name} has no @workgroup_size`);
  const numbers = written.args.map((text) => {
    return /^\d+[iu]?$/.test(text) ? Number.parseInt(text, 10) : evaluateConstant(program, text, node);
  });
  return [numbers[0] ?? 1, numbers[1] ?? 1, numbers[2] ?? 1];
}

export function dispatch(program: Program, entry: EntryPoint, size: Triple, job: Dispatch): void {
  const { node } = entry;
  const wanted = attribute(node.attributes, 'subgroup_size');
  if (wanted !== undefined && Number.parseInt(wanted, 10) !== job.subgroupSize) {
    raise(node, `@subgroup_size(${wanted}) on subgroups of ${job.subgroupSize}`);
  }
  const count = size[0] * size[1] * size[2];
  const order = job.order(count);
  const budget = { steps: job.maxSteps };
  const subgroups = Math.ceil(count / job.subgroupSize);
  const machines = Array.from({ length: subgroups }, (_, id) =>
    createMachine(program, {
      size: job.subgroupSize,
      lanes: Math.min(job.subgroupSize, count - id * job.subgroupSize),
      memories: job.memories,
      budget,
      uniformSubgroups: job.uniformSubgroups,
      races: job.races,
    }),
  );
  for (let z = 0; z < job.workgroups[2]; z++) {
    for (let y = 0; y < job.workgroups[1]; y++) {
      for (let x = 0; x < job.workgroups[0]; x++) {
        runWorkgroup(program, entry, machines, { id: [x, y, z], size, order, workgroups: job.workgroups });
      }
    }
  }
}

interface Workgroup {
  readonly id: Triple;
  readonly size: Triple;
  readonly workgroups: Triple;
  readonly order: readonly number[];
}

function runWorkgroup(program: Program, entry: EntryPoint, machines: readonly Machine[], group: Workgroup): void {
  for (const [slot, variable] of program.memories.entries()) {
    if (variable.space === 'workgroup') machines[0]?.memories[slot]?.fill(0);
  }
  const flows = machines.map((machine, id) => {
    for (const step of program.initial) step.run(machine, machine.all);
    setParameters(entry, machine, (lane) => builtins(group, machines.length, machine.size, id, lane));
    return start(entry, machine);
  });
  for (;;) {
    const waiting = flows.map((flow) => {
      const turn = flow.next();
      return turn.done === true ? null : turn.value;
    });
    const [first] = waiting;
    for (const [slot, variable] of program.memories.entries()) {
      const { space } = variable;
      if (first !== null && first !== undefined && space !== orderedBy[first.builtin]) continue;
      if (machines[0]?.looked[slot]) checkRaces(machines, slot, variable, first?.line ?? 0);
      makeSeen(machines, slot);
    }
    if (waiting.every((barrier) => barrier === null)) return;
    const other = waiting.findIndex((barrier) => !sameBarrier(barrier, first ?? null));
    if (other >= 0) {
      const at = first ?? waiting[other];
      throw new WgslError(
        at?.line ?? 0,
        `${at?.builtin ?? 'a barrier'} is not reached by the whole workgroup: ` +
          `subgroup 0 ${place(first ?? null)}, subgroup ${other} ${place(waiting[other] ?? null)}`,
      );
    }
  }
}

/** The address space whose stores a barrier makes visible to the whole workgroup: https://www.w3.org/TR/WGSL/#sync-builtin-functions */
const orderedBy: Readonly<Record<string, string>> = {
  workgroupBarrier: 'workgroup',
  workgroupUniformLoad: 'workgroup',
  storageBarrier: 'storage',
};

/** Makes the stores of each subgroup to a variable visible to all subgroups. */
function makeSeen(machines: readonly Machine[], slot: number): void {
  for (const { unseen, memories } of machines) {
    const stores = unseen[slot];
    const memory = memories[slot];
    if (stores === undefined || memory === undefined || stores.size === 0) continue;
    for (const [word, value] of stores) memory[word] = value;
    stores.clear();
  }
}

function* start(entry: EntryPoint, machine: Machine): Generator<Barrier, Lanes> {
  const { body } = entry.instance;
  return body.flow === undefined ? body.run(machine, machine.all) : yield* body.flow(machine, machine.all);
}

function sameBarrier(a: Barrier | null, b: Barrier | null): boolean {
  if (a === null || b === null) return a === b;
  return a.line === b.line && a.builtin === b.builtin && a.address === b.address;
}

function place(barrier: Barrier | null): string {
  if (barrier === null) return 'has ended';
  const where = barrier.address === undefined ? '' : ` for word ${barrier.address}`;
  return `waits at line ${barrier.line}${where}`;
}

type Values = Readonly<Record<string, readonly number[]>>;

/**
 * Returns the built-in values of one invocation. https://www.w3.org/TR/WGSL/#builtin-inputs-outputs
 */
function builtins(group: Workgroup, subgroups: number, subgroupSize: number, id: number, lane: number): Values {
  const { size } = group;
  const index = group.order[id * subgroupSize + lane] ?? 0;
  const local = [
    index % size[0],
    Math.floor(index / size[0]) % size[1],
    Math.floor(index / (size[0] * size[1])),
  ] as const;
  const global = [0, 1, 2].map((i) => (group.id[i] ?? 0) * (size[i] ?? 1) + (local[i] ?? 0));
  return {
    local_invocation_id: local,
    local_invocation_index: [index],
    global_invocation_id: global,
    workgroup_id: group.id,
    num_workgroups: group.workgroups,
    subgroup_invocation_id: [lane],
    subgroup_size: [subgroupSize],
    subgroup_id: [id],
    num_subgroups: [subgroups],
  };
}

function setParameters(entry: EntryPoint, machine: Machine, values: (lane: number) => Values): void {
  for (const lane of machine.all) {
    const known = values(lane);
    for (const [i, parameter] of entry.parameters.entries()) {
      const { type, register } = entry.instance.parameters[i] ?? { type: null, register: 0 };
      for (const input of inputs(parameter, type, register)) {
        const words = known[input.builtin] ?? raise(parameter, `builtin ${input.builtin} is not supported`);
        for (let k = 0; k < input.count; k++) {
          machine.registers[(input.register + k) * machine.size + lane] = words[k] ?? 0;
        }
      }
    }
  }
}

interface Input {
  readonly builtin: string;
  readonly register: number;
  readonly count: number;
}

/** Returns the inputs of a parameter with `@builtin`, or of a struct whose members have it. */
function inputs(parameter: ast.Argument, type: Type | null, register: number): Input[] {
  const own = attribute(parameter.attributes, 'builtin');
  if (type === null) return raise(parameter, `${parameter.name} cannot be a pointer`);
  if (own !== undefined) return [{ builtin: own, register, count: registersOf(type) }];
  if (type.kind !== 'struct') return raise(parameter, `${parameter.name} has no @builtin`);
  return type.members.map((member, i) => ({
    builtin: member.builtin ?? raise(parameter, `${type.name}.${member.name} has no @builtin`),
    register: register + memberOffset(type, i, true),
    count: registersOf(member.type),
  }));
}
