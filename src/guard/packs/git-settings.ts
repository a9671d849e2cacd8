import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { describe, knownText, type Value, wordAt } from "../../shell/value.ts";
import { secretOf } from "../checks/secret-targets.ts";
import type { EffectOf } from "../effects.ts";
import { PUSH } from "../git/push.ts";
import { lookUp } from "../look-up.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { wordSet, words } from "../words.ts";
import { COMMIT } from "./git-branches.ts";

const RULES: readonly Rule[] = [
  {
    id: "git.config",
    title: "makes git run code or send elsewhere",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Configuration that runs a program or redirects: core.fsmonitor, core.sshCommand, aliases with !, credential.helper, url.*.insteadOf, a push address set just before a push.",
    lost: "It would make git run a program or talk to another place from now on: {target}.",
    safer: "git config --list --show-origin",
  },
  {
    id: "git.secret-add",
    title: "adds a secret to history",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "git add of a protected file by name, or with -f over everything.",
    lost: "It would put {target} into the history, where a secret stays for ever.",
    safer: "echo {name} >> .gitignore",
  },
];

export const gitSettings: Pack = {
  name: "git-settings",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "write") inspectFile(effect, context);
    if (effect.kind !== "git") return;
    inspectConfig(effect, context);
    inspectAdd(effect, context);
    for (const { key, value } of effect.run.settings) {
      if (runsCode(key, value) && key !== "core.hookspath")
        context.report("git.config", { target: `${key}=${value}` }, effect.by);
    }
  },
  inspectWhole(context) {
    inspectPushAddress(context);
    inspectSecretPush(context);
  },
};

/** Keys whose value is a program or an address. Pagers and editors that only show are free. */
const CODE_KEYS =
  /^(core\.(fsmonitor|sshcommand|gitproxy|askpass|editor|pager)|sequence\.editor|credential(\..*)?\.helper|url\..*\.(insteadof|pushinsteadof)|(diff|merge|filter|difftool|mergetool)\..*\.(command|driver|textconv|clean|smudge|process|cmd)|diff\.external|gpg(\.[a-z0-9]+)?\.program|init\.templatedir|include\.path|includeif\..*\.path|protocol\.ext\.allow|uploadpack\.packobjectshook|interactive\.difffilter|sendemail\..*cmd)$/;
const HARMLESS_PROGRAM =
  /^("?(true|false|cat|less( -\S+)*|more|delta( .*)?|vim?|nvim|nano|emacs|code --wait|code -w|:)"?|)$/;

function runsCode(key: string, value: string): boolean {
  if (key.startsWith("alias.")) return value.startsWith("!");
  return CODE_KEYS.test(key) && !HARMLESS_PROGRAM.test(value.trim());
}

/** Git's own files, written past git. */
function inspectFile(effect: EffectOf<"write">, context: RuleContext): void {
  for (const { path } of targetsOf(context, effect.path, effect.by, true)) {
    const { home } = context.workspace;
    const isOwn =
      path === `${home}/.gitconfig` ||
      path === `${home}/.config/git/config` ||
      path?.endsWith("/.git/config") === true;
    if (path !== undefined && isOwn) context.report("git.config", { target: path }, effect.by);
  }
}

function inspectConfig(effect: EffectOf<"git">, context: RuleContext): void {
  const { run, by } = effect;
  if (run.subcommand !== "config") return;
  const options = parseOptions(run.argv, {
    flags: words(
      "global system local worktree get get-all get-regexp add replace-all unset unset-all rename-section remove-section l list e edit z null name-only bool int path show-origin show-scope includes no-includes",
    ),
    values: words("f file blob type default comment value"),
    as: { "get-all": "get", "get-regexp": "get", list: "get", l: "get" },
  });
  const [first, ...others] = options.operands.map(operand => operand.value);
  if (options.has("unset", "unset-all") && isHooksPath(first))
    context.report("git.verify", { target: "core.hooksPath" }, by);
  if (options.has("get", "unset", "unset-all", "rename-section", "remove-section", "edit", "e")) return;
  const action = first === undefined ? undefined : knownText(first);
  const operands = action === "set" ? others : [first, ...others];
  if (action === "unset" && isHooksPath(others[0]))
    context.report("git.verify", { target: "core.hooksPath" }, by);
  if (action === "get" || action === "list" || action === "unset") return;
  const [key, value] = operands;
  if (key === undefined || value === undefined) return;
  const name = describe(key).toLowerCase();
  if (name === "core.hookspath")
    context.report("git.verify", { target: `core.hooksPath=${describe(value)}` }, by);
  else if (runsCode(name, describe(value)))
    context.report("git.config", { target: `${describe(key)}=${describe(value)}` }, by);
}

