// One Markdown page: its HTML, its headings, its links, and its text for the search.
import { Marked, type Token, type Tokens } from 'marked';
import { get } from '../src/base/invariants.ts';
import { highlight } from './highlight.ts';
import { attributeValues, escapeHtml } from './html.ts';
import { anchorMaker } from './slug.ts';

const marked = new Marked({ gfm: true });

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Document {
  readonly tokens: readonly Token[];
  /** The text of the first heading, without markup. */
  readonly title: string;
  readonly headings: ReadonlyMap<Token, Heading>;
  /** The anchors of headings and of `id` attributes in HTML. */
  readonly anchors: ReadonlySet<string>;
  /** The targets of links and images, as written. */
  readonly targets: readonly string[];
}

/** A part of a page, from one heading to the next. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface RenderOptions {
  /** Returns the target on the site for a link in the file. */
  readonly link: (target: string) => string;
}

/** Returns the text of inline tokens, without markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html' || token.type === 'image') return '';
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token && typeof token.text === 'string' ? withoutEntities(token.text) : '';
    })
    .join('');
}

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const withoutEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => signs[name] ?? whole);

export function parseMarkdown(source: string): Document {
  const tokens = marked.lexer(source);
  const anchorOf = anchorMaker();
  const headings = new Map<Token, Heading>();
  const anchors = new Set<string>();
  const targets: string[] = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') {
      const text = plainText(token.tokens ?? []);
      const anchor = anchorOf(text);
      headings.set(token, { level: token.depth, text, anchor });
      anchors.add(anchor);
    }
    if (token.type === 'link' || token.type === 'image') targets.push(token.href);
    if (token.type === 'html') {
      for (const name of ['href', 'src']) targets.push(...attributeValues(token.text, name));
      for (const id of attributeValues(token.text, 'id')) anchors.add(id);
    }
  });
  return { tokens, title: [...headings.values()][0]?.text ?? '', headings, anchors, targets };
}

const isExternal = (target: string): boolean => /^https?:/.test(target);

export function renderMarkdown(document: Document, { link }: RenderOptions): string {
  const renderer = new Marked({ gfm: true });
  renderer.use({
    renderer: {
      heading(token: Tokens.Heading) {
        const { tokens, depth } = token;
        const { anchor, text } = get(document.headings, token, 'a heading');
        const self = `<a class="anchor" href="#${anchor}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${depth === 1 ? '' : ` ${self}`}</h${depth}>\n`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        return `<pre tabindex="0"><code>${highlight(text, lang.split(' ')[0] ?? '')}</code></pre>\n`;
      },
      link({ href, title, tokens }: Tokens.Link) {
        const name = title ? ` title="${escapeHtml(title)}"` : '';
        return `<a href="${escapeHtml(link(href))}"${name}>${this.parser.parseInline(tokens)}</a>`;
      },
      // A page does not load files from other servers, so the text of an image on another server
      // replaces the image.
      image({ href, text }: Tokens.Image) {
        return isExternal(href)
          ? escapeHtml(text)
          : `<img src="${escapeHtml(link(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text
          .replace(/<!--[\s\S]*?-->/g, '')
          .replace(/\s(href|src)="([^"]*)"/g, (_, name: string, target: string) => ` ${name}="${link(target)}"`);
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[]): string =>
          `<tr>${cells.map((cell) => tableCell(cell, this.parser.parseInline(cell.tokens))).join('')}</tr>`;
        const head = token.header.some(({ text }) => text.trim() !== '') ? `<thead>${row(token.header)}</thead>` : '';
        return `<div class="table-scroll" tabindex="0"><table>${head}<tbody>${token.rows.map(row).join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  return renderer.parser([...document.tokens]);
}

function tableCell({ header, align }: Tokens.TableCell, content: string): string {
  const side = align ? ` class="${align}"` : '';
  return header && content !== '' ? `<th scope="col"${side}>${content}</th>` : `<td${side}>${content}</td>`;
}

/** Returns the text of each part of a page, for the search. */
export function sectionsOf(document: Document): readonly Section[] {
  const sections: { heading: Heading; text: string }[] = [];
  for (const token of document.tokens) {
    const heading = document.headings.get(token);
    if (heading) sections.push({ heading, text: '' });
    else {
      const last = sections.at(-1);
      if (last) last.text += ` ${blockText(token)}`;
    }
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.replace(/\s+/g, ' ').trim() }));
}

function blockText(token: Token): string {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const table = token as Tokens.Table;
    return [table.header, ...table.rows]
      .flat()
      .map((cell) => plainText(cell.tokens))
      .join(' ');
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.flatMap((item) => item.tokens.map(blockText)).join(' ');
  if (token.type === 'blockquote') return (token.tokens ?? []).map(blockText).join(' ');
  if (token.type === 'code') return token.text;
  return plainText('tokens' in token && token.tokens ? token.tokens : [token]);
}
