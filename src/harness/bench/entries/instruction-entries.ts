// Benchmark entries for every warp instruction in its common forms.
import { type IsaRow, type Mods, warpRows } from '../../../isa/index.ts';
import type { LaunchSequence } from '../../launches/launch-sequence.ts';
import { random } from '../../suites/random.ts';
import { modChoices, modsText } from '../../suites/rows/instruction-text.ts';
import type { BenchEntry, Size, Workload } from './entry.ts';
import {
  type Chain,
  type InstructionForm,
  inputWords,
  instructionKernel,
  isInvariant,
  kindOf,
} from './instruction-kernel.ts';

const blockThreads = 256;
/** The number of blocks. `full` is four waves of 132 multiprocessors with eight blocks each. */
const blocks: Readonly<Record<Size, number>> = { check: 1, software: 8, full: 4224 };
const checkThreads = 64;
const seed = 17;

/**
 * The number of instructions in the body of a loop. A software rasterizer compiles and executes
 * eight lanes per invocation, so its loops have shorter bodies.
 */
const unrolls = { hardware: 32, software: 8 } as const;

/**
 * Returns the entries of all warp instructions, including those of PTX 1 to 3. `software` selects
 * shorter loops.
 */
export function instructionEntries({ software }: { readonly software: boolean }): readonly BenchEntry[] {
  return warpRows.flatMap((row: IsaRow) => {
    // Flags such as `.abs` change the compared values but not the exchange between lanes.
    const plain = modChoices(row).filter((mods) => !('abs' in mods) && !('NaN' in mods));
    return plain.flatMap((mods, index) => {
      const everyForm = row.name === 'shfl.sync' || index === 0;
      return choices(row, mods, everyForm).map(({ form, chain }) => entry(row, mods, form, chain, software));
    });
  });
}

function choices(row: IsaRow, mods: Mods, everyForm: boolean): { form: InstructionForm; chain: Chain }[] {
  const first = { form: 'immediate', chain: 'independent' } as const;
  if (row.removed !== undefined || row.types.d === undefined) return [first];
  const dependent = { form: 'immediate', chain: 'dependent' } as const;
  if (!everyForm) return [first];
  if (row.types.membermask === undefined) return [first, dependent];
  const forms: InstructionForm[] = ['mask', 'guard', 'groups', 'mask-invariant', 'guard-invariant', 'groups-invariant'];
  if (row.types.b !== undefined) forms.unshift('register', 'arbitrary', 'register-invariant');
  if (row.syntax.includes('d[|p]')) forms.push('predicate');
  // One such instruction suffices to show the cost, because the translator compiles these kernels
  // to a dispatch loop.
  if (mods.mode === 'bfly') forms.push('unrelated');
  return [first, dependent, ...forms.map((form) => ({ form, chain: 'independent' as const }))];
}

function entry(row: IsaRow, mods: Mods, form: InstructionForm, chain: Chain, software: boolean): BenchEntry {
  const unroll = software ? unrolls.software : unrolls.hardware;
  const choice = { row, mods, form, chain, unroll };
  const ptx = instructionKernel(choice);
  const id = [row.name, modsText(row, mods), form, chain].filter((part) => part !== '').join(':');
  const rng = random(seed, id);
  const words = inputWords(choice, () => rng.u32());
  return {
    id,
    section: 'instructions',
    unit: 'lane operations',
    float: false,
    grows: 'iterations',
    ...(isInvariant(form) ? { invariant: true } : {}),
    ...(row.name.startsWith('shfl') ? { limit: 'shuffle' as const } : {}),
    make: (size, iterations) => workload(size, iterations),
  };

  function workload(size: Size, iterations: number): Workload {
    const grid = blocks[size];
    const threads = size === 'check' ? checkThreads : blockThreads;
    const sequence: LaunchSequence = {
      id,
      buffers: [
        { name: 'in', type: 'u32', bytes: words.byteLength, data: new Uint8Array(words.buffer) },
        { name: 'out', type: 'u32', bytes: grid * threads * 4, result: {} },
      ],
      prepare: [],
      steps: [
        {
          ptx,
          ptxFile: `${id}.ptx`,
          entry: 'k',
          grid: [grid, 1, 1],
          block: [threads, 1, 1],
          args: ['in', 'out', { type: 'u32', value: iterations }],
        },
      ],
    };
    const executing = kindOf(form) === 'guard' ? threads / 2 : threads;
    return { sequence, work: grid * executing * unroll * iterations };
  }
}
