// A hook of Node's module loader, which removes the types of TypeScript.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const options = { sourcemap: true, target: 'node20', typescript: { onlyRemoveTypeImports: true } };

export async function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const { code, map } = await transformWithOxc(await readFile(path, 'utf8'), path, options);
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
  return { format: 'module', source, shortCircuit: true };
}
