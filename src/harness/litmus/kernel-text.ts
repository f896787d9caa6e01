// A kernel that runs many instances of a litmus test in parallel.
//
// Each GPU thread runs one thread of the test for one instance in each iteration. The threads of a
// warp run the same thread of the test, for different instances. Consecutive blocks are a team: they
// run the blocks of the test. Before each iteration, the blocks of a team wait for each other, with
// a limit, so that the threads of an instance run at the same time. Odd factors permute the
// instances of each thread, and the locations of each variable. A buffer contains these numbers and
// the settings of the stress, so that each execution of the kernel draws others.
import { at } from '../../base/invariants.ts';
import type { LitmusTest, Observable, TestVariable } from '../../memory-model/index.ts';
import { initialBytes } from '../../ptx/initial-bytes.ts';
import {
  globalsOf,
  instancesOf,
  isShared,
  type LaunchSize,
  layoutOf,
  locationBytes,
  memoryOf,
  scratchWords,
  testBuffers,
  valueBytes,
  variablesOf,
} from './plan.ts';
import { settingsOf } from './settings.ts';
import { addressRegister, threadText } from './thread-text.ts';

export const litmusEntry = 'litmus';

/** Returns the kernel that runs the test, without the beginning of the module. */
export function kernelText(test: LitmusTest, size: LaunchSize): string {
  const layout = layoutOf(test);
  const count = instancesOf(size);
  const blockThreads = layout.width * size.slots;
  const settings = settingsOf(test);
  const globals = globalsOf(test);
  const buffers = testBuffers(test);
  const params = buffers.map((name) => `.param .u64 ${name}`);
  const variables = variablesOf(test);
  const shared = variables.filter(isShared);
  const loads = [
    ...buffers.flatMap((name) => [`ld.param.u64 %${name}, [${name}];`, `cvta.to.global.u64 %${name}, %${name};`]),
    ...settings.map((name, index) => `ld.global.u32 %${name}, [%settings+${4 * (index + 1)}];`),
  ];
  return `${shared.map((own) => `.shared .align 16 .b8 slots_${own.variable.name}[${size.slots * locationBytes(own)}];`).join('\n')}
.visible .entry ${litmusEntry}(${params.join(', ')})
.reqntid ${blockThreads}, 1, 1
{
  .reg .b64 ${[...buffers.map((name) => `%${name}`), '%place', '%wide'].join(', ')};
  .reg .b32 ${settings.map((name) => `%${name}`).join(', ')};
  .reg .b32 %thread, %block, %part, %team, %within, %lane, %mul, %add, %slot, %instance, %base, %iteration;
  .reg .b32 %hash, %count, %word, %target, %steps;
  .reg .pred %q, %mine;
  ${globals.map(({ variable }) => `.reg .b64 ${addressRegister(variable.name)};`).join(' ')}
  ${shared.map(({ variable }) => `.reg .b32 ${addressRegister(variable.name)};`).join(' ')}
  ${loads.join('\n  ')}
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  rem.u32 %part, %block, ${layout.blocks.length};
  div.u32 %team, %block, ${layout.blocks.length};
  div.u32 %within, %thread, ${size.slots};
  and.b32 %lane, %thread, ${size.slots - 1};
  mov.u32 %mul, 1;
  mov.u32 %add, 0;
  ${layout.blocks.flatMap((threads, part) => threads.map((thread, within) => selectThread(test, thread, part, within))).join('\n  ')}
  mad.lo.u32 %slot, %lane, %mul, %add;
  and.b32 %slot, %slot, ${size.slots - 1};
  mov.u32 %iteration, 0;
  setp.ge.u32 %q, %team, ${size.teams};
  @%q bra STRESS;
NEXT:
  mad.lo.u32 %base, %iteration, ${size.teams}, %team;
  mad.lo.u32 %instance, %base, ${size.slots}, %slot;
  ${globals.map((variable) => locationText(variable, count)).join('\n  ')}
  ${shared.map((variable) => slotText(variable)).join('\n  ')}
  ${shared.map((variable) => initialText(variable)).join('\n  ')}
${alignText(layout.blocks.length)}
${delayText()}
${pressText('BEFORE', 'before')}
${layout.blocks.flatMap((threads, part) => threads.map((thread, within) => roleText(thread, part, within))).join('\n')}
${sharedResults()}
  add.u32 %iteration, %iteration, 1;
  setp.lt.u32 %q, %iteration, ${size.iterations};
  @%q bra NEXT;
  bra DONE;
STRESS:
${pressText('STRESS', 'stress')}
DONE:
  ret;
}
`;

  /** Runs a thread of the test in the GPU threads that have its role, and stores its registers. */
  function roleText(thread: number, part: number, within: number): string {
    const own = at(test.threads, thread, 'thread');
    const stores = test.observables.flatMap((observable, index) =>
      observable.kind === 'register' && observable.thread === thread ? [storeText(observable.register, index)] : [],
    );
    return `${isRole(part, within)}
  @!%mine bra AFTER${thread};
  {
    .reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<32>; .reg .f64 %fd<16>;
${threadText(test, own, layout, size)}
${stores.join('\n')}
  }
AFTER${thread}:`;
  }

  function storeText(register: string, index: number): string {
    const bits = /^%r\d/.test(register) ? 32 : 64;
    return `${resultPlace(index)}
    st.global.b${bits} [%place], ${register};`;
  }

  /** The place of an observed value of the instance. */
  function resultPlace(index: number): string {
    return `    mad.wide.u32 %place, %instance, ${valueBytes}, %out;
    add.u64 %place, %place, ${index * count * valueBytes};`;
  }

  /** Stores the final values of shared variables, after all threads of the block. */
  function sharedResults(): string {
    if (shared.length === 0) return '';
    const results = test.observables.flatMap((observable, index) =>
      observable.kind === 'memory' ? sharedResult(observable, index) : [],
    );
    return `  bar.sync 0;
  setp.ne.u32 %q, %within, 0;
  @%q bra STORED;
${results.join('\n')}
STORED:
  bar.sync 0;`;
  }

  function sharedResult(observable: Observable & { readonly kind: 'memory' }, index: number): readonly string[] {
    const found = test.variables.findIndex(
      ({ address, variable }) => address <= observable.address && observable.address < address + variable.bytes,
    );
    const { variable, address, block } = at(test.variables, found, 'variable');
    if (block === undefined) return [];
    return [
      `${resultPlace(index)}
    ld.shared.u32 %word, [${addressRegister(variable.name)}+${observable.address - address}];
    st.global.u32 [%place], %word;`,
    ];
  }
}

