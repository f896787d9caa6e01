// The names of suites.

/** Returns the id `row:mods:form`. Empty parts are omitted. */
export function suiteId(row: string, mods: string, form: string): string {
  return [row, mods, form].filter((part) => part !== '').join(':');
}
