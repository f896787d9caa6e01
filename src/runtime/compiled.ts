// A kernel for one launch shape: its shader and its status buffer.

import type { Source } from '../ptx/ast.ts';
import type { WgslProgram } from '../translate/index.ts';
import type { Shader, Shaders } from './device/shaders.ts';
import { bindingsOf, type ProgramBinding } from './launch/bindings.ts';
import { type Abandoned, compileTimeout, runtimeWaysOut } from './launch/compile-limit.ts';

let made = 0;

export class Compiled {
  /** The id of the kernel, which is unique among all compiled kernels. */
  readonly id = ++made;
  readonly program: WgslProgram;
  readonly source: Source;
  readonly bindings: readonly ProgramBinding[];
  readonly shader: Shader;

  /** `from` contains the facts that the error of an abandoned compilation reports. */
  constructor(shaders: Shaders, program: WgslProgram, source: Source, from: Pick<Abandoned, 'span' | 'isFast'>) {
    this.program = program;
    this.source = source;
    this.bindings = bindingsOf(program);
    const { kernel, code, entryPoint } = program;
    const given = { label: kernel, code, entryPoint, buffers: this.bindings };
    this.shader = shaders.get(given, (limitMs) =>
      compileTimeout({ program, source, ...from }, limitMs, runtimeWaysOut),
    );
  }
}
