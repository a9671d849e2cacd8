import {
  appendOutput,
  callEnvironment,
  concatenate,
  describe,
  dropKnown,
  findEnvironmentValue,
  type GitWords,
  joinPath,
  joinValues,
  knownPrefix,
  knownText,
  type Left,
  type Listing,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type Payload,
  type ProgramCall,
  type ProgramEffect,
  parseOptions,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  withOrigins,
  wordAt,
  words,
} from "../../shell/index.ts";
import { splitWords } from "../../system/index.ts";
import { payloads, sendEffect, stdinPayloads } from "../model/effects.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { isGitCommand, readGitOptions } from "./git-changes.ts";
import { repositoryRoot } from "./printing.ts";
import { runRemotely } from "./remote.ts";
import { effectsOfUpload, fieldPayload } from "./remote-copy.ts";

const BRINGS_HERE = "checkout clone download sync fork merge develop extension cp config alias auth repo";

/** Version control: what git runs and prints, and its words for rules that know repositories. */
export const versionControl: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("git", "readsNothing namesHosts dangerous guessed usesFiles ruledApart", {
      setBy: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_DIR GIT_WORK_TREE
        GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_EXEC_PATH GIT_EXTERNAL_DIFF
        GIT_TEMPLATE_DIR GIT_ATTR_SOURCE GIT_TRACE GIT_TRACE_SETUP GIT_TRACE_PERFORMANCE GIT_TRACE2 GIT_TRACE2_EVENT
        GIT_TRACE2_PERF XDG_CONFIG_HOME`,
      runsFiles: "hooks",
      reaches: `clone fetch fetch-pack pull push send-pack ls-remote remote submodule lfs annex svn p4 request-pull send-email
        imap-send daemon http-fetch http-push credential`,
      options: {
        flags: `-pPvh version help paginate no-pager bare no-replace-objects no-lazy-fetch no-optional-locks no-advice
          literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs html-path man-path info-path`,
        values: "-Cc git-dir work-tree namespace super-prefix config-env attr-source",
        optional: "exec-path list-cmds",
        abbreviates: false,
        stopsAtOperand: true,
      },
      // What its subcommands do is told by `git-complete.ts`, and what its settings start by those who know the disk.
      complete: { except: "exec-path config-env git-dir work-tree namespace super-prefix attr-source" },
      effects: effectsOfGit,
      lists: listFiles,
      // `annex` has rows below.
      isSubcommand: word => word === "annex" || isGitCommand(word),
      prints: ({ argv }) =>
        argv.length === 2 && argv[1] !== undefined && knownText(argv[1]) === "ls-files"
          ? { starts: [text(".")], isTracked: true }
          : undefined,
      run: runGit,
      harmless: { reads: "status log diff show rev-parse ls-files describe shortlog ls-tree" },
      shellVariables: `GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS
        GIT_PROXY_COMMAND PAGER EDITOR VISUAL SSH_ASKPASS`,
      operations: [
        "deploy.production push heroku|dokku*|piku*|production*|prod|prod-*|live|deploy*|*dokku@*|*@prod* | deploy to production | unless delete d | ask | stops git push heroku web | passes git push heroku --delete",

        "git.history lfs prune | delete stored files | unless dry-run d | stops git lfs prune | passes git lfs ls-files",
        "git.history lfs migrate import|export | rewrite history | stops git lfs migrate import --everything | passes git lfs migrate info",
        "git.history lfs fetch | delete stored files | needs prune p | stops git lfs fetch --prune | passes git lfs fetch",
        "git.history annex drop|dropunused|uninit|dead|forget|unannex | delete stored content | stops git annex drop --force a | passes git annex whereis a",
        "sec.keychain credential-* get | show stored credentials | stops git credential-osxkeychain get | passes git credential-osxkeychain erase",
        "sec.keychain credential fill | show stored credentials | stops git credential fill web | passes git credential list web",
      ],
    }),
    program("", "", { pattern: /^git-[a-z]/, effects: effectsOfPlumbing }),
    program("gh", "dangerous readsNothing changesMore usesFiles", {
      bringsHere: BRINGS_HERE,
      options: FORGE_OPTIONS,
      effects: call => [...effectsOfUpload(call), ...publishedTexts(call)],
      run: runRemotely,
      shellVariables: "PAGER EDITOR VISUAL BROWSER",
      operations: [
        "deploy.production workflow run | start a deploy | stops gh workflow run web | passes gh workflow list web",
        "deploy.production release create|edit | release | stops gh release create web | passes gh release list web",
        "deploy.merge pr|mr merge|accept | merge past the checks | needs admin skip-checks auto-merge=false | stops gh pr merge web --admin | passes gh pr merge web",
        "deploy.merge pr|mr review|approve | approve its own work | needs approve a | stops gh pr review web --approve | passes gh pr review web",
        "grant.access repo deploy-key|collaborator|members add | give rights | stops gh repo deploy-key add web | passes gh repo deploy-key list web",
        "grant.access deploy-key|org|token add|create|invite|import | give rights | stops gh deploy-key add web | passes gh deploy-key list",
        "grant.access auth refresh|login | widen the rights of the token | needs s scopes | stops gh auth refresh web -s | passes gh auth refresh web",
        "grant.access api *collaborators*|*memberships*|*/keys|*/invitations|*/members|*/members/*|*/teams/*|*/hooks|*/deploy_keys|user/keys | give rights | needs method=PUT method=POST method=put method=post f F field raw-field | stops gh api collaborators web --method PUT | passes gh api collaborators web",
        "grant.protection api *protection*|*protected_branches*|*rulesets*|*vulnerability-alerts*|*automated-security-fixes*|*secret-scanning* | lift a protection | needs method=PUT method=PATCH method=DELETE method=POST | stops gh api protection web --method PUT | passes gh api protection web",
        "cloud.repository api repos/* | change what belongs to others | needs f=force?true F=force?true f=archived?true F=archived?true f=new_owner* F=new_owner* raw-field=force?true field=force?true | stops gh api repos/x web -f force=true | passes gh api repos/x web",

        "cloud.repository repo|release|secret|variable|run|workflow|issue|gist|label|environment|ssh-key|gpg-key|codespace|project|ruleset delete|remove|delete-* | delete it on the forge | stops gh repo delete web | passes gh repo list web",
        "cloud.repository issue|pr close|lock|transfer | do it to a whole list | of unknown | stops gh issue close $(cat x) | passes gh issue close 12",
        "pkg.address extension|ext install | install a program from a repository | safer gh extension list | stops gh extension install a/b | passes gh extension list",
        "cloud.repository workflow disable | switch a workflow off | stops gh workflow disable web | passes gh workflow list web",
        "grant.protection api repos/*|orgs/* | switch a protection of the forge off | needs f=security_and_analysis*disabled F=security_and_analysis*disabled raw-field=security_and_analysis*disabled field=security_and_analysis*disabled f=*_enabled_for_new_repositories?false F=*_enabled_for_new_repositories?false | stops gh api repos/x web -f security_and_analysis.status:disabled | passes gh api repos/x web",
        "cloud.repository api graphql | delete through the interface of the forge | needs f=*mutation*[dD]elete* raw-field=*mutation*[dD]elete* F=*mutation*[dD]elete* field=*mutation*[dD]elete* f=*mutation*[dD]estroy* | stops gh api graphql web -f mutationxdelete | passes gh api graphql web",
        "cloud.repository repo archive | archive the repository | stops gh repo archive web | passes gh repo list web",
        "cloud.repository repo edit | change who can see the repository | needs visibility | stops gh repo edit web --visibility | passes gh repo edit web",
        "cloud.repository api | delete through the interface of the forge | needs method=DELETE method=delete | stops gh api web --method DELETE | passes gh api web",
        "cloud.public repo create | make a public repository | needs public visibility=public | safer gh repo create --private | stops gh repo create web --public",
        "cloud.public api | make a repository public | needs f=visibility?public F=visibility?public f=private?false F=private?false raw-field=visibility?public field=private?false | stops gh api web -f visibility=public | passes gh api web",
        "cloud.public gist create | publish a gist | needs public p | safer gh gist list | stops gh gist create web --public",
        "publish release create|upload | publish a release | unless draft d | safer gh release list | stops gh release create",
        "publish release edit | publish a release | needs draft=false | safer gh release list | stops gh release edit v1 --draft=false",
        "sec.keychain auth token | show the token of GitHub | stops gh auth token web | passes gh auth list web",
        "sec.keychain auth status | show the token of GitHub | needs t show-token | stops gh auth status web -t | passes gh auth status web",
      ],
    }),
    program("glab", "readsNothing changesMore", {
      bringsHere: BRINGS_HERE,
      options: FORGE_OPTIONS,
      effects: publishedTexts,
      operations: [
        "deploy.production workflow run | start a deploy | stops glab workflow run web | passes glab workflow list web",
        "deploy.production release create|edit | release | stops glab release create web | passes glab release list web",
        "deploy.merge pr|mr merge|accept | merge past the checks | needs admin skip-checks auto-merge=false | stops glab pr merge web --admin | passes glab pr merge web",
        "grant.access repo deploy-key|collaborator|members add | give rights | stops glab repo deploy-key add web | passes glab repo deploy-key list web",
        "grant.access deploy-key|org|token add|create|invite|import | give rights | stops glab deploy-key add web | passes glab deploy-key list",
        "grant.access auth refresh|login | widen the rights of the token | needs s scopes | stops glab auth refresh web -s | passes glab auth refresh web",
        "grant.access api *collaborators*|*memberships*|*/keys|*/invitations|*/members|*/members/*|*/teams/*|*/hooks|*/deploy_keys|user/keys | give rights | needs method=PUT method=POST method=put method=post | stops glab api collaborators web --method PUT | passes glab api collaborators web",
        "grant.protection api *protection*|*protected_branches*|*rulesets*|*vulnerability-alerts*|*automated-security-fixes*|*secret-scanning* | lift a protection | needs method=PUT method=PATCH method=DELETE method=POST | stops glab api protection web --method PUT | passes glab api protection web",
        "grant.access repo|project|group members|member add|update | give rights | stops glab repo members add web | passes glab repo members list web",
        "cloud.repository api *archive|*transfer|*unprotect | change what belongs to others | needs method=POST method=PUT | stops glab api archive web --method POST | passes glab api archive web",

        "cloud.repository repo|release|secret|variable|run|workflow|issue|gist|label|environment|ssh-key|gpg-key|codespace|project|ruleset delete|remove|delete-* | delete it on the forge | stops glab repo delete web | passes glab repo list web",
        "cloud.repository api graphql | delete through the interface of the forge | needs f=*mutation*[dD]elete* raw-field=*mutation*[dD]elete* F=*mutation*[dD]elete* field=*mutation*[dD]elete* f=*mutation*[dD]estroy* | stops glab api graphql web -f mutationxdelete | passes glab api graphql web",
        "cloud.repository api | delete through the interface of the forge | needs method=DELETE method=delete | stops glab api web --method DELETE | passes glab api web",
        "cloud.public repo create | make a public repository | needs public visibility=public | safer gh repo create --private | stops glab repo create web --public",
        "cloud.public api | make a repository public | needs f=visibility?public F=visibility?public f=private?false F=private?false raw-field=visibility?public field=private?false | stops glab api web -f visibility=public | passes glab api web",
        "cloud.public snippet create | publish a snippet | needs visibility=public | stops glab snippet create web --visibility public | passes glab snippet create web",
        "publish release create|upload | publish a release | unless draft d | safer gh release list | stops glab release create",
        "sec.keychain auth token | show the token of GitLab | stops glab auth token web | passes glab auth list web",
      ],
    }),
  ],
};

/** Configuration that names a program to run. */
const PROGRAM_KEYS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|diff\.external|credential\.(?:.*\.)?helper|pager\..+|(?:diff|merge)\..+\.(?:textconv|command|driver)|(?:diff|merge)tool\..+\.cmd|gpg\.(?:.*\.)?program|filter\..+\.(?:clean|smudge|process)|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack))$/i;

function runGit(call: ParsedCall): Output {
  const { options } = call;
  const inner: ProgramCall = { ...call, cwd: gitDirectory(options, call.cwd) };
  const [subcommand, ...rest] = call.operands;
  const name = subcommand === undefined ? undefined : knownText(subcommand);
  let output: Output = [gitOutput(name, rest, inner)];
  for (const setting of options.valuesOf("c")) {
    const { key, value } = splitSetting(setting);
    if (PROGRAM_KEYS.test(key)) output = appendOutput(output, runSetting(value, inner));
    if (name !== undefined && key.toLowerCase() === `alias.${name.toLowerCase()}`)
      output = appendOutput(output, runAlias(value, rest, inner));
  }
  const alias = name === undefined ? undefined : call.scope.state.aliases.get(`git ${name}`);
  if (alias !== undefined) output = appendOutput(output, runAlias(text(alias), rest, inner));
  for (const word of rest) output = appendOutput(output, runTransport(word, inner));
  return appendOutput(output, runSubcommand(name, rest, inner));
}

/** `ext::sh -c …` as a repository is a command; `% ` is a blank in it. */
function runTransport(word: Value, call: ProgramCall): Output {
  const known = knownText(word);
  if (known === undefined || !known.startsWith("ext::")) return NO_OUTPUT;
  return runString(text(known.slice(5).replaceAll("% ", "\\ ").replaceAll("%%", "%")), call);
}

/** `-C a -C b`: each relative to the one before. */
function gitDirectory(parsed: ParsedOptions, cwd: Value): Value {
  return parsed.valuesOf("C").reduce((directory, value) => joinPath(directory, value), cwd);
}

function splitSetting(setting: Value): { readonly key: string; readonly value: Value } {
  const prefix = knownPrefix(setting);
  const equals = prefix.indexOf("=");
  if (equals < 0) return { key: prefix, value: text("true") };
  return { key: prefix.slice(0, equals), value: dropKnown(setting, equals + 1) };
}

/** A helper may start with `!`; a plain word is a program name or a harmless setting. */
function runSetting(value: Value, call: ProgramCall): Output {
  const written = knownPrefix(value);
  if (/^(?:true|false|cat|less|[01])?$/.test(knownText(value) ?? " ")) return NO_OUTPUT;
  return runString(written.startsWith("!") ? dropKnown(value, 1) : value, call);
}

/** `!cmd` is shell text with the arguments behind it; anything else is a git command line. */
function runAlias(value: Value, rest: readonly Value[], call: ProgramCall): Output {
  if (!knownPrefix(value).startsWith("!")) {
    const alias = (knownText(value) ?? "").split(/\s+/).filter(word => word !== "");
    return alias.length === 0 ? [] : runInner([text("git"), ...alias.map(word => text(word)), ...rest], call);
  }
  return runString(joinValues([dropKnown(value, 1), ...rest], " "), call);
}

function runSubcommand(name: string | undefined, rest: readonly Value[], call: ProgramCall): Output {
  if (name === "submodule" && rest.some(word => knownText(word) === "foreach")) {
    const at = rest.findIndex(word => knownText(word) === "foreach");
    const operands = parseOptions(
      rest,
      { flags: "-q recursive quiet", stopsAtOperand: true },
      at + 1,
    ).operandValues;
    const inner = { ...call, cwd: concatenate([call.cwd, text("/"), unknown("any", "$sm_path")]) };
    return operands.length === 1 && operands[0] !== undefined
      ? runString(operands[0], inner)
      : runInner(operands, inner);
  }
  if (name === "bisect" && knownText(wordAt(rest, 0)) === "run") return runInner(rest.slice(1), call);
  if (name === "config") rememberAlias(rest, call);
  const spec = name !== undefined && Object.hasOwn(STRING_OPTIONS, name) ? STRING_OPTIONS[name] : undefined;
  if (spec === undefined) return NO_OUTPUT;
  return parseOptions([text("git"), ...rest], { values: `${spec} m F C c` })
    .valuesOf(...words(spec))
    .map(code => runString(code, call))
    .reduce(appendOutput, NO_OUTPUT);
}

/** Options of subcommands whose value is run by a shell. */
const STRING_OPTIONS: Readonly<Record<string, string>> = {
  rebase: "x exec",
  "filter-branch": `env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter setup`,
  clone: "u upload-pack",
  fetch: "upload-pack",
  pull: "upload-pack",
  "ls-remote": "upload-pack exec",
  push: "receive-pack exec",
  difftool: "x extcmd",
  grep: "O open-files-in-pager",
};

/** `git config alias.x '!cmd'; git x` in one command. */
function rememberAlias(rest: readonly Value[], call: ProgramCall): void {
  const operands = parseOptions([text("config"), ...rest], {
    flags: "global local system add set",
    values: "-f file",
  }).operandValues;
  const at = operands.findIndex(word => /^alias\./i.test(knownText(word) ?? ""));
  const key = knownText(wordAt(operands, at));
  const value = knownText(wordAt(operands, at + 1));
  if (at >= 0 && key !== undefined && value !== undefined && value !== "")
    call.scope.state.aliases.set(`git ${key.slice("alias.".length)}`, value);
}

/** Output that other commands use: the root is a path, object names are tokens, an archive is from elsewhere. */
function gitOutput(name: string | undefined, rest: readonly Value[], call: ProgramCall): Value {
  const words = rest.map(word => knownText(word) ?? "");
  const line = (value: Value) => concatenate([value, text("\n")]);
  if (name === "rev-parse") {
    if (words.includes("--show-toplevel")) return line(repositoryRoot(call));
    if (words.includes("--git-dir") || words.includes("--absolute-git-dir"))
      return line(concatenate([repositoryRoot(call), text("/.git")]));
    if (words.includes("--show-prefix") || words.includes("--show-cdup") || words.includes("--abbrev-ref"))
      return unknownOutput(call);
    return line(unknown("token", `$(git rev-parse ${words.join(" ")})`));
  }
  if (name === "merge-base" || name === "hash-object" || name === "write-tree" || name === "commit-tree")
    return line(unknown("token", `$(git ${name})`));
  const isRemote = name === "archive" && words.some(word => word.startsWith("--remote"));
  return isRemote
    ? withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }])
    : unknownOutput(call);
}

/** `git ls-files`: what git knows, or with -i what it ignores. */
function listFiles({ operands, options: { operands: places }, argv }: ParsedCall): Listing | undefined {
  const subcommand = operands[0] === undefined ? undefined : knownText(operands[0]);
  const start = places[0]?.index ?? 0;
  const shown = argv.slice(start + 1).map(describe);
  const has = (option: RegExp) => shown.some(word => option.test(word));
  switch (subcommand) {
    case "ls-files": {
      const isIgnored = has(/^(?:-(?=[\s\S]*i)[a-z]+|--ignored)$/);
      const isOther = has(/^(?:-(?=[\s\S]*o)[a-z]+|--others)$/);
      const leaves: readonly Left[] =
        isIgnored || (isOther && !has(/^--exclude-standard$/)) ? [] : isOther ? ["ignored"] : ["untracked"];
      return {
        ...listedBy(argv.slice(start + 1)),
        selection: isIgnored ? "regenerable" : "some",
        leaves,
      };
    }
    // What is told of these can be shown by name; what is deleted by such a list is judged as before.
    case "check-ignore":
      return { ...listedBy(argv.slice(start + 1)), selection: "regenerable" };
    case "clean":
      return has(/^(?:-[a-z]*n[a-zA-Z]*|--dry-run)$/)
        ? { ...listedBy([]), selection: "some", leaves: has(/^-[a-z]*[xX]/) ? [] : ["ignored"] }
        : undefined;
    case "status":
      return { ...listedBy([]), selection: "some", leaves: has(/^--ignored/) ? [] : ["ignored"] };
    default:
      return undefined;
  }
}

/** Names and folders that a list is asked for. */
function listedBy(argv: readonly Value[]): Pick<Listing, "starts" | "names"> {
  const named = argv.filter(word => !knownPrefix(word).startsWith("-"));
  const shown = named.map(describe);
  if (shown.length > 0 && shown.every(word => /[*?[]/.test(word)))
    return { starts: [text(".")], names: shown.map(word => word.slice(word.lastIndexOf("/") + 1)) };
  return {
    starts: named.length === 0 || shown.some(word => /[*?[]/.test(word)) ? [text(".")] : named,
    names: [],
  };
}

/** The subcommand with its words; nothing when git only tells about itself. */
function effectsOfGit(call: ParsedCall): readonly ProgramEffect[] {
  const { options, argv } = call;
  const [first] = options.operands;
  const subcommand = first === undefined ? undefined : knownText(first.value);
  if (first === undefined || subcommand === undefined) return [];
  const rest = argv.slice(first.index);
  const own = readGitOptions(subcommand, rest);
  // `git clone -c key=value` keeps the setting in the new repository.
  const cloned = /^(clone|init)$/.test(subcommand) ? own.valuesOf("c", "config") : [];
  const given = [...options.valuesOf("c"), ...cloned].map(value => describe(value));
  const settings = [
    ...environmentSettings(call),
    ...given.map(splitWritten),
    ...options.valuesOf("config-env").map(value => splitWritten(describe(value).replace("=", "=$"))),
  ];
  const words: GitWords = {
    subcommand,
    argv: rest,
    options: own,
    settings,
    directory: gitDirectory(options, call.cwd),
    gitDirectory: options.valueOf("git-dir") ?? findEnvironmentValue(call, "GIT_DIR"),
    workTree: options.valueOf("work-tree") ?? findEnvironmentValue(call, "GIT_WORK_TREE"),
  };
  return [{ kind: "git", words }];
}

function effectsOfPlumbing(call: ParsedCall): readonly ProgramEffect[] {
  const argv = [text(call.program.slice("git-".length)), ...call.argv.slice(1)];
  const [first = text("")] = argv;
  const settings = environmentSettings(call);
  const subcommand = describe(first);
  const words: GitWords = {
    subcommand,
    argv,
    options: readGitOptions(subcommand, argv),
    settings,
    directory: call.cwd,
    gitDirectory: findEnvironmentValue(call, "GIT_DIR"),
    workTree: findEnvironmentValue(call, "GIT_WORK_TREE"),
  };
  return [{ kind: "git", words }];
}

/** `GIT_CONFIG_KEY_0` with its value, and the quoted list in `GIT_CONFIG_PARAMETERS`. */
function environmentSettings(call: ProgramCall): GitWords["settings"] {
  const entries = callEnvironment(call);
  return entries.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    const number = /^GIT_CONFIG_KEY_(\d{1,4})$/.exec(name)?.[1];
    if (number !== undefined) {
      const given = entries.find(entry => entry.name === `GIT_CONFIG_VALUE_${number}`)?.value;
      return [{ key: describe(value).toLowerCase(), value: given === undefined ? "" : describe(given) }];
    }
    return name === "GIT_CONFIG_PARAMETERS" ? splitWords(describe(value)).map(splitWritten) : [];
  });
}

function splitWritten(written: string): { key: string; value: string } {
  const equals = written.indexOf("=");
  if (equals < 0) return { key: written.toLowerCase(), value: "true" };
  return { key: written.slice(0, equals).toLowerCase(), value: written.slice(equals + 1) };
}

const FORGE_OPTIONS: OptionGrammar = {
  values: `-bntlamBfFqRH method|X body body-file title notes notes-file repo label assignee milestone raw-field field input
    head base header jq template hostname org env visibility s|scopes`,
  flags:
    "-ypd yes help|h paginate cleanup-tag confirm show-token public draft admin skip-checks auto-merge approve",
  shortEquals: true,
  abbreviates: false,
};

/** Texts that everybody can read afterwards: bodies, comments and notes on the forge. */
function publishedTexts(call: ParsedCall): readonly ProgramEffect[] {
  const { options, argv } = call;
  const line = argv.slice(1, 3).map(describe).join(" ");
  if (!/^(issue|pr|mr|release|discussion|variable|api) ?/.test(line)) return [];
  const isApi = line.startsWith("api");
  const sent: readonly Payload[] = [
    ...payloads("body", options.valuesOf("b", "body", "t", "title", "n", "notes")),
    ...payloads("file", options.valuesOf("body-file", "notes-file", "input", ...(isApi ? [] : ["F"]))),
    ...(isApi ? options.valuesOf("f", "F", "raw-field", "field") : []).map(fieldPayload),
  ];
  const isStdinNamed = sent.some(({ value, role }) => role === "file" && knownText(value) === "-");
  return sendEffect(undefined, isStdinNamed ? [...sent, ...stdinPayloads(call)] : sent);
}
