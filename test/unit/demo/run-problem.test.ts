// The messages of the page if there is no program to run.
import { expect, test } from 'vitest';
import { textMessages } from '../../../demo/program/messages.ts';
import { analyze } from '../../../demo/program/program.ts';
import { runProblem } from '../../../demo/program/run-problem.ts';
import { initialState } from '../../../demo/state.ts';

const header = '.version 8.0\n.target sm_80\n.address_size 64\n';

test.each([
  [{ text: ' \n', cuda: '' }, 'the PTX is empty. Paste PTX, or paste CUDA C++ and compile it.'],
  [{ text: '', cuda: '__global__ void k() {}' }, 'the PTX is empty. Compile the CUDA source first.'],
  [{ text: '// nothing', cuda: '' }, 'the text contains no PTX (PTX0214).'],
  [
    { text: header, cuda: '' },
    'the module has no kernel (PAGE007). A kernel is a function that begins with `.entry`. In CUDA C++, it has `__global__`.',
  ],
])('%j: nothing to run', (texts, problem) => {
  const { program, diagnostics } = analyze({ ...initialState, ...texts });
  expect(program).toBeUndefined();
  expect(runProblem(texts, textMessages(diagnostics))).toBe(`Nothing to run: ${problem}`);
});
