// The notation of the control tree: the parts of each node's text, in order. A part both prints and
// parses, so that a tree prints, and the text parses back.
//
//   loop L0(%i) exits L1 vote subgroup {
//     lanes masked {
//       %x:i32 = iadd %i, 1
//       move %i:i32 = %x
//     }
//     mask split %p
//     any vote subgroup {
//       collective %sum:i32 = warp "redux.sync.add" {}, %x, -1
//     }
//     mask other
//     mask join
//   }
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Span } from '../../ptx/ast.ts';
import type { Inst, InstNamed, Value } from '../ir/nodes.ts';
import { spanAt } from '../ir/parse-insts.ts';
import type { InstPrinter } from '../ir/print-insts.ts';
import type { ControlReader, Made } from './reader.ts';
import {
  type Dispatch,
  type DispatchCase,
  type DispatchLoop,
  type Jump,
  type Label,
  type MaskChange,
  type SwitchArm,
  scopes,
  type Tree,
  type TreeOf,
  votes,
} from './tree.ts';
import type { WaitPlace } from './waits.ts';

/** Prints the parts of one tree. */
export interface ControlPrinter {
  readonly insts: InstPrinter;
  /** The names of labels, numbered in the order of the text. */
  readonly labels: Map<Label, string>;
}

/** The text of a value. */
interface Form<T> {
  readonly print: (value: T, to: ControlPrinter) => string;
  readonly parse: (from: ControlReader) => Made<T>;
}

/** The text of one or more fields of a node; empty if they have their usual values. */
interface Part<T> {
  readonly print: (node: T, to: ControlPrinter) => string;
  readonly parse: (from: ControlReader) => Made<Partial<T>>;
}

// Parts.

const field = <Key extends string, T>(key: Key, form: Form<T>): Part<{ readonly [Each in Key]: T }> => ({
  print: (node, to) => form.print(node[key], to),
  parse: (from) => {
    const value = form.parse(from);
    return () => ({ [key]: value() }) as { readonly [Each in Key]: T };
  },
});

/** Returns the form of a word that precedes a text. */
const after = <T>(word: string, { print, parse }: Form<T>): Form<T> => ({
  print: (value, to) => `${word} ${print(value, to)}`,
  parse: (from) => {
    from.cursor.expect(word);
    return parse(from);
  },
});

/** Returns a form whose text is empty for the usual value. */
const optional = <T>(usual: T, isUsual: (value: T) => boolean, word: string, form: Form<T>): Form<T> => ({
  print: (value, to) => (isUsual(value) ? '' : after(word, form).print(value, to)),
  parse: (from) => (from.cursor.is(word) ? after(word, form).parse(from) : () => usual),
});
const ifAny = <T>(word: string, form: Form<readonly T[]>): Form<readonly T[]> =>
  optional<readonly T[]>([], ({ length }) => length === 0, word, form);
const flag = (word: string): Form<boolean> => ({
  print: (value) => (value ? word : ''),
  parse: (from) => known(from.cursor.take(word)),
});
const oneOf = <T extends string>(words: readonly T[], usual: T, word: string): Form<T> =>
  optional(usual, (value) => value === usual, word, {
    print: (value) => value,
    parse: ({ cursor }) => {
      const text = cursor.next('name');
      return known(
        words.find((each) => each === text) ?? cursor.fail(`invalid ${word} ${text}: expected ${words.join(', ')}`),
      );
    },
  });

/** Returns the form of a list with at least one item, separated by commas. */
const list = <T>({ print, parse }: Form<T>): Form<readonly T[]> => ({
  print: (items, to) => items.map((item) => print(item, to)).join(', '),
  parse: (from) => {
    const items = from.cursor.list(() => parse(from));
    return () => items.map((item) => item());
  },
});

const known =
  <T>(value: T): Made<T> =>
  () =>
    value;

const printParts = <T>(word: string, parts: readonly Part<T>[], node: T, to: ControlPrinter): string =>
  [word, ...parts.map((part) => part.print(node, to))].filter((text) => text !== '').join(' ');

function parseParts<T>(parts: readonly Part<T>[], from: ControlReader, variant: object = {}): Made<T> {
  const parsed = parts.map((part) => part.parse(from));
  return () => Object.assign({}, variant, ...parsed.map((part) => part()));
}

