// Evaluates a kernel's registers to polynomials. Finds the parameters from which a value may come.

import { getOrInsert } from '../../base/maps.ts';
import type { AddressOperand, Instruction, Operand, PtxFunction, Register, Variable } from '../../ptx/ast.ts';
import { type Atom, atomic, atomsOf, constant, type Polynomial, product, sum, summands } from './polynomial.ts';

/**
 * A definition of a register or a cell. A cell is a place on the stack, or in a parameter of a
 * function.
 */
type Definition =
  | { readonly kind: 'instruction'; readonly instruction: Instruction }
  | { readonly kind: 'value'; readonly operand: Operand }
  | { readonly kind: 'copy'; readonly of: Register };

/** Rows whose result may be one of their operands, entirely or with some bits cleared. */
const choices: ReadonlySet<string> = new Set(['selp', 'slct', 'and', 'or', 'min', 'max']);

export class ValueForms {
  readonly #params: ReadonlyMap<Variable, number>;
  readonly #definitions = new Map<Register, Definition[]>();
  readonly #cells = new Map<Variable, Map<number, Definition[]>>();
  /** For each variable, the variables into which calls copy its contents. */
  readonly #passed = new Map<Variable, Set<Variable>>();
  readonly #forms = new Map<Register, Polynomial>();
  readonly #numbers = new Map<Register | Variable, number>();
  readonly #instructions: readonly Instruction[];
  readonly #addressBytes: number;

  /** `functions` contains the entry, and all functions that it can call. */
  constructor(functions: readonly PtxFunction[], addressBytes: number) {
    this.#addressBytes = addressBytes;
    const params = functions[0]?.params.filter((param): param is Variable => 'space' in param) ?? [];
    this.#params = new Map(params.map((param, index) => [param, index]));
    this.#instructions = functions.flatMap(({ body }) =>
      body.filter((statement): statement is Instruction => statement.kind === 'instruction'),
    );
    const byName = new Map(functions.map((fn) => [fn.name, fn]));
    for (const instruction of this.#instructions) {
      for (const name of instruction.row.writes) this.#write(instruction, instruction.operands[name]);
      this.#call(instruction, byName);
    }
    // The first evaluation ignores the stack, because it computes the addresses of the stack's
    // cells.
    this.#evaluateAll();
    for (const instruction of this.#instructions) this.#store(instruction);
    this.#forms.clear();
    this.#evaluateAll();
  }

