// The names of suites.

/** Returns `row:mods:form`, without an empty part. */
export function suiteId(row: string, mods: string, form: string): string {
  return [row, mods, form].filter((part) => part !== '').join(':');
}
