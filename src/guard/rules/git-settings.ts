import { isForge, onlyDisplays, takesIgnored } from "../../programs/index.ts";
import { describe, knownText, type Value, wordAt, wordSet } from "../../shell/index.ts";
import { basename, dirname, expandHome, isInside, join, resolve } from "../../system/index.ts";
import { activeHooks, hooksIn, listRemotes } from "../../workspace/index.ts";
import type { GitRun } from "../git/run.ts";
import type { RuleTable } from "../rule.ts";
import {
  type Check,
  type CommandEffect,
  type EffectOf,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
} from "../rule-context.ts";
import { findSecret } from "../secret-flow.ts";
import { notePacked, packedSecret, secretsTaken } from "./taken-along.ts";

const RULES = {
  "git.config": {
    title: "makes git run code or send elsewhere",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Configuration that runs a program or redirects: core.fsmonitor, core.sshCommand, aliases with !, credential.helper, url.*.insteadOf, a push address set just before a push.",
    examples: {
      asks: { "git config core.sshCommand evil": "core.sshCommand" },
      passes: ["git config core.sshCommand", "git config user.name x", "git -c core.pager=cat log"],
    },
    lost: "It would make git run a program or talk to another place from now on: {target}.",
    person: "The setting stays until it is removed.",
    model: "Use git as it is configured.",
    safer: "git config --list --show-origin",
  },
  "git.secret-add": {
    title: "adds a secret to history",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "git add of a protected file by name, or with -f over everything; git add, commit -a or stash -u that would take along a new secret file, or a file with a live key in it.",
    examples: {
      asks: { "git add .env": "{project}/.env" },
      passes: ["git add .", "git add .env.example", "git add -n .env"],
    },
    lost: "It would put {target} into the history, where a secret stays forever.",
    person: "Once it is pushed, the secret has to be changed.",
    model: "Add the file to .gitignore and commit an example without values.",
    safer: "echo {name} >> .gitignore",
  },
} satisfies RuleTable;

const gitSettings: Check = {
  inspect(effect, context) {
    if (effect.kind === "write") inspectFile(effect, context);
    if (effect.kind !== "git") return;
    const { run, by } = effect;
    if (run.subcommand === "config") inspectConfig(effect, context);
    for (const { target, name } of addedSecrets(effect, context))
      context.report("git.secret-add", by, target, { name });
    // A stash stays here until something is pushed; one of ignored files is all that is left of them.
    const isLocal =
      run.subcommand === "stash" &&
      !takesIgnored(run) &&
      !context.effects.some(one => one.kind === "git" && isPush(one));
    if (isLocal) noteStashed(effect, context);
    else
      for (const { path, kind } of secretsTaken(effect, context))
        context.report("git.secret-add", by, `${path} (${kind})`, { name: basename(path) });
    const shown = showsStash(run) ? stashedSecret(effect, context) : undefined;
    if (shown !== undefined) context.report("sec.read", by, shown);
    for (const { key, value } of run.settings) {
      const isReported = (runsCode(key, value) && key !== HOOKS_PATH) || forcesNow(run, key, value);
      if (isReported) context.report("git.config", by, `${key}=${value}`);
    }
    if (run.subcommand === "remote" && isPushMirror(run))
      context.report("git.config", by, "a mirror that is pushed to");
  },
  inspectWhole(context) {
    const effects = context.effects.filter(effect => effect.kind === "git");
    if (!effects.some(isPush)) return;
    inspectPushAddress(effects, context);
    inspectSecretPush(effects, context);
  },
};

/** Secrets that go into a stash are noted with it, so that showing it later is showing them. */
function noteStashed(effect: EffectOf<"git">, context: RuleContext): void {
  const [secret] = secretsTaken(effect, context);
  const place = stashPath(effect.run);
  if (secret !== undefined && place !== undefined) notePacked(context, place, secret.path);
}

function stashPath({ repository }: GitRun): string | undefined {
  return repository === undefined ? undefined : join(repository.gitDirectory, "refs/stash");
}

/** `git stash show -p -u`, `git show 'stash@{0}^3'`: what was not tracked is shown. */
function showsStash({ subcommand, options }: GitRun): boolean {
  const words = options.operandValues.map(describe);
  if (subcommand === "stash")
    return (
      words[0] === "show" &&
      options.has("p", "patch") &&
      options.has("u", "include-untracked", "only-untracked", "a", "all")
    );
  return (
    /^(?:show|diff|log|cat-file|archive|grep)$/.test(subcommand) &&
    words.some(word => /stash.*\^3/.test(word))
  );
}

/** Of an earlier call, or of this one. */
function stashedSecret({ run, by }: EffectOf<"git">, context: RuleContext): string | undefined {
  const before = context.effects.find(
    (one): one is EffectOf<"git"> =>
      one.kind === "git" &&
      one.run.subcommand === "stash" &&
      one.by.invocation !== undefined &&
      by.invocation !== undefined &&
      one.by.invocation.id < by.invocation.id,
  );
  const taken = before === undefined ? undefined : secretsTaken(before, context)[0]?.path;
  return taken ?? packedSecret(context, stashPath(run));
}

