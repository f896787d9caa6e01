// The launches of the gallery: kernels, arguments and order. This file does not depend on devices.
import type { PlannedLaunch } from '../gpt/launches.ts';

export interface GalleryPlan {
  /** The sizes of buffers in bytes, by name. */
  readonly buffers: ReadonlyMap<string, number>;
  readonly launches: readonly PlannedLaunch[];
}

const keysPerBlock = 2048;

/** Returns a plan that sorts the `count` words of `keys`. */
export function sortPlan(count: number): GalleryPlan {
  const blocks = Math.ceil(count / keysPerBlock);
  const grid = [blocks, 1] as const;
  const block = [256, 1] as const;
  const launches: PlannedLaunch[] = [];
  for (let shift = 0; shift < 32; shift += 4) {
    const [from, to] = shift % 8 === 0 ? ['keys', 'other'] : ['other', 'keys'];
    launches.push(
      { kernel: 'count_digits', grid, block, args: [count, shift, from, 'counts'] },
      { kernel: 'add_up', grid: [1, 1], block, args: [16 * blocks, 'counts'] },
      { kernel: 'put_in_place', grid, block, args: [count, shift, from, 'counts', to] },
    );
  }
  const buffers = new Map([
    ['keys', 4 * count],
    ['other', 4 * count],
    ['counts', 4 * 16 * blocks],
  ]);
  return { buffers, launches };
}

export interface MandelbrotPlace {
  readonly x: number;
  readonly y: number;
  /** The size of a pixel in the complex plane. */
  readonly size: number;
}

/**
 * Returns a plan for the part of the set around a place. The width must be a multiple of 8, and the
 * height a multiple of 32.
 */
export function mandelbrotPlan(width: number, height: number, most: number, place: MandelbrotPlace): GalleryPlan {
  const { x, y, size } = place;
  const corner = [{ f32: x - (size * width) / 2 }, { f32: y - (size * height) / 2 }, { f32: size }];
  const buffers = new Map([
    ['steps', 4 * width * height],
    ['rounds', 4 * width * height],
  ]);
  const args = [width, most, ...corner, 'steps', 'rounds'];
  return { buffers, launches: [{ kernel: 'mandelbrot', grid: [width / 8, height / 32], block: [8, 32], args }] };
}

/**
 * Returns a plan of two steps: one from `places` to `moved`, and one back. The count must be a
 * multiple of 256.
 */
export function bodiesPlan(count: number, time: number, softening: number): GalleryPlan {
  const step = (from: string, to: string): PlannedLaunch => ({
    kernel: 'move_bodies',
    grid: [count / 256, 1],
    block: [256, 1],
    args: [count, { f32: time }, { f32: softening }, from, 'velocities', to],
  });
  const buffers = new Map(['places', 'moved', 'velocities'].map((name) => [name, 16 * count]));
  return { buffers, launches: [step('places', 'moved'), step('moved', 'places')] };
}

/**
 * Returns two discs of bodies that pass each other: the positions with masses, and the velocities,
 * with four numbers for each body.
 */
export function twoDiscs(count: number): { readonly places: Float32Array; readonly velocities: Float32Array } {
  const places = new Float32Array(4 * count);
  const velocities = new Float32Array(4 * count);
  for (let body = 0; body < count; body++) {
    const side = body % 2 === 0 ? 1 : -1;
    // Distribute the bodies evenly over a disc: the directions of consecutive bodies differ by the
    // golden angle.
    const radius = 0.05 + 0.55 * Math.sqrt((body + 0.5) / count);
    const angle = body * 2.399963;
    const around = side * Math.sqrt(0.5 * radius);
    places.set(
      [
        side * 0.7 + radius * Math.cos(angle),
        side * 0.25 + radius * Math.sin(angle),
        0.1 * Math.sin(7 * angle),
        1 / count,
      ],
      4 * body,
    );
    velocities.set([-around * Math.sin(angle) - side * 0.25, around * Math.cos(angle), 0, 0], 4 * body);
  }
  return { places, velocities };
}
