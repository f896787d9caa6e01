// The parts of a page that all reports share.

/**
 * The content policy. Pages run no scripts and load nothing, even if they contain untrusted
 * content. Their style is inline.
 */
const contentPolicyTag =
  '<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">';

/** The style that all pages share. */
const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --text: #18202b; --panel: #f1f4f8; --line: #cfd6df; --quiet: #505c6b; --link: #1d56ac;
  --good-back: #dcf2e2; --bad: #a61b1b; --bad-back: #fbe3e1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #10151c; --text: #e3e9f1; --panel: #1c2530; --line: #344152; --quiet: #a5b1c0; --link: #82b1f7;
    --good-back: #16361f; --bad: #ff9d94; --bad-back: #47201d;
  }
}
body { background: var(--back); color: var(--text); font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }
a { color: var(--link); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td.text { text-align: left; }
th:first-child { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.5rem; background: var(--panel); }
.scroll { overflow-x: auto; }
.fail td, .error td, .unsupported td { color: var(--bad); font-weight: 600; }
.skipped td { color: var(--quiet); }
.verdict { font-size: 1.2rem; }
`;

/**
 * Returns a whole page. `title` is plain text, `style` follows the shared style, and `body` is
 * HTML.
 */
export function htmlPage(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${contentPolicyTag}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${pageStyle}${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
