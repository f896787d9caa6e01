// Infers a kernel's use of its parameters and threads from its instructions and its C++ name.
import type { ScalarKind } from '../../base/launch.ts';
import { effectsOf } from '../../isa/row.ts';
import type { AddressOperand, Instruction, Module, PtxFunction, Register, Variable } from '../../ptx/ast.ts';
import { asDeclared, type DeclaredType, declaredTypesOf } from './declared-types.ts';
import { count, ElementTypes, elected, type Votes } from './element-type.ts';
import { type ImageUse, imageUse } from './image-use.ts';
import { type Atom, atomsOf, constantOf, type Polynomial, sum } from './polynomial.ts';
import { reachableFrom } from './reachable.ts';
import { Roots } from './roots.ts';
import { threadUse } from './thread-use.ts';
import {
  type Axis,
  type FieldUse,
  type KernelUse,
  type NumberRole,
  type NumberUse,
  numberRoles,
  type PointerUse,
} from './uses.ts';
import { ValueForms } from './value-forms.ts';

/** One address operand. */
interface Access {
  readonly instruction: Instruction;
  readonly form: Polynomial;
  readonly space: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

interface Draft {
  pointer: boolean;
  /**
   * Whether the field is certainly an address: it is converted with `cvta.to.global`, or is the
   * only candidate for an address.
   */
  certain: boolean;
  reads: boolean;
  writes: boolean;
  holdsIndexes: boolean;
  holdsPointers: boolean;
  readonly votes: Votes;
  bytes: number;
  readonly roles: Set<NumberRole>;
  readonly axes: Set<Axis>;
  readonly constants: Set<number>;
}

type Field = Extract<Atom, { kind: 'field' }>;

/**
 * A field, the memory to which it points, or an axis of the threads. Sets compare roots by
 * identity, so there is only one object of each root.
 */
type Root =
  | { readonly kind: 'field' | 'element'; readonly field: Field }
  | { readonly kind: 'axis'; readonly axis: Axis };

/**
 * Infers the uses in the entry and in all functions that it can call. Never throws. A parameter
 * whose use is unknown counts as a plain number.
 */
export function inferKernel(module: Module, entry: PtxFunction): KernelUse {
  const functions = reachableFrom(module, entry);
  const instructions = functions.flatMap(({ body }) =>
    body.filter((statement): statement is Instruction => statement.kind === 'instruction'),
  );
  return new Inference(module, functions, instructions).result();
}

class Inference {
  readonly #forms: ValueForms;
  readonly #types: ElementTypes;
  readonly #drafts = new Map<string, { readonly field: Field; readonly draft: Draft }>();
  /** The parameters through which the value of a register was loaded. */
  readonly #loadedFrom = new Map<Register, Set<Field>>();
  /**
   * The parameters on which values depend, directly or through the memory to which parameters
   * point. Must be used only after all loads are known.
   */
  readonly #roots: Roots<Root>;
  readonly #rootObjects = new Map<string, Root>();
  readonly #images = new Map<number, ImageUse>();
  #followsUnknown = false;
  readonly #module: Module;
  readonly #functions: readonly PtxFunction[];
  readonly #instructions: readonly Instruction[];

  constructor(module: Module, functions: readonly PtxFunction[], instructions: readonly Instruction[]) {
    this.#module = module;
    this.#functions = functions;
    this.#instructions = instructions;
    this.#forms = new ValueForms(functions, module.addressSize / 8);
    this.#types = new ElementTypes(instructions);
    this.#roots = new Roots(this.#forms, (atom) => this.#rootsOf(atom));
  }

