import { isTakenForModule, readPlainPython } from "../code/index.ts";
import {
  changesPrograms,
  filesThatSet,
  filledBy,
  findMissing,
  handsOnWords,
  isProgramName,
  isSecretName,
  isShellWord,
  MAY_BE_OPTION,
  mayShowSecret,
  onlyReads,
  reachesOut,
  readsSubscripts,
  startedBy,
  variablesThatSet,
} from "../programs/index.ts";
import {
  type CodeRun,
  describe,
  type Invocation,
  isOpen,
  knownText,
  type ShellFacts,
  text,
  type Value,
} from "../shell/index.ts";
import { basename, compileGlob, join, matchesGlob } from "../system/index.ts";
import {
  classifyPath,
  expandTarget,
  findWiring,
  hasSecretsIn,
  holdsWiring,
  isStartupFile,
  resolveTargets,
  secretAt,
  startsLater,
  warnedSincePrompt,
  whyOtherProgram,
  wiringPart,
  type Zone,
} from "../workspace/index.ts";
import { gapsOfChangedNames, gapsOfWaysUp } from "./changed-names.ts";
import type { Examination } from "./collect-footprint.ts";
import { type Gap, reach } from "./gap.ts";
import { DEVICES, gapsOfRead, hasOnlyPatterns, PLAIN_DEVICES } from "./gaps-of-reads.ts";
import { gapsOfGit } from "./git/gaps.ts";
import type { GuardWorkspace } from "./judgement.ts";
import {
  type CallFacts,
  filesGiven,
  filesMadeBelow,
  filesNamed,
  filesSearched,
  filesUnpacked,
  mayAppear,
  namesBelow,
  namesInDiff,
  patchFile,
  readPatch,
} from "./named-files.ts";
import type { Actor, CommandEffect, EffectOf } from "./rule-context.ts";

/** Everything that is not known of a call, one by one: whether there is anything is told by the first. */
export function* collectGaps(examined: readonly Examination[], workspace: GuardWorkspace): Iterable<Gap> {
  const allEffects = examined.flatMap(({ effects }) => effects);
  for (const { facts: own, effects } of examined) {
    const facts: CallFacts = { ...own, allEffects };
    yield* gapsOfText(facts, workspace);
    const found: Invocation[] = [];
    for (const invocation of facts.invocations) {
      let isOpen = false;
      for (const gap of gapsOfProgram(invocation, facts, workspace)) {
        isOpen = true;
        yield gap;
      }
      if (!isOpen) found.push(invocation);
    }
    for (const effect of effects) yield* gapsOfEffect(effect, workspace, facts);
    // The disk is searched last: most calls have been found wanting by their words.
    for (const invocation of found) yield* gapsOfIdentity(invocation, workspace);
  }
  const parts = examined.reduce((sum, { facts }) => sum + facts.invocations.length, 0);
  yield* gapsOfChangedNames(allEffects, parts > 1, workspace);
  for (const what of warnedSincePrompt(workspace.given))
    yield { kind: "warned", what, why: "it held text that reads like instructions to the agent" };
}

