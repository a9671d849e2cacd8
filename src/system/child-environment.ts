import type { System } from "./system.ts";

/** The environment of this process, with some names changed or (undefined) taken out. */
export function childEnvironment(
  system: Pick<System, "env">,
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const name of system.env.names()) {
    const value = Object.hasOwn(changes, name) ? undefined : system.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) env[name] = value;
  return env;
}
