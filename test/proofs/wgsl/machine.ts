// Executes the WGSL of a workgroup on terms: all invocations in lockstep, each with a condition
// under which it is active. A branch executes both arms, and the conditions select the changes of
// each arm.

import { attribute } from '../../wgsl-interpreter/program.ts';
import type * as ast from '../../wgsl-interpreter/syntax/ast.ts';
import { replace } from '../terms/rewrite.ts';
import { and, bitAt, equal, isFalse, ite, no, not, or, type Term, wordOfBits, yes } from '../terms/term.ts';
import { concrete, fail, typeOfValue } from './conversions.ts';
import type { Binding, Frame, Scope, Values } from './environment.ts';
import { Expressions } from './expressions.ts';
import { pendingOf } from './pending.ts';
import { at, type Cell, type Place, type Terms } from './place.ts';
import { choose, like, termOf, type Value, word, zero } from './value.ts';

/**
 * Thrown if the execution depends on whether a condition can be true. After the solver has
 * answered, the execution starts again.
 */
export class Question {
  readonly condition: Term;
  constructor(condition: Term) {
    this.condition = condition;
  }
}

/**
 * The number of iterations of a loop after which the machine asks whether another iteration is
 * possible.
 */
const freeIterations = 2;

export class Machine extends Expressions {
  /** Runs the entry point `main`. */
  run(): void {
    const main = this.program.functions.get('main');
    if (main === undefined) throw new Error('no entry point main');
    const names = new Map<string, Binding>();
    for (const arg of main.args) {
      const builtin = attribute(arg.attributes, 'builtin');
      names.set(arg.name, { kind: 'value', values: this.builtinValue(builtin ?? '') });
    }
    const frame: Frame = { ...this.frame(), scope: { names, parent: this.globals } };
    this.execute(main.body, this.everywhere(), frame);
  }

  // Executes statements. Returns the condition under which an invocation continues after them.

  protected execute(nodes: readonly ast.Statement[], mask: Terms, frame: Frame): Terms {
    const inside: Frame = { ...frame, scope: { names: new Map(), parent: frame.scope } };
    let now = mask;
    for (const node of nodes) {
      if (now.every(isFalse)) break;
      now = this.statement(node, now, inside);
    }
    return now;
  }

  private statement(node: ast.Statement, mask: Terms, frame: Frame): Terms {
    switch (node.kind) {
      case 'block':
        return this.execute(node.body, mask, frame);
      case 'var':
      case 'let':
      case 'const':
      case 'override':
        return this.declare(node, mask, frame);
      case 'assign':
        return this.assign(node, mask, frame);
      case 'increment': {
        const place = this.place(node.variable, mask, frame);
        const operator = node.operator === '++' ? '+' : '-';
        this.update(place, mask, (old) => this.operate(operator, old, { kind: 'abstract', value: 1 }));
        return mask;
      }
      case 'call':
        this.call(node.name, node.args, mask, frame);
        return mask;
      case 'if':
        return this.branch(node, mask, frame);
      case 'switch':
        return this.choice(node, mask, frame);
      case 'loop': {
        const pending = pendingOf(node);
        if (pending !== undefined) return this.sweep(pending, node, mask, frame);
        return this.loop({ body: node.body, after: node.continuing, condition: null }, mask, frame);
      }
      case 'while':
        return this.loop({ body: node.body, after: [], condition: node.condition }, mask, frame);
      case 'for': {
        const inside: Frame = { ...frame, scope: { names: new Map(), parent: frame.scope } };
        if (node.init !== null) this.statement(node.init, mask, inside);
        const after = node.increment === null ? [] : [node.increment];
        return this.loop({ body: node.body, after, condition: node.condition }, mask, inside);
      }
      case 'break':
        return this.leave(node, mask, frame);
      case 'continue':
        if (frame.continues === undefined) throw new Error('continue outside of a loop');
        for (const each of this.each((i) => i)) frame.continues[each] = or(at(frame.continues, each), at(mask, each));
        return mask.map(no);
      case 'return':
        return this.giveBack(node, mask, frame);
    }
  }

