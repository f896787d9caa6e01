// The control tree as text, for `--print-after` and for tests. Instructions and values read as in the IR.
//
//   loop L0 exits L1 vote subgroup {
//     lanes masked {
//       %x:i32 = iadd %i, 1
//       move %i:i32 = %x
//     }
//     mask split %p
//     any subgroup {
//       collective %sum:i32 = warp "redux.sync.add" {}, %x, -1
//     }
//     mask other
//     mask join
//   }
import type { Func } from '../ir/nodes.ts';
import { FuncPrinter } from '../ir/print.ts';
import type { Jump, Label, MaskChange, Tree } from './tree.ts';
import type { WaitPlace } from './waits.ts';

export function printControl(func: Func, tree: readonly Tree[]): string {
  const lines = new ControlPrinter(func).list(tree);
  return `${[`control ${func.name} {`, ...lines.map(indented), '}'].join('\n')}\n`;
}

const indented = (line: string): string => `  ${line}`;

class ControlPrinter {
  private readonly text: FuncPrinter;
  private readonly labels = new Map<Label, string>();

  constructor(func: Func) {
    this.text = new FuncPrinter(func);
  }

  list(list: readonly Tree[]): readonly string[] {
    return list.flatMap((tree) => this.tree(tree));
  }

  private braces(head: string, ...bodies: readonly (readonly [word: string, body: readonly Tree[]])[]): string[] {
    const lines = bodies.flatMap(([word, body], index) => [
      `${index === 0 ? `${head}${word}` : `} ${word}`} {`,
      ...this.list(body).map(indented),
    ]);
    return [...lines, '}'];
  }

  private tree(tree: Tree): readonly string[] {
    const { text } = this;
    switch (tree.kind) {
      case 'code':
        return tree.insts.map((inst) => text.inst(inst));
      case 'move': {
        const moves = tree.params.map((param, index) => {
          const arg = tree.args[index];
          return `${text.definition(param)} = ${arg ? text.value(arg) : '?'}`;
        });
        return [`move ${moves.join(', ')}`];
      }
      case 'if': {
        const scope = tree.scope === 'lane' ? '' : `.${tree.scope}`;
        const head = `if${scope} ${text.value(tree.condition)}${voteText(tree.vote)}`;
        return this.braces(head, ['', tree.then], ...elseOf(tree.else));
      }
      case 'switch':
        return [
          `switch ${text.value(tree.selector)} {`,
          ...tree.arms
            .flatMap(({ values, body }) => this.braces(`case ${values.join(', ')}`, ['', body]))
            .map(indented),
          '}',
        ];
      case 'loop': {
        const label = this.label(tree.label);
        const exits = tree.exits.map((exit) => this.label(exit)).join(', ');
        const head = `loop ${label}${exits === '' ? '' : ` exits ${exits}`}${voteText(tree.vote)}`;
        const continuing = tree.continuing.length > 0 ? [['continuing', tree.continuing] as const] : [];
        return this.braces(head, ['', tree.body], ...continuing);
      }
      case 'block':
        return this.braces(`block ${this.label(tree.label)}`, ['', tree.body]);
      case 'break':
      case 'continue':
        return [this.jump(tree)];
      case 'exit':
      case 'trap':
        return [tree.kind];
      case 'return':
        return [`return ${tree.values.map((value) => text.value(value)).join(', ')}`.trimEnd()];
      case 'lanes':
        return this.braces(`lanes${tree.masked ? ' masked' : ''}`, ['', tree.body]);
      case 'collective':
        return [`collective${tree.keeps ? ' keeps' : ''} ${text.inst(tree.inst)}`];
      case 'any':
        return this.braces(`any ${tree.vote}`, ['', tree.body]);
      case 'mask':
        return [`mask ${this.change(tree.change)}`];
      case 'dispatch': {
        const { cases, loops, waits, releases } = tree.dispatch;
        const numbered = waits.map((place, index) => `wait ${index + 1} = ${placeText(place)}`);
        const released = releases.length > 0 ? [`releases ${releases.map(placeText).join(', ')}`] : [];
        const bodies = [
          ...cases.flatMap(({ number, body }) => this.braces(`case ${number}`, ['', body])),
          ...loops.flatMap(({ header, body }, index) => this.braces(`converged ${index} at ${header}`, ['', body])),
        ];
        return ['dispatch {', ...[...numbered, ...released, ...bodies].map(indented), '}'];
      }
      case 'goto':
        return [`goto ${tree.to}`];
      case 'wait': {
        const inst = tree.inst === undefined ? '' : `: ${text.inst(tree.inst)}`;
        return [`wait ${placeText(tree.at)}, goto ${tree.next}${inst}`];
      }
      case 'resume':
      case 'pass':
        return [`${tree.kind} ${tree.inst.results.map((result) => text.value(result)).join(', ')}`.trimEnd()];
      case 'gather':
        return this.braces(`gather ${tree.loop}`, ['', tree.body]);
      case 'meet':
        return this.braces(`meet ${text.inst(tree.inst)}`, [' else', tree.alone]);
      case 'part':
        return this.braces(`part ${tree.leaves} ${text.value(tree.condition)}`, ['', tree.then], ['else', tree.else]);
      case 'arms':
        return this.braces(
          `arms ${text.value(tree.condition)} join ${tree.join}`,
          [' enter', tree.then.enter],
          ['then', tree.then.body],
          ['enter', tree.else.enter],
          ['else', tree.else.body],
        );
    }
  }

  private change(change: MaskChange): string {
    switch (change.op) {
      case 'start':
        return ['start', change.rejoins.map((jump) => this.jump(jump)).join(', ')].join(' ').trimEnd();
      case 'leave':
      case 'leave-all':
        return `${change.op}${this.until(change.until)}`;
      case 'leave-unless':
        return `${change.negated ? 'leave-if' : 'leave-unless'} ${this.text.value(change.condition)}${this.until(change.until)}`;
      case 'rejoin':
        return `rejoin ${this.jump(change.jump)}`;
      case 'split':
        return `split ${this.text.value(change.condition)}`;
      default:
        return change.op;
    }
  }

  private until(jump: Jump | undefined): string {
    return jump === undefined ? '' : ` until ${this.jump(jump)}`;
  }

  private jump({ kind, label }: Jump): string {
    return `${kind} ${this.label(label)}`;
  }

  /** Labels are numbered in the order of the text. */
  private label(label: Label): string {
    const known = this.labels.get(label) ?? `L${this.labels.size}`;
    this.labels.set(label, known);
    return known;
  }
}

const voteText = (vote: string): string => (vote === 'none' ? '' : ` vote ${vote}`);

const elseOf = (list: readonly Tree[]): readonly (readonly [string, readonly Tree[]])[] =>
  list.length > 0 ? [['else', list]] : [];

function placeText(place: WaitPlace): string {
  switch (place.kind) {
    case 'class':
      return `class ${place.class.id}`;
    case 'loop':
      return `loop ${place.loop}`;
    case 'turn':
      return `turn ${place.head}`;
    default:
      return place.kind;
  }
}