/** Returns the form of a word and the parts of a node. */
const record = <T>(word: string, ...parts: readonly Part<T>[]): Form<T> => ({
  print: (node, to) => printParts(word, parts, node, to),
  parse: (from) => {
    if (word !== '') from.cursor.expect(word);
    return parseParts(parts, from);
  },
});

// Braces.

const braces = (lines: readonly string[]): string =>
  ['{', ...lines.flatMap((text) => text.split('\n')).map((line) => `  ${line}`), '}'].join('\n');

/** Returns the form of a list whose items are printed as lines in braces. */
const lines = <T>({ print, parse }: Form<T>): Form<readonly T[]> => ({
  print: (items, to) => braces(items.map((item) => print(item, to))),
  parse: (from) => {
    const items: Made<T>[] = [];
    from.inBraces(() => items.push(parse(from)));
    return () => items.map((item) => item());
  },
});

/** Trees in braces. Adjacent instructions are one tree. */
export const body: Form<readonly Tree[]> = {
  print: (trees, to) => braces(printTrees(trees, to)),
  parse: (from) => {
    const trees: Made<Tree>[] = [];
    let run: Inst[] | undefined;
    from.inBraces(() => {
      const word = from.cursor.peek();
      const parts = word?.kind === 'name' ? partsOf(word.text) : undefined;
      if (word !== undefined && parts !== undefined) {
        from.cursor.next('name');
        trees.push(parseParts(parts, from, { kind: word.text }));
        run = undefined;
        return;
      }
      if (run === undefined) {
        const insts: Inst[] = [];
        trees.push(known({ kind: 'code', insts }));
        run = insts;
      }
      run.push(from.inst());
    });
    return () => trees.map((tree) => tree());
  },
};

export const printTrees = (trees: readonly Tree[], to: ControlPrinter): readonly string[] =>
  trees.flatMap((tree) => {
    if (tree.kind === 'code') return tree.insts.map((inst) => to.insts.inst(inst));
    // Absent: a `code` node has no parts, because the line above prints it.
    return printParts(tree.kind, partsOf(tree.kind) ?? [], tree, to);
  });

// Values.

const value: Form<Value> = {
  print: (each, to) => to.insts.value(each),
  parse: (from) => from.value(),
};
const values: Form<readonly Value[]> = {
  print: (each, to) => to.insts.list(each),
  parse: (from) => from.values(),
};
const number: Form<number> = { print: String, parse: (from) => known(from.cursor.integer()) };
const span: Form<Span | undefined> = {
  print: (each, to) => to.insts.span(each).trim(),
  parse: (from) => known(spanAt(from.cursor)),
};
const warp: Form<InstNamed<'warp'>> = {
  print: (inst, to) => to.insts.inst(inst),
  parse: (from) => known(from.warp()),
};
const sync: Form<InstNamed<'warp'> | InstNamed<'barrier'>> = {
  print: (inst, to) => to.insts.inst(inst),
  parse: (from) => known(from.sync()),
};
const collective: Form<TreeOf<'collective'>['inst']> = {
  print: (inst, to) => to.insts.inst(inst),
  parse: (from) => known(from.collective()),
};
/** The results of an instruction that another node contains. */
const results: Form<Inst> = {
  print: (inst, to) => to.insts.list(inst.results),
  parse: (from) => from.resultsOf(),
};
/** The values of a block's parameters: `%a:i32 = %x, %b:i32 = 1`. */
const moves: Part<TreeOf<'move'>> = {
  print: ({ params, args }, { insts }) =>
    params
      .map((param, index) => `${insts.definition(param)} = ${insts.value(at(args, index, 'the value of a parameter'))}`)
      .join(', '),
  parse: (from) => {
    const { params, args } = from.moves();
    return () => ({ params, args: args() });
  },
};

// Labels.

const label: Form<Label> = {
  print: (each, { labels }) => getOrInsert(labels, each, () => `L${labels.size}`),
  parse: (from) => known(from.label()),
};
/** The label of a construct, with the parameters of the block that a jump to it reaches. */
const construct: Form<Label> = {
  print: (each, to) => `${label.print(each, to)}${each.params.length > 0 ? `(${to.insts.list(each.params)})` : ''}`,
  parse: (from) => known(from.construct()),
};
const jump: Form<Jump> = {
  print: ({ kind, label: target }, to) => `${kind} ${label.print(target, to)}`,
  parse: (from) => known(from.jump()),
};
const until = field(
  'until',
  optional<Jump | undefined>(undefined, (each) => each === undefined, 'until', jump as Form<Jump | undefined>),
);

