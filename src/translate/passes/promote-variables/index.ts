// Replaces variables in local memory by registers, if all their accesses are at constant offsets.
// Unoptimized code keeps every value in such a variable, including pointers. When the values are in
// registers, other passes can use them, and the analyses know where the pointers point.

import { at, get } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Variable } from '../../../ptx/ast.ts';
import { dominatorsOf, type FlowGraph, flowGraph, placeParams, type RegisterSets } from '../../graph/index.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Program,
  undef,
  type Value,
} from '../../ir/nodes.ts';
import { type Access, elementBytes, type FoundAccess, findPromotable } from './accesses.ts';
import { type Cell, cellsIn, cellsOf, readCells, writeCells } from './cells.ts';

/**
 * The maximum size of a variable that registers replace, because each cell may become a parameter
 * of many blocks.
 */
const maxBytes = 1024;

/** Replaces variables by registers. Returns whether it changed the program. */
export function promoteVariables(program: Program, builder: Builder): boolean {
  const found = new Map([...findPromotable(program)].filter(([{ bytes }]) => bytes <= maxBytes));
  if (found.size === 0) return false;
  const cellsOfVariable = new Map<Variable, ReadonlyMap<number, Cell>>();
  const promoted = new IdMap<Inst, Promoted>();
  const byFunc = new Map<Func, FoundAccess[]>();
  const cells: NamedCell[] = [];
  for (const [variable, { accesses }] of found) {
    const own = cellsOf(accesses, cells.length);
    for (const cell of own.values()) cells.push({ ...cell, hint: `${hintOf(variable)}_${cell.offset}` });
    cellsOfVariable.set(variable, own);
    for (const access of accesses) {
      promoted.set(access.inst, { inst: access.inst, offset: access.offset, cells: own });
      getOrInsert(byFunc, access.func, () => []).push(access);
    }
  }
  for (const [func, accesses] of byFunc) new Promotion(func, builder, cells, promoted).run(accesses);
  const isLeft = (variable: Variable) => found.get(variable)?.compared !== false;
  program.variables = program.variables.filter(isLeft);
  if (program.paramCopies !== undefined) program.paramCopies = program.paramCopies.filter(isLeft);
  return true;
}

/**
 * Returns the hint of a variable. LLVM's name for the variables of a function is not meaningful, so
 * it becomes `local`.
 */
const hintOf = ({ name }: Variable): string => (name.startsWith('__local_depot') ? 'local' : name);

interface NamedCell extends Cell {
  readonly hint: string;
}

interface Promoted {
  readonly inst: Access;
  readonly offset: number;
  /** The cells of the variable. */
  readonly cells: ReadonlyMap<number, Cell>;
}

/** Rewrites one function. */
class Promotion {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly cells: readonly NamedCell[];
  private readonly promoted: IdMap<Inst, Promoted>;
  private readonly held: (Value | undefined)[];
  /** The cells that were written and their previous values, restored at the end of a subtree. */
  private readonly changed: (readonly [cell: number, before: Value | undefined])[] = [];
  private readonly replaced = new IdMap<Definition, Value>();

  constructor(func: Func, builder: Builder, cells: readonly NamedCell[], promoted: IdMap<Inst, Promoted>) {
    this.func = func;
    this.builder = builder;
    this.cells = cells;
    this.promoted = promoted;
    this.held = new Array<Value | undefined>(cells.length);
  }

