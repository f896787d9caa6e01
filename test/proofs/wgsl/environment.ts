// The state that expressions and statements share: the names of a shader, and the values of its
// invocations.

import { get } from '../../../src/base/invariants.ts';
import { attribute, Program } from '../../wgsl-interpreter/program.ts';
import type * as ast from '../../wgsl-interpreter/syntax/ast.ts';
import { bool, constant, type Term, variable } from '../terms/term.ts';
import { fail, scalarsOf } from './conversions.ts';
import { at, type Cell, Memory, type Place, type SharedCell, type Terms } from './place.ts';
import { build, termOf, type Value, word, zero } from './value.ts';

/** One value for each invocation. */
export type Values = readonly Value[];

export type Binding =
  | { readonly kind: 'cell'; readonly place: Place }
  | { readonly kind: 'value'; readonly values: Values };

export interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | undefined;
}

export interface Frame {
  scope: Scope;
  breaks: Term[] | undefined;
  continues: Term[] | undefined;
  /** The value that each invocation returned. */
  result: Value[] | undefined;
}

export interface MachineOptions {
  readonly invocations: number;
  readonly subgroupSize: number;
  /** The words of each buffer, by binding. */
  readonly buffers: ReadonlyMap<number, readonly Term[]>;
  /** The answers of the solver so far: whether a condition can hold. */
  readonly answers: ReadonlyMap<Term, boolean>;
  /** Conditions, and others that describe all values that they may have. */
  readonly equations?: ReadonlyMap<Term, Term>;
  /**
   * Returns a word that describes all values of the variable of a loop, with fewer facts. Absent:
   * keeps all facts.
   */
  readonly forget?: (word: Term, invocation: number) => Term;
}

export abstract class Environment {
  readonly memory = new Memory();
  readonly size: number;
  readonly subgroupSize: number;
  protected readonly program: Program;
  protected readonly options: MachineOptions;
  protected readonly globals: Scope = { names: new Map(), parent: undefined };
  private readonly bound = new Map<number, SharedCell>();

  constructor(code: string, options: MachineOptions) {
    this.options = options;
    this.size = options.invocations;
    this.subgroupSize = options.subgroupSize;
    const unused = (): never => {
      throw new Error('the machine compiles nothing');
    };
    const evaluateConstant = (program: Program, name: string): number => {
      const node = program.variables.get(name);
      if (node === undefined || node.value === null) throw new Error(`${name} is not a constant`);
      const value = at(this.evaluate(node.value, this.everywhere(), this.frame()), 0);
      return Number(termOf(value).value);
    };
    this.program = new Program(code, { call: unused, construct: unused, lookup: unused, evaluateConstant });
  }

  abstract evaluate(node: ast.Expression, mask: Terms, frame: Frame): Values;

  /** Returns the words of a buffer after the execution. A shader that does not use it leaves them. */
  wordsOf(binding: number): readonly Term[] {
    const cell = this.bound.get(binding);
    return cell === undefined ? get(this.options.buffers, binding, 'the words of a buffer') : scalarsOf(cell.value);
  }

  protected frame(): Frame {
    return { scope: this.globals, breaks: undefined, continues: undefined, result: undefined };
  }

  protected everywhere(): Terms {
    return this.each(() => bool(true));
  }

  each<T>(make: (invocation: number) => T): T[] {
    return Array.from({ length: this.size }, (_, invocation) => make(invocation));
  }

  protected builtinValue(name: string): Values {
    const { size, subgroupSize } = this;
    const number = (of: (invocation: number) => number): Values => this.each((each) => word(constant(of(each))));
    const triple = (of: (invocation: number) => number): Values =>
      this.each((each) => ({
        kind: 'list',
        type: { kind: 'vector', size: 3, element: 'u32' },
        items: [word(constant(of(each))), word(constant(0)), word(constant(0))],
      }));
    switch (name) {
      case 'subgroup_invocation_id':
        return number((each) => each % subgroupSize);
      case 'subgroup_id':
        return number((each) => Math.floor(each / subgroupSize));
      case 'local_invocation_index':
        return number((each) => each);
      case 'local_invocation_id':
      case 'global_invocation_id':
        return triple((each) => each);
      case 'workgroup_id':
        return triple(() => 0);
      case 'subgroup_size':
        return number(() => subgroupSize);
      case 'num_subgroups':
        return number(() => Math.ceil(size / subgroupSize));
      default:
        throw new Error(`builtin ${name} is not supported`);
    }
  }

  protected lookup(name: string, frame: Frame): Binding {
    for (let scope: Scope | undefined = frame.scope; scope !== undefined; scope = scope.parent) {
      const binding = scope.names.get(name);
      if (binding !== undefined) return binding;
    }
    const declaration = this.program.variables.get(name);
    if (declaration === undefined) throw new Error(`${name} is not declared`);
    const binding = this.global(declaration);
    this.globals.names.set(name, binding);
    return binding;
  }

  private global(node: ast.Var | ast.Constant): Binding {
    const { name } = node;
    if (node.kind !== 'var') {
      if (node.value === null) throw new Error(`${name} has no value`);
      return { kind: 'value', values: this.evaluate(node.value, this.everywhere(), this.frame()) };
    }
    const type = this.program.resolve(node.type ?? fail(`${name} has no type`));
    if (node.storage === 'private') {
      const cell: Cell = { kind: 'own', values: this.each(() => zero(type)) };
      return { kind: 'cell', place: { cell, type, path: [] } };
    }
    if (node.storage === 'workgroup') {
      const cell: Cell = { kind: 'shared', value: zero(type), writes: [], isChecked: true };
      return { kind: 'cell', place: { cell, type, path: [] } };
    }
    const binding = Number(attribute(node.attributes, 'binding'));
    const words = this.options.buffers.get(binding) ?? [];
    let next = 0;
    const value = build(type, () => words[next++] ?? variable(`${name}[${next - 1}]`), words.length);
    const cell: SharedCell = { kind: 'shared', value, writes: [], isChecked: node.access === 'read_write' };
    this.bound.set(binding, cell);
    return { kind: 'cell', place: { cell, type, path: [] } };
  }
}
