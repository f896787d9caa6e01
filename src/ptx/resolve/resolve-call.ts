// Resolves calls: finds the callee, and checks the arguments against its parameters.

import type { PtxType } from '../../isa/row.ts';
import { missingService, type Service, type ServiceName, serviceOf } from '../../isa/services.ts';
import type { CallOperand, Register, RegisterOperand, Span, Variable } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import { registerOperand } from '../make-instruction.ts';
import type { Name, RawCall, RawFunction, RawOperand, RawVariable, Signature } from '../syntax.ts';
import { bytesOf, fits } from '../types.ts';
import { passedBytes } from './function-addresses.ts';
import { elementOf, fail, type OperandContext } from './resolve-name.ts';
import { resolveConstant } from './resolve-operand.ts';
import type { VectorRegister } from './scope.ts';

/** The declared functions, by name. A definition replaces its forward declaration. */
export type CallTargets = ReadonlyMap<string, RawFunction>;

type Argument = CallOperand['args'][number];

function checkArgument(argument: Variable | RegisterOperand, parameter: RawVariable): string | undefined {
  if ('space' in argument) {
    const bytes = passedBytes(parameter);
    // An open array accepts any size.
    if (parameter.space === 'param' && (bytes === 0 || argument.bytes === bytes)) return undefined;
    return `it has ${argument.bytes} bytes, the function's has ${bytes}`;
  }
  const { type } = argument.register;
  if (parameter.dimensions.length === 0 && parameter.vector === 1 && fits(type, parameter.type, 'exact'))
    return undefined;
  return `it is \`.${type}\`, the function's is \`.${parameter.type}\``;
}

/** Passes a whole vector to a vector parameter, element by element. */
function resolveVector(
  { span }: RawOperand,
  { elements }: VectorRegister,
  parameter: RawVariable,
): readonly Argument[] {
  const [length, type]: [number, PtxType] = parameter.type === 'b128' ? [2, 'b64'] : [parameter.vector, parameter.type];
  if (parameter.space !== 'reg' || length !== elements.length) return fail(diagnostics().notVector(span));
  return elements.map((register) => {
    if (fits(register.type, type, 'exact')) return registerOperand(register, span);
    const why = `it is \`.${register.type}\`, the function's is \`.${parameter.type}\``;
    return fail(diagnostics().callArgumentType(span, why));
  });
}

function resolveArgument(raw: RawOperand, parameter: RawVariable, context: OperandContext): readonly Argument[] {
  if (raw.kind === 'constant') {
    const operand = resolveConstant(raw.value, parameter.type, raw.span, context.reporter);
    if (operand.kind === 'immediate') return [operand];
  }
  if (raw.kind !== 'name') throw new SyntaxFailure(diagnostics().wantsRegister(raw.span, 'something else'));
  const entity = context.scope.find(raw.name);
  if (entity === undefined) {
    throw new SyntaxFailure(
      diagnostics().undefinedName(
        raw.span,
        raw.name,
        context.reporter.suggestion(raw.name, () => nearest(raw.name, context.scope.visibleNames())),
      ),
    );
  }
  if (entity.kind === 'opaque')
    throw new SyntaxFailure(diagnostics().unsupportedOpaque(raw.span, raw.name, entity.type));
  if (raw.sign !== '') throw new SyntaxFailure(diagnostics().notNegatable(raw.span, raw.sign));
  if (raw.offset !== undefined || raw.index !== undefined)
    throw new SyntaxFailure(diagnostics().addedToRegister(raw.span, raw.name, undefined));
  if (entity.kind === 'vector' && raw.component === undefined) return resolveVector(raw, entity, parameter);
  const argument =
    entity.kind === 'variable'
      ? entity.variable
      : registerOperand(elementOf(raw, entity) ?? fail(diagnostics().notVector(raw.span)), raw.span);
  const why = checkArgument(argument, parameter);
  if (why !== undefined) throw new SyntaxFailure(diagnostics().callArgumentType(raw.span, why));
  return [argument];
}

