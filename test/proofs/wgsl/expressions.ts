// WGSL expressions on terms. All invocations evaluate an expression, with a condition under which
// each is active.
import type * as ast from '../../wgsl-interpreter/syntax/ast.ts';
import type { Type } from '../../wgsl-interpreter/types.ts';
import { and, anything, constant, equal, isFalse, no, not, or, type Term } from '../terms/term.ts';
import {
  builtin,
  cast,
  concrete,
  convert,
  fail,
  literalOf,
  memberOf,
  retype,
  scalarTypeOf,
  spread,
  swizzleOf,
  typeOfValue,
} from './conversions.ts';
import { type Binding, Environment, type Frame, type Values } from './environment.ts';
import { atomicOperators, binary, comparisons, unary } from './operators.ts';
import { at, type Cell, type Index, type Place, type Terms } from './place.ts';
import { subgroupFunction } from './subgroups.ts';
import { itemTypes, like, termOf, truth, type Value, word, zero, zip } from './value.ts';

export abstract class Expressions extends Environment {
  protected abstract execute(nodes: readonly (ast.Node | readonly ast.Statement[])[], mask: Terms, frame: Frame): Terms;

  place(node: ast.Expression, mask: Terms, frame: Frame): Place {
    const base = this.basePlace(node, mask, frame);
    let { type } = base;
    const path: Index[] = [...base.path];
    for (let part = node.postfix; part !== null; part = part.postfix) {
      if (part.kind === 'member') {
        const index = type.kind === 'vector' ? swizzleOf(part.value)[0] : memberOf(type, part.value);
        if (index === undefined) throw new Error(`no member ${part.value}`);
        path.push(index);
        type = at(itemTypes(type), index);
      } else if (part.kind === 'index') {
        path.push(this.evaluate(part.index, mask, frame).map((value) => termOf(value)));
        type = type.kind === 'array' ? type.element : at(itemTypes(type), 0);
      } else throw new Error('the postfix is not supported');
    }
    return { cell: base.cell, type, path };
  }

  private basePlace(node: ast.Expression, mask: Terms, frame: Frame): Place {
    if (node.kind === 'variable') {
      const binding = this.lookup(node.name, frame);
      if (binding.kind === 'cell') return binding.place;
      throw new Error(`${node.name} is not a variable`);
    }
    if (node.kind === 'unary' && (node.operator === '*' || node.operator === '&'))
      return this.place(node.right, mask, frame);
    throw new Error(`a ${node.kind} is not a place`);
  }

  evaluate(node: ast.Expression, mask: Terms, frame: Frame): Values {
    if (node.postfix === null) return this.base(node, mask, frame);
    if (this.isPlace(node, frame)) {
      const swizzle = this.trailingSwizzle(node, frame);
      if (swizzle === undefined) {
        const place = this.place(node, mask, frame);
        return this.each((each) => this.memory.read(place, each, at(mask, each)));
      }
    }
    let values = this.base(node, mask, frame);
    for (let part: ast.Postfix | null = node.postfix; part !== null; part = part.postfix)
      values = this.follow(values, part, mask, frame);
    return values;
  }

  protected conditions(node: ast.Expression, mask: Terms, frame: Frame): Terms {
    return this.evaluate(node, mask, frame).map((value) => termOf(value, 'bool'));
  }

  private isPlace(node: ast.Expression, frame: Frame): boolean {
    if (node.kind === 'unary') return node.operator === '*';
    return node.kind === 'variable' && this.lookup(node.name, frame).kind === 'cell';
  }

  private trailingSwizzle(node: ast.Expression, frame: Frame): string | undefined {
    const base = this.basePlace(node, [], frame);
    let { type } = base;
    for (let part = node.postfix; part !== null; part = part.postfix) {
      if (part.kind === 'member' && type.kind === 'vector') return part.value.length > 1 ? part.value : undefined;
      if (part.kind === 'member') type = at(itemTypes(type), memberOf(type, part.value) ?? -1);
      else type = type.kind === 'array' ? type.element : at(itemTypes(type), 0);
    }
    return undefined;
  }

