// Plans a transformer and its training as buffers and launches. The plan can be used by any host.
// This file does not depend on devices.

export interface Shape {
  readonly layers: number;
  /** The number of channels. Each head has 32 channels. */
  readonly width: number;
  /** The maximum number of previous characters on which a prediction depends. */
  readonly context: number;
  /** The number of text pieces in a step. */
  readonly batch: number;
}

export interface Task extends Shape {
  readonly seed: number;
  /** The text, as indices of characters in the alphabet. */
  readonly text: Int32Array;
  readonly vocabulary: number;
  /** The type of the factors of matrix products; by default `f32`. */
  readonly matrices?: MatrixType;
}

/**
 * The type of factors. With `f16`, `mma.sync` multiplies factors that are rounded to f16, and adds
 * the products in f32.
 */
export type MatrixType = 'f32' | 'f16';

/** The name of a buffer, a whole number, or an f32. */
export type Argument = string | number | { readonly f32: number };

export interface PlannedLaunch {
  readonly kernel: string;
  readonly grid: readonly [x: number, y: number];
  readonly block: readonly [x: number, y: number];
  readonly args: readonly Argument[];
}

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

const f32 = (value: number): Argument => ({ f32: Math.fround(value) });

export interface ParameterPlace {
  readonly at: number;
  readonly count: number;
}

/**
 * Collects the offsets of matrices and vectors among the parameters. Matrices are first, because
 * weight decay applies only to matrices.
 */
class Parameters {
  readonly places = new Map<string, ParameterPlace>();
  #count = 0;

  add(name: string, count: number): number {
    const at = this.#count;
    this.places.set(name, { at, count });
    this.#count += count;
    return at;
  }

  at(name: string): number {
    const place = this.places.get(name);
    if (!place) throw new RangeError(`unknown parameters ${name}`);
    return place.at;
  }

  get count(): number {
    return this.#count;
  }
}

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

/** Returns a launch with one thread for each element. */
function flat(kernel: string, count: number, threads: number, args: readonly Argument[]): PlannedLaunch {
  return { kernel, grid: [Math.ceil(count / threads), 1], block: [threads, 1], args };
}

/** Returns a launch of one block of 256 threads. */
const block = (kernel: string, args: readonly Argument[]): PlannedLaunch => ({
  kernel,
  grid: [1, 1],
  block: [256, 1],
  args,
});

/** Creates the launches of the layers, forward and backward. */
class Network {
  readonly buffers = new Map<string, number>();
  readonly #shape: Shape;
  readonly #places: Parameters;
  readonly #stride: number;
  readonly #rows: number;
  readonly #matrices: MatrixType;

  constructor(shape: Task, places: Parameters, stride: number) {
    this.#shape = shape;
    this.#matrices = shape.matrices ?? 'f32';
    this.#places = places;
    this.#stride = stride;
    this.#rows = shape.batch * shape.context;
  }

  /**
   * Returns the name of a buffer with at least this number of words. Creates the buffer if it does
   * not exist.
   */
  buffer(name: string, words: number): string {
    this.buffers.set(name, Math.max(4 * words, this.buffers.get(name) ?? 0));
    return name;
  }

