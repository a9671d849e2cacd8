import {
  filesRunBy,
  isLocalAddress,
  LOADING_OPTION,
  PACKAGE_FILE,
  PROGRAM_VARIABLE,
  startedFiles,
} from "../../programs/index.ts";
import {
  describe,
  dropKnown,
  type Invocation,
  knownPrefix,
  knownText,
  text,
  type Value,
} from "../../shell/index.ts";
import { expandHome, isInside, join, resolve } from "../../system/index.ts";
import { clip } from "../../text/index.ts";
import { findRepository, listRemotes } from "../../workspace/index.ts";
import type { RuleTable } from "../rule.ts";
import {
  type CommandEffect,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
  toActor,
} from "../rule-context.ts";

const RULES = {
  "net.sequence": {
    title: "sends after a secret was read",
    verdict: "ask",
    when: "Since the person's last prompt a secret's value was shown, or the session was warned of fetched text, and now something leaves this machine: a request, a push, a comment, a message.",
    lost: "It would send something to {target} after the session has read {what}.",
    person: "Your next prompt ends this question.",
    model: "Say what you want to send, and let the person decide.",
    safer: "git status",
  },
  "exec.session": {
    title: "may run a file that the session wrote",
    verdict: "ask",
    when: "A file that the session fetched or cloned from elsewhere is started, loaded or installed by its name. Or a file that the session wrote contains what would be asked about or refused, and a program that is started may run or load it: a task, a build, a test, a hook, a configuration. Asked once for each such text. What the session wrote and is too large to be read is asked about too.",
    lost: "It may run {file}, which this session made and which {what}.",
    person: "Look at the file before you allow it.",
    model: "Take out of the file what does this, or ask the person.",
    safer: "git diff",
  },
  "exec.elsewhere": {
    title: "writes what others run",
    verdict: "ask",
    when: "A pipeline of a service (.github/workflows, .gitlab-ci.yml and their like) gets a step that shows secrets or sends them away; or a notebook or a task of an editor gets text that would be asked about or refused as a command. Nothing judges it when it runs.",
    lost: "It would write {file}, which runs without this guard and which {what}.",
    person: "Look at the text before you allow it.",
    model: "Take out of the text what does this, or ask the person.",
    safer: "git diff",
  },
  "exec.loader": {
    title: "loads code into a program",
    verdict: "ask",
    when: "A variable makes every program load a library that is not the system's: LD_PRELOAD, LD_AUDIT, DYLD_INSERT_LIBRARIES; or an agent, plugin, wrapper, shell or helper from a temporary folder or from Downloads that the session did not make. Or programs are looked for in the current folder: PATH with a dot or an empty part.",
    examples: {
      asks: {
        "env LD_PRELOAD=./hook.so ls": "LD_PRELOAD=./hook.so",
        "env PATH=.:$PATH make": "PATH=.:",
        "env RUSTC_WRAPPER=/tmp/x/wrap cargo build": "RUSTC_WRAPPER=/tmp/x/wrap",
        "env JAVA_TOOL_OPTIONS=-javaagent:/tmp/agent.jar mvn test": "/tmp/agent.jar",
      },
      passes: [
        "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2 node app.js",
        "LD_PRELOAD= ls",
        "PATH=./node_modules/.bin:$PATH tsc",
        'PATH="$PWD/bin:$PATH" make',
        "LD_LIBRARY_PATH=./lib ./app",
        "JAVA_TOOL_OPTIONS=-javaagent:target/jacoco.jar mvn test",
      ],
    },
    lost: "It would let programs load or start code that is in the project or beside it: {target}.",
    person: "Such code runs inside programs that are trusted.",
    model: "Start the program without the variable, or name the program by its path.",
    safer: "env",
  },
} satisfies RuleTable;

const MAX_NAMED = 3;

function inspectSent(effect: CommandEffect, context: RuleContext): void {
  const { facts } = context.workspace.given;
  if (facts === undefined || facts.shown.length + facts.warned.length === 0) return;
  const target = findReceiver(effect);
  if (target === undefined) return;
  const read = [
    ...facts.shown,
    ...facts.warned.map(one => `${one}, which reads like instructions to an agent`),
  ];
  const more = read.length > MAX_NAMED ? ` and ${read.length - MAX_NAMED} more` : "";
  context.report("net.sequence", effect.by, target, { what: read.slice(-MAX_NAMED).join("; ") + more });
}

/** Who would get it; undefined when nothing leaves this machine. */
function findReceiver(effect: CommandEffect): string | undefined {
  if (effect.kind === "send") {
    const host = effect.to === undefined ? "another machine" : describe(effect.to);
    return effect.to !== undefined && isLocalAddress(host) ? undefined : host;
  }
  if (effect.kind === "operation")
    return effect.rule === "publish" || effect.rule === "net.expose" ? effect.target : undefined;
  if (effect.kind !== "git" || effect.run.subcommand !== "push") return undefined;
  const { options } = effect.run;
  if (options.isOn("dry-run", "n") || options.has("help")) return undefined;
  const [remote] = options.operandValues;
  return remote === undefined ? "the remote" : describe(remote);
}

