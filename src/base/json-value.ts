// Reads values of JSON documents from untrusted sources.

/** A JSON object, which is neither an array nor null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of an object, or an empty object for any other value. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns a readable text for any value of a document. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}