/** Keys whose value is a program or an address. Pagers and editors that only show are free. */
const CODE_KEYS =
  /^(core\.(fsmonitor|sshcommand|gitproxy|askpass|editor|pager)|sequence\.editor|credential(\..*)?\.helper|url\..*\.(insteadof|pushinsteadof)|(diff|merge|filter|difftool|mergetool)\..*\.(command|driver|textconv|clean|smudge|process|cmd)|diff\.external|gpg(\.[a-z0-9]+)?\.program|init\.templatedir|include\.path|includeif\..*\.path|protocol\.ext\.allow|uploadpack\.packobjectshook|interactive\.difffilter|sendemail\..*cmd)$/;
const HOOKS_PATH = "core.hookspath";
/** Commands of git one after the other, of which none changes what somebody works on. */
const LOOKS_AND_FETCHES =
  /^!\s*(?:git (?:fetch|status|log|diff|show|shortlog|describe|branch)(?: (?!-[a-zA-Z]*[dDmMfF]\b|--(?:delete|move|force|output))[\w./:@=^~{}-]+)*\s*(?:&&\s*(?=git )|$))+$/;

function runsCode(key: string, value: string): boolean {
  if (key.startsWith("alias.")) return value.startsWith("!") && !LOOKS_AND_FETCHES.test(value);
  return CODE_KEYS.test(key) && !onlyDisplays(value.trim());
}

/** Settings that make an ordinary command force, prune or mirror; with the commands that they change. */
const FORCING: readonly (readonly [key: RegExp, value: RegExp, commands: string])[] = [
  [/^remote\..+\.push$/, /^\+|^:./, "push"],
  [/^remote\..+\.mirror$/, /^(true|yes|on|1|)$/i, "push"],
  [/^remote\..+\.fetch$/, /^\+[^:]*:refs\/(heads\/|\*)/, "fetch pull"],
  [/^gc\.(pruneexpire|reflogexpire\w*|worktreepruneexpire)$/, /^(now|all|0)/i, "gc"],
  [/^http(?:\..+)?\.sslverify$/, /^(false|no|off|0)$/i, ""],
  [/^clean\.requireforce$/, /^(false|no|off|0)$/i, ""],
];

function forces(key: string, value: string): boolean {
  return FORCING.some(([keys, values]) => keys.test(key) && values.test(value));
}

function forcesNow({ subcommand, options }: GitRun, key: string, value: string): boolean {
  if (options.isOn("dry-run", "n")) return false;
  return FORCING.some(
    ([keys, values, commands]) =>
      commands.split(" ").includes(subcommand) && keys.test(key) && values.test(value),
  );
}

/** `git remote add --mirror=push`: every push to it replaces and deletes. */
function isPushMirror({ argv }: GitRun): boolean {
  return argv.some(word => /^--mirror(=push)?$/.test(describe(word)));
}

/** Git's own files, written past git. */
function inspectFile(effect: EffectOf<"write">, context: RuleContext): void {
  const { home } = context.workspace;
  const files = [`${home}/.gitconfig`, `${home}/.config/git/config`];
  for (const { path } of targetsForWord(context, effect.path, effect.by, true)) {
    if (path !== undefined && (files.includes(path) || path.endsWith("/.git/config")))
      context.report("git.config", effect.by, path);
  }
}

