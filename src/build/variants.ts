// Translates a kernel for each target, and records which properties of the target the translator
// reads. A shader depends only on these properties, so it can be used by every device that has
// them.

import type { FloatProfile } from '../base/float-profile.ts';
import { type LanePlan, planFor } from '../base/lane-plan.ts';
import { floatStrengths, type Strength, strengthBit, strengths } from '../base/strengths.ts';
import {
  allWorkarounds,
  type Concerned,
  type WorkaroundId,
  type Workarounds,
  workarounds,
} from '../base/workarounds.ts';
import type { WgslProgram } from '../translate/index.ts';
import { allSizes, type Target, targets } from './targets.ts';

/** A shader of a kernel, and the strengths that a device must have to use it. */
export interface Variant {
  /** The subgroup size. It is negative if the shader requests it, and 0 for the portable plan. */
  readonly size: number;
  readonly needs: number;
  readonly program: WgslProgram;
}

/** The parts of an f32 profile that a user can choose. */
export type Arithmetic = Pick<FloatProfile, 'mode' | 'matrix'>;

export type TranslateFor = (adapter: {
  readonly plan: LanePlan;
  readonly float: FloatProfile;
  readonly workarounds: Workarounds;
}) => WgslProgram;

const isOfNvidia = ({ drivers }: Concerned): boolean => drivers?.every((driver) => driver === 'nvidia') === true;

/** The workarounds that only NVIDIA's driver needs. */
const nvidias: ReadonlySet<WorkaroundId> = new Set(
  workarounds.filter(([, adapters]) => isOfNvidia(adapters)).map(([id]) => id),
);

/**
 * A translation, the strengths that the translator queried, and those among them that the target
 * has.
 */
interface Translation {
  readonly asked: number;
  readonly found: number;
  readonly program: WgslProgram;
}

/**
 * Returns the shaders of a kernel for some plans. The shaders for each subgroup size are ordered
 * from the best. Throws the errors of `translateFor`.
 */
export function variantsOf(
  arithmetic: Arithmetic,
  sizes: readonly number[],
  translateFor: TranslateFor,
): readonly Variant[] {
  const chosen = allSizes.filter((size) => sizes.includes(size));
  const lists = chosen.map((size) => variantsFor(size, arithmetic, translateFor));
  const portable = chosen.includes(0) ? lists.at(-1) : undefined;
  // A device without a list for its size uses the portable list.
  return lists.flatMap((list) => (list !== portable && portable && isServedBy(list, portable) ? [] : list));
}

function variantsFor(size: number, arithmetic: Arithmetic, translateFor: TranslateFor): readonly Variant[] {
  const translations: Translation[] = [];
  const list: Variant[] = [];
  for (const target of targets.filter(({ sizes }) => sizes.includes(size))) {
    for (const subgroupId of size === 0 ? [false] : target.subgroupId) {
      const offered = strengthsOf(target, size, subgroupId);
      const known = translations.find(({ asked, found }) => (offered & asked) === found);
      const translation = known ?? record(target, { arithmetic, size, subgroupId }, translateFor);
      if (!known) translations.push(translation);
      list.push({ size, needs: translation.found, program: translation.program });
    }
  }
  return withoutRedundant(list);
}

/** The subgroup sizes of NVIDIA's GPUs and of unknown adapters. */
const nvidiaSizes: readonly number[] = [32, -32, 0];

function strengthsOf({ float, otherDriver }: Target, size: number, subgroupId: boolean): number {
  const driver = otherDriver && nvidiaSizes.includes(size) ? strengthBit('otherDriver') : 0;
  return floatStrengths(float) | driver | (subgroupId ? strengthBit('subgroupId') : 0);
}

interface Shape {
  readonly arithmetic: Arithmetic;
  readonly size: number;
  readonly subgroupId: boolean;
}

/** Translates, and records the properties of the target that the translator reads. */
function record(target: Target, { arithmetic, size, subgroupId }: Shape, translateFor: TranslateFor): Translation {
  let asked = 0;
  const onRead = (name: PropertyKey): void => {
    const found = strengths.find((strength) => strength === name);
    if (found !== undefined) asked |= strengthBit(found);
  };
  class Recorded extends Set<WorkaroundId> {
    override has(id: WorkaroundId): boolean {
      if (nvidias.has(id)) onRead('otherDriver' satisfies Strength);
      return super.has(id);
    }
  }
  const isOther = target.otherDriver || !nvidiaSizes.includes(size);
  const program = translateFor({
    plan: recorded(planFor(Math.abs(size), { subgroupId, sizeControl: size < 0 }), onRead),
    float: recorded({ ...target.float, ...arithmetic }, onRead),
    workarounds: new Recorded([...allWorkarounds].filter((id) => !(isOther && nvidias.has(id)))),
  });
  return { asked, found: asked & strengthsOf(target, size, subgroupId), program };
}

function recorded<T extends object>(from: T, onRead: (name: PropertyKey) => void): T {
  return new Proxy(from, {
    get(target, name, receiver) {
      onRead(name);
      return Reflect.get(target, name, receiver);
    },
  });
}

/**
 * Removes shaders that are never needed. This applies to a shader that needs all strengths of an
 * earlier shader, because no device would select it. It also applies to a shader with the same code
 * as the next one, if every device that can use it can also use the next one.
 */
function withoutRedundant(list: readonly Variant[]): readonly Variant[] {
  const reachable = list.filter(({ needs }, at) => !list.slice(0, at).some((other) => isWithin(other.needs, needs)));
  const kept: Variant[] = [];
  for (const variant of reachable.toReversed()) {
    const next = kept[0];
    if (next && next.program.code === variant.program.code && isWithin(next.needs, variant.needs)) continue;
    kept.unshift(variant);
  }
  return kept;
}

const isWithin = (needs: number, others: number): boolean => (needs & others) === needs;

/** Whether the adapters in `targets` would select the same code from `other` as from `list`. */
function isServedBy(list: readonly Variant[], other: readonly Variant[]): boolean {
  const [{ size } = { size: 0 }] = list;
  const choose = (variants: readonly Variant[], offered: number) =>
    variants.find(({ needs }) => isWithin(needs, offered))?.program.code;
  return targets
    .filter(({ sizes }) => sizes.includes(size))
    .flatMap((target) => target.subgroupId.map((subgroupId) => strengthsOf(target, size, subgroupId)))
    .every((offered) => choose(list, offered) === choose(other, offered));
}