function inspectStarted(context: RuleContext): void {
  inspectLoaders(context);
  inspectVariables(context);
  inspectFetched(context);
  const { onFetched } = context.workspace.given;
  if (onFetched !== undefined) for (const entry of fetchedIn(context)) onFetched(entry);
}

/** Code that no reader can read. */
const NATIVE = /\.(?:so(?:\.\d+)*|dylib|dll|node|jar|class|pyc|wasm|bundle)$/;

const LOADS_LIBRARIES = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/;
const OF_SYSTEM = /^(?:\/(?:usr|lib\w*|opt|nix|snap)\/|lib[\w.+-]+$|$|\$)/;

/** Code that lies where anything may be put, and that nobody installed. */
function isPutAside(file: string, { workspace }: RuleContext): boolean {
  const path = resolve(workspace.directory, expandHome(file, workspace.home));
  return (
    workspace.temps.some(temp => isInside(temp, path)) || isInside(join(workspace.home, "Downloads"), path)
  );
}

/** Put aside by nobody of this session, and no environment of an interpreter. */
function isForeign(part: string, context: RuleContext): boolean {
  if (!isPutAside(part, context)) return false;
  const path = resolve(context.workspace.directory, expandHome(part, context.workspace.home));
  const isMade =
    isMadeHere(path, context) ||
    context.facts.writtenFiles.some(({ path: file }) => isInside(path, describe(file)));
  return !isMade && context.workspace.disk.kind(join(path, "../pyvenv.cfg")) === undefined;
}

/** Libraries for every program, and a search for programs that begins wherever one happens to be. */
function inspectVariables(context: RuleContext): void {
  const told = new Set<string>();
  for (const invocation of context.facts.invocations)
    for (const { name, value } of invocation.environment) {
      if (value === undefined || told.has(name)) continue;
      const written = describe(value);
      const isLoaded =
        LOADS_LIBRARIES.test(name) && written.split(/[\s:]+/).some(part => !OF_SYSTEM.test(part));
      const isSearched = name === "PATH" && value.pieces.length > 0 && /(?:^|:)\.?\/?(?::|$)/.test(written);
      const isAgent = [...written.matchAll(LOADING_OPTION)].some(([, file = ""]) => isForeign(file, context));
      const isStarted =
        (name === "PATH" || PROGRAM_VARIABLE.test(name)) &&
        written.split(":").some(part => /^[~/]/.test(part) && isForeign(part, context));
      if (!isLoaded && !isSearched && !isAgent && !isStarted) continue;
      told.add(name);
      context.report("exec.loader", toActor(invocation), clip(`${name}=${written}`, MAX_ADDRESS));
    }
}

/** `LD_PRELOAD=./x.so prog`: a program loads native code that this command or this session made. */
function inspectLoaders(context: RuleContext): void {
  for (const invocation of context.facts.invocations) {
    const by = toActor(invocation);
    const words = invocation.environment.flatMap(({ value }) =>
      value === undefined ? [] : describe(value).split(/[\s:,;=]+/),
    );
    for (const word of new Set(words.filter(one => NATIVE.test(one))))
      for (const { path, shown } of targetsForWord(context, text(word), by, true))
        if (path !== undefined && isMadeHere(path, context))
          context.report("exec.session", by, shown, { file: shown, what: "is code that nobody can read" });
  }
}

/** `curl -o x.sh …`, and in a later call `sh x.sh`; `git clone …` and then a script of it: code that came from elsewhere. */
function inspectFetched(context: RuleContext): void {
  inspectPutAside(context);
  const before = context.workspace.given.facts?.fetched ?? [];
  const cloned = clonesIn(context);
  if (before.length + cloned.length === 0) return;
  for (const invocation of context.facts.invocations) {
    const by = toActor(invocation);
    const sources = [
      ...before,
      ...cloned.filter(({ id }) => id < invocation.id).map(({ entry }) => entry),
    ].map(entry => entry.split("\n"));
    const started = [...startedFiles(invocation), ...foldersOfTasks(invocation)]
      .flatMap(word => targetsForWord(context, word, by, true))
      .flatMap(({ path }) => {
        const source = sources.find(([from = "/"]) => path !== undefined && isInside(from, path));
        return path === undefined || source === undefined ? [] : [{ path, what: `came from ${source[1]}` }];
      });
    for (const { path, what } of started.slice(0, 1))
      context.report("exec.session", by, path, { file: path, what });
  }
}

