import type { JsonObject } from "../protocol/index.ts";

const COMMAND = "amplihack guard allow-once";

/** The command line with which a person permits a refused call once; undefined when no code was issued. */
export function allowOnceCommand(extras: JsonObject): string | undefined {
  const code = extras["allowOnce"];
  return typeof code === "string" && /^[A-Za-z0-9-]+$/.test(code) ? `${COMMAND} ${code}` : undefined;
}

/** The reason of an ask that becomes a deny. */
export function refusalInsteadOfAsk(reason: string | undefined, extras: JsonObject): string {
  const asked = reason ?? "a person should confirm this";
  const command = allowOnceCommand(extras);
  if (command === undefined) return `${asked}\nNobody can be asked here, so it is refused.`;
  return asked.includes(command) ? asked : `${asked}\nask your user, then: ${command}`;
}
