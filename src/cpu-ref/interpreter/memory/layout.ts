// Assigns a place in the frame to every register, constant and special register of a function, so
// that operands are plain indices at run time.

import { alignUp } from '../../../base/align.ts';
import type { PtxType } from '../../../isa/index.ts';
import type { Operand, PtxFunction, Register, Variable } from '../../../ptx/ast.ts';
import type { AddressSpace } from './address-space.ts';

const lanesPerWarp = 32;

/** Returns the width of a type in bits; 1 for predicates. */
export function bitWidth(type: PtxType): number {
  return type === 'pred' ? 1 : Number(/\d+/.exec(type)?.[0] ?? 32) * (type.endsWith('x2') ? 2 : 1);
}

function isSigned(type: PtxType): boolean {
  return type.startsWith('s');
}

/**
 * The location of a value in a frame, for all 32 lanes.
 * - `pred`: bit `lane` of `preds[base]`
 * - `word`: `file[base + lane]`, zero-extended
 * - `pair`: `file[base + 2 * lane]` and the next word; `wide[base / 2 + lane]` contains the same 64
 * bits
 */
export interface Place {
  readonly kind: 'pred' | 'word' | 'pair';
  readonly base: number;
  /** The width of the register in bits. */
  readonly width: number;
  /**
   * The index of the masks of the lanes whose value is undefined or has never been written. The
   * masks at index 0 are always empty.
   */
  readonly taint: number;
  /** The register, for messages; undefined for constants. */
  readonly register: Register | undefined;
}

/**
 * A decoded source operand: a place, the width that the instruction reads, and whether the
 * predicate is negated.
 */
export interface Source {
  readonly place: Place;
  readonly width: number;
  readonly negated: boolean;
}

/**
 * A decoded destination. If the value is narrower than the register, it is extended according to
 * the signedness of its type.
 */
export interface Destination {
  readonly place: Place;
  readonly width: number;
  readonly signed: boolean;
}

/** The values of places; `wide` contains the words of `file`. */
export interface PlaceValues {
  readonly file: Uint32Array;
  readonly wide: BigUint64Array;
  readonly preds: Uint32Array;
}

/** Writes a value in all lanes. */
export function fillPlace({ file, wide, preds }: PlaceValues, { kind, base }: Place, bits: bigint): void {
  if (kind === 'pair') wide.fill(bits, base >>> 1, (base >>> 1) + lanesPerWarp);
  else if (kind === 'word') file.fill(Number(BigInt.asUintN(32, bits)), base, base + lanesPerWarp);
  else preds[base] = bits === 0n ? 0 : 0xffff_ffff;
}

interface Layout {
  readonly fn: PtxFunction;
  /** The initial words and predicates of a frame: constants, and 0 in all other places. */
  readonly words: Uint32Array;
  readonly preds: Uint32Array;
  readonly taints: number;
  readonly specials: readonly { readonly place: Place; readonly name: string }[];
  /**
   * The addresses of stack variables (local variables and call parameters): the lane's frame base
   * plus an offset.
   */
  readonly stackSymbols: readonly { readonly place: Place; readonly offset: number }[];
  readonly registers: readonly Place[];
  readonly frameBytes: number;
}

export type FunctionLayout = Layout;

/** Allocates places while a function is decoded; `finish` returns the layout. */
export class LayoutBuilder {
  readonly fn: PtxFunction;
  readonly #space: AddressSpace;
  readonly #byName = new Map<string, Place>();
  readonly #constantPlaces = new Map<string, Place>();
  readonly #constants: { place: Place; bits: bigint }[] = [];
  readonly #specials: { place: Place; name: string }[] = [];
  readonly #stackSymbols: { place: Place; offset: number }[] = [];
  readonly #stackOffsets = new Map<Variable, number>();
  readonly #registers: Place[] = [];
  #words = 0;
  #preds = 0;
  #taints = 1;
  #frameBytes = 0;