// Dispatches.

const inside = field('body', body);

const place: Form<WaitPlace> = {
  print: (each) => {
    if (each.kind === 'class') return `class ${each.class.id}`;
    return each.kind === 'loop' || each.kind === 'back-edge' ? `${each.kind} ${each.head}` : each.kind;
  },
  parse: (from) => from.place(),
};
/** `class 1, goto 7: %x = warp …`, and the same for other places. The instruction is optional. */
const wait: Part<TreeOf<'wait'>> = {
  print: ({ at: where, next, inst }, to) =>
    `${place.print(where, to)}, goto ${next}${inst === undefined ? '' : `: ${sync.print(inst, to)}`}`,
  parse: (from) => {
    const { at: where, next, inst } = from.wait();
    return () => ({ at: where(), inst, next });
  },
};
const dispatch = record<Dispatch>(
  '',
  field('waits', ifAny('waits', list(place))),
  field('releases', ifAny('releases', list(place))),
  field('cases', lines(record<DispatchCase>('case', field('number', number), inside))),
  field('loops', ifAny('converged', lines(record<DispatchLoop>('loop', field('header', number), inside)))),
);

// Nodes.

const vote = field('vote', oneOf(votes, 'none', 'vote'));
const located = field('span', span);
const condition = field('condition', value);

const changes: { readonly [Op in MaskChange['op']]: readonly Part<Extract<MaskChange, { readonly op: Op }>>[] } = {
  start: [field('rejoins', ifAny('rejoins', list(jump)))],
  leave: [until],
  'leave-all': [until],
  'leave-if': [condition, until],
  'leave-unless': [condition, until],
  rejoin: [field('jump', jump)],
  split: [condition, located],
  other: [],
  join: [],
};
const change: Form<MaskChange> = {
  print: (each, to) => printParts(each.op, changes[each.op] as readonly Part<MaskChange>[], each, to),
  parse: (from) => {
    const op = from.cursor.next('name');
    if (!Object.hasOwn(changes, op)) return from.cursor.fail(`invalid change of the mask: ${op}`);
    return parseParts(changes[op as MaskChange['op']] as readonly Part<MaskChange>[], from, { op });
  },
};

const arm = record<SwitchArm>('case', field('values', list(number)), inside);

/**
 * The parts of each kind of node. A `code` node is a run of lines instead, one for each
 * instruction.
 */
const nodes: { readonly [Kind in Exclude<Tree['kind'], 'code'>]: readonly Part<TreeOf<Kind>>[] } = {
  move: [moves],
  if: [
    condition,
    field('scope', oneOf(scopes, 'lane', 'uniform')),
    vote,
    located,
    field('then', body),
    field('else', ifAny('else', body)),
  ],
  switch: [field('selector', value), located, field('arms', lines(arm))],
  loop: [
    field('label', construct),
    field('exits', ifAny('exits', list(construct))),
    vote,
    inside,
    field('continuing', ifAny('continuing', body)),
  ],
  block: [field('label', construct), inside],
  break: [field('label', label)],
  continue: [field('label', label)],
  exit: [],
  trap: [located],
  return: [field('values', values), located],
  lanes: [field('masked', flag('masked')), inside],
  collective: [field('keeps', flag('keeps')), field('inst', collective)],
  any: [vote, inside],
  mask: [field('change', change)],
  dispatch: [field('dispatch', dispatch)],
  goto: [field('to', number)],
  wait: [wait],
  resume: [field('inst', results)],
  pass: [field('inst', results)],
  meet: [field('inst', warp), field('alone', after('alone', body))],
};

/**
 * Returns the parts of a kind of node; undefined for `code`, and for a word that does not name a
 * node.
 */
const partsOf = (kind: string): readonly Part<Tree>[] | undefined =>
  Object.hasOwn(nodes, kind) ? (nodes[kind as keyof typeof nodes] as readonly Part<Tree>[]) : undefined;