  /**
   * Evaluates all registers in the order of the text. Most definitions precede their uses, so
   * recursion stays shallow.
   */
  #evaluateAll(): void {
    for (const { row, operands } of this.#instructions) {
      for (const name of row.writes) {
        const operand = operands[name];
        if (operand?.kind === 'register') this.ofRegister(operand.register);
      }
    }
  }

  ofRegister(register: Register): Polynomial {
    const known = this.#forms.get(register);
    if (known !== undefined) return known;
    // Until the evaluation is finished, the register counts as computed, which breaks cycles.
    this.#forms.set(register, this.#computed(register));
    const [definition, ...others] = this.#definitions.get(register) ?? [];
    const isOnly = definition !== undefined && others.length === 0 && !isGuarded(definition);
    const form = (isOnly ? this.#evaluate(definition, register) : undefined) ?? this.#computed(register);
    this.#forms.set(register, form);
    return form;
  }

  /** Returns the polynomial of an operand; undefined for operands that are not integers. */
  ofOperand(operand: Operand | undefined): Polynomial | undefined {
    switch (operand?.kind) {
      case 'register':
        return this.ofRegister(operand.register);
      case 'immediate':
        return constant(Number(BigInt.asIntN(operand.type.endsWith('64') ? 64 : 32, operand.bits)));
      case 'special':
        return atomic({ kind: 'special', key: operand.name, name: operand.name });
      case 'symbol':
        return sum(this.#variable(operand.variable), constant(operand.offset));
      case 'address':
        return this.ofAddress(operand);
      default:
        return undefined;
    }
  }

  ofAddress({ base, offset }: AddressOperand): Polynomial | undefined {
    if (base === null) return constant(offset);
    return sum('space' in base ? this.#variable(base) : this.ofRegister(base), constant(offset));
  }

  /** Returns the atoms in all definitions of a computed register. */
  sources(register: Register): Atom[] {
    return (this.#definitions.get(register) ?? []).flatMap((definition) => {
      const own = this.#evaluate(definition, register);
      return own === undefined ? this.#operandsOf(definition).flatMap(atomsOf) : atomsOf(own);
    });
  }

  /**
   * Returns the form in which loop variables have their initial values. Loop variables with several
   * initial definitions do not change.
   */
  initial(form: Polynomial): Polynomial {
    const terms = [...form].map(([key, term]): Polynomial => {
      const [atom, ...others] = term.atoms;
      const start = atom?.kind === 'computed' && others.length === 0 ? this.#initialOf(atom) : undefined;
      return (start && product(start, constant(term.coefficient))) ?? new Map([[key, term]]);
    });
    return terms.reduce<Polynomial | undefined>((total, term) => total && sum(total, term), constant(0)) ?? form;
  }

  #initialOf({ key, register }: Extract<Atom, { kind: 'computed' }>): Polynomial | undefined {
    const values = (this.#definitions.get(register) ?? []).map((definition) => this.#evaluate(definition, register));
    const [value, ...others] = values.filter(
      (one) => one === undefined || !atomsOf(one).some((atom) => atom.key === key),
    );
    return others.length === 0 ? value : undefined;
  }

  /**
   * Returns the possible bases of an address: parameters, variables and loaded values that are
   * terms with coefficient 1.
   */
  bases(form: Polynomial): Atom[] {
    const found = new Map<string, Atom>();
    const waiting = summands(form);
    for (let atom = waiting.pop(); atom !== undefined; atom = waiting.pop()) {
      if (found.has(atom.key) || atom.kind === 'special') continue;
      found.set(atom.key, atom);
      // A value narrower than an address is an index.
      if (atom.kind !== 'computed' || bytesOf(atom.register) !== this.#addressBytes) continue;
      for (const definition of this.#definitions.get(atom.register) ?? []) {
        const own = this.#evaluate(definition, atom.register);
        const isChoice = definition.kind === 'instruction' && choices.has(definition.instruction.row.name);
        if (own !== undefined) waiting.push(...summands(own));
        else if (isChoice) waiting.push(...this.#operandsOf(definition).flatMap(summands));
      }
    }
    return [...found.values()].filter(({ kind }) => kind !== 'computed');
  }

  #operandsOf(definition: Definition): Polynomial[] {
    if (definition.kind === 'copy') return [this.ofRegister(definition.of)];
    if (definition.kind === 'value') return [this.ofOperand(definition.operand) ?? constant(0)];
    const { row, operands } = definition.instruction;
    return Object.entries(operands).flatMap(([name, operand]) =>
      row.writes.includes(name) || operand.kind === 'address' ? [] : (this.ofOperand(operand) ?? []),
    );
  }

  #number(of: Register | Variable): number {
    const known = this.#numbers.get(of);
    if (known !== undefined) return known;
    this.#numbers.set(of, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #computed = (register: Register): Polynomial =>
    atomic({ kind: 'computed', key: `computed ${this.#number(register)}`, register });

  #variable = (variable: Variable): Polynomial =>
    atomic({ kind: 'variable', key: `variable ${this.#number(variable)}`, variable });

  /** Returns the polynomial of a definition; undefined if the value is not a polynomial. */
  #evaluate(definition: Definition, register: Register): Polynomial | undefined {
    if (definition.kind === 'copy') return this.ofRegister(definition.of);
    if (definition.kind === 'value') return this.ofOperand(definition.operand);
    const { instruction } = definition;
    const { row, mods, operands } = instruction;
    const part = (name: string): Polynomial | undefined => this.ofOperand(operands[name]);
    const times = (a: Polynomial | undefined, b: Polynomial | undefined) => a && b && product(a, b);
    const plus = (a: Polynomial | undefined, b: Polynomial | undefined, scale?: number) => a && b && sum(a, b, scale);
    switch (row.name) {
      case 'mov':
      case 'cvta':
      case 'cvta.to':
        return part('a');
      case 'cvt':
        return isInteger(mods.dtype) && isInteger(mods.atype) ? part('a') : undefined;
      case 'add':
        return plus(part('a'), part('b'));
      case 'sub':
        return plus(part('a'), part('b'), -1);
      case 'neg':
        return plus(constant(0), part('a'), -1);
      case 'mul':
      case 'mul24':
        return mods.half === 'hi' ? undefined : times(part('a'), part('b'));
      case 'mul.wide':
        return times(part('a'), part('b'));
      case 'mad':
      case 'mad24':
        return mods.half === 'hi' ? undefined : plus(times(part('a'), part('b')), part('c'));
      case 'mad.wide':
        return plus(times(part('a'), part('b')), part('c'));
      case 'shl': {
        const { b } = operands;
        return b?.kind === 'immediate' && b.bits < 32n ? times(part('a'), constant(2 ** Number(b.bits))) : undefined;
      }
      case 'or':
        // If some bits are known to be zero, compilers write the addition of a constant as `or`.
        return operands.b?.kind === 'immediate' && mods.type !== 'pred' ? plus(part('a'), part('b')) : undefined;
      default:
        return row.kind === 'memory' || row.kind === 'atomic' ? this.#load(instruction, register) : undefined;
    }
  }

  #load({ operands }: Instruction, register: Register): Polynomial | undefined {
    const { a, d } = operands;
    if (a?.kind !== 'address' || d === undefined) return undefined;
    const bytes = bytesOf(register);
    const [place, offset] = this.#cellOf(a) ?? [];
    const loaded: Atom = { kind: 'loaded', key: `loaded ${this.#number(register)}`, register };
    if (place === undefined || offset === undefined) return atomic(loaded);
    const elements = d.kind === 'vector' ? d.elements : [d];
    const index = elements.findIndex((element) => element.kind === 'register' && element.register === register);
    const at = offset + Math.max(0, index) * bytes;
    const param = this.#params.get(place);
    if (param !== undefined) return atomic({ kind: 'field', key: `field ${param}+${at}`, param, offset: at, bytes });
    const [definition, ...others] = this.#definitionsOfCell(place, at);
    if (definition === undefined) return atomic(loaded);
    return others.length === 0 ? this.#evaluate(definition, register) : undefined;
  }

  /**
   * Returns the variable of the stack or of a parameter that contains an address, and the byte
   * offset in the variable. Returns undefined for other addresses.
   */
  #cellOf(address: AddressOperand): readonly [Variable, number] | undefined {
    const form = this.ofAddress(address);
    if (form === undefined) return undefined;
    const [atom, ...others] = atomsOf(form);
    if (atom?.kind !== 'variable' || others.length > 0 || form.get(atom.key)?.coefficient !== 1) return undefined;
    const { space } = atom.variable;
    return space === 'local' || space === 'param' ? [atom.variable, form.get('')?.coefficient ?? 0] : undefined;
  }

  #definitionsOfCell(variable: Variable, offset: number): Definition[] {
    const seen = new Set([variable]);
    // The loop also visits elements that it adds to the set.
    for (const one of seen) for (const other of this.#passed.get(one) ?? []) seen.add(other);
    return [...seen].flatMap((one) => this.#cells.get(one)?.get(offset) ?? []);
  }

  #define(register: Register, definition: Definition): void {
    getOrInsert(this.#definitions, register, () => []).push(definition);
  }

  #write(instruction: Instruction, operand: Operand | undefined): void {
    const definition: Definition = { kind: 'instruction', instruction };
    if (operand?.kind === 'register') this.#define(operand.register, definition);
    if (operand?.kind !== 'vector') return;
    for (const element of operand.elements) this.#write(instruction, element);
  }

  #store({ row, operands }: Instruction): void {
    const { a, b } = operands;
    if (!row.name.startsWith('st') || a?.kind !== 'address' || b === undefined) return;
    const [place, offset] = this.#cellOf(a) ?? [];
    if (place === undefined || offset === undefined) return;
    const cells = getOrInsert(this.#cells, place, () => new Map<number, Definition[]>());
    let at = offset;
    for (const element of b.kind === 'vector' ? b.elements : [b]) {
      const known = cells.get(at);
      const definition: Definition = { kind: 'value', operand: element };
      if (known === undefined) cells.set(at, [definition]);
      else known.push(definition);
      at += element.kind === 'register' ? bytesOf(element.register) : 4;
    }
  }

  #call({ operands }: Instruction, byName: ReadonlyMap<string, PtxFunction>): void {
    const { callee: call } = operands;
    if (call?.kind !== 'call' || call.service !== undefined) return;
    const names = call.indirect?.candidates.map(({ name }) => name) ?? [call.callee];
    for (const name of names) {
      const fn = byName.get(name);
      if (fn === undefined) continue;
      for (const [index, to] of fn.params.entries()) this.#pass(call.args[index], to);
      for (const [index, to] of call.results.entries()) {
        const from = fn.results[index];
        if ('space' in to) this.#pass(from, to);
        else if (from !== undefined && !('space' in from)) this.#define(to.register, { kind: 'copy', of: from });
      }
    }
  }

  #pass(from: Operand | Register | Variable | undefined, to: Register | Variable): void {
    if (from === undefined) return;
    if ('space' in to) {
      if (!('space' in from)) return;
      const known = this.#passed.get(to) ?? new Set();
      this.#passed.set(to, known.add(from));
    } else if ('kind' in from) this.#define(to, { kind: 'value', operand: from });
    else if (!('space' in from)) this.#define(to, { kind: 'copy', of: from });
  }
}

const isInteger = (type: string | undefined): boolean => type !== undefined && /^[us]\d/.test(type);

const bytesOf = ({ type }: Register): number => Number(/\d+/.exec(type)?.[0] ?? 8) / 8;

const isGuarded = (definition: Definition): boolean =>
  definition.kind === 'instruction' && definition.instruction.guard !== undefined;
