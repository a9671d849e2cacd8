import {
  CommandError,
  defineCommand,
  FORMAT_OPTION,
  option,
  ProgressLine,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import { errorText } from "../../protocol/index.ts";
import { dirname, isInside, relative, resolve, type System } from "../../system/index.ts";
import { loadArtifacts, loadFindFiles, loadSarif, type ScanFinding } from "../../verify/index.ts";
import { openForCommand, paintVerdict } from "./judged.ts";

export const scanCommand = defineCommand({
  name: "scan",
  summary: "judge the commands in scripts, makefiles, Dockerfiles and pipelines",
  details: `
Looks at shell scripts (by name and by first line), PowerShell scripts, package.json scripts, makefiles, Dockerfiles,
GitHub workflows and GitLab pipelines. What git ignores and node_modules are left out. Exit 1 when something would be
denied, 0 otherwise; --fail-on ask ends with 1 also for what would be asked about, --fail-on never for nothing.`,
  options: {
    "fail-on": option.choice(["deny", "ask", "never"], "which findings end with exit code 1", {
      initial: "deny",
    }),
    sarif: option.boolean("print a SARIF 2.1.0 log, for code-scanning services"),
    format: FORMAT_OPTION,
  },
  positionals: [
    { name: "PATH", summary: "folders or files to look through", isVariadic: true, completes: "file" },
  ],
  forAgents: "passes",
  examples: {
    "amplihack guard scan .": "looks through this project",
    "amplihack guard scan --sarif . > guard.sarif": "writes a report for code scanning",
    "amplihack guard scan --fail-on ask deploy.sh": "ends with 1 also for what would be asked about",
  },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const paths = [...positionals, ...rest];
    if (paths.length === 0) throw usageError("a path is needed", "amplihack guard scan .", 4);
    const { files, commands, findings, skipped } = await scanAll(system, terminal, paths);
    for (const { path, why } of skipped) terminal.warn(`Warning: ${path} was not looked at: ${why}\n`);
    const denied = findings.filter(finding => finding.verdict === "deny").length;
    if (options.sarif) {
      const { toSarif } = await loadSarif();
      terminal.printJson(toSarif(findings));
    } else if (options.format === "json") {
      terminal.printJson({ success: denied === 0, files, commands, denied, findings, skipped });
    } else {
      for (const finding of findings) terminal.print(renderFinding(terminal, finding));
      const asked = findings.length - denied;
      terminal.print(
        `${files} files, ${commands} commands looked at: ${denied} to deny, ${asked} to ask about\n`,
      );
    }
    const failing = { deny: denied, ask: findings.length, never: 0 }[options["fail-on"]];
    return failing > 0 ? 1 : 0;
  },
});

interface ScanResult {
  files: number;
  commands: number;
  readonly findings: ScanFinding[];
  readonly skipped: { readonly path: string; readonly why: string }[];
}

async function scanAll(system: System, terminal: Terminal, paths: readonly string[]): Promise<ScanResult> {
  const { findFiles } = await loadFindFiles();
  const { scanFile } = await loadArtifacts();
  const here = system.files.workingDirectory() ?? "/";
  const result: ScanResult = { files: 0, commands: 0, findings: [], skipped: [] };
  const skip = (path: string, why: string) => result.skipped.push({ path: shownFrom(here, path), why });
  const found = paths.map(path => placesBelow(system, here, path, root => findFiles(system, root, skip)));
  const total = found.reduce((sum, { files }) => sum + files.length, 0);
  const progress = new ProgressLine(system, terminal);
  let looked = 0;
  for (const { files, directory } of found) {
    const { context } = openForCommand(system, terminal, directory);
    const { settings } = context;
    // Which branch happens to be checked out here says nothing about where a script will run.
    const anyBranch = settings && { ...settings, rules: { "git.main": "ask" as const, ...settings.rules } };
    const scanContext = {
      ...context,
      processDirectory: undefined,
      machineKey: undefined,
      ...(anyBranch && { settings: anyBranch }),
    };
    for (const file of files) {
      looked += 1;
      progress.show(() => `${looked}/${total} files`);
      try {
        const scanned = scanFile(system, file, shownFrom(here, file), scanContext);
        if (scanned === undefined) continue;
        result.files += 1;
        result.commands += scanned.commands;
        result.findings.push(...scanned.findings);
      } catch (error) {
        skip(file, errorText(error));
      }
    }
  }
  progress.clear();
  return result;
}

function placesBelow(
  system: System,
  here: string,
  path: string,
  find: (root: string) => readonly string[],
): { readonly files: readonly string[]; readonly directory: string } {
  const absolute = resolve(here, path);
  const kind = system.files.follow(absolute)?.kind;
  if (kind === "directory") return { files: find(absolute), directory: absolute };
  if (kind !== "file")
    throw new CommandError(`there is no file or folder ${path}`, { kind: "not-found", exitCode: 4 });
  return { files: [absolute], directory: isInside(here, absolute) ? here : dirname(absolute) };
}

function shownFrom(here: string, path: string): string {
  return path !== here && isInside(here, path) ? relative(here, path) : path;
}

function renderFinding(terminal: Terminal, finding: ScanFinding): string {
  const { file, line, column, name, verdict, rule, lost, safer } = finding;
  const where = terminal.paint("bold", `${file}:${line}:${column}`);
  const context = name === "" ? "" : `  (${name})`;
  const instead = safer === "" ? "" : `  safer: ${safer}\n`;
  return `${where}  ${paintVerdict(terminal, verdict)} ${rule}${context}\n  ${lost}\n${instead}`;
}
