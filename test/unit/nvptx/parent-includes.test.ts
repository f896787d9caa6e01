// Includes of files in parent folders, for clang in WebAssembly.
import { expect, test } from 'vitest';
import { withAbsoluteIncludes } from '../../../src/nvptx/clang/parent-includes.ts';

test('an include with `..` has an absolute path, which the file or the folders of headers determine', () => {
  const files = {
    home: {
      src: {
        'main.cu': [
          '#include "../common/a.h"',
          '  #  include <../b.h> // text',
          '#include "x/../../common/a.h"',
          '#include "../absent.h"',
          '#include "local.h"',
          'const char *s = "../common/a.h";',
        ].join('\n'),
      },
      common: { 'a.h': 'int a;' },
      'b.h': 'int b;',
    },
    'program.bin': Uint8Array.of(1),
  };
  const made = withAbsoluteIncludes(files, ['/home/common']);
  expect(made).toEqual({
    ...files,
    home: {
      ...files.home,
      src: {
        'main.cu': [
          '#include "/home/common/a.h"',
          '  #  include "/home/b.h" // text',
          '#include "/home/common/a.h"',
          '#include "../absent.h"',
          '#include "local.h"',
          'const char *s = "../common/a.h";',
        ].join('\n'),
      },
    },
  });
});