/** `git config KEY VALUE`, `git config set KEY VALUE`, `git config --unset KEY`. */
function inspectConfig({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const { options } = run;
  const [first, ...others] = operandValues(run);
  const action = first === undefined ? undefined : knownText(first);
  const isUnset = options.has("unset", "unset-all")
    ? isHooksPath(first)
    : action === "unset" && isHooksPath(others[0]);
  if (isUnset) context.report("git.verify", by, "core.hooksPath");
  if (options.has("get", "unset", "unset-all", "rename-section", "remove-section", "edit", "e")) return;
  if (action === "get" || action === "list" || action === "unset") return;
  const [key, value] = action === "set" ? others : [first, ...others];
  if (key === undefined || value === undefined) return;
  const name = describe(key);
  const setTo = describe(value);
  if (isHooksPath(key)) {
    if (!installsHooks(value, run, context)) context.report("git.verify", by, `core.hooksPath=${setTo}`);
  } else if (runsCode(name.toLowerCase(), setTo) || forces(name.toLowerCase(), setTo))
    context.report("git.config", by, `${name}=${setTo}`);
}

/** Where no hook runs yet, a folder of the project that holds some takes none away. */
function installsHooks(value: Value, run: GitRun, { workspace, facts }: RuleContext): boolean {
  const { repository } = run;
  const written = knownText(value);
  const top = repository?.top;
  if (repository === undefined || top === undefined || written === undefined || written === "") return false;
  const { disk, home } = workspace;
  const directory = disk.resolve(resolve(top, expandHome(written, home)), true);
  if (directory === top || !isInside(top, directory)) return false;
  const isMade = facts.writtenFiles.some(({ path }) => dirname(knownText(path) ?? "/") === directory);
  return activeHooks(disk, repository)?.length === 0 && (isMade || hooksIn(disk, directory).length > 0);
}

function isHooksPath(key: Value | undefined): boolean {
  return key !== undefined && describe(key).toLowerCase() === HOOKS_PATH;
}

const EVERYTHING = wordSet(". -A --all :/ * ./");
const ADDING = wordSet("add stage update-index commit");
const IGNORED_FILES = "every ignored file";

interface AddedSecret {
  readonly target: string;
  readonly name: string;
}

/** By `add`, or by a commit that names the file. */
function addedSecrets({ run, by }: EffectOf<"git">, context: RuleContext): readonly AddedSecret[] {
  const { subcommand, options } = run;
  const isAdd = subcommand === "add" || subcommand === "stage";
  if (!ADDING.has(subcommand) || options.isOn(...(isAdd ? ["n"] : []), "dry-run")) return [];
  const operands = operandValues(run);
  const added = operands.flatMap((value): AddedSecret[] => {
    const name = describe(value);
    const secrets = targetsForWord(context, value, { ...by, cwd: run.directory }, true)
      .filter(target => findSecret(context, target) !== undefined)
      .map(target => ({ target: target.shown, name }));
    const isEverything = options.has("f") && EVERYTHING.has(name);
    return isEverything ? [...secrets, { target: IGNORED_FILES, name }] : secrets;
  });
  const isAll = isAdd && options.has("f") && options.has("A", "all") && operands.length === 0;
  return isAll ? [...added, { target: IGNORED_FILES, name: "." }] : added;
}

/** A secret that is added and then pushed to where this repository never went before. */
function inspectSecretPush(effects: readonly EffectOf<"git">[], context: RuleContext): void {
  const newRemotes = new Set<string>();
  let secret: string | undefined;
  for (const effect of effects) {
    const { run, by } = effect;
    const [first, name] = operandValues(run).map(describe);
    if (run.subcommand === "remote" && name !== undefined && (first === "add" || first === "set-url"))
      newRemotes.add(name);
    secret ??= addedSecrets(effect, context)[0]?.target;
    if (secret === undefined || first === undefined || !isPush(effect)) continue;
    if (!run.options.isOn("n", "dry-run") && (newRemotes.has(first) || ADDRESS.test(first)))
      context.report("sec.exfil", by, secret, { host: first, file: secret });
  }
}

function operandValues({ options }: GitRun): readonly Value[] {
  return options.operands.map(operand => operand.value);
}

function isPush(effect: CommandEffect): boolean {
  return effect.kind === "git" && effect.run.subcommand === "push";
}

/** `https://host/r`, `user@host:r`; a path is no other machine. */
const ADDRESS = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/|^[^/:]+:(?!\/\/)/i;

/** A push address that is changed and then used by the same command. */
function inspectPushAddress(effects: readonly EffectOf<"git">[], context: RuleContext): void {
  const changed = effects.findIndex(
    ({ run: { subcommand, argv } }) =>
      subcommand === "remote" && argv[1] !== undefined && describe(argv[1]) === "set-url",
  );
  const effect = effects[changed];
  const address = effect?.run.argv.at(-1);
  if (effect !== undefined && address !== undefined && effects.slice(changed + 1).some(isPush))
    context.report("git.config", effect.by, `remote ${describe(address)}`);
  for (const one of effects) inspectNewPlace(one, effects, context);
}

/** A push to where this repository never went: an address, or a remote that the same command made. */
function inspectNewPlace(
  effect: EffectOf<"git">,
  effects: readonly EffectOf<"git">[],
  context: RuleContext,
): void {
  const { run, by } = effect;
  if (!isPush(effect) || run.options.isOn("n", "dry-run") || run.options.has("help")) return;
  const [named] = run.options.valuesOf("repo").concat(operandValues(run));
  const remote = named === undefined ? "origin" : describe(named);
  const known = run.repository === undefined ? [] : listRemotes(context.workspace.disk, run.repository);
  const given = run.settings.find(({ key }) => /^remote\..+\.(push)?url$/.test(key))?.value;
  const added = effects.find(
    ({ run: other }) =>
      other.subcommand === "remote" &&
      /^add$/.test(describe(wordAt(other.argv, 1))) &&
      operandValues(other)
        .slice(1)
        .some(word => describe(word) === remote),
  );
  const made = added === undefined ? undefined : operandValues(added.run).at(-1);
  const address = given ?? (ADDRESS.test(remote) ? remote : made === undefined ? undefined : describe(made));
  const isFirst = given === undefined && remote === "origin" && known.length === 0;
  // To work with a fork of one's own is everyday; only everything at once is not.
  const isFork =
    made !== undefined && isForge(describe(made)) && !run.options.has("all", "mirror", "branches");
  if (address !== undefined && !isFirst && !isFork && !known.includes(address))
    context.report("net.upload", by, run.repository?.top ?? describe(run.directory), { host: address });
}

export const GIT_SETTINGS = {
  name: "git-settings",
  rules: RULES,
  checks: [gitSettings],
} satisfies RuleFamily;