/**
 * Returns the name of the CUDA runtime function with this name, if the declaration matches CUDA's
 * headers.
 */
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
    return type !== undefined && passedBytes(variable) === bytesOf(type);
  });

/**
 * Resolves a call. Throws `SyntaxFailure` if the call is invalid. For a function without a body,
 * the diagnostic names the unsupported feature.
 */
export function resolveCall(call: RawCall, span: Span, functions: CallTargets, context: OperandContext): CallOperand {
  const { text: callee } = call.callee;
  const target = functions.get(callee);
  const entity = target === undefined ? context.scope.find(callee) : undefined;
  if (entity?.kind === 'register') return resolveIndirect(call, entity.register, span, functions, context);
  if (target === undefined) return undefinedFunction(call.callee, functions, context);
  const service = target.body === undefined ? declaredService(target) : undefined;
  if (target.body === undefined && service === undefined) {
    const what = missingService(callee);
    const { span: place } = call.callee;
    throw new SyntaxFailure(
      what === undefined
        ? diagnostics().externalCall(place, callee, target.name.span)
        : diagnostics().missingService(place, callee, what),
    );
  }
  const passed = resolvePassed(call, callee, target, target.name.span, context);
  return { kind: 'call', callee, ...(service === undefined ? {} : { service }), ...passed, span };
}

function undefinedFunction({ text, span }: Name, functions: CallTargets, context: OperandContext): never {
  const near = context.reporter.suggestion(text, () => nearest(text, functions.keys()));
  return fail(diagnostics().undefinedFunction(span, text, near));
}

function resolveIndirect(
  call: RawCall,
  address: Register,
  span: Span,
  functions: CallTargets,
  context: OperandContext,
): CallOperand {
  if (!fits(address.type, 'b64', 'exact') && !fits(address.type, 'b32', 'exact')) {
    return fail(diagnostics().typeMismatch(call.callee.span, address.name, address.type, 'b64', []));
  }
  if (call.prototype === undefined) return fail(diagnostics().noPrototype(call.callee.span));
  const { text: name, span: place } = call.prototype;
  const prototype = context.prototypeOf(name);
  if (prototype === undefined) return fail(diagnostics().undefinedPrototype(place, name));
  const listed = prototype.kind === 'callees' ? prototype.functions : undefined;
  for (const each of listed ?? []) if (!functions.has(each.text)) undefinedFunction(each, functions, context);
  const signature = prototype.kind === 'prototype' ? prototype.signature : functions.get(listed?.[0]?.text ?? '');
  if (signature === undefined) return fail(diagnostics().undefinedPrototype(place, name));
  const passed = resolvePassed(call, name, signature, prototype.span, context);
  const names = listed?.map(({ text }) => text);
  const candidates = context.addresses.open(signature, names);
  return { kind: 'call', callee: name, indirect: { address, candidates }, ...passed, span };
}

/** Resolves the operands that the caller passes as parameters and results. */
function resolvePassed(
  call: RawCall,
  callee: string,
  signature: Signature,
  declared: Span,
  context: OperandContext,
): Pick<CallOperand, 'args' | 'results'> {
  const count = (what: string, wanted: number, got: number) => {
    if (wanted !== got) fail(diagnostics().callArguments(call.callee.span, callee, what, wanted, got, declared));
  };
  count('results', signature.results.length, call.results.length);
  count('parameters', signature.params.length, call.args.length);
  const results = call.results.flatMap((operand, index) => {
    const parameter = signature.results[index];
    if (parameter === undefined) return [];
    return operand.kind === 'sink'
      ? [context.makeSink(parameter, operand.span)]
      : resolveArgument(operand, parameter, context);
  });
  const written = results.map((result) => {
    if ('space' in result || result.kind === 'register') return result;
    return fail(diagnostics().writtenOperand(result.span, 'a constant'));
  });
  const args = call.args.flatMap((operand, index) => {
    const parameter = signature.params[index];
    return parameter === undefined ? [] : resolveArgument(operand, parameter, context);
  });
  return { args, results: written };
}
