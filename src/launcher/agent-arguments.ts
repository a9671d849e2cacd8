import type { Variables } from "./child-environment.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { LAUNCH_TOOLS } from "./tools.ts";

export interface ArgumentFacts
  extends Pick<LaunchRequest, "agent" | "args" | "resumes" | "continues" | "skipsPermissions"> {
  readonly isSubprocessSafe: boolean;
  /** a directory staged as a plugin of the agent */
  readonly stagedPlugin: string | undefined;
}

/** Our flags, then the user's words. `--resume` comes last of ours, because its value may follow. */
export function agentArguments(env: Variables, facts: ArgumentFacts): readonly string[] {
  const { agent, args, stagedPlugin } = facts;
  const has = (flag: string): boolean => optionsOf(args).some(word => isFlag(word, flag));
  const model = env["AMPLIHACK_DEFAULT_MODEL"] ?? "";
  const { takesModel, resumes, skipsPermissions } = LAUNCH_TOOLS[agent];
  const injected: string[] = [];
  if (agent === "copilot") injected.push(...copilotFlags(env, facts));
  if (skipsPermissions && facts.skipsPermissions) injected.push("--dangerously-skip-permissions");
  if (takesModel && model !== "" && !has("--model")) injected.push("--model", model);
  if (agent === "claude" && stagedPlugin !== undefined) {
    // With `=`, because these take several values and would swallow a prompt that follows.
    for (const flag of ["--plugin-dir", "--add-dir"])
      if (!has(flag)) injected.push(`${flag}=${stagedPlugin}`);
  }
  if (resumes && facts.continues) injected.push("--continue");
  if (resumes && facts.resumes) injected.push("--resume");
  return [...injected, ...args];
}

function copilotFlags(env: Variables, { args, isSubprocessSafe }: ArgumentFacts): readonly string[] {
  const isOn = (name: string): boolean => env[name] === "1";
  const words = optionsOf(args);
  const isAllowed = isSubprocessSafe || isOn("AMPLIHACK_COPILOT_ALLOW_ALL");
  const isSaid = words.some(word => word.startsWith("--allow-all"));
  const isRemote = isOn("AMPLIHACK_COPILOT_REMOTE") && !isOn("AMPLIHACK_COPILOT_NO_REMOTE");
  return [
    ...(isAllowed && !isSaid && !isOn("AMPLIHACK_COPILOT_NO_ALLOW_ALL") ? ["--allow-all"] : []),
    ...(isRemote && !words.some(word => isFlag(word, "--remote")) ? ["--remote"] : []),
  ];
}

function isFlag(word: string, flag: string): boolean {
  return word === flag || word.startsWith(`${flag}=`);
}

/** Words after `--` are no options. */
function optionsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

const PLAIN_VALUES = new Set([
  "--model",
  "--resume",
  "--plugin-dir",
  "--add-dir",
  "--output-format",
  "--input-format",
  "--max-turns",
]);
const SUBCOMMANDS = new Set(["exec", "run", "mcp", "resume", "login", "logout", "update", "doctor", "serve"]);

/** The words as they may be written down: prompts and unknown values are left out. */
export function withoutPrompts(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const equals = word.indexOf("=");
    if (word.startsWith("-")) {
      const flag = equals < 0 ? word : word.slice(0, equals);
      if (equals < 0) return /^-{1,2}[A-Za-z][\w-]{0,40}$|^--?$/.test(word) ? word : "<prompt>";
      return PLAIN_VALUES.has(flag) ? word : `${flag}=<value>`;
    }
    const isPlain = PLAIN_VALUES.has(words[index - 1] ?? "") || (index === 0 && SUBCOMMANDS.has(word));
    return isPlain ? word : "<prompt>";
  });
}
