// Escapes untrusted text for XML and HTML.

// Matches characters that XML 1.0 forbids even when escaped: control characters other than tab and
// newlines, U+FFFE and U+FFFF.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const entities = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Escapes text for XML and HTML, between tags and in quoted attributes. */
export function escapeXml(text: string): string {
  return wellFormed(text)
    .replace(forbidden, '')
    .replace(/[<>&"']/g, (character) => entities.get(character) ?? character);
}

/** Replaces lone surrogates by U+FFFD, because they are not characters. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