  private leave({ condition }: ast.Break, mask: Terms, frame: Frame): Terms {
    const leaves = condition === null ? mask : this.conditions(condition, mask, frame);
    if (frame.breaks === undefined) throw new Error('break outside of a loop');
    for (const each of this.each((i) => i))
      frame.breaks[each] = or(at(frame.breaks, each), and(at(mask, each), at(leaves, each)));
    return mask.map((each, i) => (condition === null ? no() : and(each, not(at(leaves, i)))));
  }

  private giveBack(node: ast.Return, mask: Terms, frame: Frame): Terms {
    const { result } = frame;
    if (node.value !== null && result !== undefined) {
      const values = this.evaluate(node.value, mask, frame);
      for (const each of this.each((i) => i)) {
        const value = at(values, each);
        const old = result[each];
        result[each] = old === undefined ? value : choose(at(mask, each), like(value, old), old);
      }
    }
    return mask.map(no);
  }

  private declare(node: ast.Var | ast.Constant, mask: Terms, frame: Frame): Terms {
    const type = node.type === null ? undefined : this.program.resolve(node.type);
    if (node.value?.kind === 'unary' && node.value.operator === '&') {
      frame.scope.names.set(node.name, { kind: 'cell', place: this.place(node.value.right, mask, frame) });
      return mask;
    }
    const values =
      node.value === null ? undefined : this.evaluate(node.value, mask, frame).map((value) => concrete(value, type));
    if (node.kind !== 'var') {
      if (values === undefined) throw new Error(`${node.name} has no value`);
      frame.scope.names.set(node.name, { kind: 'value', values });
      return mask;
    }
    const own = values ?? this.each(() => zero(type ?? fail(`${node.name} has no type`)));
    const cell: Cell = { kind: 'own', values: [...own] };
    frame.scope.names.set(node.name, {
      kind: 'cell',
      place: { cell, type: type ?? typeOfValue(at(own, 0)), path: [] },
    });
    return mask;
  }

  private assign(node: ast.Assign, mask: Terms, frame: Frame): Terms {
    if (node.variable.kind === 'variable' && node.variable.name === '_') {
      if (node.value.kind !== 'variable') this.evaluate(node.value, mask, frame);
      return mask;
    }
    const place = this.place(node.variable, mask, frame);
    const values = this.evaluate(node.value, mask, frame);
    const operator = node.operator.slice(0, -1);
    if (operator === '') this.store(place, mask, values);
    else this.update(place, mask, (old, each) => this.operate(operator, old, at(values, each)));
    return mask;
  }

  private store(place: Place, mask: Terms, values: Values): void {
    for (const each of this.each((i) => i)) {
      const value = at(values, each);
      this.memory.write(place, each, at(mask, each), concrete(value, place.type));
    }
  }

  private update(place: Place, mask: Terms, change: (old: Value, invocation: number) => Value): void {
    const olds = this.each((each) => this.memory.read(place, each, at(mask, each)));
    this.store(
      place,
      mask,
      this.each((each) => (isFalse(at(mask, each)) ? at(olds, each) : change(at(olds, each), each))),
    );
  }

  private branch(node: ast.If, mask: Terms, frame: Frame): Terms {
    let rest = mask;
    let after = mask.map(no);
    const areLeft = mask.map(() => false);
    const join = (arm: Terms, entry: Terms): void => {
      after = after.map((each, i) => or(each, at(arm, i)));
      for (const [i, each] of arm.entries()) if (each !== at(entry, i)) areLeft[i] = true;
    };
    for (const arm of node.arms) {
      const conditions = this.conditions(arm.condition, rest, frame);
      const taken = rest.map((each, i) => and(each, at(conditions, i)));
      rest = rest.map((each, i) => and(each, not(at(conditions, i))));
      join(this.execute(arm.body, taken, frame), taken);
    }
    join(this.execute(node.otherwise, rest, frame), rest);
    // If an invocation leaves no arm early, its condition after the branch is the condition before
    // it.
    return after.map((each, i) => (areLeft[i] === true ? each : at(mask, i)));
  }

