// Plans a transformer and its training as buffers and launches. The plan can be used by any host.
// This file does not depend on devices.

import { block, f32, flat, type PlannedLaunch } from './launches.ts';
import { Network, type ParameterPlace, Parameters } from './network.ts';
import type { MatrixType, Task } from './task.ts';

export interface Plan {
  /** The sizes of buffers in bytes, by name. The buffers initially contain zeros. */
  readonly buffers: ReadonlyMap<string, number>;
  readonly contents: ReadonlyMap<string, Int32Array | Float32Array>;
  readonly setup: readonly PlannedLaunch[];
  /** The launches of a training step, which are the same for every step. */
  readonly step: readonly PlannedLaunch[];
  /**
   * Draws the next character of a sample. `place` is the character's index in the context, and
   * `drawn` its index in the sample.
   */
  readonly draw: (place: number, drawn: number) => readonly PlannedLaunch[];
  /** The launch that moves the second half of the sample's context to the first half. */
  readonly slide: PlannedLaunch;
  readonly parameters: number;
  /** The offsets of matrices and vectors among the parameters. */
  readonly places: ReadonlyMap<string, ParameterPlace>;
  /** The number of characters in a step. */
  readonly tokens: number;
  readonly matrices: MatrixType;
}

/** The number of losses that the device stores. The loss of step n is at index n % ring. */
export const ring = 4096;
/** The maximum length of a sample in characters. */
export const maxSample = 1024;

const beta1 = 0.9;
const beta2 = 0.99;
const warmup = 40;
/** The initial learning rate, `rates[0]`. */
export const firstRate = 0.002;

/**
 * Returns the plan of a transformer that learns a text character by character. Throws RangeError
 * for a shape that the kernels do not support.
 */
export function planOf(task: Task): Plan {
  const { layers, width, context, batch, seed, vocabulary } = task;
  for (const [name, size] of Object.entries({ width, context }))
    if (size % 32 !== 0 || size < 32) throw new RangeError(`invalid ${name} ${size}: expected a multiple of 32`);
  if (task.text.length <= context) throw new RangeError('the text is shorter than its context');
  const places = new Parameters();
  const setup: PlannedLaunch[] = [];
  const stride = Math.ceil(vocabulary / 32) * 32;
  const matrix = (name: string, rows: number, columns: number, scale: number): void => {
    const [count, first] = [rows * columns, places.add(name, rows * columns)];
    setup.push(flat('start_uniform', count, 256, [first, count, seed, f32(scale), 'params']));
  };
  const fan = Math.sqrt(1 / width);
  const branch = Math.sqrt(1 / (2 * layers));
  matrix('tokens', stride, width, 0.05);
  matrix('places', context, width, 0.05);
  for (let layer = 0; layer < layers; layer++) {
    matrix(`${layer}.qkv`, width, 3 * width, fan);
    matrix(`${layer}.mix`, width, width, fan * branch);
    matrix(`${layer}.widen`, width, 4 * width, fan);
    matrix(`${layer}.narrow`, 4 * width, width, 0.5 * fan * branch);
  }
  matrix('head', width, stride, 0.5 * fan);
  const decayed = places.count;
  const vector = (name: string, count: number, isGain = false): void => {
    const first = places.add(name, count);
    if (isGain) setup.push(flat('start_constant', count, 256, [first, count, f32(1), 'params']));
  };
  const norm = (name: string): void => {
    vector(`${name}.gain`, width, true);
    vector(`${name}.bias`, width);
  };
  for (let layer = 0; layer < layers; layer++) {
    norm(`${layer}.first`);
    norm(`${layer}.second`);
    vector(`${layer}.qkv.bias`, 3 * width);
    vector(`${layer}.mix.bias`, width);
    vector(`${layer}.widen.bias`, 4 * width);
    vector(`${layer}.narrow.bias`, width);
  }
  norm('last');

  const network = new Network(task, places, stride);
  const count = places.count;
  const sums = Math.ceil(count / 4096);
  for (const name of ['params', 'grads', 'means', 'squares']) network.buffer(name, count);
  network.buffer('text', task.text.length);
  network.buffer('clock', 1);
  network.buffer('rates', 8);
  network.buffer('history', ring);
  network.buffer('sums', sums);
  network.buffer('drawn', maxSample);
  network.buffer('targets', batch * context);
  const rows = batch * context;
  network.buffer('losses', rows);

  const training = network.forward('', batch);
  const step: PlannedLaunch[] = [
    { kernel: 'advance', grid: [1, 1], block: [1, 1], args: [warmup, f32(beta1), f32(beta2), 'clock', 'rates'] },
    flat('take_batch', rows, 32, [context, task.text.length - 1, seed, 'text', 'clock', 'tokens', 'targets']),
    ...training,
    {
      kernel: 'cross_entropy',
      grid: [rows / 4, 1],
      block: [32, 4],
      args: [
        vocabulary,
        stride,
        f32(1 / rows),
        'targets',
        'logits',
        'losses',
        network.buffer('back.logits', rows * stride),
      ],
    },
    block('mean_loss', [rows, ring, f32(1 / rows), 'clock', 'losses', 'history']),
    ...network.backward(),
    { ...block('sum_squares', [count, 'grads', 'sums']), grid: [sums, 1] },
    block('clip', [sums, 'sums', 'rates']),
    flat('adamw', count, 256, [
      ...[count, decayed, f32(beta1), f32(beta2), f32(1e-8), f32(0.05)],
      ...['rates', 'grads', 'means', 'squares', 'params'],
    ]),
  ];
  const forward = network.forward('sample.', 1);
  return {
    buffers: network.buffers,
    contents: new Map<string, Int32Array | Float32Array>([
      ['text', task.text],
      ['rates', Float32Array.of(firstRate, 1, 1, 0, 0, 0, 0, 0)],
    ]),
    setup,
    step,
    draw: (place, drawn) => [
      ...forward,
      {
        kernel: 'pick',
        grid: [1, 1],
        block: [32, 1],
        args: [
          place,
          drawn,
          vocabulary,
          stride,
          seed ^ 1,
          f32(1.25),
          'sample.logits',
          'clock',
          'sample.tokens',
          'drawn',
        ],
      },
    ],
    slide: { kernel: 'slide', grid: [1, 1], block: [context / 2, 1], args: ['sample.tokens'] },
    parameters: count,
    places: places.places,
    tokens: rows,
    matrices: task.matrices ?? 'f32',
  };
}
