// What the page is about: all of it travels in a link.
import type { ScalarKind } from '../src/base/launch.ts';

export type View = 'playground' | 'validate' | 'bench';
export type Format = 'auto' | 'unsigned' | 'signed' | 'hex' | 'float';
export type Pattern = 'lane' | 'one-based' | 'random' | 'constant' | 'alternate' | 'values';

/** Contents of an input register, or of a kernel parameter. */
export interface InputSpec {
  readonly pattern: Pattern;
  /** The constant, the seed of `random`, or the values with commas between. */
  readonly value: string;
  /** Of a kernel parameter. */
  readonly as?: 'buffer' | 'scalar';
  readonly type?: ScalarKind;
  readonly count?: number;
}

export interface AppState {
  readonly view: View;
  readonly text: string;
  /** By input register, or by kernel parameter. A map: the names are the text's, and may be `constructor`. */
  readonly inputs: ReadonlyMap<string, InputSpec>;
  /** Lanes of a fragment that run it; the others have exited before. */
  readonly runs: number;
  /** Of a module: the kernel ('' for the only one), threads of a block, blocks. */
  readonly entry: string;
  readonly block: number;
  readonly grid: number;
  /** Step of the trace that is shown, and the warp. */
  readonly step: number;
  readonly warp: number;
  readonly format: Format;
  /** Subgroup size to write WGSL for; `auto` is this GPU's. */
  readonly plan: 'auto' | '4' | '8' | '16' | '32' | '64' | '128' | '0';
  readonly float: 'exact' | 'fast';
  readonly query: string;
  readonly seed: number;
}

/** Threads of a block, blocks of a grid, elements of a buffer: what the page offers, and what a link may ask for. */
export const maxBlock = 1024;
export const maxGrid = 64;
export const maxCount = 1 << 16;

export const initialState: AppState = {
  view: 'playground',
  text: '',
  inputs: new Map(),
  runs: 0xffffffff,
  entry: '',
  block: 32,
  grid: 1,
  step: 0,
  warp: 0,
  format: 'auto',
  plan: 'auto',
  float: 'exact',
  query: 'shfl.sync',
  seed: 1,
};

type Listener = (state: AppState, changed: ReadonlySet<keyof AppState>) => void;

/** Holds the state and tells of changes. */
export class Store {
  #state: AppState;
  readonly #listeners: Listener[] = [];

  constructor(state: AppState) {
    this.#state = state;
  }

  get state(): AppState {
    return this.#state;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  set(change: Partial<AppState>): void {
    const next: AppState = { ...this.#state, ...change };
    const keys = Object.keys(initialState).filter((key): key is keyof AppState => key in initialState);
    const changed = new Set(keys.filter((key) => next[key] !== this.#state[key]));
    if (changed.size === 0) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, changed);
  }
}
