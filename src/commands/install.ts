import { askChoice, askYesOrNo } from "../cli/ask.ts";
import { defineCommand } from "../cli/command.ts";
import { tellProblems } from "../cli/install-problem.ts";
import { FORMAT_OPTION, option } from "../cli/option.ts";
import type { Terminal } from "../cli/terminal.ts";
import { PARTS, PROFILES } from "../config/levels.ts";
import type { InstallRequest } from "../install/install-report.ts";
import { memberAt } from "../protocol/members.ts";
import { AGENTS } from "../state/active-agent.ts";
import type { System } from "../system/system.ts";
import { chosenParts, PROFILE_NAMES, readUserConfig } from "./parts/choice.ts";

const PROFILE_QUESTION = `Which parts?
  guard     stops what would lose work or leak secrets
  standard  guard, history with undo, memory, transcripts; changes no way of working
  full      standard, and the development workflow: reminders, checks when the agent stops
Your choice`;
const MAIN_QUESTION = "Shall agents be kept from committing on main or master directly?";

export const command = defineCommand({
  name: "install",
  summary: "register the hooks with your agent hosts",
  group: "Set up",
  details: `
Puts the hook program in ~/.amplihack and writes entries that start it into the settings of every host that is found,
or of those named. Everything else in those files stays as it is, byte for byte, and a backup is kept. Permissions of
the hosts are never changed. A second run changes nothing.`,
  options: {
    host: option.string("HOST", "claude, copilot, codex … or all", { isRepeatable: true }),
    scope: option.choice(["user", "project"], "for all your work, or for this project (user by default)"),
    local: option.string("DIR", "also take agents, commands and recipes from this folder"),
    interactive: option.boolean("ask for the default agent, the scope and update checks"),
    "dry-run": option.boolean("show every change as a diff and write nothing"),
    force: option.boolean("replace files changed by hand, write read-only ones"),
    "no-permissions": option.boolean("accepted; permissions are never touched anyway"),
    yes: option.boolean("agree to what would be asked: Codex may run these hooks"),
    dedupe: option.boolean("remove registrations that make a host run every hook twice"),
    profile: option.choice(
      PROFILE_NAMES,
      "which parts: the guard alone, all that changes no way of working, or all",
    ),
    parts: option.string(
      "A,B",
      `the same part by part: ${PARTS.join(", ")}; mcp alone is added to what is on`,
    ),
    failure: option.choice(
      ["open", "ask", "closed"],
      "what hooks do when they cannot run: let pass, ask, refuse",
    ),
    verbose: option.boolean("also show what each host can and cannot do"),
    "programs-only": option.boolean("only put the programs in their place; registrations stay as they are", {
      isHidden: true,
    }),
    "force-refresh": option.boolean("accepted for compatibility", { isHidden: true }),
    format: FORMAT_OPTION,
  },
  examples: {
    "amplihack install": "registers with every host that is found",
    "amplihack install --dry-run": "shows what that would change",
    "amplihack install --profile guard": "registers, and switches on the guard alone",
    "amplihack install --parts mcp": "also registers the MCP server with every host that has MCP",
    "amplihack install --host codex --yes": "registers with Codex, which then runs the hooks",
    "amplihack install --scope project --host claude": "registers in this project's .claude/settings.json",
  },
  async run({ options, system, terminal }) {
    const { findPackage, install, needsTrustAgreement, renderInstall, requireDirectories } = await import(
      "../install/operations.ts"
    );
    const { readHosts } = await import("../cli/read-hosts.ts");
    const { checkPlatform } = await import("../launcher/platform.ts");
    checkPlatform(process.platform);
    const hosts = options["programs-only"] ? [] : readHosts(options.host, "amplihack install");
    const mayAsk = terminal.isInteractive && !options["dry-run"];
    const isAsking = options.interactive && terminal.isInteractive;
    if (options.interactive && !isAsking)
      terminal.warn("amplihack: no terminal to ask at; going on with the defaults\n");
    const answers = isAsking ? askWishes(terminal) : undefined;
    const chosen = chosenParts(system, options.profile, options.parts);
    const request = {
      hosts,
      scope: options.scope ?? answers?.scope ?? "user",
      assets: options.local,
      isDryRun: options["dry-run"],
      isForced: options.force,
      isDeduping: options.dedupe,
      failure: options.failure,
      ...(mayAsk && !options.yes && !options["programs-only"]
        ? askParts(system, terminal, chosen)
        : { parts: chosen, isMainProtected: undefined }),
      isProfileAgreed: answers?.isProfileAgreed ?? false,
      defaultTool: answers?.defaultTool,
      updatePreference: answers?.updatePreference,
    };
    return tellProblems("install", async () => {
      const isTrustAgreed =
        options.yes ||
        (mayAsk &&
          needsTrustAgreement(system, requireDirectories(system), request) &&
          askYesOrNo(terminal, "Codex runs only hooks that you trust. May it run those of amplihack?"));
      const report = await install(system, findPackage(system), { ...request, isTrustAgreed });
      const text = renderInstall(report, { isVerbose: options.verbose, paint: terminal.paint });
      terminal.printResult(options.format, report, text);
      return report.success ? 0 : 1;
    });
  },
});

function askWishes(terminal: Terminal) {
  const [first, ...others] = AGENTS;
  return {
    defaultTool: askChoice(terminal, "Default agent", [first, ...others]),
    scope: askChoice<"user" | "project">(terminal, "Register for", ["user", "project"]),
    updatePreference: askChoice<"always" | "never">(terminal, "Check for updates at launch", [
      "always",
      "never",
    ]),
    isProfileAgreed: askYesOrNo(terminal, "May your shell's start-up file be changed if needed?"),
  };
}

/** Asked once: what the configuration or the command line says already is not asked. */
function askParts(
  system: System,
  terminal: Terminal,
  chosen: InstallRequest["parts"],
): Pick<InstallRequest, "parts" | "isMainProtected"> {
  const config = readUserConfig(system);
  // An installation writes the parts, so from then on they are there.
  const isFirst = memberAt(config, "parts") === undefined;
  const profile =
    isFirst && chosen === undefined
      ? askChoice(terminal, PROFILE_QUESTION, ["standard", "guard", "full"] as const)
      : undefined;
  const parts = profile === undefined ? chosen : PROFILES[profile];
  const isGuarded = parts === undefined || parts.includes("guard");
  const isMainAsked = isFirst && isGuarded && memberAt(config, "guard", "rules", "git.main") === undefined;
  return {
    parts,
    isMainProtected: isMainAsked ? askChoice(terminal, MAIN_QUESTION, ["yes", "no"]) === "yes" : undefined,
  };
}
