// The entry point `lanewise/rollup`.

import { lanewise } from './plugin.ts';

export type { PluginOptions } from './plugin.ts';

/** Returns the plugin for Rollup. */
export default lanewise.rollup;
