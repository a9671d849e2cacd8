import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { describe, knownText, type Value } from "../../shell/value.ts";
import { components, join } from "../../system/paths.ts";
import type { EffectOf } from "../effects.ts";
import { readCheckout, readSwitch } from "../git/checkout.ts";
import type { GitRun } from "../git/invocation.ts";
import { hasBranch } from "../git/repository.ts";
import { lookUp } from "../look-up.ts";
import { isRegenerableInProject } from "../paths/regenerable.ts";
import { zoneOf } from "../paths/zones.ts";
import type { RuleContext } from "../rule-context.ts";
import { words } from "../words.ts";

/** One run of git against the check of its subcommand. */
export function inspectWork(effect: EffectOf<"git">, context: RuleContext): void {
  const check = lookUp(CHECKS, effect.run.subcommand);
  if (check === undefined || isDisposable(context, effect.run)) return;
  check({ run: effect.run, context, effect, place: placeOf(effect.run) });
}

interface Check {
  readonly run: GitRun;
  readonly context: RuleContext;
  readonly effect: EffectOf<"git">;
  /** the working tree, for people */
  readonly place: string;
}

function placeOf(run: GitRun): string {
  return run.repository?.top ?? describe(run.directory);
}

/** Below a temporary directory and not the session's own project. */
function isDisposable(context: RuleContext, run: GitRun): boolean {
  const top = run.repository?.top ?? knownText(run.directory);
  return (
    top?.startsWith("/") === true &&
    zoneOf(context.workspace, context.workspace.disk.resolve(top, true)) === "temp"
  );
}

function report(check: Check, rule: string, target: string): void {
  check.context.report(rule, { target }, check.effect.by);
}

function read({ run }: Check, spec: OptionSpec): ParsedOptions {
  return parseOptions(run.argv, spec);
}

const RESET: OptionSpec = {
  flags: words(
    "hard soft mixed merge keep q quiet p patch N intent-to-add no-refresh refresh recurse-submodules help pathspec-file-nul",
  ),
  values: ["pathspec-from-file"],
};

const CLEAN: OptionSpec = {
  flags: words("f force n dry-run d x X i interactive q quiet help"),
  values: ["e", "exclude"],
  as: { force: "f", "dry-run": "n", interactive: "i" },
};

const BRANCH: OptionSpec = {
  flags: words(
    "d delete D f force m move M c copy C r remotes a all l list v q show-current edit-description help no-track no-color no-column",
  ),
  values: ["u", "set-upstream-to", "sort", "points-at", "format"],
  optional: words("t track contains no-contains merged no-merged color column abbrev"),
  as: { delete: "d", force: "f", move: "m", copy: "c", remotes: "r" },
};

