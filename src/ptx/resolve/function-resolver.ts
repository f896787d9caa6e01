// Resolves the names and statements of one function.

import { getOrInsert } from '../../base/maps.ts';
import type { IsaRow, Mods } from '../../isa/index.ts';
import type { OperandSlot } from '../../isa/match.ts';
import type { Guard, Instruction, Operand, Register, RegisterOperand, Span, Statement, Variable } from '../ast.ts';
import { operandDemand, operandObjection } from '../checks/constraints.ts';
import { operandsDemand, operandsObjection } from '../checks/operand-rules.ts';
import { takesPlainOperands } from '../checks/plain-operands.ts';
import type { TargetRules } from '../checks/target.ts';
import { isUnsupported } from '../diagnostics/make-diagnostic.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { WideOpcode } from '../parse/wide-opcodes.ts';
import type {
  Name,
  RawFunction,
  RawGuard,
  RawInstruction,
  RawModule,
  RawOperand,
  RawStatement,
  RawVariable,
} from '../syntax.ts';
import { additionOf, moveAtOnce } from './added-instructions.ts';
import { bindOperands, modsWithMarks } from './bind-operands.ts';
import { expandWide } from './expand-wide.ts';
import type { FunctionAddresses } from './function-addresses.ts';
import { declares, isNamed } from './per-thread.ts';
import { type CallTargets, resolveCall } from './resolve-call.ts';
import { contextOf, type NameContext, type OperandContext, type Prototype } from './resolve-name.ts';
import { resolveOperand } from './resolve-operand.ts';
import { resolveVariable } from './resolve-variable.ts';
import { type Entity, Labels, Scope } from './scope.ts';

/** The part of a module that its functions use. */
export interface ModuleContext {
  readonly variables: ReadonlyMap<string, Entity>;
  /**
   * The registers and local variables in module scope. All functions share these declarations, and
   * each thread has separate values.
   */
  readonly perThread: RawModule['perThread'];
  readonly addresses: FunctionAddresses;
  readonly functions: CallTargets;
  readonly rules: TargetRules;
  readonly reporter: Reporter;
  /** For a fragment: the position of the use that determined a register's type. */
  readonly typedBy: ReadonlyMap<Register, Span>;
}

/** Declares the names of a function and resolves its statements. */
export class FunctionResolver {
  readonly scope: Scope;
  readonly labels = new Labels();
  private readonly module: ModuleContext;
  /**
   * The number of scopes opened so far, in the order of `collectLabels`, and the path of the open
   * scope.
   */
  private opened = 0;
  private readonly path: number[] = [];
  private readonly tables = new Map<readonly Name[], readonly string[]>();
  private readonly prototypes = new Map<string, Prototype>();
  private readonly names: NameContext;
  /** The additions that operands of the current instruction require. */
  private readonly additions: Instruction[] = [];
  private readonly contexts = new Map<Mods, OperandContext>();

  private readonly kind: RawFunction['kind'];
  /** Local, shared and call-parameter variables. */
  readonly variables: Variable[] = [];

  constructor(module: ModuleContext, kind: RawFunction['kind']) {
    this.module = module;
    this.kind = kind;
    this.scope = new Scope(module.variables, module.reporter, (name) => this.declarePerThread(name));
    this.names = {
      scope: this.scope,
      reporter: module.reporter,
      rules: module.rules,
      isFunction: (name) => module.functions.has(name),
      addresses: module.addresses,
      prototypeOf: (name) => this.prototypes.get(name),
      addConstant: (register, constant, span) => this.addConstant(register, constant, span),
      makeSink: (parameter, span) => this.makeSink(parameter, span),
      isLabel: (name) => this.labels.find(this.labelScope, name) !== undefined,
      typeLabel: (register) => {
        const use = module.typedBy.get(register);
        if (use !== undefined) return { span: use, text: `this use makes it \`.${register.type}\`` };
        return { span: register.span, text: `declared \`.${register.type}\` here` };
      },
    };
  }

  /** Declares a per-thread name of the module in the kernel that uses it. */
  private declarePerThread(name: string): void {
    const declaration = this.module.perThread.find((each) => declares(each, name));
    if (declaration === undefined) return;
    if (this.kind === 'func')
      throw new SyntaxFailure(diagnostics().sharedPerThread(declaration.span, name, declaration.span));
    if (declaration.kind === 'registers') {
      const names = declaration.names.filter(({ text, count }) => isNamed(text, count, name));
      this.scope.declareRegisters({ ...declaration, names });
    } else this.declare(declaration);
  }

  collectLabels(body: readonly RawStatement[]): void {
    const path = [this.labels.addScope(-1)];
    for (const statement of body) {
      const scope = path.at(-1) ?? 0;
      if (statement.kind === 'open') path.push(this.labels.addScope(scope));
      else if (statement.kind === 'close') path.pop();
      else if (statement.kind === 'label' || statement.kind === 'targets') {
        const { text, span } = statement.name;
        const targets = statement.kind === 'targets' ? statement.labels : undefined;
        const before = this.labels.define(scope, text, span, targets);
        if (before !== undefined) this.module.reporter.report(diagnostics().duplicateLabel(span, text, before.span));
      } else if (statement.kind === 'prototype' || statement.kind === 'callees') {
        this.prototypes.set(statement.name.text, statement);
      }
    }
    this.path.push(0);
  }

