// What the page may load and run: its own files, and nothing of anyone else's.

/**
 * By this the editor's style sheets, which it makes while it runs, are told from others. The page is static, so it is no secret; but
 * nothing in the page makes elements from text, and style attributes are kept out all the same.
 */
export const styleNonce = 'lanewise-editor';

const directives: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': `'self' 'nonce-${styleNonce}'`,
  // The icon.
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** As a `Content-Security-Policy` has it. */
export const contentPolicy = Object.entries(directives)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');
