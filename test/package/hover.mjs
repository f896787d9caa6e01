// Reads the documentation that an editor shows from TypeScript's language server.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Returns the documentation that `tsserver` shows for each name, at its first use in a file.
 * Rejects if the server ends, or after a minute.
 */
export async function hoverTexts(tsserver, file, names) {
  const server = spawn(process.execPath, [tsserver, '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const answers = new Map();
  const ended = new Promise((_, reject) => {
    server.on('exit', (code) => reject(new Error(`${tsserver} ended with ${code}`)));
  });
  ended.catch(() => undefined);
  createInterface({ input: server.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const message = JSON.parse(line);
    if (message.type === 'response') answers.get(message.request_seq)?.(message);
  });
  const send = (seq, command, args) =>
    server.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`);
  try {
    send(0, 'open', { file });
    const lines = readFileSync(file, 'utf8').split('\n');
    const texts = {};
    for (const [index, name] of names.entries()) {
      const line = lines.findIndex((text) => text.includes(name));
      const offset = lines[line].indexOf(name) + name.length;
      const seq = index + 1;
      const answer = new Promise((resolve) => answers.set(seq, resolve));
      send(seq, 'quickinfo', { file, line: line + 1, offset });
      const { body } = await Promise.race([answer, ended]);
      texts[name] = typeof body?.documentation === 'string' ? body.documentation : '';
    }
    return texts;
  } finally {
    server.kill();
  }
}
