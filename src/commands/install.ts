import { askChoice, askYesOrNo } from "../cli/ask.ts";
import { defineCommand, FORMAT_OPTION } from "../cli/command.ts";
import { CommandError } from "../cli/errors.ts";
import { tellProblems } from "../cli/install-problem.ts";
import type { Terminal } from "../cli/terminal.ts";
import { AGENTS } from "../state/active-agent.ts";

export const command = defineCommand({
  name: "install",
  summary: "register the hooks with your agent hosts",
  group: "Set up",
  details: `
Puts the hook program in ~/.amplihack and writes entries that start it into the settings of every host that is found,
or of those named. Everything else in those files stays as it is, byte for byte, and a backup is kept. Permissions of
the hosts are never changed. A second run changes nothing.`,
  options: {
    host: { kind: "text", label: "HOST", isRepeatable: true, summary: "claude, copilot, codex … or all" },
    scope: {
      kind: "choice",
      choices: ["user", "project"],
      summary: "for all your work, or for this project (user by default)",
    },
    local: { kind: "text", label: "DIR", summary: "also take agents, commands and recipes from this folder" },
    interactive: { kind: "flag", summary: "ask for the default agent, the scope and update checks" },
    "dry-run": { kind: "flag", summary: "show every change as a diff and write nothing" },
    force: { kind: "flag", summary: "replace files changed by hand, write read-only ones" },
    "no-permissions": { kind: "flag", summary: "accepted; permissions are never touched anyway" },
    yes: { kind: "flag", summary: "agree to what would be asked: Codex may run these hooks" },
    dedupe: { kind: "flag", summary: "remove registrations that make a host run every hook twice" },
    failure: {
      kind: "choice",
      choices: ["open", "ask", "closed"],
      summary: "what hooks do when they cannot run: let pass, ask, refuse",
    },
    verbose: { kind: "flag", summary: "also show what each host can and cannot do" },
    "programs-only": {
      kind: "flag",
      summary: "only put the programs in their place; registrations stay as they are",
      isHidden: true,
    },
    "force-refresh": { kind: "flag", summary: "accepted for compatibility", isHidden: true },
    format: FORMAT_OPTION,
  },
  examples: [
    { command: "amplihack install", does: "registers with every host that is found" },
    { command: "amplihack install --dry-run", does: "shows what that would change" },
    {
      command: "amplihack install --host codex --yes",
      does: "registers with Codex, which then runs the hooks",
    },
    {
      command: "amplihack install --scope project --host claude",
      does: "registers in this project's .claude/settings.json",
    },
  ],
  async run({ options, system, terminal }) {
    const { findPackage, findPlaces, install, renderInstall, needsTrustAgreement } = await import(
      "../install/operations.ts"
    );
    const { readHosts } = await import("../cli/read-hosts.ts");
    if (process.platform === "win32")
      throw new CommandError("Windows itself is not supported; run amplihack inside WSL", {
        kind: "platform",
      });
    const hosts = options["programs-only"] ? [] : readHosts(options.host, "amplihack install");
    const isAsking = options.interactive && terminal.isInteractive;
    if (options.interactive && !isAsking)
      terminal.warn("amplihack: no terminal to ask at; going on with the defaults\n");
    const answers = isAsking ? askWishes(terminal) : undefined;
    const request = {
      hosts,
      scope: options.scope ?? answers?.scope ?? "user",
      assets: options.local,
      isDryRun: options["dry-run"],
      isForced: options.force,
      isDeduping: options.dedupe,
      failure: options.failure,
      isProfileAgreed: answers?.isProfileAgreed ?? false,
      defaultTool: answers?.defaultTool,
      updatePreference: answers?.updatePreference,
    };
    const mayAsk = terminal.isInteractive && !options["dry-run"];
    return tellProblems("install", async () => {
      const isTrustAgreed =
        options.yes ||
        (mayAsk &&
          needsTrustAgreement(system, findPlaces(system), request) &&
          askYesOrNo(terminal, "Codex runs only hooks that you trust. May it run those of amplihack?"));
      const report = await install(system, findPackage(system), { ...request, isTrustAgreed });
      if (options.format === "json") terminal.printJson(report);
      else terminal.print(renderInstall(report, { isVerbose: options.verbose, paint: terminal.paint }));
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
