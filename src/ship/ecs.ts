/** What a line for a SIEM tells. */
export interface EcsEvent {
  readonly kind: "alert" | "event";
  readonly action: string;
  readonly isDenied: boolean;
  readonly message: string;
  readonly rules: readonly string[];
  /** as records call them: `ts`, `person`, `machine`, `command` … */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly team?: string;
  /** the same when it comes again */
  readonly id?: string;
}

/** A document of the Elastic Common Schema 8. */
export function ecsLine({ kind, action, isDenied, message, rules, facts, team, id }: EcsEvent): object {
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : undefined);
  return {
    "@timestamp": text("ts") ?? new Date().toISOString(),
    ecs: { version: "8.11.0" },
    event: {
      id,
      kind,
      category: [kind === "alert" ? "intrusion_detection" : "process"],
      type: [isDenied ? "denied" : "info"],
      action,
      provider: "amplihack",
      outcome: isDenied ? "failure" : "unknown",
    },
    message,
    rule: { name: rules },
    user: { name: text("person") },
    host: { name: text("machine") },
    process: { command_line: text("command"), working_directory: text("cwd") },
    organization: { name: team },
    labels: { project: text("project"), session: text("session"), agent: text("host"), tool: text("tool") },
  };
}
