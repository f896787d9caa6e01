// Untrusted text on a terminal, in a log and in a document.

import picocolors from 'picocolors';
import { describe, expect, it, test } from 'vitest';
import { oneLine, printable, printableButColors, withoutWorkflowCommands } from '../../../src/base/printable.ts';
import { toJson } from '../../../src/cli/report-files.ts';
import { githubAnnotations } from '../../../src/harness/report/github.ts';
import { htmlDocument } from '../../../src/harness/report/html.ts';
import { junitDocument } from '../../../src/harness/report/junit.ts';
import { describeFailure } from '../../../src/harness/report/text.ts';
import type { Result } from '../../../src/harness/runs/results.ts';
import { renderDiagnostic } from '../../../src/ptx/index.ts';

/** Characters that move a cursor, clear a screen, hide text or reverse it. */
const hostile = [
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u009b2J',
  '\b\b',
  '\r',
  '\u007f',
  '\u202egnp',
  '\u2066x',
  '\u2028',
  'a\ud800',
  '\udc00b',
  '\ufffe',
  '\u0000',
];
const harmless = /^[\t\n\x20-\x7e\u00a0-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;

test.each(hostile)('%j is escaped', (text) => {
  expect(printable(`a ${text} z`)).toMatch(harmless);
  expect(printable(`a ${text} z`)).toMatch(/\\(x[0-9a-f]{2}|u[0-9a-f]{4})/);
  expect(printableButColors(text)).toMatch(harmless);
  expect(oneLine(`${text}\n\t`)).toMatch(/^[^\n\t]*$/);
  expect(toJson({ text })).toMatch(harmless);
  expect(JSON.parse(toJson({ text })).text).toBe(text);
});

test('ordinary text and the program’s own colors do not change', () => {
  const text = 'π ≠ 日本 😀\n\ttext';
  expect(printable(text)).toBe(text);
  expect(oneLine('日本 😀')).toBe('日本 😀');
  expect(printableButColors('\u001b[1;31mred\u001b[0m\u001b[2K')).toBe('\u001b[1;31mred\u001b[0m\\x1b[2K');
  expect(oneLine('abcdef', 3)).toBe('abc…');
});

const result: Result = {
  id: 'x\n::error file=a::b',
  executor: { name: 'cpu' },
  status: 'fail',
  cases: 1,
  compared: 1,
  undefined: 0,
  mismatches: 1,
  first: { expected: '1', got: '2\n::set-output::' },
  message: '::warning::\u001b[2J ##[add-mask]x',
  errorKind: undefined,
  ms: 0,
};

describe('workflow commands', () => {
  const isCommand = (line: string): boolean => line.trimStart().startsWith('::') || line.includes('##[');
  it.each(['::error::x', '  ::error::x', '\t::stop-commands::y', 'a\n::error::x', 'x ##[group]y', ':::error::'])(
    '%j is escaped',
    (text) => {
      expect(withoutWorkflowCommands(text).split('\n').some(isCommand)).toBe(false);
    },
  );
  it('do not come from untrusted text', () => {
    const lines = withoutWorkflowCommands(describeFailure(result, picocolors.createColors(false))).split('\n');
    expect(lines.some(isCommand)).toBe(false);
    expect(lines.join('\n')).toMatch(harmless);
    const [annotation = '', ...more] = githubAnnotations([result]);
    expect(more).toEqual([]);
    expect(annotation).toMatch(/^::error title=[^\n:]*::[^\n]*$/);
    expect(annotation).toMatch(harmless);
  });
  it('do not occur in a document, whose values do not change', () => {
    const text = toJson({ results: [result] });
    expect(text.split('\n').some(isCommand)).toBe(false);
    expect(JSON.parse(text).results[0].message).toBe(result.message);
  });
});

test('a diagnostic escapes control characters in its text', () => {
  const source = { file: 'a\u001b[2J\n::error::.ptx', text: 'x \u001b[2J \u202e\u009b y' };
  const span = { start: 2, end: 6 };
  const rendered = renderDiagnostic(source, {
    code: 'PTX0101',
    severity: 'error',
    message: `odd ${'x'.repeat(5000)}\n::error::`,
    span,
    labels: [{ span, text: 'here\u001b[2J\n::error::' }],
    hint: 'try\r\n::error::',
  });
  expect(rendered).toMatch(harmless);
  expect(rendered.split('\n').some((line) => line.startsWith('::'))).toBe(false);
  expect(rendered.length).toBeLessThan(4000);
});

describe('reports', () => {
  const odd: Result = { ...result, id: 'odd\ud800:\ufffe', message: '\u0000<script>alert(1)</script>\uffff"\'&' };
  const tool = { name: 'lanewise', version: '0', node: '20', platform: 'linux-x64' };

  it('JUnit contains only characters that XML allows', () => {
    const xml = junitDocument([odd]);
    // XML 1.0, section 2.2.
    expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd]*$/);
    expect(xml).not.toContain('<script');
  });

  it('pages run no scripts from untrusted text', () => {
    const page = htmlDocument(tool, "lanewise run '<script>'", [odd]);
    expect(page).not.toContain('<script');
    const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
    expect(policy.replaceAll('&#39;', "'")).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    // The policy must precede all content to which it applies.
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style'));
  });
});
