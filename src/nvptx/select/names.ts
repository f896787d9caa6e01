// The names and addresses of a module's variables and functions.
import { missing } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { GlobalVariable, LlvmFunction, LlvmModule } from '../ir/module.ts';
import { spaces } from '../ir/types.ts';
import { annotationsOf } from './annotations.ts';
import { type Scalar, symbol } from './scalar.ts';

export class ModuleNames {
  readonly functions: ReadonlyMap<string, LlvmFunction>;
  private readonly annotations: ReadonlyMap<string, readonly string[]>;
  private readonly variables: ReadonlyMap<string, GlobalVariable>;
  private readonly texts = new Map<string, string>();
  private readonly taken = new Set<string>();
  private labels = 0;

  constructor(module: LlvmModule) {
    this.functions = new Map(module.functions.map((item) => [item.name, item]));
    this.annotations = annotationsOf(module);
    this.variables = new Map(module.variables.map((item) => [item.name, item]));
    for (const { name } of [...module.functions, ...module.variables]) this.texts.set(name, this.validName(name));
  }

  /** Returns a number that no other call returns, for labels. */
  nextLabel(): number {
    return this.labels++;
  }

  /** Replaces the characters that PTX does not allow in a name. */
  private validName(name: string): string {
    const clean = name.replace(/[^A-Za-z0-9_$]/g, '_').replace(/^(?=\d)/, '_');
    let text = clean;
    for (let count = 1; this.taken.has(text); count++) text = `${clean}_${count}`;
    this.taken.add(text);
    return text;
  }

  /** Returns the PTX name of a function or variable. */
  textOf(name: string): string {
    return this.texts.get(name) ?? missing('the PTX name', name);
  }

  /** Returns the arguments of the kernel's `__cluster_dims__`, or undefined if it has none. */
  clusterDims(kernel: string): string | undefined {
    const prefix = 'lanewise.cluster_dims ';
    return this.annotations
      .get(kernel)
      ?.find((text) => text.startsWith(prefix))
      ?.slice(prefix.length);
  }

  /** Returns the address of a variable or function. */
  address(name: string, span: Span): Scalar {
    const variable = this.variables.get(name);
    if (variable !== undefined) return symbol(variableSpace(variable), this.textOf(name));
    if (this.functions.has(name)) return symbol(spaces.generic, this.textOf(name));
    throw new SyntaxFailure(llvmDiagnostics.undefinedName(span, `@${name}`));
  }
}

/**
 * Returns the space of a variable. As in LLVM's NVPTX back end, variables in the generic address
 * space are in global memory.
 */
export const variableSpace = ({ space }: GlobalVariable): number => (space === spaces.generic ? spaces.global : space);
