// A kernel for one launch shape: its shader and its status buffer.

import type { Source } from '../ptx/ast.ts';
import type { WgslProgram } from '../translate/index.ts';
import type { Shader, Shaders } from './device/shaders.ts';
import { bindingsOf, type ProgramBinding } from './launch/bindings.ts';

let made = 0;

export class Compiled {
  /** The id, which is unique among all compiled kernels. */
  readonly id = ++made;
  readonly program: WgslProgram;
  readonly source: Source;
  readonly bindings: readonly ProgramBinding[];
  readonly shader: Shader;

  constructor(shaders: Shaders, program: WgslProgram, source: Source) {
    this.program = program;
    this.source = source;
    this.bindings = bindingsOf(program);
    const { kernel, code, entryPoint } = program;
    this.shader = shaders.get({ label: kernel, code, entryPoint, buffers: this.bindings });
  }
}