  private follow(values: Values, part: ast.Postfix, mask: Terms, frame: Frame): Values {
    if (part.kind === 'index') {
      const indexes = this.evaluate(part.index, mask, frame).map((value) => termOf(value));
      const cell: Cell = { kind: 'own', values: [...values] };
      const place: Place = { cell, type: typeOfValue(at(values, 0)), path: [indexes] };
      return this.each((each) => this.memory.read(place, each, at(mask, each)));
    }
    if (part.kind !== 'member') throw new Error('the postfix is not supported');
    return values.map((value): Value => {
      if (value.kind !== 'list') throw new Error(`a scalar has no ${part.value}`);
      if (value.type.kind !== 'vector') return at(value.items, memberOf(value.type, part.value) ?? -1);
      const indexes = swizzleOf(part.value);
      const items = indexes.map((index) => at(value.items, index));
      if (items.length === 1) return at(items, 0);
      return { kind: 'list', type: { ...value.type, size: items.length }, items };
    });
  }

  private base(node: ast.Expression, mask: Terms, frame: Frame): Values {
    switch (node.kind) {
      case 'literal': {
        const value = literalOf(node);
        return this.each(() => value);
      }
      case 'variable': {
        const binding = this.lookup(node.name, frame);
        if (binding.kind === 'value') return binding.values;
        return this.each((each) => this.memory.read(binding.place, each, at(mask, each)));
      }
      case 'unary':
        return this.unary(node, mask, frame);
      case 'binary':
        return this.operator(node, mask, frame);
      case 'bitcast': {
        const type = this.program.resolve(node.type);
        return this.evaluate(node.value, mask, frame).map((value) => cast(value, type, (term) => term));
      }
      case 'call':
        return this.call(node.name, node.args, mask, frame);
      case 'create': {
        const args = node.args.map((arg) => this.evaluate(arg, mask, frame));
        return this.construct(this.program.resolve(node.type), args);
      }
    }
  }

  private unary(node: ast.Unary, mask: Terms, frame: Frame): Values {
    if (node.operator === '*') {
      const place = this.place(node.right, mask, frame);
      return this.each((each) => this.memory.read(place, each, at(mask, each)));
    }
    return this.evaluate(node.right, mask, frame).map((value) => {
      if (value.kind === 'abstract') return { ...value, value: node.operator === '-' ? -value.value : ~value.value };
      return zip(
        [value],
        ([term], type) => unary(node.operator, type, term ?? no()) ?? fail(`no ${node.operator} of ${type}`),
      );
    });
  }

  private operator(node: ast.Binary, mask: Terms, frame: Frame): Values {
    const { operator } = node;
    const left = this.evaluate(node.left, mask, frame);
    if (operator === '&&' || operator === '||') {
      const conditions = left.map((value) => termOf(value, 'bool'));
      const isAnd = operator === '&&';
      const rest = mask.map((each, i) => and(each, isAnd ? at(conditions, i) : not(at(conditions, i))));
      const right = this.conditions(node.right, rest, frame);
      return this.each((each) => truth((isAnd ? and : or)(at(conditions, each), at(right, each))));
    }
    const right = this.evaluate(node.right, mask, frame);
    return this.each((each) => this.operate(operator, at(left, each), at(right, each)));
  }

  operate(operator: string, left: Value, right: Value): Value {
    if (left.kind === 'abstract' && right.kind === 'abstract') {
      const folded = binary(operator, 'i32', constant(left.value), constant(right.value)) ?? fail(`no ${operator}`);
      return comparisons.has(operator)
        ? truth(folded)
        : { kind: 'abstract', value: Number(BigInt.asIntN(32, folded.value ?? 0n)) };
    }
    const isShift = operator === '<<' || operator === '>>';
    const [a, b] = spread(isShift ? like(left, word(constant(0))) : left, right);
    const result = zip([a, b], (terms, type) => {
      const [x, y] = terms;
      if (x === undefined || y === undefined) throw new Error('an operator has two operands');
      const kind = isShift ? scalarTypeOf(a) : type;
      return binary(operator, kind, x, y) ?? fail(`no ${operator} of ${kind}`);
    });
    if (!comparisons.has(operator)) return retype(result, scalarTypeOf(a));
    const conditions = zip([result], ([term = no()]) => this.generalize(term)); // A comparison has one result.
    return retype(conditions, 'bool');
  }

  /** Returns what is known about a condition. */
  private generalize(condition: Term): Term {
    const { equations } = this.options;
    return equations?.get(condition) ?? not(equations?.get(not(condition)) ?? not(condition)); // Absent: itself.
  }

  private construct(type: Type, args: readonly Values[]): Values {
    return this.each((each): Value => {
      const own = args.map((values) => at(values, each));
      const [first] = own;
      if (first === undefined) return zero(type);
      if (type.kind === 'scalar') return convert(first, type.name === 'abstract' ? 'i32' : type.name);
      const types = itemTypes(type);
      const flat =
        type.kind === 'vector' ? own.flatMap((value) => (value.kind === 'list' ? value.items : [value])) : own;
      const filled = flat.length === 1 && types.length > 1 ? types.map(() => at(flat, 0)) : flat;
      return { kind: 'list', type, items: types.map((item, index) => concrete(at(filled, index), item)) };
    });
  }

