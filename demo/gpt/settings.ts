// The settings that determine a training. They are in the link's hash, so that everyone who opens
// the link trains the same model.
import type { MatrixMode } from '../../src/base/matrix-mode.ts';
import { firstRate } from './plan.ts';
import { isSize, type SizeName } from './sizes.ts';
import type { MatrixType } from './task.ts';

export interface Settings {
  readonly size: SizeName;
  readonly float: 'exact' | 'fast';
  readonly matrices: MatrixType;
  readonly seed: number;
  /** The learning rates, each with the step at which it begins. The first one begins at step 0. */
  readonly rates: readonly RateChange[];
  /**
   * The step at which to stop, and the bits of its loss on the machine on which the link was
   * created.
   */
  readonly goal: { readonly step: number; readonly bits: string } | undefined;
}

export interface RateChange {
  readonly after: number;
  readonly rate: number;
}

export const firstSettings: Settings = {
  size: 'small',
  float: 'exact',
  matrices: 'f32',
  seed: 1,
  rates: [{ after: 0, rate: firstRate }],
  goal: undefined,
};

/**
 * Returns the matrix mode of f16 products. With exact floats, the products have the same bits as on
 * NVIDIA's sm_90 on every adapter.
 */
export const matrixMode = (float: Settings['float']): MatrixMode => (float === 'exact' ? 'hopper' : 'ieee');

/** The maximum number of changes of the learning rate in a link. */
const maxChanges = 100;
export const maxStep = 1_000_000;
export const [minRate, maxRate] = [1e-4, 1e-2];

export function hashOf({ size, float, matrices, seed, rates, goal }: Settings): string {
  const query = new URLSearchParams({ size, float, matrices, seed: String(seed) });
  query.set('rates', rates.map(({ after, rate }) => `${after}:${rate}`).join(','));
  if (goal) query.set('loss', `${goal.step}:${goal.bits}`);
  return query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/**
 * Returns the settings in a link's hash. Damaged or missing parts get their initial values. Does
 * not throw errors.
 */
export function settingsOf(hash: string): Settings {
  const query = new URLSearchParams(hash.replace(/^#/, '').slice(0, 10_000));
  const size = query.get('size') ?? '';
  const seed = query.get('seed') ?? '';
  const [, step = '', bits = ''] = /^(\d{1,7}):([\da-f]{8})$/.exec(query.get('loss') ?? '') ?? [];
  const goal = Number(step);
  return {
    size: isSize(size) ? size : firstSettings.size,
    float: query.get('float') === 'fast' ? 'fast' : 'exact',
    matrices: query.get('matrices') === 'f16' ? 'f16' : 'f32',
    seed: /^\d{1,9}$/.test(seed) ? Number(seed) : firstSettings.seed,
    rates: ratesOf(query.get('rates') ?? '') ?? firstSettings.rates,
    goal: goal >= 1 && goal <= maxStep ? { step: goal, bits } : undefined,
  };
}

function ratesOf(text: string): readonly RateChange[] | undefined {
  const changes: RateChange[] = [];
  for (const part of text.split(',')) {
    const [, after, rate] = /^(\d{1,7}):([\d.e-]{1,24})$/.exec(part) ?? [];
    const change = { after: Number(after), rate: Number(rate) };
    const isInOrder = changes.length === 0 ? change.after === 0 : change.after > (changes.at(-1)?.after ?? 0);
    if (!isInOrder || !(change.rate >= minRate && change.rate <= maxRate)) return undefined;
    changes.push(change);
  }
  return changes.length <= maxChanges ? changes : undefined;
}

/** Returns the settings with the learning rate `rate` from step `after` on, and without a goal. */
export function withRate(settings: Settings, after: number, rate: number): Settings {
  const before = settings.rates.filter((change) => change.after < after);
  return { ...settings, goal: undefined, rates: [...before, { after, rate }].slice(0, maxChanges) };
}
