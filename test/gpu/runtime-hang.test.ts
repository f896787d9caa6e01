// An endless kernel does not freeze the program or prevent it from ending.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { installedBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { driverEnvironment } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';
import { drawn } from '../effort.ts';

const drivers = [{ driver: 'lavapipe' }, { driver: 'swiftshader' }] as const;
const seen = 'timeout: launches up to one of add: no answer within 200 ms\nticks: true\n';

const ways = [
  ['leave', 0, 'end\n'],
  ['close', 0, '2\nend\n'],
  ['exit', 3, ''],
  ['throw', 1, ''],
  ['signal', 5, 'end\n'],
  ['pending', 0, 'end\nlost\nlost\n'],
  ['again', 0, '3\nend\nexit\n'],
] as const;

const all = ways.flatMap(([way, code, rest]) =>
  drivers
    // SwiftShader's devices share a few threads, and the endless kernel occupies one of them. So
    // `again`, which uses a second device, runs on lavapipe only.
    .filter(({ driver }) => way !== 'again' || driver === 'lavapipe')
    .map(({ driver }) => ({ way, code, rest, driver })),
);

// A short run ends in two ways.
test.each(drawn(all, 2))(
  'a program that ends by `$way` while a kernel runs on $driver',
  async ({ way, code, rest, driver }) => {
    const environment = driverEnvironment({ driver }, installedBrowser());
    if (!environment) return;
    const child = spawn(process.execPath, ['test/gpu/runtime-hang.mjs', way], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const late = setTimeout(() => child.kill('SIGKILL'), 240_000);
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [ended] = await once(child, 'close');
    clearTimeout(late);
    expect({ ended, out }, err).toEqual({ ended: code, out: seen + rest });
    if (way === 'throw') expect(err).toContain('Error: thrown at the end');
  },
);
