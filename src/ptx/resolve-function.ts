// One function: declares its names, then resolves its instructions in order.
import { groupsFor, type OperandSlot, resolveType } from '../isa/match.ts';
import type { Guard, Instruction, Operand, PtxFunction, Register, Span, Statement, Variable } from './ast.ts';
import { operandDemand, operandObjection } from './constraints.ts';
import { diagnostics, isUnsupported } from './diagnostics.ts';
import { type Reporter, SyntaxFailure } from './reporter.ts';
import { type CallTargets, resolveCall } from './resolve-call.ts';
import type { NameContext, OperandContext } from './resolve-name.ts';
import { resolveOperand } from './resolve-operand.ts';
import { resolveVariable } from './resolve-variable.ts';
import { type Entity, Labels, Scope } from './scope.ts';
import { nearest } from './suggest.ts';
import type { Name, RawFunction, RawGuard, RawInstruction, RawOperand, RawStatement, RawVariable } from './syntax.ts';
import type { TargetRules } from './target.ts';

/// What a function sees of its module.
export interface ModuleContext {
  readonly variables: ReadonlyMap<string, Entity>;
  readonly functions: CallTargets;
  readonly rules: TargetRules;
  readonly reporter: Reporter;
  /// In a fragment: the use that gave a register its type.
  readonly typedBy: ReadonlyMap<Register, Span>;
}

export interface Binding {
  readonly slot: OperandSlot;
  readonly raw: RawOperand;
}

function countText(least: number, most: number): string {
  const plural = (count: number) => `${count === 0 ? 'no' : count} operand${count === 1 ? '' : 's'}`;
  return least === most ? plural(most) : `${least} to ${plural(most)}`;
}

/// Pairs operands with the row's slots. Throws `SyntaxFailure` when there are too many, too few, or a pair where none belongs.
export function bindOperands(instruction: RawInstruction): readonly Binding[] {
  const { operands, opcode } = instruction;
  const { pattern } = instruction.match;
  const groups = groupsFor(pattern, operands.length);
  if (groups === undefined) {
    const least = pattern.groups.filter((group) => !group.optional).length;
    const wanted = countText(least, pattern.groups.length);
    throw new SyntaxFailure(
      diagnostics.operandCount(opcode.span, opcode.text, wanted, operands.length, pattern.row.syntax),
    );
  }
  const bindings: Binding[] = [];
  for (let index = 0; index < groups.length; index++) {
    const [group, raw] = [groups[index], operands[index]];
    if (group === undefined || raw === undefined) continue;
    if (raw.kind !== 'pair') {
      if (group.second !== undefined && !group.secondOptional)
        throw new SyntaxFailure(diagnostics.wantsPair(raw.span, pattern.row.syntax));
      bindings.push({ slot: group.first, raw });
      continue;
    }
    if (group.second === undefined) throw new SyntaxFailure(diagnostics.pairNotAllowed(raw.span));
    bindings.push({ slot: group.first, raw: raw.first }, { slot: group.second, raw: raw.second });
  }
  return bindings;
}

class FunctionResolver {
  readonly scope: Scope;
  readonly labels = new Labels();
  private readonly module: ModuleContext;
  /// Scopes as numbered by `collectLabels`, and the one that is open.
  private opened = 0;
  private readonly path: number[] = [];
  private readonly tables = new Map<readonly Name[], readonly string[]>();
  private readonly names: NameContext;

