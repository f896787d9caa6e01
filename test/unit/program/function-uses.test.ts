// The message about a function that does not exist in whole programs.
import { expect, test } from 'vitest';
import { findUses, useText } from '../../../src/program/function-uses.ts';
import { hasMain } from '../../../src/program/source-code.ts';

const source = `// cudaGraphLaunch(graph)
const char *name = "cudaGraphLaunch";
int main() {
  cudaGraphLaunch(graph, 0);
}`;

test('the message shows the line of the first use, without comments and texts', () => {
  const [use, ...others] = findUses(
    'cudaGraphLaunch',
    new Map([
      ['main.cu', source],
      ['b.h', 'int x;'],
    ]),
  );
  expect(others).toEqual([]);
  expect(use && useText(use)).toBe(`main.cu:4:3: error: \`cudaGraphLaunch\` is not available in whole programs
4 |   cudaGraphLaunch(graph, 0);
  |   ^^^^^^^^^^^^^^^`);
});

test('a C++ function is found by the last part of its name', () => {
  const [use] = findUses('ns::helper(int)', new Map([['main.cu', 'int y = ns::helper(3);']]));
  expect(use).toMatchObject({ name: 'helper', offset: 12 });
});

test.each([
  ['int main() {}', true],
  ['int\nmain (int argc, char **argv) {}', true],
  ['// int main() {}\n__global__ void k() {}', false],
  ['const char *text = "int main()";', false],
  ['void domain(int main_size);', false],
])('%j has a main: %j', (text, expected) => expect(hasMain(text)).toBe(expected));
