// Accesses of 128 bits to one register, accesses of 256 bits to several registers, and parameters
// whose address is in a register.
import { dialectsFor } from './dialects.ts';
import { type LaneTemplate, written } from './lane-template.ts';

/**
 * Restricts the dialects of templates with requirements that the ISA rows do not contain: those of
 * register types and of parameter addresses.
 */
const since = (ptx: string, target: string, templates: readonly LaneTemplate[]): LaneTemplate[] =>
  templates.map((template) => {
    const later = dialectsFor({ ptx, target });
    return { ...template, dialects: template.dialects.filter((name) => later.includes(name)) };
  });

/** Loads and stores in every state space that has 16 bytes for each thread. */
const whole = ['global MEM', 'shared CELL', 'local STACK', ' MEM'].flatMap((text) => {
  const [space = '', at = ''] = text.split(' ');
  const dotted = space === '' ? '' : `.${space}`;
  return [
    written('b128', `ld${dotted}.b128 T0, [${at}]; mov.b128 {D0, D1}, T0`, 'dd', '', 'x'),
    written('b128', `mov.b128 T0, {S0, S1}; st${dotted}.b128 [${at}], T0`, '', 'dd', 'x'),
    written('b128', `ld${dotted}.b128 T0, [${at}]; mov.b128 T1, T0; mov.b128 {T2, D0}, T1`, 'd', '', 'xxd'),
  ];
});
const constant = ['const TABLE', 'param BLOB', 'global.nc INPUT'].flatMap((text) => {
  const [space = '', at = ''] = text.split(' ');
  if (at !== 'INPUT') return [written('b128', `ld.${space}.b128 T0, [${at}]; mov.b128 {D0, D1}, T0`, 'dd', '', 'x')];
  // A thread's part of the input is aligned to 16 bytes.
  return [written('b128', `ld.${space}.b128 T0, [IN+32]; mov.b128 {D0, D1}, T0`, 'dd', '', 'x')];
});

const temporaries = (from: number, count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `T${from + i}`).join(', ')}}`;

/** Returns lines that combine all elements of the vector into one register. */
const folded = (type: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `mad.lo.${type} D0, D0, 31, T${i + 1}`).join('; ');

/**
 * Lines for the address of 32 bytes of the input's first kilobyte, which every launch has. A
 * register selects the bytes.
 */
const from = 'and.b32 T0, S0, 31';
const place = 'mad.wide.u32 T9, T0, 32, BASE';
const wide = [
  ...['global', 'global.nc', ''].flatMap((space) => {
    const dotted = space === '' ? '' : `.${space}`;
    return [
      written(
        'wide',
        `${from}; ${place}; ld${dotted}.v8.b32 ${temporaries(1, 8)}, [T9]; mov.u32 D0, 0; ${folded('u32', 8)}`,
        'r',
        'r',
        'rrrrrrrrrd',
      ),
      written(
        'wide',
        `${from}; ${place.replaceAll('T9', 'T5')}; ld${dotted}.v4.b64 ${temporaries(1, 4)}, [T5]; mov.u64 D0, 0; ${folded('u64', 4)}`,
        'd',
        'r',
        'rddddd',
      ),
      written(
        'wide',
        `${from}; ${place}; ld${dotted}.v8.f32 ${temporaries(1, 8)}, [T9]; min.f32 D0, T1, T8; max.f32 D0, D0, T5`,
        'f',
        'r',
        'rffffffffd',
      ),
    ];
  }),
  ...['global', ''].flatMap((space) => {
    const dotted = space === '' ? '' : `.${space}`;
    return [
      written(
        'wide',
        `ld${dotted}.v8.u32 ${temporaries(1, 8)}, [MEM]; mov.u32 D0, 0; ${folded('u32', 8)}`,
        'r',
        '',
        'rrrrrrrrr',
      ),
      written('wide', `st${dotted}.v8.b32 [MEM], {S0, S1, S2, S3, S3, S2, S1, S0}`, '', 'rrrr'),
      written('wide', `st${dotted}.v4.b64 [MEM], {S0, S1, S2, S0}`, '', 'ddd'),
      written('wide', `st${dotted}.v8.f32 [MEM], {S0, S1, S2, S0, S1, S2, S0, S1}`, '', 'fff'),
    ];
  }),
];

/**
 * Loads from a parameter through its `.param` address and through its generic address, at an offset
 * that is in a register.
 */
const addressed = ['u8 r 15', 's8 r 15', 'u16 h 14', 's16 r 14', 'b32 r 12', 'b64 d 8', 'f32 f 12'].flatMap((text) => {
  const [type = '', name = '', mask = ''] = text.split(' ');
  const address = `and.b32 T0, S0, ${mask}; cvt.u64.u32 T1, T0; mov.b64 T2, BLOB; add.u64 T2, T2, T1`;
  return [
    ...since('1.0', 'sm_20', [written('blob', `${address}; ld.param.${type} D0, [T2]`, name, 'r', 'rdd')]),
    ...since('7.7', 'sm_70', [
      written('blob', `${address}; cvta.param.u64 T2, T2; ld.${type} D0, [T2]`, name, 'r', 'rdd'),
    ]),
  ];
});
const addressedVectors = since('7.7', 'sm_70', [
  written('blob', 'mov.b64 T0, BLOB; cvta.param.u64 T0, T0; ld.v2.u32 {D0, D1}, [T0+8]', 'rr', '', 'd'),
  written('blob', 'mov.b64 T0, BLOB; ld.param.v4.b32 {D0, D1, D2, D3}, [T0]', 'rrrr', '', 'd'),
]);

export const wideTemplates: readonly LaneTemplate[] = [
  ...since('8.3', 'sm_70', [...whole, ...constant]),
  ...since('8.8', 'sm_100', wide),
  ...addressed,
  ...addressedVectors,
];