  constructor(module: ModuleContext) {
    this.module = module;
    this.scope = new Scope(module.variables, module.reporter);
    this.names = {
      scope: this.scope,
      reporter: module.reporter,
      rules: module.rules,
      isFunction: (name) => module.functions.has(name),
      isLabel: (name) => this.labels.find(this.labelScope, name) !== undefined,
      typeLabel: (register) => {
        const use = module.typedBy.get(register);
        if (use !== undefined) return { span: use, text: `this use makes it \`.${register.type}\`` };
        return { span: register.span, text: `declared \`.${register.type}\` here` };
      },
    };
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
        if (before !== undefined) this.module.reporter.report(diagnostics.duplicateLabel(span, text, before.span));
      }
    }
    this.path.push(0);
  }

  /// A parameter, result or local variable; a `.reg` one is a register.
  declare(raw: RawVariable): Variable | Register {
    if (raw.space === 'reg') return this.scope.addRegister(raw.name.text, raw.type, raw.name.span);
    return this.scope.declareVariable(resolveVariable(raw, raw.space, this.module.reporter));
  }

  resolveBody(body: readonly RawStatement[], variables: Variable[]): Statement[] {
    const statements: Statement[] = [];
    for (const statement of body) {
      try {
        const resolved = this.resolveStatement(statement, variables);
        if (resolved !== undefined) statements.push(resolved);
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

  private resolveStatement(statement: RawStatement, variables: Variable[]): Statement | undefined {
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
      case 'variable': {
        const declared = this.declare(statement);
        if ('space' in declared) variables.push(declared);
        return undefined;
      }
      case 'targets':
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
        diagnostics.undefinedName(
          span,
          text,
          this.module.reporter.suggestion(text, () => nearest(text, this.scope.visibleNames())),
        ),
      );
    if (entity.kind !== 'register') throw new SyntaxFailure(diagnostics.wantsRegister(span, `variable \`${text}\``));
    const { register } = entity;
    if (register.type !== 'pred')
      throw new SyntaxFailure(diagnostics.wantsPredicate(span, register.name, register.type));
    return { register, negated: guard.negated, span: guard.span };
  }

  private resolveInstruction(raw: RawInstruction): Instruction {
    const { row } = raw.match.pattern;
    const { mods } = raw.match;
    const objection = this.module.rules.checkRow(row, mods, raw.opcode.text, raw.opcode.span);
    if (objection !== undefined) this.module.reporter.report(objection);
    const guard = this.resolveGuard(raw.guard);
    const context: OperandContext = { ...this.names, row, mods, opcode: raw.opcode.text };
    const operands: Record<string, Operand> = {};
    if (raw.call !== undefined) {
      operands.callee = resolveCall(raw.call, raw.opcode.span, this.module.functions, context);
    } else {
      const bindings = bindOperands(raw);
      const isGiven = (name: string) => bindings.some(({ slot }) => slot.name === name);
      const why = operandObjection(row, mods, isGiven);
      if (why !== undefined) throw new SyntaxFailure(diagnostics.badCombination(raw.opcode.span, raw.opcode.text, why));
      const demand = operandDemand(row, isGiven);
      const late = demand === undefined ? undefined : this.module.rules.check(raw.opcode.text, raw.opcode.span, demand);
      if (late !== undefined) this.module.reporter.report(late);
      for (const binding of bindings) operands[binding.slot.name] = this.resolveBinding(binding, context);
    }
    this.checkBarrier(row.name, operands.a);
    return { kind: 'instruction', row, mods, operands, guard, span: raw.span };
  }

  private checkBarrier(row: string, barrier: Operand | undefined): void {
    if (barrier?.kind !== 'immediate' || !/^(bar|barrier)\.(sync|arrive|red)/.test(row)) return;
    if (barrier.bits > 15n) throw new SyntaxFailure(diagnostics.barrierNumber(barrier.span));
  }

  private resolveBinding({ slot, raw }: Binding, context: OperandContext): Operand {
    if (slot.type === 'label') return { kind: 'label', target: this.findLabel(raw).name, span: raw.span };
    if (slot.type === 'list') {
      const table = this.findLabel(raw);
      if (table.targets === undefined) throw new SyntaxFailure(diagnostics.notATable(raw.span, table.name));
      return { kind: 'labels', targets: this.tableTargets(table.targets), span: raw.span };
    }
    return resolveOperand(raw, slot, resolveType(slot.type, context.mods), context);
  }

  /// The labels of a table, looked up once: many branches may share a long one.
  private tableTargets(labels: readonly Name[]): readonly string[] {
    let targets = this.tables.get(labels);
    if (targets === undefined) {
      targets = labels.map(({ text, span }) => this.findName(text, span).name);
      this.tables.set(labels, targets);
    }
    return targets;
  }

  private findLabel(raw: RawOperand) {
    if (raw.kind !== 'name' || raw.component !== undefined || raw.sign !== '' || raw.offset !== undefined) {
      throw new SyntaxFailure(diagnostics.wantsLabel(raw.span));
    }
    return this.findName(raw.name, raw.span);
  }

  private findName(name: string, span: Span) {
    const label = this.labels.find(this.labelScope, name);
    if (label === undefined)
      throw new SyntaxFailure(
        diagnostics.undefinedLabel(
          span,
          name,
          this.module.reporter.suggestion(name, () => nearest(name, this.labels.allNames())),
        ),
      );
    return label;
  }
}

/// Of a kernel, as CUDA has it since sm_70.
const maxParamBytes = 32_764;
const maxStackBytes = 512 * 1024;

function checkTotal(variables: readonly (Variable | Register)[], most: number, report: (over: Variable) => void): void {
  let total = 0;
  for (const variable of variables) {
    if (!('space' in variable)) continue;
    total += variable.bytes;
    if (total > most) return report(variable);
  }
}

/// Resolves a function with a body. What is wrong is reported; the result then stands for as much as could be resolved.
/// `registers` are added to its scope first (a fragment's undeclared ones).
export function resolveFunction(
  raw: RawFunction,
  module: ModuleContext,
  registers: readonly Register[] = [],
): { readonly function: PtxFunction; readonly scope: Scope } {
  const body = raw.body ?? [];
  const resolver = new FunctionResolver(module);
  const { scope } = resolver;
  const results = raw.results.map((result) => resolver.declare(result));
  const params = raw.params.map((param) => resolver.declare(param));
  for (const register of registers) scope.adopt(register);
  resolver.collectLabels(body);
  if (raw.kind === 'entry') {
    checkTotal(params, maxParamBytes, ({ name, span }) => {
      module.reporter.report(diagnostics.tooMuchTogether(span, name, 'the parameters', `${maxParamBytes} bytes`));
    });
  }
  const variables: Variable[] = [];
  // The body is a scope of its own in C, but not in PTX: a local name may not repeat a parameter's.
  const statements = resolver.resolveBody(body, variables);
  const onStack = variables.filter(({ space }) => space === 'local' || space === 'param');
  checkTotal(onStack, maxStackBytes, ({ name, span }) => {
    module.reporter.report(diagnostics.tooMuchTogether(span, name, 'the local variables', '512 KiB'));
  });
  return {
    scope,
    function: {
      kind: raw.kind,
      name: raw.name.text,
      params,
      results,
      registers: scope.registers,
      variables,
      body: statements,
      maxThreads: raw.maxThreads,
      requiredThreads: raw.requiredThreads,
      span: raw.span,
    },
  };
}