/** Words that a shell changes or runs in a way that no fact tells of, bash or only zsh. */
const OTHER_WORDS: readonly (readonly [pattern: RegExp, gap: Gap])[] = [
  [/@P\s*\}/, { kind: "code", what: "@P", why: "the value of a variable is run" }],
  [/\$\{\(/, { kind: "code", what: "${(", why: "some shells run the value of this variable" }],
  [
    /\$(?:\w+|\{\w+):[haAtrecqQluxPs&](?![A-Za-z])/,
    { kind: "value", what: "$:", why: "some shells change the value of this variable" },
  ],
];

export function gapsOfSource(source: string): readonly Gap[] {
  return OTHER_WORDS.flatMap(([pattern, gap]) => (pattern.test(source) ? [gap] : []));
}

/** What of the text itself was not read, and what it changes in the shell. */
function* gapsOfText(facts: CallFacts, workspace: GuardWorkspace): Iterable<Gap> {
  for (const { reason, message } of facts.unexamined) {
    const kind = reason === "syntax" || reason === "incomplete" || reason === "failure" ? "code" : "size";
    yield { kind, what: reason, why: message };
  }
  for (const run of facts.codeRuns) {
    const { language, from, path, code, isExamined } = run;
    const what = path === undefined ? language : describe(path);
    if (language === "python" && from !== "file") yield* gapsOfPython(run, facts, workspace);
    else if (from === "file") yield { kind: "code", what, why: "a file is run" };
    else if (from === "stdin") yield { kind: "code", what, why: "what comes in on the input is run" };
    else if (!isExamined || isOpen(code))
      yield { kind: "code", what, why: "code that was not read to its end" };
  }
  for (const value of facts.computed) {
    const { variable } = workspace.given;
    const isUnset = (origin: Value["origins"][number]) =>
      origin.kind === "environment" && variable !== undefined && variable(origin.name) === undefined;
    if (value.origins.length === 0 || !value.origins.every(isUnset))
      yield { kind: "code", what: describe(value), why: "a text that is computed may hold commands" };
  }
  for (const { name, value } of facts.assignments) yield* gapsOfVariable(name, value);
  for (const { name } of facts.functions)
    if (isProgramName(name))
      yield { kind: "environment", what: name, why: "a function takes the place of a program" };
  if (facts.invocations.some(({ isBackground }) => isBackground))
    yield { kind: "code", what: "&", why: "it goes on after the call" };
}

/** Code of which every word is known; what it touches must be among the effects, which are judged as all others. */
function gapsOfPython(
  { code, invocation }: CodeRun,
  facts: CallFacts,
  { disk }: GuardWorkspace,
): readonly Gap[] {
  const { codeEffects, invocations } = facts;
  const gap = (why: string): readonly Gap[] => [{ kind: "code", what: "python", why }];
  const source = knownText(code);
  const cwd = knownText(invocations[invocation ?? -1]?.cwd ?? EMPTY);
  if (source === undefined || cwd === undefined || code.origins.some(({ kind }) => kind === "file"))
    return gap("code that was not read to its end");
  const read = readPlainPython(source);
  if (read === undefined) return gap("not every word of the code is known");
  const touched = (kind: "read" | "write") =>
    new Set(
      codeEffects.flatMap(({ call, invocation: by }) =>
        by === invocation && call.kind === kind ? (knownText(call.path) ?? []) : [],
      ),
    );
  const [reads, writes] = [touched("read"), touched("write")];
  if (!read.reads.every(path => reads.has(path)) || !read.writes.every(path => writes.has(path)))
    return gap("what it touches was not all found");
  const folder = disk.resolve(cwd, true);
  const names = disk.names(folder, MAX_NAMES);
  return names === undefined ||
    names.some(isTakenForModule) ||
    mayAppear(folder, isTakenForModule, facts, disk)
    ? gap("a file here may take the place of a module")
    : [];
}

const MAX_NAMES = 2_000;
/** What one call may write without a question of what comes from no end. */
const MUCH_GIGABYTES = 1;

function gapsOfVariable(name: string, value: Value | undefined): readonly Gap[] {
  return changesPrograms(name, value === undefined ? undefined : knownText(value))
    ? [{ kind: "environment", what: name, why: "this variable changes what programs do" }]
    : [];
}

/** What its record lacks comes first: of most calls it is all that is asked for. */
function* gapsOfProgram(invocation: Invocation, facts: CallFacts, workspace: GuardWorkspace): Iterable<Gap> {
  const isOfKnownList = filesGiven(invocation, facts, workspace.disk) !== undefined;
  for (const missing of findMissing(invocation, workspace.settings.programs))
    if (!(isOfKnownList && missing.why === MAY_BE_OPTION)) {
      yield missing;
      if (missing.kind === "program" && reachesOut(invocation)) yield reach(missing.what);
    }
  yield* gapsOfPatterns(invocation, facts, workspace);
  yield* gapsOfWaysUp(invocation, workspace);
  yield* gapsOfEnvironment(invocation, workspace);
  if (invocation.program === "patch") yield* gapsOfPatch(invocation, facts, workspace);
  const filled = filledBy(invocation, facts.invocations, facts.redirections, MUCH_GIGABYTES);
  if (filled !== undefined) yield { kind: "size", what: filled, why: "much of the disk may be filled" };
  const { argv, environment, place, isElevated, isOpenEnded } = invocation;
  const name = invocation.program ?? describe(argv[0] ?? EMPTY);
  // `IFS= read -r line` is how lines are read.
  const isReading = name === "read";
  for (const variable of environment)
    if (!(isReading && variable.name === "IFS")) yield* gapsOfVariable(variable.name, variable.value);
  if (place.kind !== "local") yield { kind: "reach", what: name, why: "it runs on another machine" };
  if (isElevated) yield { kind: "reach", what: name, why: "it runs as another user" };
  if (!isOfKnownList && isOfList(invocation, facts) && !onlyReads(invocation) && !isShellWord(name))
    yield { kind: "value", what: name, why: "its words come from a list" };
  if (isOpenEnded && !isOfKnownList && !(onlyReads(invocation) && isListed(invocation, facts)))
    yield { kind: "value", what: name, why: "more words follow that are not known" };
  for (const word of argv) {
    yield* gapsOfShownVariables(word);
    if (readsSubscripts(name) && SUBSCRIPT.test(describe(word)))
      yield { kind: "code", what: name, why: "a text that is computed may hold commands" };
    if (word.pieces.some(piece => piece.kind !== "unknown" && hasUnseen(pieceText(piece))))
      yield { kind: "value", what: name, why: "a word has characters that cannot be seen" };
  }
}

/** `*` gives a program a file of the name `--output=x` as an option. */
function gapsOfPatterns(invocation: Invocation, facts: CallFacts, { disk }: GuardWorkspace): readonly Gap[] {
  const { argv, cwd, program: name } = invocation;
  if (name === undefined || isShellWord(name) || !argv.some(({ pieces: [first] }) => first?.kind === "glob"))
    return [];
  const folder = knownText(cwd);
  const isOption = (file: string) => file.startsWith("-");
  const names = folder === undefined || disk.isAbsent(folder) ? [] : disk.names(folder, MAX_NAMES);
  return folder === undefined || names?.some(isOption) !== false || mayAppear(folder, isOption, facts, disk)
    ? [{ kind: "value", what: name, why: "a name that a pattern finds may be an option" }]
    : [];
}

/** The names are read from the patch as the effects are; here it must be one of which nothing else is expected. */
function gapsOfPatch(invocation: Invocation, facts: CallFacts, { disk }: GuardWorkspace): readonly Gap[] {
  const shown = invocation.argv.map(describe);
  const isShown = shown.some(word => /^(?:--help|--version|-v)$/.test(word));
  const patch = readPatch(patchFile(invocation), invocation, facts, disk);
  return isShown || (patch !== undefined && namesInDiff(patch) !== undefined)
    ? []
    : [{ kind: "value", what: "patch", why: "what the patch changes is not known" }];
}

/** What a program shows of the environment of the person: all of it, or the variables that it names. */
function gapsOfEnvironment(invocation: Invocation, workspace: GuardWorkspace): readonly Gap[] {
  return mayShowSecret(invocation, () => workspace.given.hasSecretVariables?.() !== false)
    ? [{ kind: "secret", what: invocation.program ?? "", why: "the environment may hold a secret" }]
    : [];
}

/** Words of the shell compute names and numbers, some shells more of them than others. */
const SUBSCRIPT = /\[[^\]]*(?:\$\(|`)/;

/** A program is known only if what would run is the one that is meant. */
function gapsOfIdentity(invocation: Invocation, workspace: GuardWorkspace): readonly Gap[] {
  const { program: name, argv } = invocation;
  const written = describe(argv[0] ?? EMPTY);
  if (name === undefined) return [];
  const setting = settingOf(name, workspace);
  if (setting !== undefined)
    return [{ kind: "environment", what: setting, why: "this variable changes what the program does" }];
  const file = filesThatSet(name).find(one => !workspace.disk.isAbsent(join(workspace.home, one)));
  if (file !== undefined)
    return [{ kind: "environment", what: `~/${file}`, why: "this file changes what the program does" }];
  const all = [[name, written] as const, ...startedBy(invocation).map(one => [one, one] as const)];
  return all.flatMap(([program, word]): readonly Gap[] => {
    const why = whyOtherProgram(workspace, program, word);
    return why === undefined ? [] : [{ kind: "environment", what: word, why }];
  });
}

/** A variable of the environment that gives the program more options, or the shell other folders. */
function settingOf(name: string, { given, home }: GuardWorkspace): string | undefined {
  return variablesThatSet(name).find(variable => {
    const value = given.variable?.(variable) ?? "";
    return value !== "" && !(variable === "XDG_CONFIG_HOME" && value === join(home, ".config"));
  });
}

function isOfList({ parent }: Invocation, { invocations }: ShellFacts): boolean {
  const starter = parent === undefined ? undefined : invocations[parent.invocation];
  return starter !== undefined && handsOnWords(starter);
}

/** The names that follow come from a list of files that is known. */
function isListed({ parent }: Invocation, { invocations, listings }: ShellFacts): boolean {
  const origins = parent === undefined ? [] : (invocations[parent.invocation]?.stdin?.origins ?? []);
  return origins.some(origin => origin.kind === "program" && listings.has(origin.invocation));
}

function pieceText(piece: Exclude<Value["pieces"][number], { readonly kind: "unknown" }>): string {
  return piece.kind === "text" ? piece.text : piece.pattern;
}

/** Has characters that turn or hide the text around them, or control characters but line breaks and tabs. */
function hasUnseen(text: string): boolean {
  // Written here, so that its table of characters is made by the first text that needs it, not by every start.
  return /[^\n\t -~]/.test(text) && /[\p{Cf}\p{Co}\p{Cn}]|(?![\n\t])\p{Cc}/u.test(text);
}

const EMPTY: Value = { pieces: [], origins: [] };

/** A secret that a variable of the person holds becomes a word. */
function gapsOfShownVariables({ origins }: Value): readonly Gap[] {
  return origins.flatMap(origin =>
    origin.kind === "environment" && isSecretName(origin.name)
      ? [{ kind: "secret", what: origin.name, why: "this variable may hold a secret" } as const]
      : [],
  );
}

function gapsOfEffect(effect: CommandEffect, workspace: GuardWorkspace, facts: CallFacts): readonly Gap[] {
  const { by } = effect;
  const change = (path: Value, touch: "name" | "content") => gapsOfChange(path, by, workspace, touch, facts);
  switch (effect.kind) {
    case "send":
      return [{ kind: "reach", what: by.program, why: "it sends something" }];
    case "operation":
      return [{ kind: "reach", what: effect.target, why: `it would ${effect.what}` }];
    case "git":
      return [
        ...gapsOfGit(effect, workspace),
        ...(effect.run.subcommand === "apply" ? gapsOfApplied(effect, workspace, facts) : []),
      ];
    case "read":
      return gapsOfRead(effect, workspace, facts);
    case "move":
      return [
        ...change(effect.from, "name"),
        ...(effect.to === undefined
          ? [{ kind: "value", what: describe(effect.from), why: "where it goes is not known" } as const]
          : []),
      ];
    case "delete":
      return effect.selection === undefined
        ? change(effect.path, "name")
        : gapsOfSearched(effect, workspace, facts);
    case "write":
      if (effect.how === "extract") return gapsOfUnpacked(effect, workspace, facts);
      return [
        ...change(effect.path, effect.how === "link" ? "name" : "content"),
        ...gapsOfTree(effect, workspace, facts),
        ...(effect.from === undefined ? [] : gapsOfRead({ ...effect, path: effect.from }, workspace, facts)),
      ];
    case "attributes":
    case "alter":
      return change(effect.path, "content");
  }
}

/** What `git apply` is given, file by file, or on its input. */
function gapsOfApplied(
  { run, by }: EffectOf<"git">,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  const { options, repository } = run;
  if (options.has("check", "stat", "numstat", "summary")) return [];
  const given = options.operandValues.filter(word => knownText(word) !== "-");
  const patches = (given.length === 0 ? [undefined] : given).map(file =>
    by.invocation === undefined ? undefined : readPatch(file, by.invocation, facts, workspace.disk),
  );
  const names = patches.map(patch => (patch === undefined ? undefined : namesInDiff(patch)));
  const strip = Number(knownText(options.valueOf("p") ?? text("1")) ?? Number.NaN);
  const top = repository?.top;
  // Below the top, some names count from there and some from the top.
  const isAtTop = top !== undefined && knownText(run.directory) === top;
  if (!isAtTop || Number.isNaN(strip) || names.some(list => list === undefined))
    return [{ kind: "value", what: "git apply", why: "what the patch changes is not known" }];
  const files = names.flatMap(list => (list ?? []).map(name => name.split("/").slice(strip).join("/")));
  return gapsOfFiles(
    files.filter(name => name !== "").map(name => join(top, name)),
    by,
    workspace,
    facts,
  );
}

/** Each of these files is changed, or may be. */
function gapsOfFiles(
  files: readonly string[],
  by: Actor,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  return files.flatMap(path => gapsOfChange(text(path), by, workspace, "content", facts));
}

/** What a search deletes is among the files below where it starts; with `-delete` among those of such names. */
function gapsOfSearched(
  { path, by, names }: EffectOf<"delete">,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  const { disk } = workspace;
  const [target] = resolveTargets(disk, path, by.cwd, by.place, { followsLast: true });
  const files =
    target?.path === undefined || by.invocation === undefined
      ? undefined
      : filesSearched(target.path, by.invocation, facts, disk);
  if (files === undefined) return gapsOfChange(path, by, workspace, "name", facts);
  const said = (by.invocation?.argv ?? []).map(describe);
  const isNamed = said.includes("-delete") && !said.some(word => /^-(?:exec|ok)/.test(word));
  const patterns = (names ?? ["*"]).map(name => compileGlob(isNamed ? name.toLowerCase() : "*", "fnmatch"));
  const deleted = files.filter(file => patterns.some(one => matchesGlob(one, basename(file).toLowerCase())));
  return gapsOfFiles(deleted, by, workspace, facts);
}

function gapsOfUnpacked(
  effect: EffectOf<"write">,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  const files = filesUnpacked(effect, facts, workspace.disk);
  return files === undefined
    ? [
        { kind: "value", what: effect.by.program, why: "what the archive holds is not known" },
        ...gapsOfChange(effect.path, effect.by, workspace, "content", facts),
      ]
    : gapsOfFiles(files, effect.by, workspace, facts);
}

/** What lies below a folder comes along under names of its own. */
function gapsOfTree(
  { path, from, by }: EffectOf<"write">,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  const { disk } = workspace;
  const [to] = resolveTargets(disk, path, by.cwd, by.place, { followsLast: true });
  if (from === undefined || to?.path === undefined) return [];
  const top = to.path;
  const sources = resolveTargets(disk, from, by.cwd, by.place, { followsLast: true, isReading: true });
  const folders = sources.flatMap(target => {
    if (target.path !== undefined) return [target.path];
    const found = hasOnlyPatterns(from) ? expandTarget(disk, target, true) : undefined;
    return found === undefined ? [undefined] : [...found.paths, ...found.trees];
  });
  return folders.flatMap((folder): readonly Gap[] => {
    const kind = folder === undefined ? undefined : disk.kind(folder);
    if (kind !== undefined && kind !== "directory") return [];
    const made = folder === undefined ? undefined : filesMadeBelow(folder, facts, disk);
    const files = kind === undefined ? [] : namesBelow(disk, folder ?? "", "everything");
    if (folder === undefined || files === undefined || made === undefined)
      return [{ kind: "value", what: describe(from), why: "what the folder holds is not known" }];
    const names = [...files, ...made].map(file => file.slice(folder.length + 1));
    // A pattern puts each of the names that it finds below the folder.
    const brought = names.flatMap(name => [join(top, name), join(top, basename(folder), name)]);
    const wired = brought.find(
      file =>
        wiringPart(workspace, file) !== undefined ||
        isStartupFile(workspace, file) ||
        startsLater(workspace, file),
    );
    return wired === undefined ? [] : [{ kind: "wiring", what: wired, why: "it starts something later" }];
  });
}

/** Places whose changes are the person's to have, and are kept. */
const FREE: readonly Zone[] = ["source", "temp"];

function gapsOfChange(
  word: Value,
  by: Actor,
  workspace: GuardWorkspace,
  touch: "name" | "content",
  facts: CallFacts,
): readonly Gap[] {
  const named = filesNamed(word, by.invocation, facts, workspace.disk);
  if (named !== undefined) return gapsOfFiles(named, by, workspace, facts);
  if (word.origins.some(({ kind }) => kind === "decoded" || kind === "network"))
    return [{ kind: "value", what: describe(word), why: "the name was decoded" }];
  const targets = resolveTargets(workspace.disk, word, by.cwd, by.place, {
    followsLast: touch === "content",
  });
  return targets.flatMap((target): readonly Gap[] => {
    const what = target.shown;
    // Some shells take it for the home where others do not.
    if (target.path?.includes("/~") === true)
      return [{ kind: "value", what, why: "a name begins with a tilde" }];
    if (target.isRemote) return [{ kind: "reach", what, why: "it is on another machine" }];
    if (findWiring(workspace, target) !== undefined || holdsWiring(workspace, target))
      return [{ kind: "wiring", what, why: "it decides what runs later" }];
    if (target.path !== undefined) return gapsOfChangedPath(target.path, workspace, touch);
    const found = hasOnlyPatterns(word)
      ? expandTarget(workspace.disk, target, touch === "content")
      : undefined;
    if (found === undefined) return [{ kind: "value", what, why: "which file changes is not known" }];
    return [...found.paths, ...found.trees].flatMap(path => gapsOfChangedPath(path, workspace, touch));
  });
}

function gapsOfChangedPath(
  path: string,
  workspace: GuardWorkspace,
  touch: "name" | "content",
): readonly Gap[] {
  const { disk } = workspace;
  if (PLAIN_DEVICES.test(path)) return [];
  if (DEVICES.test(path) || (touch === "content" && disk.kind(path) === "other"))
    return [{ kind: "reach", what: path, why: "a device, a pipe or a running process is changed" }];
  if (secretAt(workspace, path) !== undefined || hasSecretsIn(workspace, path))
    return [{ kind: "secret", what: path, why: "a secret is changed" }];
  if (isStartupFile(workspace, path) || startsLater(workspace, path))
    return [{ kind: "wiring", what: path, why: "it starts something later" }];
  if (touch === "content" && disk.kind(path) === "file" && disk.links(path) > 1)
    return [{ kind: "place", what: path, why: "the file has another name elsewhere" }];
  const zone = classifyPath(workspace, path);
  if (FREE.includes(zone)) return [];
  const isNew = disk.isAbsent(path);
  if (zone === "regenerable" && isNew) return [];
  if (workspace.given.written?.()?.hasWritten(path) === true) return [];
  const why =
    zone === "regenerable" ? "no copy is kept of what a tool makes again" : "it is outside the project";
  return [{ kind: "place", what: path, why }];
}
