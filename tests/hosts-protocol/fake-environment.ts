import type { EnvironmentReader } from "../../src/hosts/index.ts";

export function fakeEnvironment(values: Readonly<Record<string, string>> = {}): EnvironmentReader {
  return { get: name => (Object.hasOwn(values, name) ? values[name] : undefined) };
}
