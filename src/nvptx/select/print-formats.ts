// Rewrites the formats of `printf` in modules with pointers of 32 bits. The machine expects the
// sizes of CUDA's C types, of which `long`, `size_t` and pointers are wider.
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { GlobalVariable, InstructionOf, LlvmModule, Value } from '../ir/module.ts';
import { intType } from '../ir/types.ts';

/** Returns the module with formats whose conversions name the sizes of its arguments. */
export function withSizedFormats(module: LlvmModule): LlvmModule {
  const formats = new Map<string, InstructionOf<'call'>>();
  for (const { blocks = [] } of module.functions)
    for (const { instructions } of blocks)
      for (const instruction of instructions) {
        if (instruction.op !== 'call' || instruction.callee.kind !== 'global') continue;
        const format = instruction.args[0]?.value;
        const name = instruction.callee.name === 'vprintf' && format ? variableOf(format) : undefined;
        if (name !== undefined) formats.set(name, instruction);
      }
  const variables = module.variables.map((variable) => {
    const call = formats.get(variable.name);
    return call === undefined ? variable : withSizes(variable, call);
  });
  return { ...module, variables };
}

/** Returns the name of the variable whose address a constant is. */
function variableOf(value: Value): string | undefined {
  if (value.kind === 'global') return value.name;
  const isCast = value.kind === 'expression' && value.op === 'addrspacecast';
  return isCast && value.operands[0] ? variableOf(value.operands[0]) : undefined;
}

const conversion = /%([-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?)(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])/g;

function withSizes(variable: GlobalVariable, call: InstructionOf<'call'>): GlobalVariable {
  const { init } = variable;
  if (init?.kind !== 'aggregate') return variable;
  const codes = init.elements.map((element) => (element.kind === 'int' ? Number(element.value) : 0));
  const text = String.fromCharCode(...codes);
  const sized = text.replace(conversion, (whole, flags: string, size: string | undefined, letter: string) => {
    if (letter === 's') throw new SyntaxFailure(llvmDiagnostics.unsupported(call.span, '`%s` in a format of a kernel'));
    if (letter === 'p') return `%${flags}x`;
    return size !== undefined && 'lzt'.includes(size) && !'fFeEgGaA'.includes(letter) ? `%${flags}${letter}` : whole;
  });
  const elements = codes.map((_, index): Value => {
    const code = index < sized.length ? sized.charCodeAt(index) : 0;
    return { kind: 'int', type: intType(8), value: BigInt(code) };
  });
  return { ...variable, init: { ...init, elements } };
}
