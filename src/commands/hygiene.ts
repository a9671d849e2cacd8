import { defineCommand, defineFamily, FORMAT_OPTION, option } from "../cli/index.ts";
import {
  type Artifact,
  loadArtifacts,
  loadProtection,
  type ScanMode,
  type ScanResult,
} from "../recipes/index.ts";
import { Problem, readText } from "../state/index.ts";
import { quoteWord, resolve, type System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";

const MODES = ["pre-commit", "pre-publish", "all", "staged", "worktree"] as const;
/** These look at the whole repository; the others keep a change clean. */
const AUDITS: readonly ScanMode[] = ["all", "worktree"];
const SHOWN = 20;
const MAX_ALLOWLIST_BYTES = 1_000_000;

const artifactGuard = defineCommand({
  name: "artifact-guard",
  summary: "refuse dependencies, caches, build output and run-time files in commits",
  details: `
Looks at paths only and changes nothing. pre-commit and pre-publish judge what is staged, tracked or untracked, and
refuse what this change brings; what the repository had before is reported. all and worktree also look at ignored
files and refuse everything. Exceptions are in .amplihack-artifact-allowlist. Exit 1 for findings, 2 where it could
not look.`,
  options: {
    repo: option.string("DIR", "a directory of the repository; the working directory by default"),
    mode: option.choice(MODES, "what to look at", { initial: "pre-commit" }),
    allowlist: option.string("FILE", "another file with exceptions, relative to the repository"),
    baseline: option.string("REVISION", "what to compare with; the upstream by default"),
    preexisting: option.choice(["report", "block"], "what to do with findings that were there before"),
    format: FORMAT_OPTION,
  },
  forAgents: "passes",
  examples: {
    "amplihack hygiene artifact-guard --repo . --mode pre-commit": "judges what could come into a commit",
    "amplihack hygiene artifact-guard --mode all": "looks through the whole working tree",
  },
  async run({ options, system, terminal }) {
    const { mode } = options;
    const { scanArtifacts, readAllowlist, ALLOWLIST_NAME } = await loadArtifacts();
    const result = await scanArtifacts(system, {
      repository: resolve(system.files.workingDirectory() ?? "/", options.repo ?? "."),
      mode,
      baseline: options.baseline ?? given(system, "AMPLIHACK_ARTIFACT_GUARD_BASELINE"),
      isAllowed: top => {
        const name = options.allowlist ?? ALLOWLIST_NAME;
        const path = resolve(top, name);
        const text = readText(system, path, MAX_ALLOWLIST_BYTES);
        if (text === undefined && options.allowlist !== undefined) throw missing(path);
        return readAllowlist(text ?? "", name);
      },
    });
    const policy = options.preexisting ?? given(system, "AMPLIHACK_ARTIFACT_GUARD_PREEXISTING");
    const isStrict = policy === "block" || AUDITS.includes(mode);
    const blocking = result.artifacts.filter(({ provenance }) => isStrict || provenance === "introduced");
    const isClean = blocking.length === 0;
    if (options.format === "json") {
      const { top: repository, baseline = null, artifacts } = result;
      terminal.printJson({ success: isClean, mode, repository, baseline, artifacts });
    } else if (isClean) terminal.print(`No artifacts in ${result.top} would come into a commit (${mode}).\n`);
    const others = result.artifacts.filter(artifact => !blocking.includes(artifact));
    if (others.length > 0) terminal.warn(renderFindings("were there before; they do not block", others));
    if (!isClean) terminal.warn(renderRefusal(result, mode, blocking));
    return isClean ? 0 : 1;
  },
});

function given(system: System, name: string): string | undefined {
  return system.env.get(name) || undefined;
}

function missing(path: string): Problem {
  return new Problem(`there is no allowlist ${path}`, {
    kind: "not-found",
    exitCode: 2,
    fix: "leave --allowlist out, or name a file",
  });
}

function renderRefusal(result: ScanResult, mode: ScanMode, blocking: readonly Artifact[]): string {
  const baseline = result.baseline === undefined ? "" : `Compared with ${result.baseline}.\n`;
  const indexed = blocking.filter(({ source }) => source === "staged" || source === "tracked");
  const unstage = indexed.slice(0, SHOWN).map(({ path, source }) => {
    const isRestorable = source === "staged" && result.hasCommits;
    const command = isRestorable ? "git restore --staged --" : "git rm --cached --";
    return `  ${command} ${quoteWord(path)}\n`;
  });
  return [
    renderFindings(`would come into a commit from ${result.top} (${mode})`, blocking),
    baseline,
    ...(unstage.length === 0 ? [] : ["Take them out of the index; the files stay:\n", ...unstage]),
    "What is left: ignore it in .gitignore, or write it somewhere else.\n",
    "Source that only looks generated: name it in .amplihack-artifact-allowlist.\n",
  ].join("");
}

function renderFindings(what: string, artifacts: readonly Artifact[]): string {
  const rows = artifacts
    .slice(0, SHOWN)
    .map(({ path, source, rule }) => `  ${source.padEnd(15)} ${rule.padEnd(19)} ${escapeControls(path)}\n`);
  const more = artifacts.length - SHOWN;
  const rest = more > 0 ? `  and ${more} more\n` : "";
  return `${artifacts.length} artifacts ${what}:\n${rows.join("")}${rest}`;
}

const branchProtection = defineCommand({
  name: "branch-protection",
  summary: "tell whether the protection of a branch on the server became weaker since it was last seen",
  details: `
Asks the server with gh and remembers the answer in the state of amplihack, where agents cannot write. A rule that went away
or a permission that came is told until a person accepts it; a stronger protection is taken over. amplihack doctor looks too,
and so do the recipes default-workflow and watch-and-merge. Exit 1 where it is weaker.`,
  positionals: [
    {
      name: "BRANCH",
      summary: "the main branch and those seen before by default",
      isOptional: true,
      mayBeEmpty: true,
    },
  ],
  options: {
    repo: option.string("DIR", "a directory of the repository; the working directory by default"),
    accept: option.boolean("what is there now counts from now on"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", loosensWith: ["accept"] },
  examples: {
    "amplihack hygiene branch-protection main": "compares it with the last time",
    "amplihack hygiene branch-protection main --accept": "you switched something off on purpose",
  },
  async run({ options, positionals, system, terminal }) {
    const { checkProtection } = await loadProtection();
    const reports = await checkProtection(system, {
      directory: resolve(system.files.workingDirectory() ?? "/", options.repo ?? "."),
      branch: positionals[0],
      accepts: options.accept,
    });
    const isWeaker = reports.some(({ kind }) => kind === "weaker");
    if (options.format === "json") terminal.printJson({ success: !isWeaker, branches: reports });
    for (const { branch, kind, lines } of reports) {
      if (options.format !== "json") terminal.print(`protection of ${escapeControls(branch)}: ${kind}\n`);
      const more = lines.slice(0, SHOWN).map(line => `  ${escapeControls(line)}\n`);
      if (kind === "weaker")
        terminal.warn(
          `${more.join("")}If you did that: amplihack hygiene branch-protection ${quoteWord(branch)} --accept\n`,
        );
      else if (lines.length > 0) terminal.note(more.join(""));
    }
    return isWeaker ? 1 : 0;
  },
});

export const command = defineFamily({
  name: "hygiene",
  summary: "keep generated files out of commits, and see that branches stay protected",
  subcommands: [artifactGuard, branchProtection],
  examples: {
    "amplihack hygiene artifact-guard": "judges what could come into a commit",
    "amplihack hygiene branch-protection": "tells which protections of the main branch are gone",
  },
});