function isHooksPath(key: Value | undefined): boolean {
  return key !== undefined && describe(key).toLowerCase() === "core.hookspath";
}

const EVERYTHING = wordSet(". -A --all :/ * ./");

const ADD: OptionSpec = {
  flags: words(
    "n dry-run f force A all u update v p patch i N intent-to-add e edit refresh ignore-errors ignore-missing renormalize no-all sparse",
  ),
  values: ["pathspec-from-file", "chmod"],
  as: { force: "f", "dry-run": "n" },
};

const ADDING: Readonly<Record<string, OptionSpec>> = {
  add: ADD,
  stage: ADD,
  "update-index": { flags: words("add remove refresh q force-remove"), abbreviates: false },
  commit: COMMIT,
};

function inspectAdd(effect: EffectOf<"git">, context: RuleContext): void {
  for (const { target, name } of addedSecrets(effect, context))
    context.report("git.secret-add", { target, name }, effect.by);
}

interface AddedSecret {
  readonly target: string;
  readonly name: string;
}

/** By `add`, or by a commit that names the file. */
function addedSecrets({ run, by }: EffectOf<"git">, context: RuleContext): readonly AddedSecret[] {
  const spec = lookUp(ADDING, run.subcommand);
  if (spec === undefined) return [];
  const options = parseOptions(run.argv, spec);
  if (options.has("dry-run") || (spec === ADD && options.has("n"))) return [];
  const added = options.operands.flatMap(({ value }): AddedSecret[] => {
    const name = describe(value);
    const secrets = targetsOf(context, value, { ...by, cwd: run.directory }, true)
      .filter(target => secretOf(context, target) !== undefined)
      .map(target => ({ target: target.shown, name }));
    const isEverything = options.has("f") && EVERYTHING.has(name);
    return isEverything ? [...secrets, { target: IGNORED_FILES, name }] : secrets;
  });
  const isAll = spec === ADD && options.has("f") && options.has("A", "all") && options.operands.length === 0;
  return isAll ? [...added, { target: IGNORED_FILES, name: "." }] : added;
}

const IGNORED_FILES = "every ignored file";

/** A secret that is added and then pushed to where this repository never went before. */
function inspectSecretPush(context: RuleContext): void {
  const runs = context.effects.filter(effect => effect.kind === "git");
  if (!runs.some(({ run }) => run.subcommand === "push")) return;
  const newRemotes = new Set<string>();
  let secret: AddedSecret | undefined;
  for (const effect of runs) {
    const { run, by } = effect;
    if (run.subcommand === "remote") {
      const [verb, name] = shownOperands(parseOptions(run.argv, REMOTE));
      if (name !== undefined && (verb === "add" || verb === "set-url")) newRemotes.add(name);
    }
    secret ??= addedSecrets(effect, context)[0];
    if (run.subcommand !== "push" || secret === undefined) continue;
    const push = parseOptions(run.argv, PUSH);
    const [remote] = shownOperands(push);
    if (remote !== undefined && !push.has("n") && (newRemotes.has(remote) || ADDRESS.test(remote)))
      context.report("sec.exfil", { target: secret.target, host: remote, file: secret.target }, by);
  }
}

function shownOperands({ operands }: ParsedOptions): readonly string[] {
  return operands.map(({ value }) => describe(value));
}

const REMOTE: OptionSpec = { values: words("t m"), flags: words("f push add delete v") };
/** `https://host/r`, `user@host:r`; a path is no other machine. */
const ADDRESS = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/|^[^/:]+:(?!\/\/)/i;

/** A push address that is changed and used in the same breath. */
function inspectPushAddress(context: RuleContext): void {
  const runs = context.effects.filter(effect => effect.kind === "git");
  const changed = runs.findIndex(
    ({ run }) => run.subcommand === "remote" && describe(wordAt(run.argv, 1)) === "set-url",
  );
  if (changed < 0) return;
  const effect = runs[changed];
  const pushes = runs.slice(changed + 1).some(({ run }) => run.subcommand === "push");
  if (effect !== undefined && pushes)
    context.report(
      "git.config",
      { target: `remote ${describe(wordAt(effect.run.argv, effect.run.argv.length - 1))}` },
      effect.by,
    );
}
