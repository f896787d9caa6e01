// The message if an executor's package is not installed.
import { expect, test } from 'vitest';
import { missingPackageText, requirePackage } from '../../../../src/harness/sessions/packages.ts';

test.each([
  [['/x/bin/lanewise.js', 'validate'], 'lanewise validate'],
  [['/x/.bin/lanewise', 'run', 'a b.json', "it's", '--on', 'dawn'], "lanewise run 'a b.json' 'it'\\''s' --on dawn"],
  [['/x/bin/lanewise'], 'lanewise validate --on dawn'],
  [['/x/own-program.js', 'secret'], 'lanewise validate --on dawn'],
])('%j', (program, command) => {
  expect(missingPackageText('webgpu', 'dawn', program).split('\n')).toEqual([
    'dawn requires the package webgpu, which is not installed:',
    `  npx -p lanewise -p webgpu ${command}`,
  ]);
});

test('an installed package is found', () => {
  expect(requirePackage('puppeteer', 'chrome')).toContain('puppeteer');
});