  run(accesses: readonly FoundAccess[]): void {
    const { func, builder } = this;
    const graph = flowGraph(func);
    const dominators = dominatorsOf(graph);
    const placed = placeParams(graph, dominators, this.setsOf(graph, accesses), this.cells.length);
    const placedIn = new Map(graph.blocks.map((block, number) => [block, at(placed, number, 'the cells of a block')]));
    const params = graph.blocks.map((block, number) =>
      at(placed, number, 'the cells of a block').map((cell) => {
        const { type, hint } = at(this.cells, cell, 'a cell');
        return [cell, builder.param(block, type, hint)] as const;
      }),
    );
    // The stack contains a block's number before its visit, and the complement of the number until
    // all of its descendants are done.
    const stack: number[] = [0];
    const marks: number[] = [];
    for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
      if (number < 0) {
        this.restore(at(marks, marks.length - 1, 'the mark of a block'));
        marks.pop();
        continue;
      }
      const block = at(graph.blocks, number, 'a block');
      marks.push(this.changed.length);
      stack.push(~number, ...at(dominators.children, number, 'the children of a block'));
      for (const [cell, param] of at(params, number, 'the parameters of a block')) this.set(cell, param);
      this.rewrite(block);
      block.end = mapTerminator(
        block.end,
        (value) => value,
        ({ to, args }) => ({ to, args: [...args, ...get(placedIn, to, 'a block').map((cell) => this.valueOf(cell))] }),
      );
    }
    replaceValues(func, this.replaced);
  }

  /**
   * Returns, for each block, the cells that it reads before it writes them, and the cells that it
   * writes.
   */
  private setsOf(graph: FlowGraph, accesses: readonly FoundAccess[]): readonly RegisterSets[] {
    const byBlock = graph.blocks.map((): FoundAccess[] => []);
    for (const access of accesses) at(byBlock, access.block, 'the accesses of a block').push(access);
    return byBlock.map((list) => {
      const exposed = new Set<number>();
      const defined = new Set<number>();
      for (const { inst, offset } of list) {
        const { cells } = get(this.promoted, inst, 'an access');
        for (const { number } of cellsIn(cells, offset, elementBytes(inst) * inst.attrs.count)) {
          // A store with a condition keeps the old value if the condition is false.
          if ((inst.op === 'load' || inst.when !== undefined) && !defined.has(number)) exposed.add(number);
          if (inst.op === 'store') defined.add(number);
        }
      }
      return { exposed: [...exposed], exposedBase: 0, defined: [...defined], definedBase: 0 };
    });
  }

  private rewrite(block: Block): void {
    const { builder } = this;
    const insts: Inst[] = [];
    builder.into(insts);
    for (const inst of block.insts) {
      const access = this.promoted.get(inst);
      if (access === undefined) {
        insts.push(inst);
        continue;
      }
      builder.span = inst.span;
      if (access.inst.op === 'load') this.load(access);
      else this.store(access);
    }
    builder.span = undefined;
    block.insts = insts;
  }

  private load({ inst, offset, cells }: Promoted): void {
    const { builder } = this;
    const bytes = elementBytes(inst);
    const { when } = inst;
    inst.results.forEach((result, index) => {
      const value = readCells(builder, cells, offset + index * bytes, result.type, ({ number }) =>
        this.valueOf(number),
      );
      const otherwise = inst.otherwise[index];
      const isWhole = when === undefined || otherwise === undefined || otherwise.kind === 'undef';
      this.replaced.set(result, isWhole ? value : builder.select(this.now(when), value, this.now(otherwise)));
    });
  }

  private store({ inst, offset, cells }: Promoted): void {
    const { builder } = this;
    const bytes = elementBytes(inst);
    const { when } = inst;
    inst.args.slice(1).forEach((arg, index) => {
      writeCells(builder, cells, offset + index * bytes, this.now(arg), ({ number }, value) => {
        const old = this.valueOf(number);
        const isWhole = when === undefined || old.kind === 'undef';
        this.set(number, isWhole ? value : builder.select(this.now(when), value, old));
      });
    });
  }

  /** Returns the value that replaces a value, or the value itself. */
  private now(value: Value): Value {
    return isDefinition(value) ? (this.replaced.get(value) ?? value) : value;
  }

  private valueOf(cell: number): Value {
    // Absent: a variable is undefined until it is written.
    return this.held[cell] ?? undef(at(this.cells, cell, 'a cell').type);
  }

  private set(cell: number, value: Value): void {
    this.changed.push([cell, this.held[cell]]);
    this.held[cell] = value;
  }

  private restore(mark: number): void {
    for (let last = this.changed.length - 1; last >= mark; last--) {
      const [cell, before] = at(this.changed, last, 'a cell that was written');
      this.held[cell] = before;
    }
    this.changed.length = mark;
  }
}
