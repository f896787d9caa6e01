// How suites are named.

/** `row:mods:form`; without the part that is empty. */
export function suiteId(row: string, mods: string, form: string): string {
  return [row, mods, form].filter((part) => part !== '').join(':');
}