const PLACE_OPTION =
  /^(?:-C|-f|--(?:directory|prefix|cwd|dir|chdir|working-directory|manifest-path|project(?:-dir)?|makefile|file|rootdir))(=|$)/;

/** The folder or the file that a build, a test or an installation is pointed at, and whose files say what runs. */
function foldersOfTasks(invocation: Invocation): readonly Value[] {
  if (filesRunBy(invocation) === undefined) return [];
  return invocation.argv.flatMap((word, index) => {
    const [option, equals] = PLACE_OPTION.exec(knownPrefix(word)) ?? [];
    if (option === undefined) return [];
    const value = equals === "=" ? dropKnown(word, option.length) : invocation.argv[index + 1];
    return value === undefined ? [] : [value];
  });
}

/** `sh ~/Downloads/setup.run`, `dpkg -i /tmp/x.deb`: it came from elsewhere, and nobody of this session made it. */
function inspectPutAside(context: RuleContext): void {
  const { home } = context.workspace;
  for (const invocation of context.facts.invocations) {
    const by = toActor(invocation);
    for (const word of startedFiles(invocation))
      for (const { path } of targetsForWord(context, word, by, true)) {
        if (path === undefined) continue;
        const isMeant = isInside(join(home, "Downloads"), path) || PACKAGE_FILE.test(path);
        if (isMeant && isPutAside(path, context) && !isMadeHere(path, context))
          context.report("pkg.address", by, path, { what: "start or install what came from elsewhere" });
      }
  }
}

/** What a call would bring from other machines; a later call may run it. */
function fetchedIn(context: RuleContext): readonly string[] {
  const { facts, workspace } = context;
  const files = facts.writtenFiles.flatMap(({ path, content, invocation }) => {
    const place = knownText(path);
    const isFetched = content?.origins.some(({ kind }) => kind === "network") === true;
    if (place === undefined || !isFetched || workspace.disk.kind(place) === "directory") return [];
    const words = facts.invocations[invocation]?.argv.slice(1).map(describe) ?? [];
    const address = words.find(word => /^[\w+.-]+:|^[\w.-]+\.\w+\//.test(word)) ?? "another machine";
    return isLocalAddress(address)
      ? []
      : [`${workspace.disk.resolve(place, true)}\n${withoutQuery(address)}`];
  });
  return [...files, ...clonesIn(context).map(({ entry }) => entry)];
}

/** An address may hold a token behind its path or before its host. */
function withoutQuery(address: string): string {
  return clip(address.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//"), MAX_ADDRESS);
}

const MAX_ADDRESS = 200;

/** Repositories that git brings here, save those of whoever the project belongs to. */
function clonesIn(context: RuleContext): readonly { readonly id: number; readonly entry: string }[] {
  return context.effects.flatMap(effect => {
    if (effect.kind !== "git") return [];
    const { subcommand, options } = effect.run;
    const isModule = subcommand === "submodule" && knownText(options.operandValues[0] ?? text("")) === "add";
    if (subcommand !== "clone" && !isModule) return [];
    const [from, to] = options.operandValues.slice(isModule ? 1 : 0);
    const address = from === undefined ? "" : describe(from);
    if (!/^[\w+.-]+:\/\/|^[\w.-]+@[\w.-]+:/.test(address) || isLocalAddress(address)) return [];
    if (isOfProject(address, context)) return [];
    const folder = to ?? text(/([^/:]+?)(?:\.git)?\/*$/.exec(address)?.[1] ?? "");
    const id = effect.by.invocation?.id ?? 0;
    return targetsForWord(context, folder, effect.by, true).flatMap(({ path }) =>
      path === undefined ? [] : [{ id, entry: `${path}\n${withoutQuery(address)}` }],
    );
  });
}

function isOfProject(address: string, { workspace: { disk, project } }: RuleContext): boolean {
  const repository = project === undefined ? undefined : findRepository(disk, project);
  const owner = (url: string) => /[/:@]([\w.-]+)[/:]([\w.-]+)\/[^/]+?\/*$/.exec(url)?.slice(1, 3).join("/");
  const wanted = owner(address)?.toLowerCase();
  return (
    repository !== undefined &&
    wanted !== undefined &&
    listRemotes(disk, repository).some(url => owner(url)?.toLowerCase() === wanted)
  );
}

function isMadeHere(path: string, context: RuleContext): boolean {
  if (context.workspace.given.written?.()?.hasWritten(path) === true) return true;
  return context.effects.some(
    effect =>
      effect.kind === "write" &&
      targetsForWord(context, effect.path, effect.by, true).some(target => target.path === path),
  );
}

export const SEQUENCES = {
  name: "execution-network",
  rules: RULES,
  checks: [{ inspect: inspectSent, inspectWhole: inspectStarted }],
} satisfies RuleFamily;
