// Values of JSON documents that others wrote.

/** An object of a document: no array, not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; none of what is no object. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** A value for a person, whatever the document holds there. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}
