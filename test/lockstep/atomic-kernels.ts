// Kernels around one atomic instruction.
import type { Launch } from '../../src/base/launch.ts';
import { generator } from './random-instructions.ts';

export type AtomicPlace = 'global' | 'shared' | 'generic' | 'generic-shared' | 'generic-mixed';

export interface AtomicForm {
  /** The opcode: `atom` returns the old value, `red` does not. */
  readonly opcode: 'atom' | 'red';
  /** The opcode after the state space, such as `add.u32` or `cas.b64`. */
  readonly tail: string;
  /** The type of the registers, and the numbers of operands and of bytes. */
  readonly register: 'b16' | 'b32' | 'b64' | 'f32' | 'f64';
  readonly operands: 1 | 2;
  readonly vector?: 2 | 4 | 8;
}

const threads = 40;
const bytesOf: Readonly<Record<AtomicForm['register'], number>> = { b16: 2, b32: 4, b64: 8, f32: 4, f64: 8 };

const zeros: Readonly<Record<AtomicForm['register'], string>> = {
  b16: '0', b32: '0', b64: '0', f32: '0f00000000', f64: '0d0000000000000000',
}; // biome-ignore format: one line

const spelled = (place: AtomicPlace): string => (place.startsWith('generic') ? '' : `.${place}`);

/**
 * Returns a launch in which each thread updates its own cell twice, and stores the old values and
 * the final value. The cells are in the memory of `place`; for `generic-mixed`, different threads
 * use global, shared and local memory.
 */
export function ownCells(form: AtomicForm, place: AtomicPlace, seed: number): Launch {
  const { opcode, tail, register, operands, vector = 1 } = form;
  const unit = bytesOf[register];
  const size = unit * vector;
  const names = (prefix: string) => Array.from({ length: vector }, (_, index) => `%${prefix}${index}`);
  const group = (prefix: string) => (vector === 1 ? `%${prefix}0` : `{${names(prefix).join(', ')}}`);
  const each = (prefix: string, line: (name: string, at: number) => string) =>
    names(prefix)
      .map((name, index) => line(name, index * unit))
      .join('\n');
  const update = (old: string) =>
    `${opcode}${spelled(place)}.${tail} ${opcode === 'atom' ? `${group(old)}, ` : ''}[%cell], ${group('b')}${operands === 2 ? `, ${group('c')}` : ''};`;
  const inputs = 3;
  const outputs = 3;
  const byThread = place === 'generic-mixed';
  const shared = place === 'shared' || place === 'generic-shared';
  const choose =
    place === 'global' || place === 'generic'
      ? 'mov.b64 %cell, %inGlobal;'
      : shared
        ? `mov.b64 %cell, %${place === 'shared' ? 'inShared' : 'sharedGeneric'};`
        : `rem.u32 %which, %thread, 3;
  setp.eq.u32 %p, %which, 0;
  selp.b64 %cell, %inGlobal, %sharedGeneric, %p;
  setp.eq.u32 %q, %which, 1;
  selp.b64 %cell, %localGeneric, %cell, %q;`;
  const ptx = `.version 8.6
.target sm_100
.address_size 64
.visible .entry atomics(.param .u64 out, .param .u64 cells, .param .u64 in) {
  .shared .align 16 .b8 tile[${threads * size}];
  ${byThread ? `.local .align 16 .b8 own[${size}];` : ''}
  .reg .b32 %thread, %n, %which;
  .reg .pred %p, %q;
  .reg .b64 %out, %in, %inGlobal, %inShared, %sharedGeneric, %localGeneric, %cell, %at;
  .reg .${register} %a<${vector}>, %b<${vector}>, %c<${vector}>, %d<${vector}>, %e<${vector}>, %f<${vector}>;
  ld.param.u64 %out, [out];
  ld.param.u64 %inGlobal, [cells];
  ld.param.u64 %in, [in];
  mov.u32 %thread, %tid.x;
  mad.wide.u32 %out, %thread, ${size * outputs}, %out;
  mad.wide.u32 %in, %thread, ${size * inputs}, %in;
  mad.wide.u32 %inGlobal, %thread, ${size}, %inGlobal;
  mov.u64 %at, tile;
  mad.wide.u32 %inShared, %thread, ${size}, %at;
  cvta.shared.u64 %sharedGeneric, %inShared;
  ${byThread ? 'mov.u64 %at, own;\n  cvta.local.u64 %localGeneric, %at;' : ''}
  ${choose}
  ${each('a', (name, at) => `ld.global.${register} ${name}, [%in+${at}];`)}
  ${each('b', (name, at) => `ld.global.${register} ${name}, [%in+${size + at}];`)}
  ${each('c', (name, at) => `ld.global.${register} ${name}, [%in+${2 * size + at}];`)}
  ${each('d', (name) => `mov.${register} ${name}, ${zeros[register]};`)}
  ${each('e', (name) => `mov.${register} ${name}, ${zeros[register]};`)}
  ${each('a', (name, at) => `st${spelled(place)}.${register} [%cell+${at}], ${name};`)}
  bar.sync 0;
  ${update('d')}
  ${update('e')}
  ${each('f', (name, at) => `ld${spelled(place)}.${register} ${name}, [%cell+${at}];`)}
  ${['d', 'e', 'f'].map((prefix, part) => each(prefix, (name, at) => `st.global.${register} [%out+${part * size + at}], ${name};`)).join('\n')}
  ret;
}
`;
  const random = generator(seed);
  const data = new Uint8Array(threads * size * inputs).map(() => random(256));
  const words = new DataView(data.buffer);
  for (let thread = 0; thread < threads; thread++) {
    const start = thread * size * inputs;
    for (let at = 0; at < size; at += unit) {
      // Some compared values equal the old values, and some operands of min and max are equal.
      if (thread % 3 === 0) data.copyWithin(start + size + at, start + at, start + at + unit);
      if (thread % 7 === 0) words.setUint8(start + at + unit - 1, 0);
      if (thread % 11 === 0) data.fill(0xff, start + at, start + at + unit);
    }
  }
  return {
    id: `${opcode}.${tail} on ${place}`,
    group: 'atomics',
    ptx,
    ptxFile: 'atomics.ptx',
    entry: 'atomics',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'u8', bytes: threads * size * outputs },
      { name: 'cells', kind: 'buffer', type: 'u8', bytes: threads * size },
      { name: 'in', kind: 'buffer', type: 'u8', bytes: data.length, data },
    ],
  };
}
