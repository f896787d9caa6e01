// The prelude library: WGSL functions that lowerings call.

import { commonHelpers } from './helpers/common.ts';
import { elementaryHelpers } from './helpers/elementary.ts';
import type { Helper } from './helpers/helper.ts';
import { provideHelpers, renderKnownHelpers } from './helpers/library.ts';
import { rareHelpers } from './helpers/rare.ts';

export type HelperName = keyof typeof commonHelpers | keyof typeof elementaryHelpers | keyof typeof rareHelpers;

/** All helpers. */
export const helpers: Readonly<Record<HelperName, Helper>> = {
  ...commonHelpers,
  ...elementaryHelpers,
  ...rareHelpers,
};

/**
 * Returns the WGSL text of the helpers and of all functions that they call. A function follows the
 * functions that it calls.
 */
export function renderHelpers(used: Iterable<HelperName>): string {
  provideHelpers(elementaryHelpers);
  provideHelpers(rareHelpers);
  return renderKnownHelpers(used);
}
