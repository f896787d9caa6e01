// Colors code blocks: PTX and WGSL with the demo's languages, and other languages with
// highlight.js.
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import hljs from 'highlight.js/lib/core';
import shell from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { ptxLanguage } from '../demo/editor/ptx-language.ts';
import { wgslLanguage } from '../demo/editor/wgsl-language.ts';
import { escapeHtml } from './html.ts';

for (const [name, language] of Object.entries({ cpp, javascript, json, shell, typescript, xml, yaml }))
  hljs.registerLanguage(name, language);
hljs.registerAliases(['cuda', 'cu'], { languageName: 'cpp' });
// Languages whose code is not highlighted. In a console session, only words in the commands would
// be highlighted.
const plain = new Set(['', 'console', 'text']);

const editorLanguages = { ptx: ptxLanguage, wgsl: wgslLanguage };

/** The classes that highlight.js uses in its HTML. */
const classes = tagHighlighter([
  { tag: tags.keyword, class: 'hljs-keyword' },
  { tag: tags.typeName, class: 'hljs-type' },
  { tag: tags.number, class: 'hljs-number' },
  { tag: tags.comment, class: 'hljs-comment' },
  { tag: tags.string, class: 'hljs-string' },
  { tag: [tags.atom, tags.meta], class: 'hljs-meta' },
  { tag: tags.labelName, class: 'hljs-title' },
]);

/** Returns the HTML of a code block. Code in an unknown language is not highlighted. */
export function highlight(code: string, language: string): string {
  if (language === 'ptx' || language === 'wgsl') {
    let html = '';
    highlightCode(
      code,
      editorLanguages[language].parser.parse(code),
      classes,
      (text, style) => {
        html += style === '' ? escapeHtml(text) : `<span class="${style}">${escapeHtml(text)}</span>`;
      },
      () => {
        html += '\n';
      },
    );
    return html;
  }
  if (plain.has(language) || hljs.getLanguage(language) === undefined) return escapeHtml(code);
  return hljs.highlight(code, { language }).value;
}
