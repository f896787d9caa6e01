// The kernels before and after the kernel of a test: one draws the settings of a round and
// initializes the memory, and one counts the outcomes.
import { get } from '../../base/invariants.ts';
import type { LitmusTest, Observable, Outcome, TestVariable } from '../../memory-model/index.ts';
import { initialBytes } from '../../ptx/initial-bytes.ts';
import {
  globalsOf,
  instancesOf,
  type LaunchSize,
  locationBytes,
  maxSamples,
  memoriesOf,
  memoryOf,
  valueBytes,
} from './plan.ts';
import { drawText, settingsOf } from './settings.ts';

export const beginEntry = 'begin_round';
export const countEntry = 'count_outcomes';

/** The threads of a block, and the blocks, of both kernels. */
export const roundThreads = 128;
export const roundBlocks = (size: LaunchSize): number => Math.min(256, Math.ceil(instancesOf(size) / roundThreads));

const head = (buffers: readonly string[], size: LaunchSize, scalars: readonly string[] = []): string => {
  const names = [...buffers, ...scalars];
  return `(${names.map((name) => `.param .u${scalars.includes(name) ? 32 : 64} ${name}`).join(', ')})
.reqntid ${roundThreads}, 1, 1
{
  .reg .b64 ${buffers.map((name) => `%${name}`).join(', ')}, %place, %wide;
  .reg .b32 %first, %index, %hash, %some, %value, %round, %seed, %count;
  .reg .pred %q;
  ${buffers.map((name) => `ld.param.u64 %${name}, [${name}];\n  cvta.to.global.u64 %${name}, %${name};`).join('\n  ')}
  ${scalars.map((name) => `ld.param.u32 %${name}, [${name}];`).join('\n  ')}
  mov.u32 %first, %ctaid.x;
  mov.u32 %some, %tid.x;
  mad.lo.u32 %first, %first, ${roundThreads}, %some;
  mov.u32 %index, %first;
NEXT:
  setp.ge.u32 %q, %index, ${instancesOf(size)};
  @%q bra END;`;
};

const next = (size: LaunchSize): string => `  add.u32 %index, %index, ${roundThreads * roundBlocks(size)};
  bra NEXT;
END:`;

/** The buffers of the kernel that begins a round, in order. */
export const beginBuffers = (test: LitmusTest): readonly string[] => [...memoriesOf(test), 'sync', 'settings'];
/** The buffers of the kernel that counts, in order. */
export const countBuffers = (test: LitmusTest): readonly string[] => [...memoriesOf(test), 'out', 'settings', 'counts'];
/** Returns the kernel that begins a round. */
export function beginText(test: LitmusTest, size: LaunchSize): string {
  const stores = globalsOf(test).map((own) => {
    const { variable } = own;
    const bytes = new Uint8Array(locationBytes(own));
    bytes.set(initialBytes(variable));
    const words = [...new BigUint64Array(bytes.buffer).entries()];
    const place = `  mad.wide.u32 %place, %index, ${locationBytes(own)}, %${memoryOf(variable.name)};`;
    return [place, ...words.map(([index, word]) => `  st.global.u64 [%place+${index * 8}], ${word};`)].join('\n');
  });
  return `.visible .entry ${beginEntry}${head(beginBuffers(test), size, ['seed'])}
${stores.join('\n')}
  setp.ge.u32 %q, %index, ${size.teams};
  mad.wide.u32 %place, %index, 4, %sync;
  @!%q st.global.u32 [%place], 0;
${next(size)}
  setp.ne.u32 %q, %first, 0;
  @%q bra DONE;
  ld.global.u32 %round, [%settings];
${drawText(test, size)}
  add.u32 %round, %round, 1;
  st.global.u32 [%settings], %round;
DONE:
  ret;
}
`;
}

/**
 * Returns the kernel that counts the known outcomes. The word after their counts is the number of
 * other outcomes, whose first `maxSamples` follow.
 */
export function countText(test: LitmusTest, size: LaunchSize, known: readonly Outcome[]): string {
  const { observables } = test;
  const reads = observables.map((observable, index) => readText(test, size, observable, index));
  const matches = known.map((outcome, number) => {
    const tests = outcome.map(
      (value, index) =>
        `  setp.eq${index === 0 ? '' : '.and'}.b64 %is, %value${index}, ${value}${index === 0 ? '' : ', %is'};`,
    );
    return `${tests.join('\n')}
  selp.b32 %found, ${number}, %found, %is;`;
  });
  const width = observables.length;
  const samples = observables.map((_, index) => `  st.global.u64 [%place+${valueBytes * index}], %value${index};`);
  return `.visible .entry ${countEntry}${head(countBuffers(test), size)}
  {
  .reg .pred %is;
  .reg .b32 %found, %mul, %add;
  .reg .b64 ${observables.map((_, index) => `%value${index}`).join(', ')};
  mov.u32 %found, ${known.length};
${reads.join('\n')}
${matches.join('\n')}
  mad.wide.u32 %place, %found, 4, %counts;
  setp.eq.u32 %is, %found, ${known.length};
  @%is bra OTHER;
  red.relaxed.gpu.global.add.u32 [%place], 1;
  bra COUNTED;
OTHER:
  atom.relaxed.gpu.global.add.u32 %some, [%place], 1;
  setp.ge.u32 %q, %some, ${maxSamples};
  @%q bra COUNTED;
  mad.wide.u32 %place, %some, ${valueBytes * width}, %counts;
  add.u64 %place, %place, ${samplesAt(known)};
${samples.join('\n')}
COUNTED:
  }
${next(size)}
  ret;
}
`;
}

/** The offset in bytes of the samples in the buffer of counts. */
export const samplesAt = (known: readonly Outcome[]): number => Math.ceil((known.length + 1) / 2) * 8;

/** Reads an observable of the instance `%index`. */
function readText(test: LitmusTest, size: LaunchSize, observable: Observable, index: number): string {
  const result = `  mad.wide.u32 %place, %index, ${valueBytes}, %out;
  ld.global.u64 %value${index}, [%place+${index * instancesOf(size) * valueBytes}];`;
  if (observable.kind === 'register') return result;
  const inside = ({ address, variable }: TestVariable): boolean =>
    address <= observable.address && observable.address < address + variable.bytes;
  const found = globalsOf(test).find(inside);
  if (found === undefined) return result;
  const { name } = found.variable;
  const settings = new Map(settingsOf(test).map((setting, at) => [setting, 4 * (at + 1)]));
  const offset = observable.address - found.address;
  return `  ld.global.u32 %mul, [%settings+${get(settings, `mul_var_${name}`, 'a setting')}];
  ld.global.u32 %add, [%settings+${get(settings, `add_var_${name}`, 'a setting')}];
  mad.lo.u32 %mul, %index, %mul, %add;
  and.b32 %mul, %mul, ${instancesOf(size) - 1};
  mad.wide.u32 %place, %mul, ${locationBytes(found)}, %${memoryOf(name)};
  ld.global.u64 %value${index}, [%place+${offset - (offset % 8)}];
  shr.u64 %value${index}, %value${index}, ${8 * (offset % 8)};
  and.b64 %value${index}, %value${index}, ${2n ** BigInt(8 * observable.bytes) - 1n};`;
}
