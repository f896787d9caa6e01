// The entry point `lanewise/webpack`.

import { lanewise } from './plugin.ts';

export type { PluginOptions } from './plugin.ts';

/** Returns the plugin for Webpack. */
export default lanewise.webpack;
