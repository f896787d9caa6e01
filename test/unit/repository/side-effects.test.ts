// `sideEffects` in package.json lists every module that does something when it is imported. A bundler
// drops any other module of which nothing is used.
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const { sideEffects } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

const declarations = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ExportDefaultDeclaration',
  'FunctionDeclaration',
  'ClassDeclaration',
  'VariableDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSModuleDeclaration',
  'TSDeclareFunction',
]);

/** Whether a statement runs as the module loads, or is an import for its effects only. */
const acts = (statement: { type: string; specifiers?: readonly unknown[]; importKind?: string }): boolean => {
  const { type, specifiers, importKind } = statement;
  return !declarations.has(type) || (type === 'ImportDeclaration' && specifiers?.length === 0 && importKind !== 'type');
};

function hasEffects(text: string): boolean {
  const { program, errors } = parseSync('module.ts', text);
  expect(errors).toEqual([]);
  return program.body.some(acts);
}

/** A pattern as bundlers read it. */
const patterns = sideEffects.map(
  (glob: string) =>
    new RegExp(
      `^${glob
        .replaceAll('.', '\\.')
        .replaceAll('**/', '(?:.+/)?')
        .replace(/(?<!\.)\*/g, '[^/]*')}$`,
    ),
);
const isListed = (path: string): boolean => patterns.some((pattern: RegExp) => pattern.test(path));

test.each([
  ['export const a = 1;', false],
  ["import { a } from './a.ts';\nexport interface B {}\nexport { a };", false],
  ["import type {} from './a.ts';", false],
  ["import './a.ts';", true],
  ['process.exit();', true],
  ['if (a) b();', true],
  ['globalThis.a = 1;', true],
])('%j has effects: %s', (text, expected) => {
  expect(hasEffects(text)).toBe(expected);
});

test('the list has exactly the modules with effects', () => {
  const modules = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.d)\.ts$/.test(name),
  );
  const paths = modules.map((name) => [name, `./dist/${name.replace(/\.ts$/, '.js')}`] as const);
  const withEffects = paths.filter(([name]) => hasEffects(readFileSync(new URL(`src/${name}`, root), 'utf8')));
  expect(withEffects.map(([, path]) => path)).toContain('./dist/runtime/node.js');
  expect(withEffects.map(([, path]) => path).filter((path) => !isListed(path))).toEqual([]);
  // A single name is in the list for a reason.
  const single = sideEffects.filter((glob: string) => !glob.includes('*') && glob.startsWith('./dist/'));
  const known = new Set<string>(withEffects.map(([, path]) => path));
  expect(single.filter((path: string) => !known.has(path))).toEqual([]);
});