const isRole = (part: number, within: number): string => `  setp.eq.u32 %mine, %part, ${part};
  setp.eq.and.u32 %mine, %within, ${within}, %mine;`;

function selectThread({ threads }: LitmusTest, thread: number, part: number, within: number): string {
  const { name } = at(threads, thread, 'thread');
  return `${isRole(part, within).trimStart()}
  selp.b32 %mul, %mul_thread_${name}, %mul, %mine;
  selp.b32 %add, %add_thread_${name}, %add, %mine;`;
}

/** The address of a variable of the instance. */
function locationText(own: TestVariable, count: number): string {
  const { name } = own.variable;
  return `mad.lo.u32 %word, %instance, %mul_var_${name}, %add_var_${name};
  and.b32 %word, %word, ${count - 1};
  mad.wide.u32 ${addressRegister(name)}, %word, ${locationBytes(own)}, %${memoryOf(name)};`;
}

function slotText(own: TestVariable): string {
  const { name } = own.variable;
  return `mov.u32 ${addressRegister(name)}, slots_${name};
  mad.lo.u32 ${addressRegister(name)}, %slot, ${locationBytes(own)}, ${addressRegister(name)};`;
}

/** The first thread of each block of the test initializes the shared variables of its instance. */
function initialText(own: TestVariable): string {
  const { variable } = own;
  const bytes = new Uint8Array(locationBytes(own));
  bytes.set(initialBytes(variable));
  const words = new DataView(bytes.buffer);
  return [0, 4, 8, 12]
    .filter((offset) => offset < variable.bytes)
    .map(
      (offset) => `setp.eq.u32 %q, %within, 0;
  @%q st.shared.u32 [${addressRegister(variable.name)}+${offset}], ${words.getUint32(offset, true)};`,
    )
    .join('\n  ');
}

/** The maximum number of reads while a block waits for its team. */
const maxSpins = 4096;

/** Waits until all blocks of the team are at this iteration, or for a limited number of reads. */
const alignText = (blocks: number): string => `  bar.sync 0;
  setp.ne.u32 %q, %thread, 0;
  @%q bra ALIGNED;
  mad.wide.u32 %place, %team, 4, %sync;
  red.relaxed.gpu.global.add.u32 [%place], 1;
  mad.lo.u32 %target, %iteration, ${blocks}, ${blocks};
  mov.u32 %count, 0;
WAIT:
  ld.relaxed.gpu.global.u32 %word, [%place];
  setp.ge.u32 %q, %word, %target;
  @%q bra ALIGNED;
  add.u32 %count, %count, 1;
  setp.lt.u32 %q, %count, ${maxSpins};
  @%q bra WAIT;
ALIGNED:
  bar.sync 0;`;

/** A delay of up to \`jitter\` steps, different in each thread and iteration. */
const delayText = (): string => `  mul.lo.u32 %hash, %thread, 0x9E3779B1;
  mad.lo.u32 %hash, %iteration, 0x85EBCA6B, %hash;
  mad.lo.u32 %hash, %block, 0xC2B2AE35, %hash;
  xor.b32 %hash, %hash, %seed;
  shr.u32 %word, %hash, 15;
  xor.b32 %hash, %hash, %word;
  mul.lo.u32 %hash, %hash, 0x2C1B3C6D;
  shr.u32 %hash, %hash, 12;
  and.b32 %hash, %hash, %jitter;
DELAY:
  setp.eq.u32 %q, %hash, 0;
  @%q bra DELAYED;
  sub.u32 %hash, %hash, 1;
  bra DELAY;
DELAYED:`;

/**
 * Loads and stores of other memory. The setting \`steps\` is their number. Few places delay the
 * accesses to one part of the memory system; many places delay all.
 */
const pressText = (label: string, steps: string): string => `  mad.lo.u32 %word, %block, 0x3D4D51CB, %thread;
  mad.lo.u32 %word, %iteration, 0x9E3779B1, %word;
  mov.u32 %steps, %${steps};
${label}_NEXT:
  setp.eq.u32 %q, %steps, 0;
  @%q bra ${label}_END;
  mad.lo.u32 %word, %word, 0x19660D, 0x3C6EF35F;
  shr.u32 %hash, %word, 8;
  and.b32 %hash, %hash, %places;
  add.u32 %hash, %hash, %first;
  and.b32 %hash, %hash, ${scratchWords - 1};
  mad.wide.u32 %place, %hash, 4, %scratch;
  ld.relaxed.gpu.global.u32 %hash, [%place];
  add.u32 %hash, %hash, %word;
  st.relaxed.gpu.global.u32 [%place], %hash;
  sub.u32 %steps, %steps, 1;
  bra ${label}_NEXT;
${label}_END:`;
