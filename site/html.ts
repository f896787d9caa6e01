const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** Returns the values of an attribute in HTML text, in order. */
export const attributeValues = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`<[a-z][^>]*\\s${name}="([^"]*)"`, 'gi'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );
