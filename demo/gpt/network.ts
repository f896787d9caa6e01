// Creates the launches of a transformer's layers, forward and backward.

import { type Argument, byRows, f32, flat, type PlannedLaunch } from './launches.ts';
import type { MatrixType, Shape, Task } from './task.ts';

export interface ParameterPlace {
  readonly at: number;
  readonly count: number;
}

/**
 * Collects the offsets of matrices and vectors among the parameters. Matrices are first, because
 * weight decay applies only to matrices.
 */
export class Parameters {
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

/** Creates the launches of the layers, forward and backward. */
export class Network {
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
