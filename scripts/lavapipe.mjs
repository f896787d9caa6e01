// Installs lavapipe, Mesa's Vulkan driver that runs on the CPU: the software adapter with subgroups
// of 4, 8 and 16.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, aptUpdate, canUseApt, debianRelease, say } from './steps.mjs';

const PACKAGE = 'mesa-vulkan-drivers';
/** The oldest version of Mesa that Dawn accepts. Version 22.3 was tested and rejected. */
const OLDEST_MESA = 25;
const BACKPORTS_LIST = '/etc/apt/sources.list.d/lanewise-backports.list';

/** Returns true if a version of lavapipe that Dawn accepts is present or has been installed. */
export function ensureLavapipe() {
  if (mesaMajor() >= OLDEST_MESA) return true;
  const release = debianRelease();
  if (!canUseApt() || !release) {
    say(`lavapipe is not installed (on Debian or Ubuntu: apt-get install ${PACKAGE}, Mesa ${OLDEST_MESA} or newer)`);
    return false;
  }
  say('installing lavapipe (software Vulkan)');
  const isOldDebian = release.id === 'debian' && Number(release.version) === 12;
  const suite = isOldDebian ? addBackports(release.codename) : undefined;
  if (isOldDebian && !suite) return false;
  if (!aptInstall([PACKAGE], suite ? { release: suite } : {})) return false;
  if (mesaMajor() >= OLDEST_MESA) return true;
  say(`this release has Mesa ${mesaMajor()}; Dawn needs ${OLDEST_MESA}`);
  return false;
}

function mesaMajor() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own format.
  const shown = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Version}', PACKAGE], { encoding: 'utf8' });
  const match = /^installed (?:\d+:)?(\d+)\./.exec(shown.stdout ?? '');
  return match ? Number(match[1]) : 0;
}

/**
 * Adds the backports suite to apt, from the mirror of the release itself. The packages of the suite
 * have priority 100, so apt uses them only if requested.
 */
function addBackports(codename) {
  const suite = `${codename}-backports`;
  const sources = readSources();
  if (sources.some((source) => source.suites.includes(suite))) return suite;
  const base = sources.find((source) => source.suites.includes(codename));
  if (!base) {
    say(`no apt source for ${codename} found; add ${suite} by hand`);
    return undefined;
  }
  const options = base.signedBy ? `[signed-by=${base.signedBy}] ` : '';
  const line = `deb ${options}${base.uri} ${suite} main`;
  say(`as root: adding the apt source "${line}" as ${BACKPORTS_LIST}; it stays until you remove that file`);
  writeFileSync(BACKPORTS_LIST, `${line}\n`);
  aptUpdate({ again: true });
  return suite;
}

/**
 * Returns every apt source as `{ uri, suites, signedBy }`, from files in the one-line format and in
 * the deb822 format.
 */
function readSources() {
  const folder = '/etc/apt/sources.list.d';
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const found = [];
  for (const file of ['/etc/apt/sources.list', ...files]) {
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.sources')) found.push(...readDeb822(text));
    else if (file.endsWith('.list')) found.push(...readOneLine(text));
  }
  return found;
}

function readOneLine(text) {
  const found = [];
  for (const line of text.split('\n')) {
    const match = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)/.exec(line.trim());
    if (!match) continue;
    const signedBy = /signed-by=(\S+)/.exec(match[1] ?? '')?.[1];
    found.push({ uri: match[2], suites: [match[3]], signedBy });
  }
  return found;
}

function readDeb822(text) {
  const found = [];
  for (const stanza of text.split(/\n\s*\n/)) {
    const lines = stanza.split('\n').filter((line) => !line.startsWith('#'));
    const field = (name) =>
      lines
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    const types = field('types')?.split(/\s+/) ?? [];
    const uri = field('uris')?.split(/\s+/)[0];
    if (!types.includes('deb') || !uri || field('enabled') === 'no') continue;
    // Omit an embedded key, so that apt uses its trusted keys.
    const signedBy = field('signed-by');
    found.push({
      uri,
      suites: field('suites')?.split(/\s+/) ?? [],
      signedBy: signedBy?.startsWith('/') ? signedBy : undefined,
    });
  }
  return found;
}
