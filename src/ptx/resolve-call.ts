// Direct calls: the callee, and its arguments against its parameters.

import { missingService, type PtxType, type Service, type ServiceName, serviceOf } from '../isa/index.ts';
import type { CallOperand, Register, RegisterOperand, Span, Variable } from './ast.ts';
import { diagnostics } from './diagnostics.ts';
import { SyntaxFailure } from './reporter.ts';
import { elementOf, fail, type OperandContext } from './resolve-name.ts';
import { resolveConstant } from './resolve-operand.ts';
import type { VectorRegister } from './scope.ts';
import { nearest } from './suggest.ts';
import type { RawCall, RawFunction, RawOperand, RawVariable } from './syntax.ts';
import { bytesOf, fits } from './types.ts';

/// Declared functions by name; a definition replaces its forward declaration.
export type CallTargets = ReadonlyMap<string, RawFunction>;

type Argument = CallOperand['args'][number];

function elementCount(parameter: RawVariable): number {
  return parameter.dimensions.reduce<number>((product, extent) => product * (extent ?? 0), parameter.vector);
}

function checkArgument(argument: Variable | RegisterOperand, parameter: RawVariable): string | undefined {
  if ('space' in argument) {
    const bytes = bytesOf(parameter.type) * elementCount(parameter);
    // An open array takes any size.
    if (parameter.space === 'param' && (bytes === 0 || argument.bytes === bytes)) return undefined;
    return `it has ${argument.bytes} bytes, the function's has ${bytes}`;
  }
  const { type } = argument.register;
  if (parameter.dimensions.length === 0 && parameter.vector === 1 && fits(type, parameter.type, 'exact'))
    return undefined;
  return `it is \`.${type}\`, the function's is \`.${parameter.type}\``;
}

const registerOperand = (register: Register, span: Span): RegisterOperand => ({
  kind: 'register',
  register,
  negated: false,
  span,
});

/// A whole vector for a parameter that is one: its elements, each for one.
function resolveVector(
  { span }: RawOperand,
  { elements }: VectorRegister,
  parameter: RawVariable,
): readonly Argument[] {
  const [length, type]: [number, PtxType] = parameter.type === 'b128' ? [2, 'b64'] : [parameter.vector, parameter.type];
  if (parameter.space !== 'reg' || length !== elements.length) return fail(diagnostics.notVector(span));
  return elements.map((register) => {
    if (fits(register.type, type, 'exact')) return registerOperand(register, span);
    const why = `it is \`.${register.type}\`, the function's is \`.${parameter.type}\``;
    return fail(diagnostics.callArgumentType(span, why));
  });
}

function resolveArgument(raw: RawOperand, parameter: RawVariable, context: OperandContext): readonly Argument[] {
  if (raw.kind === 'constant') {
    const operand = resolveConstant(raw.value, parameter.type, raw.span, context.reporter);
    if (operand.kind === 'immediate') return [operand];
  }
  if (raw.kind !== 'name') throw new SyntaxFailure(diagnostics.wantsRegister(raw.span, 'something else'));
  const entity = context.scope.find(raw.name);
  if (entity === undefined) {
    throw new SyntaxFailure(
      diagnostics.undefinedName(
        raw.span,
        raw.name,
        context.reporter.suggestion(raw.name, () => nearest(raw.name, context.scope.visibleNames())),
      ),
    );
  }
  if (entity.kind === 'opaque') throw new SyntaxFailure(diagnostics.unsupportedOpaque(raw.span, raw.name, entity.type));
  if (raw.sign !== '') throw new SyntaxFailure(diagnostics.notNegatable(raw.span, raw.sign));
  if (entity.kind === 'vector' && raw.component === undefined) return resolveVector(raw, entity, parameter);
  const argument =
    entity.kind === 'variable'
      ? entity.variable
      : registerOperand(elementOf(raw, entity) ?? fail(diagnostics.notVector(raw.span)), raw.span);
  const why = checkArgument(argument, parameter);
  if (why !== undefined) throw new SyntaxFailure(diagnostics.callArgumentType(raw.span, why));
  return [argument];
}

/// The run-time's function, where it is declared as CUDA's headers do.
function declaredService({ name, params, results }: RawFunction): ServiceName | undefined {
  const service = serviceOf(name.text);
  return service && declaresTypes(params, service.params) && declaresTypes(results, service.results)
    ? service.name
    : undefined;
}

const declaresTypes = (variables: readonly RawVariable[], types: Service['params']): boolean =>
  variables.length === types.length &&
  variables.every((variable, index) => {
    const type = types[index];
    return type !== undefined && bytesOf(variable.type) * elementCount(variable) === bytesOf(type);
  });

/// Throws `SyntaxFailure`: with a diagnostic of what is not supported for indirect calls and for functions without a body.
export function resolveCall(call: RawCall, span: Span, functions: CallTargets, context: OperandContext): CallOperand {
  const { text: callee, span: place } = call.callee;
  const target = functions.get(callee);
  if (target === undefined) {
    if (context.scope.find(callee) !== undefined) throw new SyntaxFailure(diagnostics.indirectCall(place));
    throw new SyntaxFailure(
      diagnostics.undefinedFunction(
        place,
        callee,
        context.reporter.suggestion(callee, () => nearest(callee, functions.keys())),
      ),
    );
  }
  const service = target.body === undefined ? declaredService(target) : undefined;
  if (target.body === undefined && service === undefined) {
    const what = missingService(callee);
    throw new SyntaxFailure(
      what === undefined
        ? diagnostics.externalCall(place, callee, target.name.span)
        : diagnostics.missingService(place, callee, what),
    );
  }
  const count = (what: string, wanted: number, got: number) => {
    if (wanted !== got)
      throw new SyntaxFailure(diagnostics.callArguments(place, callee, what, wanted, got, target.name.span));
  };
  count('results', target.results.length, call.results.length);
  count('parameters', target.params.length, call.args.length);
  const results = call.results.flatMap((operand, index) => {
    const parameter = target.results[index];
    if (parameter === undefined) return [];
    return operand.kind === 'sink'
      ? [context.makeSink(parameter, operand.span)]
      : resolveArgument(operand, parameter, context);
  });
  const written = results.map((result) => {
    if ('space' in result || result.kind === 'register') return result;
    throw new SyntaxFailure(diagnostics.writtenOperand(result.span, 'a constant'));
  });
  const args = call.args.flatMap((operand, index) => {
    const parameter = target.params[index];
    return parameter === undefined ? [] : resolveArgument(operand, parameter, context);
  });
  return { kind: 'call', callee, ...(service === undefined ? {} : { service }), results: written, args, span };
}
