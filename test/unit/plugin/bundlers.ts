// Bundlers with the plugin.
import { join } from 'node:path';
import { type Plugin as RollupPlugin, rollup } from 'rollup';
import { build } from 'vite';
import webpack from 'webpack';
import lanewiseRollup from '../../../src/plugin/rollup.ts';
import lanewiseVite from '../../../src/plugin/vite.ts';
import lanewiseWebpack from '../../../src/plugin/webpack.ts';

/**
 * Bundles `main.js` of a folder into `out/main.mjs`. Rejects with the error that the bundler
 * reports.
 */
type Bundler = (folder: string) => Promise<void>;

export const bundlers: Readonly<Record<string, Bundler>> = {
  async Vite(folder) {
    await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      plugins: [lanewiseVite()],
      build: {
        outDir: 'out',
        minify: false,
        lib: { entry: 'main.js', formats: ['es'], fileName: () => 'main.mjs' },
      },
    });
  },
  async Rollup(folder) {
    // The plugin has the types of the Rollup version that unplugin names, so it needs a cast.
    const plugin = lanewiseRollup() as RollupPlugin;
    const bundle = await rollup({ input: join(folder, 'main.js'), plugins: [plugin] });
    await bundle.write({ file: join(folder, 'out/main.mjs'), format: 'es' });
    await bundle.close();
  },
  async webpack(folder) {
    const compiler = webpack({
      context: folder,
      entry: './main.js',
      mode: 'production',
      // Modules that are not minified show the text of the shaders.
      optimization: { minimize: false },
      experiments: { outputModule: true },
      output: { path: join(folder, 'out'), filename: 'main.mjs', library: { type: 'module' } },
      plugins: [lanewiseWebpack()],
    });
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
      compiler.run((error, result) => (error ? reject(error) : resolve(result)));
    });
    await new Promise((resolve) => compiler.close(resolve));
    const [error] = stats?.toJson({ errors: true }).errors ?? [];
    if (error) throw new Error(error.message);
  },
};
