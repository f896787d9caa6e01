// Prints the control tree as text, for `--print-after` and for tests; `parse.ts` reads it back.
// Instructions and values look as in the IR.
//
//   loop L0(%i) exits L1 vote subgroup {
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

import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { InstPrinter, type Names, type PrintOptions } from '../ir/print-insts.ts';
import type { Jump, Label, MaskChange, Tree } from './tree.ts';
import type { WaitPlace } from './waits.ts';

export interface ControlPrintOptions extends PrintOptions {
  /** The kernel's name. */
  readonly name: string;
  /** The names of the values. */
  readonly names: Names;
}

export function printControl(tree: readonly Tree[], options: ControlPrintOptions): string {
  const lines = new ControlPrinter(options).list(tree);
  return `${[`control ${options.name} {`, ...lines.map(indented), '}'].join('\n')}\n`;
}

const indented = (line: string): string => `  ${line}`;

class ControlPrinter {
  private readonly text: InstPrinter;
  private readonly labels = new Map<Label, string>();

  constructor({ names, spans = false }: ControlPrintOptions) {
    this.text = new InstPrinter(names, new Map(), { spans });
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
        const moves = tree.params.map(
          (param, index) =>
            `${text.definition(param)} = ${text.value(at(tree.args, index, 'the value of a parameter'))}`,
        );
        return [`move ${moves.join(', ')}`];
      }
      case 'if': {
        const scope = tree.scope === 'lane' ? '' : `.${tree.scope}`;
        const head = `if${scope} ${text.value(tree.condition)}${voteText(tree.vote)}${text.span(tree.span)}`;
        return this.braces(head, ['', tree.then], ...elseOf(tree.else));
      }
      case 'switch':
        return [
          `switch ${text.value(tree.selector)}${text.span(tree.span)} {`,
          ...tree.arms
            .flatMap(({ values, body }) => this.braces(`case ${values.join(', ')}`, ['', body]))
            .map(indented),
          '}',
        ];
      case 'loop': {
        const label = this.construct(tree.label);
        const exits = tree.exits.map((exit) => this.construct(exit)).join(', ');
        const head = `loop ${label}${exits === '' ? '' : ` exits ${exits}`}${voteText(tree.vote)}`;
        const continuing = tree.continuing.length > 0 ? [['continuing', tree.continuing] as const] : [];
        return this.braces(head, ['', tree.body], ...continuing);
      }
      case 'block':
        return this.braces(`block ${this.construct(tree.label)}`, ['', tree.body]);
      case 'break':
      case 'continue':
        return [this.jump(tree)];
      case 'exit':
        return ['exit'];
      case 'trap':
        return [`trap${text.span(tree.span)}`];
      case 'return':
        return [`${`return ${text.list(tree.values)}`.trimEnd()}${text.span(tree.span)}`];
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
          ...loops.flatMap(({ header, body }) => this.braces(`converged ${header}`, ['', body])),
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
        return [`${tree.kind} ${text.list(tree.inst.results)}`];
      case 'meet':
        return this.braces(`meet ${text.inst(tree.inst)}`, [' alone', tree.alone]);
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
        return `split ${this.text.value(change.condition)}${this.text.span(change.span)}`;
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

  /**
   * Prints the head of a construct, with the parameters of the block that a jump to its label
   * reaches.
   */
  private construct(label: Label): string {
    return `${this.label(label)}${label.params.length > 0 ? `(${this.text.list(label.params)})` : ''}`;
  }

  /** Numbers labels in the order of the text. */
  private label(label: Label): string {
    return getOrInsert(this.labels, label, () => `L${this.labels.size}`);
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
    case 'back-edge':
      return `${place.kind} ${place.head}`;
    default:
      return place.kind;
  }
}
