// `--on webdriver=URL?capability=value…`: its meaning, and the parts that are shown.
import { expect, test } from 'vitest';
import { parseExecutors } from '../../../../src/cli/options.ts';
import {
  parseWebDriverTarget,
  shownTarget,
  withSecureOrigin,
} from '../../../../src/harness/webgpu/browser/webdriver-target.ts';

test('the endpoint, its capabilities, and the address of this machine', () => {
  const text =
    'http://grid:4444/wd/hub?browserName=MicrosoftEdge&platformName=linux&acceptInsecureCerts=true&ms:edgeOptions={"args":["--a","--b"]}&lanewise:serve=192.168.1.5:8100';
  expect(parseWebDriverTarget(text)).toEqual({
    url: 'http://grid:4444/wd/hub',
    capabilities: {
      browserName: 'MicrosoftEdge',
      platformName: 'linux',
      acceptInsecureCerts: true,
      'ms:edgeOptions': { args: ['--a', '--b'] },
    },
    serve: { host: '192.168.1.5', port: 8100 },
  });
});

test('Chrome if no browser is named', () => {
  expect(parseWebDriverTarget('http://127.0.0.1:4444')).toEqual({
    url: 'http://127.0.0.1:4444',
    capabilities: { browserName: 'chrome' },
    serve: undefined,
  });
});

test.each([
  ['grid', "invalid address 'grid'"],
  ['ftp://grid', 'is not an HTTP address'],
  ['http://grid?x={', 'the capability x is not valid JSON'],
  ['http://grid?lanewise:serve=a b', 'expected an address of this machine'],
  ['http://grid?lanewise:serve=a:99999', 'expected an address of this machine'],
])('%s: %s', (text, message) => {
  expect(() => parseWebDriverTarget(text)).toThrow(message);
});

test('users and keys are not shown', () => {
  const shown = shownTarget(
    parseWebDriverTarget('https://me:hunter2@cloud.example/wd?cloud:options={"accessKey":"abc","os":"Windows"}'),
  );
  expect(shown).toBe(
    'webdriver=https://cloud.example/wd?browserName=chrome&cloud:options={"accessKey":"…","os":"Windows"}',
  );
});

test('a page of another machine is made a secure context, and one of this machine already is', () => {
  const capabilities = { browserName: 'chrome', 'goog:chromeOptions': { args: ['--headless=new'], binary: '/b' } };
  expect(withSecureOrigin(capabilities, new URL('http://192.168.1.5:8100/x/'))).toEqual({
    browserName: 'chrome',
    'goog:chromeOptions': {
      args: ['--headless=new', '--unsafely-treat-insecure-origin-as-secure=http://192.168.1.5:8100'],
      binary: '/b',
    },
  });
  expect(withSecureOrigin(capabilities, new URL('http://127.0.0.1:8100/x/'))).toBe(capabilities);
});

test('a list of executors with a WebDriver endpoint', () => {
  const text = 'webdriver=http://grid?goog:chromeOptions={"args":["a","b"]}';
  expect(parseExecutors(`cpu, ${text},chrome`)).toEqual(['cpu', text, 'chrome']);
  expect(() => parseExecutors('webdriver')).toThrow('It needs an address');
  expect(() => parseExecutors('webdriver=grid')).toThrow('invalid address');
  expect(() => parseExecutors('webdriver=http://a,webdriver=http://b')).toThrow('lanewise fleet');
});