const CHECKS: Readonly<Record<string, (check: Check) => void>> = {
  reset: check => {
    const options = read(check, RESET);
    if (options.has("hard", "merge") && !options.has("help")) report(check, "git.reset", check.place);
  },
  checkout: check => {
    const done = readCheckout(check.run, check.context.workspace);
    if (done.kind === "paths" || done.kind === "forced") report(check, "git.checkout", done.shown);
  },
  switch: check => {
    const done = readSwitch(check.run, check.context.workspace);
    if (done.kind === "forced") report(check, "git.switch", done.shown);
  },
  restore: check => {
    const options = read(check, {
      flags: words(
        "W worktree S staged q quiet progress ours theirs 2 3 m merge p patch ignore-unmerged overlay no-overlay help recurse-submodules",
      ),
      values: ["s", "source", "conflict", "pathspec-from-file", "U"],
      as: { worktree: "W", staged: "S" },
    });
    if (options.has("help") || (options.has("S") && !options.has("W"))) return;
    if (options.operands.length === 0 && !options.has("pathspec-from-file", "p")) return;
    if (allRegenerable(options.operands.map(operand => operand.value))) return;
    report(check, "git.restore", shown(options));
  },
  clean: check => {
    const options = read(check, CLEAN);
    const isFree = check.run.settings.some(
      ({ key, value }) => key === "clean.requireforce" && /^(false|no|off|0)$/i.test(value),
    );
    const isPiped = options.has("i") && check.effect.by.invocation?.stdin !== undefined;
    if (options.has("n", "help") || !(options.has("f") || isFree || isPiped)) return;
    const paths = options.operands.map(operand => operand.value);
    if (paths.length > 0 && allRegenerable(paths)) return;
    report(check, "git.clean", paths.length === 0 ? check.place : shown(options));
  },
  stash: check => {
    const [, action, which] = check.run.argv;
    const word = action === undefined ? undefined : knownText(action);
    if (word !== "drop" && word !== "clear") return;
    report(
      check,
      "git.stash",
      word === "clear" ? "every stash" : which === undefined ? "the newest stash" : describe(which),
    );
  },
  branch: check => {
    const options = read(check, BRANCH);
    if (options.has("help", "l", "list")) return;
    const names = options.operands.map(operand => operand.value);
    if (options.has("D") || (options.has("d") && options.has("f")))
      report(check, "git.branch", shown(options));
    else if (options.has("M", "C") || (options.has("f") && !options.has("d"))) {
      const target = options.has("M", "C", "m", "c") ? names.at(-1) : names[0];
      if (target !== undefined && isExistingBranch(check, target))
        report(check, "git.branch", describe(target));
    }
  },
  "filter-branch": check => report(check, "git.history", "filter-branch"),
  "filter-repo": check => {
    if (!check.run.argv.some(word => /^--(analyze|dry-run|help)$/.test(describe(word))))
      report(check, "git.history", "filter-repo");
  },
  reflog: check => {
    const action = describe(check.run.argv[1] ?? { pieces: [], origins: [] });
    const isDry = check.run.argv.some(word => /^(-n|--dry-run)$/.test(describe(word)));
    if ((action === "expire" || action === "delete") && !isDry)
      report(check, "git.history", `reflog ${action}`);
  },
  gc: check => {
    const isNow = check.run.argv.some(
      (word, index, all) =>
        /^--prune=(now|all|0)|^--expire-to/.test(describe(word)) ||
        (describe(word) === "--prune" && /^(now|all)$/.test(describe(all[index + 1] ?? word))),
    );
    if (isNow) report(check, "git.history", "gc --prune=now");
  },
  prune: check => {
    if (!check.run.argv.some(word => /^(-n|--dry-run|-h|--help)$/.test(describe(word))))
      report(check, "git.history", "prune");
  },
  "update-ref": check => {
    const options = read(check, { flags: words("d no-deref create-reflog stdin z"), values: ["m"] });
    const [name] = options.operands;
    const isTag = name !== undefined && describe(name.value).startsWith("refs/tags/");
    if (options.has("d", "stdin") || (name !== undefined && !isTag))
      report(check, "git.history", `update-ref ${name === undefined ? "" : describe(name.value)}`.trim());
  },
  "symbolic-ref": check => {
    const options = read(check, { flags: words("d delete q short no-recurse"), values: ["m"] });
    if (options.has("d", "delete") || options.operands.length > 1)
      report(check, "git.history", "symbolic-ref");
  },
  replace: check => {
    const options = read(check, {
      flags: words("f force d delete l list e edit g graft"),
      values: ["format"],
    });
    if (!options.has("l", "list") && check.run.argv.length > 1) report(check, "git.history", "replace");
  },
  "read-tree": check => {
    const options = read(check, {
      flags: words("u m reset i n dry-run v trivial aggressive no-sparse-checkout"),
      values: ["prefix", "index-output"],
      abbreviates: true,
    });
    if (options.has("u", "reset") && options.has("m", "reset") && !options.has("n", "dry-run"))
      report(check, "git.plumbing", check.place);
  },
  "checkout-index": check => {
    const options = read(check, {
      flags: words("f force a all u q n no-create z stdin ignore-skip-worktree-bits"),
      values: ["prefix", "stage"],
      as: { force: "f" },
    });
    if (options.has("f") && !options.has("prefix")) report(check, "git.plumbing", check.place);
  },
  rm: check => {
    const options = read(check, {
      flags: words("r f force n dry-run cached q quiet ignore-unmatch sparse pathspec-file-nul"),
      values: ["pathspec-from-file"],
      as: { force: "f", "dry-run": "n" },
    });
    if (options.has("n", "cached") || !(options.has("r") && options.has("f"))) return;
    if (!allRegenerable(options.operands.map(operand => operand.value)))
      report(check, "git.plumbing", shown(options));
  },
  worktree: check => {
    const options = read(check, { flags: words("f force"), as: { force: "f" } });
    const [action, path] = options.operands.map(operand => operand.value);
    if (action === undefined || knownText(action) !== "remove" || !options.has("f")) return;
    report(check, "git.plumbing", path === undefined ? "the worktree" : describe(path));
  },
  submodule: check => {
    const options = read(check, { flags: words("f force all q quiet recursive init"), as: { force: "f" } });
    const [action, path] = options.operands.map(operand => operand.value);
    if (action === undefined || knownText(action) !== "deinit" || !options.has("f")) return;
    report(check, "git.plumbing", path === undefined ? "every submodule" : describe(path));
  },
};

function shown(options: ParsedOptions): string {
  return (
    options.operands
      .slice(0, 3)
      .map(operand => describe(operand.value))
      .join(" ") || "all files"
  );
}

function isExistingBranch({ run, context }: Check, name: Value): boolean {
  const known = knownText(name);
  if (known === undefined || run.repository === undefined || known === run.branch) return false;
  return hasBranch(context.workspace.disk, run.repository, known);
}

/** Every path lies in build output: what goes can be made again. */
function allRegenerable(paths: readonly Value[]): boolean {
  return (
    paths.length > 0 &&
    paths.every(path => {
      const known = knownText(path);
      return known !== undefined && !known.startsWith("/") && isRegenerableInProject(components(join(known)));
    })
  );
}
