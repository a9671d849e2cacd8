/** The entry of a table under a name that came from outside: inherited names such as `constructor` are none. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