  constructor(fn: PtxFunction, space: AddressSpace) {
    this.fn = fn;
    this.#space = space;
    const parameters = [...fn.params, ...fn.results];
    const inFrame: readonly (Variable | Register)[] = [...fn.variables, ...parameters];
    for (const variable of inFrame) {
      if (!('space' in variable) || space.addressOf(variable) !== undefined) continue;
      if (variable.space !== 'local' && variable.space !== 'param') continue;
      const offset = alignUp(this.#frameBytes, variable.align);
      this.#stackOffsets.set(variable, offset);
      this.#frameBytes = offset + variable.bytes;
    }
    for (const register of fn.registers) this.register(register);
    for (const parameter of parameters) if (!('space' in parameter)) this.register(parameter);
  }

  #allocate(width: number, register: Register | undefined): Place {
    const taint = register === undefined ? 0 : this.#taints++;
    if (width === 1) return { kind: 'pred', base: this.#preds++, width, taint, register };
    const kind = width > 32 ? 'pair' : 'word';
    const base = this.#words;
    this.#words += kind === 'pair' ? 2 * lanesPerWarp : lanesPerWarp;
    return { kind, base, width, taint, register };
  }

  register(register: Register): Place {
    const known = this.#byName.get(register.name);
    if (known !== undefined) return known;
    const place = this.#allocate(bitWidth(register.type), register);
    this.#byName.set(register.name, place);
    this.#registers.push(place);
    return place;
  }

  constant(bits: bigint, width: number): Place {
    const key = `${width}:${bits}`;
    const known = this.#constantPlaces.get(key);
    if (known !== undefined) return known;
    const place = this.#allocate(width, undefined);
    this.#constantPlaces.set(key, place);
    this.#constants.push({ place, bits });
    return place;
  }

  special(name: string, width: number): Place {
    const key = `${width}:${name}`;
    const known = this.#constantPlaces.get(key);
    if (known !== undefined) return known;
    const place = this.#allocate(width, undefined);
    this.#constantPlaces.set(key, place);
    this.#specials.push({ place, name });
    return place;
  }

  /** Whether a variable is on the lane's stack, so that its address differs by lane. */
  onStack(variable: Variable): boolean {
    return this.#stackOffsets.has(variable);
  }

  /** Returns the offset of a stack variable in its function's frame. */
  stackOffset(variable: Variable): number {
    const offset = this.#stackOffsets.get(variable);
    if (offset === undefined) throw new RangeError(`'${variable.name}' is not on the stack of ${this.fn.name}`);
    return offset;
  }

  /**
   * Returns the place of a constant: a variable's address plus `offset`, in the variable's state
   * space.
   */
  symbol(variable: Variable, offset: number, width: number): Place {
    const address = this.#space.addressOf(variable);
    if (address !== undefined) return this.constant(BigInt.asUintN(width, BigInt(address + offset)), width);
    const place = this.#allocate(width, undefined);
    this.#stackSymbols.push({ place, offset: this.stackOffset(variable) + offset });
    return place;
  }

  source(operand: Operand, type: PtxType): Source {
    const width = bitWidth(type);
    switch (operand.kind) {
      case 'register':
        return { place: this.register(operand.register), width, negated: operand.negated };
      case 'immediate':
        return { place: this.constant(operand.bits, width), width, negated: false };
      case 'special':
        return { place: this.special(operand.name, width), width, negated: false };
      case 'symbol':
        return { place: this.symbol(operand.variable, operand.offset, width), width, negated: false };
      default:
        throw new TypeError(`a ${operand.kind} operand has no value`);
    }
  }

  /** Decodes a destination. Returns undefined for the sink `_`. */
  destination(operand: Operand, type: PtxType): Destination | undefined {
    if (operand.kind === 'sink') return undefined;
    if (operand.kind !== 'register') throw new TypeError(`a ${operand.kind} operand cannot be written`);
    return { place: this.register(operand.register), width: bitWidth(type), signed: isSigned(type) };
  }

  finish(): Layout {
    const file = new Uint32Array(this.#words);
    const preds = new Uint32Array(this.#preds);
    const initial = { file, wide: new BigUint64Array(file.buffer), preds };
    for (const { place, bits } of this.#constants) fillPlace(initial, place, bits);
    return {
      fn: this.fn,
      words: file,
      preds,
      taints: this.#taints,
      specials: this.#specials,
      stackSymbols: this.#stackSymbols,
      registers: this.#registers,
      frameBytes: alignUp(this.#frameBytes, 16),
    };
  }
}
