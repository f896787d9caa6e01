// Lets loads start early. Compilers keep a load behind the stores and atomics in front of it, since they cannot tell that no buffer overlaps
// another; the translator knows which buffers the kernel only reads.
import type { Instruction } from '../ptx/ast.ts';
import { type Block, definedRegisters, usedRegisters } from './ir.ts';
import { isOrdered, writesMemory } from './read-only-loads.ts';

/// Loads that pass by one store at most, so that registers do not run short; instructions they pass by; instructions that make an address.
const mostLoads = 16;
const farthest = 64;
const mostOfAddress = 8;

/// Moves loads for which `readOnly` holds, and what their addresses are made of, in front of the first store or atomic of their block, as far
/// as the last thing that lanes do together.
export function hoistLoads(blocks: readonly Block[], readOnly: (instruction: Instruction) => boolean): Block[] {
  return blocks.map(({ code, end }) => ({ code: mayGain(code) ? hoist(code, readOnly) : code, end }));
}

const isLoad = ({ row, guard }: Instruction): boolean => !guard && row.name.startsWith('ld');

function mayGain(code: readonly Instruction[]): boolean {
  const first = code.findIndex(writesMemory);
  return first !== -1 && code.some((instruction, index) => index > first && isLoad(instruction));
}

function hoist(code: readonly Instruction[], readOnly: (instruction: Instruction) => boolean): Instruction[] {
  const done: Instruction[] = [];
  /// Where loads go: the first write that they may pass by.
  let place: number | undefined;
  let loads = 0;
  for (const instruction of code) {
    if (isOrdered(instruction) || loads === mostLoads || (place !== undefined && done.length - place > farthest)) {
      place = undefined;
      loads = 0;
    }
    if (place === undefined && writesMemory(instruction) && !isOrdered(instruction)) {
      place = done.length;
    }
    const early =
      place !== undefined && isLoad(instruction) && readOnly(instruction)
        ? partition(done.slice(place), instruction)
        : undefined;
    if (place === undefined || early === undefined) {
      done.push(instruction);
      continue;
    }
    done.splice(place, done.length, ...early.moved, instruction, ...early.left);
    place += early.moved.length + 1;
    loads += 1;
  }
  return done;
}

/// What the load's address is made of, and the rest of what stands in front of the load; undefined where they cannot change places.
function partition(
  between: readonly Instruction[],
  load: Instruction,
): { readonly moved: readonly Instruction[]; readonly left: readonly Instruction[] } | undefined {
  const needed = new Set(usedRegisters(load).map(({ name }) => name));
  const written = new Set(definedRegisters(load).map(({ name }) => name));
  const moved: Instruction[] = [];
  const left: Instruction[] = [];
  for (const instruction of [...between].reverse()) {
    const defined = definedRegisters(instruction);
    if (defined.some(({ name }) => needed.has(name))) {
      const { row, guard } = instruction;
      if (row.kind !== 'lane' || row.carry || guard || moved.length === mostOfAddress) return undefined;
      for (const { name } of usedRegisters(instruction)) needed.add(name);
      for (const { name } of defined) written.add(name);
      moved.unshift(instruction);
    } else {
      left.unshift(instruction);
    }
  }
  const touches = (instruction: Instruction) =>
    [...usedRegisters(instruction), ...definedRegisters(instruction)].some(({ name }) => written.has(name));
  return left.some(touches) ? undefined : { moved, left };
}
