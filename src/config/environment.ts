import type { FailurePolicy } from "../protocol/index.ts";
import { VARIABLES } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { POLICIES } from "./levels.ts";
import { stricterLevel } from "./merge.ts";
import type { ConfigNotice } from "./schema.ts";
import type { Config } from "./settings.ts";

const FAILURE_VARIABLE = "AMPLIHACK_FAILURE_POLICY";

/** The environment as the last layer: it only tightens. */
export function tightenByEnvironment(
  config: Config,
  system: Pick<System, "env">,
  notices: ConfigNotice[],
): Config {
  const { AMPLIHACK_GUARD_LEVEL: variable } = VARIABLES;
  const level = variable.tryGet(system);
  const complaint = variable.complaint(system);
  if (complaint !== undefined) notices.push(badVariable(variable.name, `${complaint}; it is ignored`));
  const failure = readFailureVariable(system, notices);
  const isUnattended = VARIABLES.AMPLIHACK_NONINTERACTIVE.tryGet(system) === true;
  if (level === undefined && failure === undefined && !isUnattended) return config;
  const { guard } = config;
  return {
    ...config,
    guard: {
      ...guard,
      level: stricterLevel(guard.level, level),
      unattended: isUnattended ? "deny" : guard.unattended,
    },
    failure: failure === undefined ? config.failure : [...config.failure, failure],
  };
}

function readFailureVariable(
  system: Pick<System, "env">,
  notices: ConfigNotice[],
): Record<string, FailurePolicy> | undefined {
  const raw = system.env.get(FAILURE_VARIABLE);
  if (raw === undefined) return undefined;
  const entries: [string, FailurePolicy][] = [];
  for (const part of raw.split(",")) {
    const equals = part.indexOf("=");
    const wanted = part
      .slice(equals + 1)
      .trim()
      .toLowerCase();
    const policy = POLICIES.find(known => known === wanted);
    if (policy !== undefined) {
      entries.push([equals < 0 ? "default" : subcommandName(part.slice(0, equals)), policy]);
      continue;
    }
    const expected = `${POLICIES.join(", ")}, or subcommand=policy`;
    const found = JSON.stringify(part.slice(0, 40));
    notices.push(
      badVariable(FAILURE_VARIABLE, `${FAILURE_VARIABLE} is ignored: expected ${expected}, found ${found}`),
    );
  }
  return Object.fromEntries(entries);
}

/** `pre_tool_use` and `PRE-TOOL-USE` are the subcommand too: what is asked for must not fail for its spelling. */
function subcommandName(text: string): string {
  return text.trim().toLowerCase().replaceAll("_", "-");
}

function badVariable(source: string, message: string): ConfigNotice {
  return { code: "bad-value", scope: "environment", source, message };
}
