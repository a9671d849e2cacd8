import {
  defineCommand,
  FORMAT_OPTION,
  loadProgress,
  loadReadHosts,
  option,
  type Terminal,
  tellProblems,
  usageError,
} from "../cli/index.ts";
import { loadOperations } from "../install/index.ts";
import type { System } from "../system/index.ts";
import { count, sizeText } from "../text/index.ts";

const DATA_HINT =
  "Memory, history, settings and logs are still in ~/.amplihack.\nTo remove them for good: amplihack uninstall --purge\n";

export const command = defineCommand({
  name: "uninstall",
  summary: "take the hooks back out of your agent hosts",
  group: "Set up",
  details: `
Removes exactly the entries that are ours. A settings file that was not changed since the installation is again what it
was, byte for byte. Memory, history, configuration and the audit log stay unless --purge is given.`,
  options: {
    host: option.string("HOST", "only this host", { isRepeatable: true }),
    scope: option.choice(["user", "project"], "only registrations of this scope"),
    "restore-backup": option.boolean(
      "put back the file from before the installation if it was not changed since",
    ),
    "dry-run": option.boolean("tell what would change and write nothing"),
    full: option.boolean("with --dry-run: show every change as a diff"),
    "keep-data": option.boolean("also keep run-time data and logs"),
    purge: option.boolean("also remove memory, history, configuration and all logs; asks first"),
    yes: option.boolean("do not ask", { short: "y" }),
    force: option.boolean("go on without a usable record of the installation"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "loosens", passesWith: ["dry-run"] },
  examples: {
    "amplihack uninstall": "takes everything back",
    "amplihack uninstall --host codex": "takes the hooks out of Codex only",
    "amplihack uninstall --dry-run": "tells what would change",
  },
  async run({ options, system, terminal }) {
    const { hasLastingData, renderUninstall, requireDirectories, uninstall } = await loadOperations();
    const { readHosts } = await loadReadHosts();
    if (options.full && !options["dry-run"])
      throw usageError("--full goes with --dry-run", "amplihack uninstall --dry-run --full");
    if (options.purge && !options["dry-run"] && !(await agreesToPurge(options, system, terminal))) return 1;
    const asked = readHosts(options.host, "amplihack uninstall");
    const { ProgressLine } = await loadProgress();
    return tellProblems("uninstall", async () => {
      const report = await new ProgressLine(system, terminal).during("removing …", () =>
        uninstall(system, {
          hosts: asked === "all" ? undefined : asked,
          scope: options.scope,
          isBackupWanted: options["restore-backup"],
          isDryRun: options["dry-run"],
          isDataKept: options["keep-data"],
          isPurging: options.purge,
          isForced: options.force,
        }),
      );
      const text = renderUninstall(report, {
        isFull: options.full,
        paint: terminal.paint,
        home: system.env.get("HOME"),
        project: requireDirectories(system).projectRoot,
      });
      if (options.full && options.format === "text") terminal.print(text);
      else terminal.printResult(options.format, report, text);
      if (report.removed.length > 0 && !report.dry_run && hasLastingData(system, requireDirectories(system)))
        terminal.note(DATA_HINT);
      return report.success ? 0 : 1;
    });
  },
});

/** Says what will be gone for good, and asks. Without a terminal and without `--yes` nothing is removed. */
async function agreesToPurge(
  { yes, format }: { readonly yes: boolean; readonly format: string },
  system: System,
  terminal: Terminal,
): Promise<boolean> {
  const { hasConsent } = await import("./history/consent.ts");
  const { openForCommand } = await import("./history/open.ts");
  const { changes, bytes } = openForCommand({ system, terminal }).history.storeSize();
  const isJson = format === "json";
  const isAgreed = hasConsent(terminal, {
    isGiven: yes,
    isJson,
    preview: () =>
      `This removes the hooks, and ~/.amplihack for good: settings, memory, logs, and the history of ${count(changes, "change")}, ${sizeText(bytes)}.\nWhat agents did so far cannot be undone afterwards. Hooks that you wrote stay.\n`,
    question: "Remove all of it?",
  });
  if (!isAgreed && isJson) terminal.printJson({ status: "preview", changes, bytes });
  return isAgreed;
}
