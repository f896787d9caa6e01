// The example programs of the PTX manual (shfl) and of NVIDIA's description of the SASS instruction
// SHFL, as printed there. Each lane's expected result is a function of the 32 inputs.

export interface Example {
  readonly name: string;
  readonly text: string;
  /** The registers that hold a lane's input and its result. */
  readonly input: string;
  readonly output: string;
  expected(lane: number, inputs: readonly number[]): number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const upTo = (lane: number, inputs: readonly number[]): number => sum(inputs.slice(0, lane + 1));
const from = (lane: number, inputs: readonly number[]): number => sum(inputs.slice(lane));
const before = (lane: number, inputs: readonly number[]): number => sum(inputs.slice(0, lane));
const total = (_: number, inputs: readonly number[]): number => sum(inputs);

const ptxScan = (mode: string, c: string): string =>
  ['0x1', '0x2', '0x4', '0x8', '0x10']
    .map((b) => `    shfl.${mode}.b32  Ry|p, Rx, ${b},  ${c};\n@p  add.f32      Rx, Ry, Rx;`)
    .join('\n');

const ptxButterfly = ['0x10', '0x8', '0x4', '0x2', '0x1']
  .map((b) => `    shfl.bfly.b32  Ry, Rx, ${b}, 0x1f;   // no predicate dest\n    add.f32        Rx, Ry, Rx;`)
  .join('\n');

const sassScan = (mode: string, c: number): string =>
  [1, 2, 4, 8, 16].map((b) => `    SHFL.${mode}     P1, Ry, Rx, ${b},  ${c}\n@P1 FADD        Rx, Ry, Rx`).join('\n');

const sassButterfly = [16, 8, 4, 2, 1]
  .map((b) => `    SHFL.BFLY   __, Ry, Rx, ${b},  31   // We never use the predicate\n    FADD        Rx, Ry, Rx`)
  .join('\n');

const exclusive = `
    SHFL.UP     P1, Rx, Rx, 1, 0
    SEL         Rx, Rx, 0, P1     // Use appropriate identity for 0 with other operators`;

const inPlace = { input: 'Rx', output: 'Rx' } as const;

const scans: readonly Example[] = [
  { name: 'ptx-scan', text: ptxScan('up', '0x0'), ...inPlace, expected: upTo },
  { name: 'ptx-reverse-scan', text: ptxScan('down', '0x1f'), ...inPlace, expected: from },
  { name: 'ptx-butterfly', text: ptxButterfly, ...inPlace, expected: total },
  { name: 'sass-scan', text: sassScan('UP', 0), ...inPlace, expected: upTo },
  { name: 'sass-exclusive-scan', text: sassScan('UP', 0) + exclusive, ...inPlace, expected: before },
  { name: 'sass-reverse-scan', text: sassScan('DOWN', 31), ...inPlace, expected: from },
  { name: 'sass-butterfly', text: sassButterfly, ...inPlace, expected: total },
];

/** Emulations of FSWZ: exchanges within quads of lanes. */
const quads: readonly Example[] = [
  ...[0, 1, 2, 3].map(
    (n): Example => ({
      name: `sass-quad-smear-${n}`,
      text: `SHFL.IDX   PT, Ry, Rx, ${n},  0x1C03;  // broadcast = ${n}, Mask = 5'b11100, Max = 3 (within quad)`,
      input: 'Rx',
      output: 'Ry',
      expected: (lane, inputs) => inputs[Math.floor(lane / 4) * 4 + n] ?? 0,
    }),
  ),
  ...[1, 2].map(
    (n): Example => ({
      name: `sass-quad-exchange-${n}`,
      text: `SHFL.BFLY  PT, Ry, Rx, ${n},  0x1C03;  // exchange with tid^${n}, Mask = 5'b11100, Max = 3 (within quad)`,
      input: 'Rx',
      output: 'Ry',
      expected: (lane, inputs) => inputs[Math.floor(lane / 4) * 4 + ((lane % 4) ^ n)] ?? 0,
    }),
  ),
];

export const examples: readonly Example[] = [...scans, ...quads];