  result(): KernelUse {
    for (const instruction of this.#instructions) this.#mention(instruction);
    const accesses = this.#instructions.flatMap((instruction) => this.#accessesOf(instruction));
    const inGlobal = accesses.filter(({ space }) => space === 'global' || space === 'generic');
    for (const access of inGlobal) this.#notePointer(access);
    for (const access of accesses) this.#noteAddress(access);
    for (const instruction of this.#instructions) this.#noteNumber(instruction);
    const params = (this.#functions[0]?.params ?? []).filter((param): param is Variable => 'space' in param);
    const types = this.#functions[0] === undefined ? [] : declaredTypesOf(this.#functions[0]);
    return {
      params: params.map((variable, param) => ({
        variable: asDeclared(variable, types[param]),
        declared: types[param],
        fields: this.#fieldsOf(param, types[param]),
        image: this.#images.get(param),
      })),
      threads: threadUse(this.#module, this.#functions, this.#instructions, this.#forms),
      followsUnknown: this.#followsUnknown,
    };
  }

  #fieldsOf(param: number, declared: DeclaredType | undefined): FieldUse[] {
    const element = declared?.isPointer === true ? declared.kind : undefined;
    const all: Votes = new Map();
    for (const { draft } of this.#drafts.values()) for (const [kind, number] of draft.votes) count(all, kind, number);
    return [...this.#drafts.values()]
      .filter(({ field }) => field.param === param)
      .sort((a, b) => a.field.offset - b.field.offset)
      .map(({ field: { offset, bytes }, draft }) => ({ offset, bytes, use: useOf(draft, all, element) }));
  }

  #draft(field: Field): Draft {
    const known = this.#drafts.get(field.key);
    if (known !== undefined) return known.draft;
    const draft: Draft = {
      pointer: false,
      certain: false,
      reads: false,
      writes: false,
      holdsIndexes: false,
      holdsPointers: false,
      votes: new Map(),
      bytes: 4,
      roles: new Set(),
      axes: new Set(),
      constants: new Set(),
    };
    this.#drafts.set(field.key, { field, draft });
    return draft;
  }

  /**
   * Adds the fields that an instruction loads to the result. A field that is converted to a global
   * address is a pointer.
   */
  #mention(instruction: Instruction): void {
    const { row, mods, operands } = instruction;
    for (const name of row.writes) {
      const form = this.#forms.ofOperand(operands[name]);
      for (const atom of form === undefined ? [] : atomsOf(form)) if (atom.kind === 'field') this.#draft(atom);
      const { d } = operands;
      for (const element of d?.kind === 'vector' ? d.elements : []) {
        for (const atom of atomsOf(this.#forms.ofOperand(element) ?? new Map())) {
          if (atom.kind === 'field') this.#draft(atom);
        }
      }
    }
    const { a } = operands;
    if (row.name === 'cvta.to' && mods.space === 'global') {
      const fields = this.#pointersIn(this.#forms.ofOperand(a));
      for (const field of fields) {
        const draft = this.#draft(field);
        draft.pointer = true;
        draft.certain ||= fields.length === 1;
      }
    }
    if (a?.kind !== 'image' || 'reference' in a.object) return;
    for (const atom of this.#forms.bases(this.#forms.ofRegister(a.object))) {
      if (atom.kind === 'field') this.#images.set(atom.param, imageUse(instruction, this.#images.get(atom.param)));
    }
  }

  #accessesOf(instruction: Instruction): Access[] {
    const { row, mods, operands } = instruction;
    if (row.name === 'cvta' || row.name === 'cvta.to') return [];
    const { memory } = effectsOf(row, mods);
    return Object.entries(operands).flatMap(([name, operand]) => {
      if (operand.kind !== 'address') return [];
      const form = this.#forms.ofAddress(operand);
      if (form === undefined) return [];
      // A copy reads from `a` and writes to `to`.
      const isCopy = operands.to !== undefined;
      const reads = isCopy ? name === 'a' : memory === 'reads' || memory === 'updates';
      const writes = isCopy ? name === 'to' : memory === 'writes' || memory === 'updates';
      return [{ instruction, form, space: spaceOf(instruction, name, operand), reads, writes }];
    });
  }

  /**
   * Returns the parameters that may be the base of an address. Prefers parameters that are also
   * pointers elsewhere.
   */
  #pointersIn(form: Polynomial | undefined): Field[] {
    const bytes = this.#module.addressSize / 8;
    const fields = (form === undefined ? [] : this.#forms.bases(form)).filter(
      (atom): atom is Field => atom.kind === 'field' && atom.bytes === bytes,
    );
    const params = this.#functions[0]?.params ?? [];
    const isDeclared = ({ param }: Field): boolean => {
      const variable = params[param];
      return variable !== undefined && 'space' in variable && variable.pointer === true;
    };
    const certain = fields.filter((field) => isDeclared(field) || this.#draft(field).certain);
    return certain.length > 0 ? certain : fields;
  }

  #notePointer({ instruction, form, reads, writes }: Access): void {
    const fields = this.#pointersIn(form);
    const { mods, operands } = instruction;
    const type = mods.type ?? mods.atype ?? 'b32';
    for (const field of fields) {
      const draft = this.#draft(field);
      draft.pointer = true;
      draft.reads ||= reads;
      draft.writes ||= writes;
      this.#types.vote(draft.votes, type, operands.d ?? operands.b);
      draft.bytes = bytesOf(type);
      if (reads) this.#noteLoaded(instruction, field);
    }
    if (fields.length > 0) return;
    const bases = this.#forms.bases(form);
    for (const atom of bases) {
      if (atom.kind !== 'loaded') continue;
      for (const field of this.#loadedFrom.get(atom.register) ?? []) this.#draft(field).holdsPointers = true;
    }
    if (!bases.some(({ kind }) => kind === 'variable')) this.#followsUnknown = true;
  }

  #noteLoaded({ operands: { d } }: Instruction, field: Field): void {
    for (const element of d?.kind === 'vector' ? d.elements : d === undefined ? [] : [d]) {
      if (element.kind !== 'register') continue;
      const known = this.#loadedFrom.get(element.register);
      if (known === undefined) this.#loadedFrom.set(element.register, new Set([field]));
      else known.add(field);
    }
  }

  #root(key: string, root: Root): Root {
    const known = this.#rootObjects.get(key);
    if (known === undefined) this.#rootObjects.set(key, root);
    return known ?? root;
  }

  #rootsOf(atom: Atom): Root[] {
    switch (atom.kind) {
      case 'field':
        return [this.#root(atom.key, { kind: 'field', field: atom })];
      case 'loaded':
        return [...(this.#loadedFrom.get(atom.register) ?? [])].map((field) =>
          this.#root(`${field.key} element`, { kind: 'element', field }),
        );
      case 'special': {
        const axis = /^%(?:tid|ctaid)\.([xyz])$/.exec(atom.name)?.[1];
        return axis === 'x' || axis === 'y' || axis === 'z' ? [this.#root(axis, { kind: 'axis', axis })] : [];
      }
      default:
        return [];
    }
  }

  /** Records pitches, offsets, and elements that are used as indexes. */
  #noteAddress({ form }: Access): void {
    for (const { atoms } of form.values()) {
      const [only, ...more] = atoms;
      if (only?.kind === 'field' && more.length === 0) this.#draft(only).roles.add('offset');
      if (more.length === 0) continue;
      for (const atom of atoms) if (atom.kind === 'field') this.#draft(atom).roles.add('pitch');
    }
    for (const root of this.#roots.of(form)) {
      if (root.kind === 'element') this.#draft(root.field).holdsIndexes = true;
    }
  }

  #noteNumber({ row, mods, operands }: Instruction): void {
    const form = (name: string): Polynomial => this.#forms.ofOperand(operands[name]) ?? new Map();
    if (/^(setp|set)(\.bool)?$/.test(row.name) || row.name === 'min' || row.name === 'max') {
      if (mods.type?.startsWith('f') !== true) this.#noteComparison(form('a'), form('b'), row.name, mods.cmp);
    }
    if (row.name === 'shl' || row.name === 'shr') this.#addRole(form('b'), 'shift');
    if (row.name === 'div' || row.name === 'rem') this.#addRole(form('b'), 'divisor');
  }

  #addRole(form: Polynomial, role: NumberRole): void {
    for (const root of this.#roots.of(form)) if (root.kind === 'field') this.#draft(root.field).roles.add(role);
  }

  #noteComparison(a: Polynomial, b: Polynomial, row: string, comparison: string | undefined): void {
    const difference = sum(a, b, -1);
    if (difference === undefined) return;
    const fields = [...difference.values()].flatMap(({ atoms }) =>
      atoms.every(({ kind }) => kind === 'field') ? atoms.filter((atom): atom is Field => atom.kind === 'field') : [],
    );
    const others = new Map([...difference].filter(([, { atoms }]) => atoms.some(({ kind }) => kind !== 'field')));
    const sides = [constantOf(a), constantOf(b)];
    const limit = sides.find((side) => side !== undefined);
    for (const field of fields) {
      const draft = this.#draft(field);
      if (others.size === 0) {
        if (limit === undefined) continue;
        draft.constants.add(limit);
        if (row.startsWith('set') && (comparison === 'eq' || comparison === 'ne')) draft.roles.add('flag');
        continue;
      }
      draft.roles.add('count');
      for (const root of this.#roots.of(others)) if (root.kind === 'axis') draft.axes.add(root.axis);
    }
  }
}

function useOf(draft: Draft, all: Votes, declared: ScalarKind | undefined): PointerUse | NumberUse {
  const { pointer, reads, writes, holdsIndexes, holdsPointers, votes, bytes, roles, axes, constants } = draft;
  if (pointer) {
    return {
      kind: 'pointer',
      element: elected(votes, bytes, all, declared),
      reads,
      writes,
      holdsIndexes,
      holdsPointers,
    };
  }
  const role = numberRoles.find((candidate) => roles.has(candidate)) ?? 'number';
  return { kind: 'number', role, axes: [...axes], constants: [...constants] };
}

const bytesOf = (type: string): number => Number(/\d+/.exec(type)?.[0] ?? 32) / 8;

function spaceOf({ row, mods }: Instruction, name: string, { base }: AddressOperand): string {
  if (base !== null && 'space' in base) return base.space;
  return (row.spaces?.[name] ?? mods.space ?? 'generic').replace(/::.*/, '');
}
