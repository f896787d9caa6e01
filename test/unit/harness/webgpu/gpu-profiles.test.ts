// Profile folders of killed browsers are removed, and those in use are kept.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { makeProfileFolder, removeStaleFolders } from '../../../../src/harness/webgpu/browser/profiles.ts';

const parent = mkdtempSync(join(tmpdir(), 'lanewise-profiles-'));
afterEach(() => {
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true });
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** The id of a process that has ended. */
const gone = spawnSync(process.execPath, ['--version']).pid;
const hour = 3600;

interface Made {
  readonly owner?: string;
  readonly lock?: string;
  readonly young?: boolean;
}

function make(name: string, { owner, lock, young = false }: Made): string {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'profile'), { recursive: true });
  if (owner !== undefined) writeFileSync(join(folder, 'owner'), owner);
  if (lock !== undefined) symlinkSync(lock, join(folder, 'profile', 'SingletonLock'));
  const then = Date.now() / 1000 - hour;
  if (!young) utimesSync(folder, then, then);
  return folder;
}

const here = hostname();

test.each<[string, boolean, Made]>([
  ['of a process that has ended', false, { owner: `${here} ${gone}` }],
  ['of a process and a browser that have ended', false, { owner: `${here} ${gone}`, lock: `${here}-${gone}` }],
  ['of nobody', false, {}],
  ['of this process', true, { owner: `${here} ${process.pid}` }],
  ['whose browser is still running', true, { owner: `${here} ${gone}`, lock: `${here}-${process.pid}` }],
  ['of another host', true, { owner: `elsewhere ${gone}` }],
  ['of a browser on another host', true, { lock: `elsewhere-${gone}` }],
  ['created a moment ago', true, { young: true }],
])('a folder %s stays: %j', async (_, stays, made) => {
  const folder = make('lanewise-chrome-abc', made);
  const removed = await removeStaleFolders(parent);
  expect(existsSync(folder)).toBe(stays);
  expect(removed).toEqual(stays ? [] : ['lanewise-chrome-abc']);
});

test('other folders remain, and so does the target of a link', async () => {
  const other = make('other-chrome-abc', {});
  symlinkSync(other, join(parent, 'lanewise-chrome-link'));
  expect(await removeStaleFolders(parent)).toEqual([]);
  expect(existsSync(join(other, 'profile'))).toBe(true);
});

test('a new folder is not stale', async () => {
  const { path: folder } = makeProfileFolder(parent);
  expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([folder]);
  const then = Date.now() / 1000 - hour;
  utimesSync(folder, then, then);
  expect(await removeStaleFolders(parent)).toEqual([]);
});
