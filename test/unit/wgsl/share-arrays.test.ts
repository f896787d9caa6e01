// Arrays of lanes that share one variable because their live ranges are disjoint.
import { expect, it } from 'vitest';
import * as w from '../../../src/wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../src/wgsl/tree/nodes.ts';
import { shareArrays } from '../../../src/wgsl/tree/share-arrays.ts';

const type = w.array('u32', 1024);
const names = { a: new Name('a'), b: new Name('b'), out: new Name('out') };
const at = (name: Name, slot: Expr) => w.index(w.ref(name, type), slot);

function repeat(body: (slot: Expr) => Stmt[]): Stmt {
  const name = new Name('s');
  return { kind: 'repeat', name, count: 1024, body: body(w.ref(name, 'u32')) };
}
const declared = (name: Name): Stmt => ({ kind: 'var', name, type, value: undefined });
const written = (name: Name): Stmt => repeat((slot) => [w.assign(at(name, slot), slot)]);
const read = (name: Name): Stmt => repeat((slot) => [w.assign(at(names.out, slot), at(name, slot))]);
const loop = (...body: Stmt[]): Stmt => ({ kind: 'loop', body, continuing: [] });
const when = (...then: Stmt[]): Stmt => ({ kind: 'if', condition: w.bool(true), then, else: [] });

/** Returns the arrays that remain, at any depth. */
function arraysIn(stmts: readonly Stmt[]): string[] {
  const found: string[] = [];
  JSON.stringify(stmts, (_, value) => {
    if (value?.kind === 'var') found.push(value.name.hint);
    return typeof value === 'bigint' ? String(value) : value;
  });
  return found;
}

const { a, b } = names;
it.each<[string, Stmt[], string[]]>([
  ['one after the other', [declared(a), declared(b), written(a), read(a), written(b), read(b)], ['a']],
  ['both live at the same time', [declared(a), declared(b), written(a), written(b), read(a), read(b)], ['a', 'b']],
  ['both in a loop', [declared(a), declared(b), loop(written(a), read(a), written(b), read(b))], ['a', 'b']],
  [
    'declared in separate loops',
    [loop(declared(a), written(a), read(a)), loop(declared(b), written(b), read(b))],
    ['a'],
  ],
  ['declared in one iteration', [loop(declared(a), written(a), read(a), declared(b), written(b), read(b))], ['a']],
  ['kept around a loop', [declared(a), written(a), loop(declared(b), written(b), read(b)), read(a)], ['a', 'b']],
  [
    'the second in some lanes only',
    [declared(a), declared(b), written(a), read(a), when(written(b)), read(b)],
    ['a', 'b'],
  ],
  ['the second read first', [declared(a), declared(b), written(a), read(a), read(b), written(b)], ['a', 'b']],
  [
    'zero in each iteration',
    [loop(declared(a), read(a), written(a)), loop(declared(b), written(b), read(b))],
    ['a', 'b'],
  ],
])('%s', (_, body, left) => {
  expect(arraysIn(shareArrays([...body])).sort()).toEqual(left);
});

it('an array that was declared with a value is assigned', () => {
  const body: Stmt[] = [
    { kind: 'var', name: a, type, value: w.ref(names.out, type) },
    read(a),
    { kind: 'var', name: b, type, value: w.ref(names.out, type) },
    read(b),
  ];
  const shared = shareArrays(body);
  expect(arraysIn(shared)).toEqual(['a']);
  expect(shared.filter(({ kind }) => kind === 'assign')).toHaveLength(2);
});
