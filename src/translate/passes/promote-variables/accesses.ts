// Finds the variables of local memory that are only accessed at constant offsets, in bounds.

import { getOrInsert } from '../../../base/maps.ts';
import type { Variable } from '../../../ptx/ast.ts';
import { addressOf } from '../../analysis/accesses.ts';
import { signedConstant } from '../../analysis/address-parts.ts';
import { flowGraph } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Definition,
  type Func,
  type Inst,
  type InstNamed,
  isDefinition,
  type Program,
  type Value,
  valuesOf,
} from '../../ir/nodes.ts';
import { widthOf } from '../../ir/types.ts';

export type Access = InstNamed<'load' | 'store'>;

/** An access of a variable. */
export interface FoundAccess {
  readonly inst: Access;
  readonly func: Func;
  readonly block: number;
  /** The offset of the first accessed element in the variable, in bytes. */
  readonly offset: number;
}

export interface FoundVariable {
  readonly accesses: FoundAccess[];
  /** Whether the address is compared, so that the variable must have an address. */
  compared: boolean;
}

/** Returns the number of bytes of an element of an access. */
export const elementBytes = ({ attrs }: Access): number => widthOf(attrs.type) / 8;

/** Returns the variables that registers can replace. */
export function findPromotable(program: Program): ReadonlyMap<Variable, FoundVariable> {
  const finder = new Finder(new Set(program.moduleLocals));
  for (const func of [program.kernel, ...program.functions]) finder.visit(func, func === program.kernel);
  return finder.result();
}

/** An address at a constant distance from the start of a variable. */
interface Address {
  readonly variable: Variable;
  readonly offset: number;
}

class Finder {
  private readonly found = new Map<Variable, FoundVariable>();
  /**
   * Variables that other code may access, or that are accessed at an offset that is not constant.
   */
  private readonly exposed = new Set<Variable>();
  /** Whether an access through the address of one variable reaches another variable. */
  private reachesNeighbor = false;
  private readonly addresses = new IdMap<Definition, Address>();
  /** Variables whose values remain after a call. */
  private readonly outlasting: ReadonlySet<Variable>;

  constructor(outlasting: ReadonlySet<Variable>) {
    this.outlasting = outlasting;
  }

  result(): ReadonlyMap<Variable, FoundVariable> {
    if (this.reachesNeighbor) return new Map();
    return new Map(
      [...this.found].filter(([variable, { accesses }]) => accesses.length > 0 && !this.exposed.has(variable)),
    );
  }

  visit(func: Func, isKernel: boolean): void {
    const graph = flowGraph(func);
    // If the entry is the start of a loop, a register that is read there would need a block before
    // the loop.
    const isPlain = graph.predecessors[0]?.length === 0;
    graph.blocks.forEach(({ insts, end }, block) => {
      for (let at = 0; at < insts.length; at++) {
        const inst = insts[at];
        if (inst === undefined) continue;
        this.reachesNeighbor ||= isAbsolute(inst);
        if (inst.op === 'symbol') this.symbol(inst, isPlain && (isKernel || !this.outlasting.has(inst.attrs.variable)));
        else if (this.readsAddress(inst)) this.use(inst, func, block);
      }
      for (const value of valuesOf(end)) this.expose(value);
    });
  }

  private symbol({ attrs: { variable, offset }, results, when }: InstNamed<'symbol'>, isAllowed: boolean): void {
    const [result] = results;
    if (variable.space !== 'local' || result === undefined) return;
    this.addresses.set(result, { variable, offset });
    getOrInsert(this.found, variable, () => ({ accesses: [], compared: false }));
    if (!isAllowed || when !== undefined) this.exposed.add(variable);
  }

  private addressOf(value: Value | undefined): Address | undefined {
    return value !== undefined && isDefinition(value) ? this.addresses.get(value) : undefined;
  }

  private expose(value: Value | undefined): void {
    const address = this.addressOf(value);
    if (address !== undefined) this.exposed.add(address.variable);
  }

  private readsAddress({ args, when, otherwise }: Inst): boolean {
    for (let at = 0; at < args.length; at++) if (this.addressOf(args[at])) return true;
    return when !== undefined && otherwise.some((value) => this.addressOf(value));
  }

  private use(inst: Inst, func: Func, block: number): void {
    for (const value of inst.otherwise) this.expose(value);
    const [first, ...others] = inst.args;
    const address = this.addressOf(first);
    if (inst.op === 'icmp' || inst.op === 'isspacep') {
      for (const value of inst.args) {
        const compared = this.addressOf(value);
        if (compared)
          getOrInsert(this.found, compared.variable, () => ({ accesses: [], compared: false })).compared = true;
      }
      return;
    }
    for (const value of others) this.expose(value);
    if (address === undefined) return;
    const [result] = inst.results;
    const moved = movedBy(inst);
    if (moved !== undefined && result !== undefined) {
      this.addresses.set(result, { variable: address.variable, offset: address.offset + moved });
    } else if ((inst.op === 'load' || inst.op === 'store') && addressOf(inst) === first) {
      this.access(inst, address, func, block);
    } else {
      this.exposed.add(address.variable);
    }
  }

  private access(inst: Access, { variable, offset }: Address, func: Func, block: number): void {
    const { place, type, order, count } = inst.attrs;
    const start = offset + place.offset;
    const bytes = elementBytes(inst);
    if (start < 0 || start + bytes * count > variable.bytes) this.reachesNeighbor = true;
    const isLocal = place.root.kind === 'address' && (place.root.space === 'local' || place.root.space === 'generic');
    // Only this thread can access local memory, so a volatile access is an ordinary access.
    const isOrdinary = order === 'weak' || order === 'volatile';
    if (!isLocal || !isOrdinary || place.unit !== 1 || start % bytes !== 0 || widthOf(type) > 64)
      this.exposed.add(variable);
    else
      getOrInsert(this.found, variable, () => ({ accesses: [], compared: false })).accesses.push({
        inst,
        func,
        block,
        offset: start,
      });
  }
}

/** Whether an access to local memory has a constant address, and so belongs to no variable. */
const isAbsolute = (inst: Inst): boolean =>
  (inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic') &&
  inst.attrs.place.root.kind === 'address' &&
  inst.attrs.place.root.space === 'local' &&
  (addressOf(inst) === undefined || addressOf(inst)?.kind === 'constant');

/**
 * Returns the constant that an instruction adds to an address; undefined for any other instruction.
 */
function movedBy(inst: Inst): number | undefined {
  if (inst.when !== undefined) return undefined;
  switch (inst.op) {
    case 'iadd':
      return signedConstant(inst.args[1]);
    case 'cvta':
      return inst.attrs.space === 'local' ? 0 : undefined;
    case 'trunc':
      return inst.results[0]?.type === 'i32' ? 0 : undefined;
    case 'zext':
      return 0;
    default:
      return undefined;
  }
}