  protected call(name: string, args: readonly ast.Expression[], mask: Terms, frame: Frame): Values {
    const own = this.program.functions.get(name);
    if (own !== undefined) return this.callOwn(own, args, mask, frame);
    const type = this.program.typeNamed(name);
    if (type !== undefined)
      return this.construct(
        type,
        args.map((arg) => this.evaluate(arg, mask, frame)),
      );
    if (name === 'workgroupBarrier' || name === 'storageBarrier') return this.barrier(mask);
    if (name.startsWith('atomic')) return this.atomic(name, args, mask, frame);
    if (name === 'workgroupUniformLoad') return this.uniformLoad(at(args, 0), mask, frame);
    const values = args.map((arg) => this.evaluate(arg, mask, frame));
    if (name.startsWith('subgroup') || name.startsWith('quad')) return subgroupFunction(this, name, values, mask);
    return this.each((each) =>
      builtin(
        name,
        values.map((list) => at(list, each)),
      ),
    );
  }

  private callOwn(callee: ast.Function, args: readonly ast.Expression[], mask: Terms, frame: Frame): Values {
    const names = new Map<string, Binding>();
    for (const [index, parameter] of callee.args.entries()) {
      const arg = at(args, index);
      if (parameter.type.kind === 'pointer') {
        names.set(parameter.name, { kind: 'cell', place: this.place(arg, mask, frame) });
      } else {
        const type = this.program.resolve(parameter.type);
        const values = this.evaluate(arg, mask, frame).map((value) => concrete(value, type));
        names.set(parameter.name, { kind: 'value', values });
      }
    }
    const type = callee.returnType === null ? undefined : this.program.resolve(callee.returnType);
    const result: Value[] = type === undefined ? [] : this.each(() => zero(type));
    const inside: Frame = { scope: { names, parent: this.globals }, breaks: undefined, continues: undefined, result };
    this.execute(callee.body, mask, inside);
    return type === undefined ? this.each(() => word(constant(0))) : result;
  }

  private barrier(mask: Terms): Values {
    for (const each of mask) this.memory.require(equal(each, at(mask, 0)));
    for (const binding of this.globals.names.values())
      if (binding.kind === 'cell' && binding.place.cell.kind === 'shared') binding.place.cell.writes = [];
    return this.each(() => word(constant(0)));
  }

  /** Loads a value between two barriers. https://www.w3.org/TR/WGSL/#workgroupUniformLoad-builtin */
  private uniformLoad(pointer: ast.Expression, mask: Terms, frame: Frame): Values {
    this.barrier(mask);
    const place = this.place(pointer, mask, frame);
    const values = this.each((each) => this.memory.read(place, each, at(mask, each)));
    this.barrier(mask);
    return values;
  }

  /**
   * Executes an atomic in the order of the invocations. The returned value depends on the order, so
   * it is a free value.
   */
  private atomic(name: string, args: readonly ast.Expression[], mask: Terms, frame: Frame): Values {
    const [target, ...rest] = args;
    const place = this.place(target ?? fail(`${name} has no argument`), mask, frame);
    const operands = rest.map((arg) => this.evaluate(arg, mask, frame));
    const { cell } = place;
    if (cell.kind !== 'shared') throw new Error('an atomic is shared');
    const unchecked: Cell = { ...cell, isChecked: false, writes: [] };
    const local: Place = { ...place, cell: unchecked };
    const results = this.each((each) => {
      const condition = at(mask, each);
      if (isFalse(condition)) return word(constant(0));
      if (name === 'atomicLoad') return this.memory.read(local, each, condition);
      const operand = at(operands[0] ?? [], each);
      this.memory.change(local, each, condition, (old) =>
        name === 'atomicStore' ? concrete(operand, place.type) : this.operateAtomic(name, old, operand),
      );
      return word(anything());
    });
    cell.value = unchecked.value;
    return results;
  }

  private operateAtomic(name: string, old: Value, operand: Value): Value {
    const operator = atomicOperators[name];
    if (operator !== undefined) return this.operate(operator, old, operand);
    if (name === 'atomicMax' || name === 'atomicMin')
      return builtin(name === 'atomicMax' ? 'max' : 'min', [old, like(operand, old)]);
    throw new Error(`${name} is not supported`);
  }
}