  /**
   * Returns the launches from tokens to logits. In training, these launches also store the results
   * of the layers for the backward pass.
   */
  forward(prefix: string, batch: number): readonly PlannedLaunch[] {
    const { layers, width, context } = this.#shape;
    const places = this.#places;
    const rows = batch * context;
    const named = (name: string, words: number): string => this.buffer(prefix + name, words);
    const launches: PlannedLaunch[] = [];
    const norm = (name: string, from: string, at: string): string => {
      const out = named(`${at}.out`, rows * width);
      const args = [width, places.at(`${name}.gain`), places.at(`${name}.bias`), from, 'params', out];
      args.push(named(`${at}.means`, rows), named(`${at}.scales`, rows));
      launches.push(byRows('layer_norm', rows, args));
      return out;
    };
    const product = (name: string, from: string, at: string, inner: number, columns: number): string => {
      const bias = name === 'head' ? -1 : places.at(`${name}.bias`);
      const out = named(at, rows * columns);
      launches.push(this.#tiles('matmul', rows, columns, [inner, columns, places.at(name), bias, from, 'params', out]));
      return out;
    };
    const residual = (x: string, change: string, at: string): string => {
      const out = named(at, rows * width);
      launches.push(flat('residual', rows * width, 256, [x, change, out]));
      return out;
    };
    const tokens = named('tokens', rows);
    let x = named('0.x', rows * width);
    const embedded = [width, context, places.at('tokens'), places.at('places'), tokens, 'params', x];
    launches.push(flat('embed', rows * width, 256, embedded));
    for (let layer = 0; layer < layers; layer++) {
      // The layers of a sample use two buffers alternately.
      const [here, next] = prefix === '' ? [layer, layer + 1] : [0, (layer + 1) % 2];
      const first = norm(`${layer}.first`, x, `${here}.first`);
      const qkv = product(`${layer}.qkv`, first, `${here}.qkv`, width, 3 * width);
      const mixed = named(`${here}.mixed`, rows * width);
      const shares = named(`${here}.shares`, ((rows * width) / 32) * context);
      const heads = [context, width / 32, f32(Math.sqrt(1 / 32))];
      launches.push(byRows('attention', (rows * width) / 32, [...heads, qkv, shares, mixed]));
      const mix = product(`${layer}.mix`, mixed, 'mix', width, width);
      const middle = residual(x, mix, `${here}.middle`);
      const second = norm(`${layer}.second`, middle, `${here}.second`);
      const wide = product(`${layer}.widen`, second, `${here}.wide`, width, 4 * width);
      const bent = named(`${here}.bent`, rows * 4 * width);
      launches.push(flat('gelu', rows * 4 * width, 256, [wide, bent]));
      const narrow = product(`${layer}.narrow`, bent, 'narrow', 4 * width, width);
      x = residual(middle, narrow, `${next}.x`);
    }
    product('head', norm('last', x, 'last'), 'logits', width, this.#stride);
    return launches;
  }

  /** Returns the launches from the gradients of the logits to all gradients. */
  backward(): readonly PlannedLaunch[] {
    const { layers, width, context, batch } = this.#shape;
    const places = this.#places;
    const rows = this.#rows;
    const launches: PlannedLaunch[] = [];
    // A gradient is a mean over the rows, so some gradients would be too small for f16.
    const scale = 2 ** Math.round(Math.log2(rows));
    const scales = this.#matrices === 'f16' ? [f32(scale), f32(1 / scale)] : [];
    const product = (name: string, from: string, back: string, inner: number, columns: number, out: string): void => {
      const at = places.at(name);
      launches.push(
        this.#tiles('matmul_back_input', rows, inner, [
          ...[inner, columns, at, ...scales],
          ...[back, 'params', this.buffer(out, rows * inner)],
        ]),
        this.#tiles('matmul_back_weights', inner, columns, [rows, inner, columns, at, ...scales, from, back, 'grads']),
      );
      if (name === 'head') return;
      const args = [rows, columns, places.at(`${name}.bias`), back, 'grads'];
      launches.push({ kernel: 'bias_back', grid: [columns / 32, 1], block: [32, 8], args });
    };
    const norm = (name: string, from: string, at: string, back: string): void => {
      const [gain, bias] = [places.at(`${name}.gain`), places.at(`${name}.bias`)];
      const [means, scales] = [`${at}.means`, `${at}.scales`];
      launches.push(byRows('layer_norm_back', rows, [width, gain, from, 'params', means, scales, back, 'back.x']), {
        kernel: 'layer_norm_back_params',
        grid: [width / 32, 1],
        block: [32, 8],
        args: [width, rows, gain, bias, from, means, scales, back, 'grads'],
      });
    };
    const all = rows * width;
    // The last norm does not have a residual connection, so its gradients start from zeros.
    launches.push(flat('start_constant', all, 256, [0, all, f32(0), this.buffer('back.x', all)]));
    product('head', 'last.out', 'back.logits', width, this.#stride, 'back.norm');
    norm('last', `${layers}.x`, 'last', 'back.norm');
    const heads = [context, width / 32];
    for (let layer = layers - 1; layer >= 0; layer--) {
      product(`${layer}.narrow`, `${layer}.bent`, 'back.x', 4 * width, width, 'back.wide');
      launches.push(flat('gelu_back', 4 * all, 256, [`${layer}.wide`, 'back.wide']));
      product(`${layer}.widen`, `${layer}.second.out`, 'back.wide', width, 4 * width, 'back.norm');
      norm(`${layer}.second`, `${layer}.middle`, `${layer}.second`, 'back.norm');
      product(`${layer}.mix`, `${layer}.mixed`, 'back.x', width, width, 'back.mixed');
      const [qkv, shares] = [`${layer}.qkv`, `${layer}.shares`];
      const scores = this.buffer('back.shares', (all / 32) * context);
      const back = this.buffer('back.qkv', 3 * all);
      const scaled = [...heads, f32(Math.sqrt(1 / 32))];
      launches.push(
        byRows('attention_back_scores', all / 32, [...scaled, qkv, shares, 'back.mixed', scores, back]),
        byRows('attention_back_keys', all / 32, [...heads, qkv, shares, scores, 'back.mixed', back]),
      );
      product(`${layer}.qkv`, `${layer}.first.out`, 'back.qkv', width, 3 * width, 'back.norm');
      norm(`${layer}.first`, `${layer}.x`, `${layer}.first`, 'back.norm');
    }
    launches.push(
      {
        kernel: 'embed_back_tokens',
        grid: [this.#stride, width / 32],
        block: [32, 8],
        args: [width, rows, places.at('tokens'), 'tokens', 'back.x', 'grads'],
      },
      flat('embed_back_places', context * width, 256, [width, context, batch, places.at('places'), 'back.x', 'grads']),
    );
    return launches;
  }

  /** Returns a launch with one block for each tile of 32 x 32 results. */
  #tiles(kernel: string, rows: number, columns: number, args: readonly Argument[]): PlannedLaunch {
    const grid = [columns / 32, rows / 32] as const;
    if (this.#matrices === 'f16') return { kernel: `${kernel}_f16`, grid, block: [128, 1], args };
    return { kernel, grid, block: [16, 16], args };
  }
}

/** Returns a launch with one warp for each row and four warps in a block. */
const byRows = (kernel: string, rows: number, args: readonly Argument[]): PlannedLaunch => ({
  kernel,
  grid: [rows / 4, 1],
  block: [32, 4],
  args,
});