  /**
   * Declares a parameter or result. A `.reg` parameter is one register, or several for a vector.
   */
  declareParameter(raw: RawVariable): readonly (Variable | Register)[] {
    if (raw.space === 'reg') return this.scope.addRegisters(raw.name.text, raw.type, raw.vector, raw.name.span);
    return [this.scope.declareVariable(resolveVariable(raw, raw.space, this.module.reporter))];
  }

  private declare(raw: RawVariable): void {
    if (raw.space === 'reg') return;
    this.variables.push(this.scope.declareVariable(resolveVariable(raw, raw.space, this.module.reporter)));
  }

  /** Creates a destination for a result that a call discards. */
  private makeSink(raw: RawVariable, span: Span): Variable | RegisterOperand {
    if (raw.space === 'reg')
      return { kind: 'register', register: this.scope.makeUnnamed('_', raw.type, span), negated: false, span };
    const variable = this.scope.nameUniquely({ ...resolveVariable(raw, raw.space, this.module.reporter), name: '_' });
    this.variables.push(variable);
    return variable;
  }

  private addConstant(register: Register, constant: bigint, span: Span): Register {
    const sum = this.scope.makeUnnamed(`${register.name}_sum`, register.type, span);
    this.additions.push(additionOf(sum, register, constant, span));
    return sum;
  }

  resolveBody(body: readonly RawStatement[]): Statement[] {
    const statements: Statement[] = [];
    for (const statement of body) {
      try {
        this.additions.length = 0;
        if (statement.kind === 'instruction' && statement.wide !== undefined) {
          const pieces = this.resolveWide(statement, statement.wide);
          statements.push(...this.additions, ...pieces);
          continue;
        }
        const resolved = this.resolveStatement(statement);
        if (resolved === undefined) continue;
        if (this.additions.length > 0) statements.push(...this.additions);
        statements.push(resolved);
      } catch (failure) {
        if (!(failure instanceof SyntaxFailure)) throw failure;
        const { diagnostic } = failure;
        if (isUnsupported(diagnostic) && statement.kind === 'instruction') {
          statements.push({ kind: 'unsupported', opcode: statement.opcode.text, diagnostic, span: statement.span });
        } else this.module.reporter.report(diagnostic);
      }
    }
    return statements;
  }

  private get labelScope(): number {
    return this.path.at(-1) ?? 0;
  }

  private resolveStatement(statement: RawStatement): Statement | undefined {
    switch (statement.kind) {
      case 'open':
        this.scope.open();
        this.path.push(++this.opened);
        return undefined;
      case 'close':
        this.scope.close();
        this.path.pop();
        return undefined;
      case 'registers':
        this.scope.declareRegisters(statement);
        return undefined;
      case 'variable':
        this.declare(statement);
        return undefined;
      case 'opaque':
        this.scope.declareOpaque(statement);
        return undefined;
      case 'targets':
      case 'prototype':
      case 'callees':
        return undefined;
      case 'label': {
        const name = this.labels.find(this.labelScope, statement.name.text)?.name ?? statement.name.text;
        return { kind: 'label', name, span: statement.span };
      }
      case 'unsupported':
        return statement;
      case 'instruction':
        return this.resolveInstruction(statement);
    }
  }

  private resolveGuard(guard: RawGuard | undefined): Guard | undefined {
    if (guard === undefined) return undefined;
    const { text, span } = guard.name;
    const entity = this.scope.find(text);
    if (entity === undefined)
      throw new SyntaxFailure(
        diagnostics().undefinedName(
          span,
          text,
          this.module.reporter.suggestion(text, () => nearest(text, this.scope.visibleNames())),
        ),
      );
    if (entity.kind !== 'register') throw new SyntaxFailure(diagnostics().wantsRegister(span, `variable \`${text}\``));
    const { register } = entity;
    if (register.type !== 'pred')
      throw new SyntaxFailure(diagnostics().wantsPredicate(span, register.name, register.type));
    return { register, negated: guard.negated, span: guard.span };
  }

  private resolveWide(raw: RawInstruction, { demand, wide }: WideOpcode): readonly Instruction[] {
    const late = demand && this.module.rules.check(raw.opcode.text, raw.opcode.span, demand);
    if (late !== undefined) this.module.reporter.report(late);
    const pieces = expandWide(raw, this.scope).map((piece) => this.resolveInstruction(piece));
    if (wide !== 'elements' && wide !== 'pair') return pieces;
    return moveAtOnce(pieces, ({ name, type }, span) => this.scope.makeUnnamed(`${name}_copy`, type, span));
  }

