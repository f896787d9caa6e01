// The files around the code: workflows, templates, and the package's metadata.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const workflows = readdirSync(new URL('.github/workflows/', root)).map(
  (name) => [name, read(`.github/workflows/${name}`)] as const,
);
const manifest = JSON.parse(read('package.json'));

describe.each(workflows)('%s', (_, text) => {
  test('has only the permissions that it needs', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text).not.toContain('pull_request_target');
    expect(text.match(/actions\/checkout@/g)?.length ?? 0).toBe(text.match(/persist-credentials: false/g)?.length ?? 0);
  });
  test('passes no untrusted text to a shell', () => {
    const scripts = text.split('\n').filter((line) => /^\s*(- )?run:/.test(line));
    expect(scripts.filter((line) => line.includes('${{'))).toEqual([]);
    expect(text).not.toMatch(/github\.event\.(issue|pull_request|comment|head_commit)/);
  });
  test('every job has a time limit', () => {
    expect(text.match(/runs-on:/g)?.length).toBe(text.match(/timeout-minutes:/g)?.length);
  });
});

test('one workflow runs .ci/run, one publishes the site, one publishes the package with provenance', () => {
  const all = new Map(workflows);
  expect(all.get('ci.yml')).toMatch(/run: \.ci\/run$/m);
  expect(all.get('pages.yml')).toMatch(/npm run build:site$[\s\S]*path: dist-site$/m);
  expect(all.get('publish.yml')).toMatch(/tags: \["v\*"\]$[\s\S]*npm publish --provenance/m);
});

test('unit tests that replace a module have a separate process', () => {
  const files = readdirSync(new URL('test/unit/', root), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && !name.startsWith('apart/'),
  );
  const replacing = files.filter((name) => /^vi\.(mock|doMock)\(/m.test(read(`test/unit/${name}`)));
  expect(files.length).toBeGreaterThan(150);
  expect(replacing).toEqual([]);
});

test('issue templates ask for the report', () => {
  for (const name of ['bug.yml', 'wrong-result.yml'])
    expect(read(`.github/ISSUE_TEMPLATE/${name}`)).toMatch(/id: report[\s\S]*?required: true/);
});

test('the packages of executors, bundlers and clang, and the types of WebGPU, are optional', () => {
  const optional = ['@webgpu/types', '@yowasp/clang', 'koffi', 'puppeteer', 'selenium-webdriver', 'unplugin', 'webgpu'];
  expect(Object.keys(manifest.peerDependencies).sort()).toEqual(optional);
  for (const name of optional) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    // A checkout installs every peer dependency, in the same version.
    expect(manifest.devDependencies[name]).toBe(manifest.peerDependencies[name]);
    expect(manifest.dependencies[name]).toBeUndefined();
  }
  const hooks = Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name));
  expect(hooks).toEqual([]);
});

test('the change log has an entry for the next version and the current one', () => {
  const text = read('CHANGELOG.md');
  expect(text).toContain('## Unreleased');
  expect(text).toContain(`## ${manifest.version}`);
});

describe('the addresses of the project', () => {
  const repository = 'https://github.com/lanewise/lanewise';

  // npm resolves the relative links of README.md against a repository in this form.
  test('the manifest contains them', () => {
    expect(manifest.repository).toEqual({ type: 'git', url: `git+${repository}.git` });
    expect(manifest.bugs).toEqual({ url: `${repository}/issues` });
    expect(manifest.homepage).toBe('https://lanewise.github.io/lanewise/');
  });

  test('CITATION.cff agrees with the manifest', () => {
    const fields = new Map(
      [...read('CITATION.cff').matchAll(/^([\w-]+): (.+)$/gm)].map(([, key, value]) => [key, value]),
    );
    expect(fields.get('repository-code')).toBe(repository);
    expect(fields.get('url')).toBe(manifest.homepage);
    expect(fields.get('version')).toBe(manifest.version);
    expect(fields.get('license')).toBe(manifest.license);
  });

  test.each(['README.md', 'SECURITY.md', 'site/home.md'])('%s names no other', (path) => {
    const text = read(path);
    const own = /https:\/\/(?:github\.com\/[\w-]+\/lanewise\b|[\w-]+\.github\.io\/lanewise\/)/g;
    for (const [address] of text.matchAll(own)) expect([repository, manifest.homepage]).toContain(address);
  });
});
