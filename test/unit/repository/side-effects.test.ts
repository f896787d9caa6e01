// `sideEffects` in package.json lists every module that has side effects when imported. A bundler
// drops any other module if the program uses none of its exports.
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

/** Returns whether a statement runs when the module loads, or is an import only for effects. */
const acts = (statement: { type: string; specifiers?: readonly unknown[]; importKind?: string }): boolean => {
  const { type, specifiers, importKind } = statement;
  return !declarations.has(type) || (type === 'ImportDeclaration' && specifiers?.length === 0 && importKind !== 'type');
};

function hasEffects(text: string): boolean {
  const { program, errors } = parseSync('module.ts', text);
  expect(errors).toEqual([]);
  return program.body.some(acts);
}

/**
 * Matches a line at the outermost level that may begin a statement other than a declaration. The
 * formatter indents all other lines. Parsing all modules takes two seconds.
 */
const mayAct =
  /^(?!import [^'"]|export |const |(?:async )?function |(?:abstract )?class |interface |type |declare |\/\/|\/\*| |[})\]]|$)/m;

/** Converts a pattern as bundlers do. */
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
  const withEffects = paths.filter(([name]) => {
    const text = readFileSync(new URL(`src/${name}`, root), 'utf8');
    return mayAct.test(text) && hasEffects(text);
  });
  expect(withEffects.map(([, path]) => path)).toContain('./dist/runtime/node.js');
  expect(withEffects.map(([, path]) => path).filter((path) => !isListed(path))).toEqual([]);
  // A pattern for a single file must match a module with side effects.
  const single = sideEffects.filter((glob: string) => !glob.includes('*') && glob.startsWith('./dist/'));
  const known = new Set<string>(withEffects.map(([, path]) => path));
  expect(single.filter((path: string) => !known.has(path))).toEqual([]);
});
