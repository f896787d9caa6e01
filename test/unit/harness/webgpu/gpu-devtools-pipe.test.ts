// Chrome's DevTools protocol on two pipes. A script of the test replaces Chrome.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DevToolsPipe } from '../../../../src/harness/webgpu/browser/devtools-pipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-pipe-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that answers in pieces, and sends an event between them. */
const program = join(folder, 'browser');
writeFileSync(
  program,
  `#!${process.execPath}
const fs = require('node:fs');
const write = (text) => fs.writeSync(4, text);
let rest = '';
const commands = fs.createReadStream('', { fd: 3 });
commands.setEncoding('utf8');
commands.on('end', () => process.exit(0));
commands.on('data', async (text) => {
  const parts = (rest + text).split('\\0');
  rest = parts.pop();
  for (const part of parts) {
    const { id, method, params, sessionId } = JSON.parse(part);
    if (method === 'refuse') write(JSON.stringify({ id, error: { message: 'no such command' } }) + '\\0');
    if (method === 'die') { process.stderr.write('out of luck'); process.exitCode = 7; process.kill(process.pid, 'SIGTERM'); }
    if (method !== 'echo') continue;
    const answer = JSON.stringify({ id, result: { params, sessionId, flags: process.argv.slice(2) } });
    write(JSON.stringify({ method: 'told', params: { about: id } }) + '\\0' + answer.slice(0, 9));
    await new Promise((done) => setTimeout(done, 5));
    write(answer.slice(9) + '\\0');
  }
});
`,
  { mode: 0o755 },
);

// Windows does not run scripts by their first line.
test.skipIf(process.platform === 'win32')('commands are answered, refused, and ended with the browser', async () => {
  const events: string[] = [];
  const browser = new DevToolsPipe(program, ['--flag'], process.env, (method, { about }) => {
    events.push(`${method} ${about}`);
  });
  expect(await browser.send('echo', { word: 'größer' }, 'page')).toEqual({
    params: { word: 'größer' },
    sessionId: 'page',
    flags: ['--remote-debugging-pipe', '--flag'],
  });
  expect(await browser.send('echo')).toMatchObject({ params: {} });
  expect(events).toEqual(['told 1', 'told 2']);
  await expect(browser.send('refuse')).rejects.toThrow('no such command');
  await expect(browser.send('die')).rejects.toThrow('it was killed by SIGTERM\nout of luck');
  expect(await browser.ended).toContain('out of luck');
  await expect(browser.send('echo')).rejects.toThrow('out of luck');
});

test('an unknown program is an error', async () => {
  const browser = new DevToolsPipe(join(folder, 'missing'), [], process.env, () => undefined);
  await expect(browser.send('echo')).rejects.toThrow('ENOENT');
});
