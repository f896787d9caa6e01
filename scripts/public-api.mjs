// Reads the public symbols of the package from the sources: the exports of each entry point, with
// docstrings and members. `scripts/api-reference.mjs` writes the reference from them, and a test
// requires a docstring for each.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The module of each entry point. `lanewise/runtime` exports the same symbols in Node. */
export const entryPoints = {
  lanewise: 'src/index.ts',
  'lanewise/node': 'src/node.ts',
  'lanewise/runtime': 'src/runtime/index.ts',
};

const parsed = new Map();

/**
 * Returns the syntax tree of a file, with its text. Throws an error if the file cannot be parsed.
 */
function parse(file) {
  const known = parsed.get(file);
  if (known) return known;
  const text = readFileSync(join(root, file), 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const docs = new Map(comments.filter(isDocstring).map((comment) => [comment.end, comment.value]));
  const made = { file, text, program, comments, docs };
  parsed.set(file, made);
  return made;
}

const isDocstring = ({ type, value }) => type === 'Block' && value.startsWith('*');

/** Returns the docstring directly before a node, without the asterisks. */
function docOf({ text, docs }, { start }) {
  const doc = docs.get(text.slice(0, start).trimEnd().length) ?? '';
  return doc
    .slice(1)
    .replace(/^\s*\* ?/gm, '')
    .trim();
}

/** Returns the exports of an entry point, sorted by name. */
export function publicSymbols(entry) {
  const symbols = [...exportsOf(entryPoints[entry])].map(([name, file]) => symbolOf(name, file));
  return symbols.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the exported names of a module, each with the file that declares it. */
function exportsOf(file) {
  const { program } = parse(file);
  const found = new Map();
  const origin = (from, name) => exportsOf(join(dirname(file), from)).get(name);
  const imports = new Map();
  for (const { type, source, specifiers } of program.body)
    if (type === 'ImportDeclaration')
      for (const { local, imported } of specifiers) imports.set(local.name, [source.value, imported?.name]);
  for (const { type, source, specifiers, declaration } of program.body) {
    if (type === 'ExportAllDeclaration')
      for (const [name, at] of exportsOf(join(dirname(file), source.value))) found.set(name, at);
    if (type !== 'ExportNamedDeclaration') continue;
    for (const { exported, local } of specifiers) {
      const [from, name] = source ? [source.value, local.name] : (imports.get(local.name) ?? []);
      found.set(exported.name, from ? origin(from, name) : file);
    }
    for (const { name } of namesOf(declaration)) found.set(name, file);
  }
  return found;
}

function namesOf(declaration) {
  if (!declaration) return [];
  return declaration.declarations?.map(({ id }) => id) ?? [declaration.id];
}

const kinds = {
  ClassDeclaration: 'class',
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  VariableDeclaration: 'const',
};

/** @returns {import('./public-api.d.mts').PublicSymbol} */
function symbolOf(name, file) {
  const source = parse(file);
  // The docstring belongs to the first overload.
  const nodes = source.program.body.filter(
    ({ type, declaration }) =>
      type === 'ExportNamedDeclaration' && namesOf(declaration).some((declared) => declared.name === name),
  );
  const [node] = nodes;
  if (!node) throw new Error(`${file} exports \`${name}\` apart from its declaration`);
  const { declaration } = node;
  const kind = kinds[declaration.type];
  const members = partsOf(declaration).filter((part) => isPublic(part) && !/@internal\b/.test(docOf(source, part)));
  const isNamed = kind === 'class' || kind === 'interface';
  const references = new Set();
  for (const part of isNamed ? [...members, ...(declaration.extends ?? [])] : [declaration])
    addReferences(part, references);
  const overloads = nodes.filter((other) => other.declaration.type === 'TSDeclareFunction');
  for (const parameter of declaration.typeParameters?.params ?? []) references.delete(parameter.name.name);
  return {
    name,
    kind,
    file,
    line: source.text.slice(0, node.start).split('\n').length,
    doc: docOf(source, node),
    signature: (overloads.length > 0 ? overloads : [node])
      .map((other) => signatureOf(source, other.declaration, isNamed))
      .join(';\n'),
    members: members.map((part) => ({
      name: part.key ? source.text.slice(part.key.start, part.key.end) : '',
      signature: signatureOf(source, part),
      doc: docOf(source, part),
      isCallable: part.kind === 'method' || part.type === 'TSCallSignature',
    })),
    references,
  };
}

/** Returns the members of a class, an interface or an object type. */
function partsOf({ type, body, typeAnnotation }) {
  if (type === 'ClassDeclaration' || type === 'TSInterfaceDeclaration') return body.body;
  return typeAnnotation?.type === 'TSTypeLiteral' ? typeAnnotation.members : [];
}

const isPublic = ({ type, key, accessibility }) =>
  type !== 'StaticBlock' && key?.type !== 'PrivateIdentifier' && (accessibility ?? 'public') === 'public';

/**
 * Adds the names of types in a declaration to `references`, except for those in bodies of
 * functions.
 */
function addReferences(node, references) {
  if (Array.isArray(node)) for (const part of node) addReferences(part, references);
  if (typeof node?.type !== 'string' || node.type === 'BlockStatement') return;
  if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') references.add(node.typeName.name);
  if (node.type === 'TSInterfaceHeritage') references.add(node.expression.name);
  for (const [key, part] of Object.entries(node)) {
    // A value is part of the public interface only if it does not have a declared type.
    if ((key === 'value' || key === 'init') && (node.typeAnnotation ?? node.id?.typeAnnotation)) continue;
    if (part && typeof part === 'object') addReferences(part, references);
  }
}

/** Returns the text of a declaration without comments and bodies. */
function signatureOf({ text, comments }, node, isHeadOnly = false) {
  const body = isHeadOnly ? node.body : (node.value?.body ?? (node.type === 'FunctionDeclaration' ? node.body : null));
  const end = body?.start ?? node.end;
  const inside = comments.filter((comment) => comment.start > node.start && comment.end < end);
  let signature = text.slice(node.start, end);
  for (const comment of inside.reverse())
    signature = signature.slice(0, comment.start - node.start) + signature.slice(comment.end - node.start);
  return signature
    .replace(/^declare /, '')
    .replace(/\n\s*\n/g, '\n')
    .replace(/^(static )?async /, '$1')
    .replace(/[;\s]+$/, '');
}