  private loop(
    parts: {
      readonly body: readonly ast.Statement[];
      readonly after: readonly ast.Statement[];
      readonly condition: ast.Expression | null;
    },
    mask: Terms,
    frame: Frame,
  ): Terms {
    const breaks = mask.map(no);
    let active = mask;
    for (let iteration = 0; ; iteration++) {
      if (iteration > 0 && parts.condition === null) active = this.prune(active, iteration);
      if (active.every(isFalse)) return breaks;
      if (parts.condition !== null) {
        const conditions = this.conditions(parts.condition, active, frame);
        for (const each of this.each((i) => i))
          breaks[each] = or(at(breaks, each), and(at(active, each), not(at(conditions, each))));
        active = active.map((each, i) => and(each, at(conditions, i)));
        if (conditions.some(({ value }) => value === undefined)) active = this.prune(active, iteration);
        if (active.every(isFalse)) return breaks;
      }
      const continues = mask.map(no);
      const scope: Scope = { names: new Map(), parent: frame.scope };
      const inside: Frame = { ...frame, scope, breaks, continues };
      let now: Terms = active;
      // The continuing block sees the names of the body.
      for (const node of parts.body) {
        if (now.every(isFalse)) break;
        now = this.statement(node, now, inside);
      }
      now = now.map((each, i) => or(each, at(continues, i)));
      active = this.execute(parts.after, now, { ...inside, continues: undefined });
    }
  }

  /**
   * Executes a loop over the bits of a word, such as the set of pending lanes (`pendingOf`). An
   * iteration clears at least the lowest bit and sets none, so the loop visits the bits in order.
   * For each bit, executes the body under the condition that the bit is set.
   */
  private sweep(name: string, { body }: ast.Loop, mask: Terms, frame: Frame): Terms {
    const binding = this.lookup(name, frame);
    if (binding.kind !== 'cell' || binding.place.cell.kind !== 'own' || binding.place.path.length > 0)
      throw new Error(`${name} is not a variable of an invocation`);
    const { values } = binding.place.cell;
    const bitsOf = (value: Value): Term[] => Array.from({ length: 32 }, (_, bit) => bitAt(termOf(value), bit));
    for (let bit = 0; bit < 32; bit++) {
      const olds = values.map(bitsOf);
      const own = olds.map((bits, each) => and(at(mask, each), at(bits, bit)));
      if (own.every(isFalse)) continue;
      for (const [each, bits] of olds.entries())
        values[each] = word(wordOfBits(bits.map((old, index) => (index < bit ? no() : index === bit ? yes() : old))));
      this.execute(body.slice(1), own, { ...frame, breaks: undefined, continues: undefined });
      for (const [each, bits] of olds.entries()) {
        const condition = at(own, each);
        const changed = bitsOf(word(replace(termOf(at(values, each)), new Map([[condition, yes()]]))));
        this.memory.require(not(and(condition, at(changed, bit))));
        const next = wordOfBits(
          bits.map((old, index) => (index <= bit ? no() : ite(condition, at(changed, index), old))),
        );
        values[each] = word(this.options.forget?.(next, each) ?? next); // Absent: keeps all facts.
      }
    }
    return mask;
  }

  /** Returns false conditions for the invocations that cannot execute another iteration. */
  private prune(active: Terms, iteration: number): Terms {
    if (iteration < freeIterations || active.every(({ value }) => value !== undefined)) return active;
    const any = or(...active);
    const answer = this.options.answers.get(any);
    if (answer === undefined) throw new Question(any);
    return answer ? active : active.map(no);
  }

  private choice(node: ast.Switch, mask: Terms, frame: Frame): Terms {
    const selectors = this.evaluate(node.condition, mask, frame).map((value) => termOf(value));
    const breaks = mask.map(no);
    const inside: Frame = { ...frame, breaks };
    const clauses = node.clauses.map(({ selectors, isDefault, body }) => {
      const constants = selectors.map((each) => termOf(at(this.evaluate(each, mask, frame), 0)));
      return { constants, isDefault, body };
    });
    const all = clauses.flatMap(({ constants }) => constants);
    let after = mask.map(no);
    for (const { constants, isDefault, body } of clauses) {
      const own = mask.map((each, i) => {
        const selector = at(selectors, i);
        const matches = constants.map((one) => equal(selector, one));
        const others = isDefault ? [and(...all.map((one) => not(equal(selector, one))))] : [];
        return and(each, or(...matches, ...others));
      });
      if (own.every(isFalse)) continue;
      const left = this.execute(body, own, inside);
      after = after.map((each, i) => or(each, at(left, i)));
    }
    return after.map((each, i) => or(each, at(breaks, i)));
  }
}
