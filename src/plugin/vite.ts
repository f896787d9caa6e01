// The entry point `lanewise/vite`.

import { lanewise } from './plugin.ts';

export type { PluginOptions } from './plugin.ts';

/** Returns the plugin for Vite. */
export default lanewise.vite;