  private resolveInstruction(raw: RawInstruction): Instruction {
    const { row } = raw.match.pattern;
    if (takesPlainOperands(raw)) return this.resolvePlain(raw);
    const bindings = raw.call === undefined ? bindOperands(raw) : [];
    const mods = modsWithMarks(raw.match.mods, bindings);
    this.checkRow(raw);
    const guard = this.resolveGuard(raw.guard);
    const context = this.contextOf(raw);
    const operands: Record<string, Operand> = {};
    if (raw.call !== undefined) {
      operands.callee = resolveCall(raw.call, raw.opcode.span, this.module.functions, context);
    } else {
      const isGiven = (name: string) => bindings.some(({ slot }) => slot.name === name);
      const why = operandObjection(row, mods, isGiven);
      if (why !== undefined)
        throw new SyntaxFailure(diagnostics().badCombination(raw.opcode.span, raw.opcode.text, why));
      const demand = operandDemand(row, isGiven);
      const late = demand === undefined ? undefined : this.module.rules.check(raw.opcode.text, raw.opcode.span, demand);
      if (late !== undefined) this.module.reporter.report(late);
      for (const { slot, raw: operand } of bindings) operands[slot.name] = this.resolveBinding(slot, operand, context);
      for (const [name, written] of Object.entries(row.implied ?? {})) {
        const operand = operands[written];
        if (operand !== undefined) operands[name] = operand;
      }
      this.checkTogether(raw, operands);
    }
    this.checkBarrier(row, operands);
    return { kind: 'instruction', row, mods, operands, guard, span: raw.span };
  }

  /** Resolves an instruction whose operands are checked separately, which is the common case. */
  private resolvePlain(raw: RawInstruction): Instruction {
    const { row, groups } = raw.match.pattern;
    this.checkRow(raw);
    const guard = this.resolveGuard(raw.guard);
    const context = this.contextOf(raw);
    const operands: Record<string, Operand> = {};
    for (let index = 0; index < groups.length; index++) {
      const group = groups[index];
      const operand = raw.operands[index];
      if (group && operand) operands[group.first.name] = this.resolveBinding(group.first, operand, context);
    }
    return { kind: 'instruction', row, mods: raw.match.mods, operands, guard, span: raw.span };
  }

  private checkRow({ match: { pattern, mods }, opcode, isImplied }: RawInstruction): void {
    const objection = isImplied ? undefined : this.module.rules.checkRow(pattern.row, mods, opcode.text, opcode.span);
    if (objection !== undefined) this.module.reporter.report(objection);
  }

  private checkTogether({ opcode, match }: RawInstruction, operands: Readonly<Record<string, Operand>>): void {
    const { row } = match.pattern;
    const why = operandsObjection(row, match.mods, operands);
    if (why !== undefined) throw new SyntaxFailure(diagnostics().badCombination(opcode.span, opcode.text, why));
    const demand = operandsDemand(row, operands);
    const late = demand && this.module.rules.check(opcode.text, opcode.span, demand);
    if (late !== undefined) this.module.reporter.report(late);
  }

  /** Returns the context of an opcode. Instructions with the same opcode share a context. */
  private contextOf({ match: { pattern, mods }, opcode }: RawInstruction): OperandContext {
    const known = this.contexts.get(mods);
    if (known !== undefined && known.row === pattern.row && known.opcode === opcode.text) return known;
    const context = contextOf(this.names, pattern.row, mods, opcode.text);
    this.contexts.set(mods, context);
    return context;
  }

  private checkBarrier(row: IsaRow, { a: barrier, b: threads }: Readonly<Record<string, Operand>>): void {
    if (row.operandRule !== 'barrier') return;
    if (barrier?.kind === 'immediate' && barrier.bits > 15n)
      throw new SyntaxFailure(diagnostics().barrierNumber(barrier.span));
    const isPart = threads?.kind === 'immediate' && threads.bits % 32n !== 0n;
    if (isPart) throw new SyntaxFailure(diagnostics().barrierThreads(threads.span));
  }

  private resolveBinding(slot: OperandSlot, raw: RawOperand, context: OperandContext): Operand {
    if (slot.type === 'label') return { kind: 'label', target: this.findLabel(raw).name, span: raw.span };
    if (slot.type === 'list') {
      const table = this.findLabel(raw);
      if (table.targets === undefined) throw new SyntaxFailure(diagnostics().notATable(raw.span, table.name));
      return { kind: 'labels', targets: this.tableTargets(table.targets), span: raw.span };
    }
    return resolveOperand(raw, slot, context);
  }

  /**
   * Returns the labels of a table. The list is cached, because many branches may share a long
   * table.
   */
  private tableTargets(labels: readonly Name[]): readonly string[] {
    return getOrInsert(this.tables, labels, () => labels.map(({ text, span }) => this.findName(text, span).name));
  }

  private findLabel(raw: RawOperand) {
    if (raw.kind !== 'name' || raw.component !== undefined || raw.sign !== '' || raw.offset !== undefined) {
      throw new SyntaxFailure(diagnostics().wantsLabel(raw.span));
    }
    return this.findName(raw.name, raw.span);
  }

  private findName(name: string, span: Span) {
    const label = this.labels.find(this.labelScope, name);
    if (label === undefined)
      throw new SyntaxFailure(
        diagnostics().undefinedLabel(
          span,
          name,
          this.module.reporter.suggestion(name, () => nearest(name, this.labels.allNames())),
        ),
      );
    return label;
  }
}
