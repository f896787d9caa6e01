// The state of the page. A link contains the whole state.
import type { Dim3, ScalarKind } from '../src/base/launch.ts';

export type View = 'playground' | 'validate' | 'bench' | 'litmus';
export type Format = 'auto' | 'unsigned' | 'signed' | 'hex' | 'float';
export type Pattern = 'lane' | 'one-based' | 'random' | 'constant' | 'alternate' | 'values';

/** The contents of an input register or of a kernel parameter. */
export interface InputSpec {
  readonly pattern: Pattern;
  /** The constant, the seed for `random`, or the values, separated by commas. */
  readonly value: string;
  /** The kind of a kernel parameter, if the user has chosen a buffer or a scalar. */
  readonly as?: 'buffer' | 'scalar';
  readonly type?: ScalarKind;
  readonly count?: number;
}

export interface AppState {
  readonly view: View;
  readonly text: string;
  /** The CUDA source to which the `.loc` directives of the text refer. */
  readonly cuda: string;
  /**
   * The inputs, by the name of the register or kernel parameter. A map is used instead of an
   * object, because a name in the text may be `constructor`.
   */
  readonly inputs: ReadonlyMap<string, InputSpec>;
  /** The mask of the lanes that run a fragment. The other lanes exit before the fragment. */
  readonly runs: number;
  /** The name of the kernel in a module; '' for the first kernel. */
  readonly entry: string;
  /**
   * The number of threads of a block, the number of blocks, and the number of bytes of dynamic
   * shared memory. A value is undefined if the page infers it.
   */
  readonly block: Dim3 | undefined;
  readonly grid: Dim3 | undefined;
  readonly shared: number | undefined;
  /**
   * The number of the shown step, and the traced warp: the number of its block in linear order, and
   * its number in the block.
   */
  readonly step: number;
  readonly cta: number;
  readonly warp: number;
  readonly format: Format;
  /** The subgroup size for the WGSL. `auto` means the subgroup size of the GPU. */
  readonly plan: 'auto' | '4' | '8' | '16' | '32' | '64' | '128' | '0';
  readonly float: 'exact' | 'fast';
  readonly query: string;
  readonly seed: number;
}

/**
 * The maximum number of threads in a block, of blocks in a grid, of elements in a buffer, and of
 * bytes of dynamic shared memory. These limits apply to the page and to links.
 */
export const maxBlock = 1024;
export const maxGrid = 1024;
export const maxCount = 1 << 16;
export const maxShared = 96 * 1024;

export const initialState: AppState = {
  view: 'playground',
  text: '',
  cuda: '',
  inputs: new Map(),
  runs: 0xffffffff,
  entry: '',
  block: undefined,
  grid: undefined,
  shared: undefined,
  step: 0,
  cta: 0,
  warp: 0,
  format: 'auto',
  plan: 'auto',
  float: 'exact',
  query: 'shfl.sync',
  seed: 1,
};

type Listener = (state: AppState, changed: ReadonlySet<keyof AppState>) => void;

/** Stores the state and notifies listeners of changes. */
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
