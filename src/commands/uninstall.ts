import { defineCommand, FORMAT_OPTION } from "../cli/command.ts";
import { tellProblems } from "../cli/install-problem.ts";

export const command = defineCommand({
  name: "uninstall",
  summary: "take the hooks back out of your agent hosts",
  group: "Set up",
  details: `
Removes exactly the entries that are ours. A settings file that was not changed since the installation is again what it
was, byte for byte. Memory, configuration and the audit log stay unless --purge is given.`,
  options: {
    host: { kind: "string", label: "HOST", isRepeatable: true, summary: "only this host" },
    scope: { kind: "choice", choices: ["user", "project"], summary: "only registrations of this scope" },
    "restore-backup": {
      kind: "boolean",
      summary: "put back the file from before the installation if it was not changed since",
    },
    "dry-run": { kind: "boolean", summary: "show every change as a diff and write nothing" },
    "keep-data": { kind: "boolean", summary: "also keep run-time data and logs" },
    purge: { kind: "boolean", summary: "also remove memory, configuration and all logs" },
    force: { kind: "boolean", summary: "go on without a usable record of the installation" },
    format: FORMAT_OPTION,
  },
  examples: [
    { command: "amplihack uninstall", does: "takes everything back" },
    { command: "amplihack uninstall --host codex", does: "takes the hooks out of Codex only" },
    { command: "amplihack uninstall --dry-run", does: "shows what would change" },
  ],
  async run({ options, system, terminal }) {
    const { renderUninstall, uninstall } = await import("../install/operations.ts");
    const { readHosts } = await import("../cli/read-hosts.ts");
    const asked = readHosts(options.host, "amplihack uninstall");
    return tellProblems("uninstall", async () => {
      const report = await uninstall(system, {
        hosts: asked === "all" ? undefined : asked,
        scope: options.scope,
        isBackupWanted: options["restore-backup"],
        isDryRun: options["dry-run"],
        isDataKept: options["keep-data"],
        isPurging: options.purge,
        isForced: options.force,
      });
      terminal.printResult(options.format, report, renderUninstall(report, terminal.paint));
      return report.success ? 0 : 1;
    });
  },
});
