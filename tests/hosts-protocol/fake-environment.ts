import type { EnvironmentReader } from "../../src/exports/hosts.ts";

export function fakeEnvironment(values: Readonly<Record<string, string>> = {}): EnvironmentReader {
  return { get: name => (Object.hasOwn(values, name) ? values[name] : undefined) };
}
