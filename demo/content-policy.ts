// The content security policy of the page. The page may load and run only its own files.

/**
 * The nonce that identifies the style sheets that the editor creates at run time. The page is
 * static, so the nonce is not a secret. However, the page never creates elements from text, and the
 * policy also blocks style attributes.
 */
export const styleNonce = 'lanewise-editor';

const directives: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': `'self' 'nonce-${styleNonce}'`,
  // The page's icon is a data URL.
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
};

export const contentPolicy = Object.entries(directives)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');
