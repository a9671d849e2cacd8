import {
  appendOutput,
  dropKnown,
  type EnvironmentEntry,
  joinPath,
  joinValues,
  knownPrefix,
  knownText,
  type Mount,
  NO_OUTPUT,
  normalisePath,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type Place,
  type ProgramCall,
  parseOptions,
  runInNewShell,
  runInner,
  splitAssignment,
  text,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { runString, splitString } from "../model/run.ts";
import { hostPaths } from "./containers.ts";

const ENV_OPTIONS: OptionGrammar = {
  flags: "-0v i|ignore-environment null debug list-signal-handling help version",
  values: "-Pa u|unset C|chdir S|split-string argv0",
  optional: "block-signal default-signal ignore-signal",
  stopsAtOperand: true,
};

/** `env`: assignments, options, and `-S`, whose text is split into more words of `env` itself. */
export const environment: Field = {
  tellsChanges: true,
  programs: () => [
    program("env", "readsNothing gnu", {
      options: ENV_OPTIONS,
      complete: { only: "0 null i ignore-environment u help version" },
      run: call => runEnv(call, call.options, 0),
    }),
    program("printenv", "readsNothing", { options: { flags: "-0 null help version" }, complete: true }),
  ],
};

function runEnv(call: ProgramCall, parsed: ParsedOptions, splits: number): Output {
  const split = parsed.options.find(option => option.name === "S" && option.value !== undefined);
  if (split?.value !== undefined && splits < 8) {
    const isNextWord = split.value === call.argv[split.index + 1];
    const rest = call.argv.slice(split.index + (isNextWord ? 2 : 1));
    const bundled = parsed.options.some(option => option.index === split.index && option.name === "i")
      ? [text("-i")]
      : [];
    const argv = [...call.argv.slice(0, split.index), ...bundled, ...splitString(split.value), ...rest];
    return runEnv({ ...call, argv }, parseOptions(argv, ENV_OPTIONS), splits + 1);
  }
  let index = parsed.operands[0]?.index ?? call.argv.length;
  const environment: EnvironmentEntry[] = parsed
    .valuesOf("u")
    .map(value => ({ name: knownText(value) ?? "?", value: undefined }));
  let isCleared = parsed.has("i");
  for (; index < call.argv.length; index += 1) {
    const word = wordAt(call.argv, index);
    if (knownText(word) === "-") isCleared = true;
    else {
      const entry = splitAssignment(word) ?? splitFunction(word) ?? manyAssignments(word, index, call);
      if (entry?.value === undefined) break;
      environment.push(entry);
    }
  }
  const directory = parsed.valueOf("C");
  const argv = call.argv.slice(index);
  if (argv.length === 0) return [unknownOutput(call)];
  return runInner(argv, call, {
    environment: [...(isCleared ? [] : call.environment), ...environment],
    isCleared: call.isCleared || isCleared,
    cwd: directory === undefined ? call.cwd : joinPath(call.cwd, directory),
  });
}

/** `env $(cat .env) cmd`: words that are not known, in front of a program that is. */
function manyAssignments(word: Value, index: number, { argv }: ProgramCall): EnvironmentEntry | undefined {
  const isMany =
    word.pieces.every(piece => piece.kind === "unknown" && piece.mayBeMany) &&
    word.origins.some(({ kind }) => kind === "program" || kind === "file");
  return isMany && index + 1 < argv.length ? { name: "*", value: word } : undefined;
}

/** `BASH_FUNC_name%%='() { … }'` is how bash hands functions to its children. */
function splitFunction(word: Value): EnvironmentEntry | undefined {
  const name = /^(BASH_FUNC_[^=]+%%)=/.exec(knownPrefix(word))?.[1];
  return name === undefined ? undefined : { name, value: dropKnown(word, name.length + 1) };
}

const SU: OptionGrammar = {
  flags: "-lmpfP login fast preserve-environment pty",
  values: "-sgGw u|user c|command|session-command shell group supp-group whitelist-environment",
};

/** Programs that run a shell, or one command, under another account. */
export const accounts: Field = {
  tellsChanges: true,
  programs: () => [
    program("su", "readsNothing dangerous", { options: SU, run: runAs }),
    program("runuser", "readsNothing", {
      options: SU,
      run(call) {
        if (!call.options.has("u")) return runAs(call);
        const argv = parseOptions(call.argv, { ...SU, stopsAtOperand: true }).operandValues;
        return runInner(argv, call, { isElevated: true });
      },
    }),
    program("sg", "readsNothing", {
      options: { flags: "l", values: "c" },
      run(call) {
        const code = call.options.valueOf("c") ?? call.operands[1];
        if (code === undefined) return runInner([text("sh")], call);
        return runInNewShell(code, call, { from: "argument", via: "shell" }, { stdin: call.stdin });
      },
    }),
  ],
};

/** `su [-] [user] -c TEXT`; without -c a shell that reads stdin, or gets the words behind the user. */
function runAs(call: ParsedCall): Output {
  const code = call.options.valueOf("c");
  if (code !== undefined) {
    const elevated = { ...call, isElevated: true };
    return runInNewShell(code, elevated, { from: "argument", via: "shell" }, { stdin: call.stdin });
  }
  const words = call.operands.filter(value => knownText(value) !== "-");
  return runInner([text("sh"), ...words.slice(1)], call, { isElevated: true });
}

/** Programs that give another one a file system of its own. */
export const isolation: Field = {
  tellsChanges: true,
  programs: () => [
    program("chroot", "readsNothing gnu", {
      options: { flags: "skip-chdir", values: "-ugG userspec groups", stopsAtOperand: true },
      run: runChroot,
    }),
    program("bwrap", "readsNothing", { run: runBubblewrap }),
  ],
};

function runChroot(call: ParsedCall): Output {
  const [root, ...words] = call.operands;
  if (root === undefined) return [unknownOutput(call)];
  const roots = hostPaths(call.place, joinPath(call.cwd, root));
  const mounts = roots.map((host): Mount => ({ host, inside: text("/"), isReadOnly: false }));
  const argv = words.length === 0 ? [text("sh")] : words;
  const place: Place =
    call.place.kind === "remote" ? call.place : { kind: "container", via: "chroot", mounts };
  return runInner(argv, call, { place, cwd: text("/") });
}

/** bwrap: `--bind HOST INSIDE` and its relatives, then the program. */
function runBubblewrap(call: ParsedCall): Output {
  const mounts: Mount[] = [];
  let index = 1;
  while (index < call.argv.length) {
    const option = knownText(wordAt(call.argv, index));
    if (option === undefined || !option.startsWith("--")) break;
    const bind = /^--(ro-|dev-)?bind(?:-try)?$/.exec(option);
    if (bind !== null) {
      const [host, inside] = call.argv.slice(index + 1, index + 3);
      if (host !== undefined && inside !== undefined)
        mounts.push({
          host: joinPath(call.cwd, host),
          inside: normalisePath(inside),
          isReadOnly: bind[1] === "ro-",
        });
      index += 3;
    } else if (option === "--") {
      index += 1;
      break;
    } else
      index += /^--(?:setenv|symlink|file|bind-data|ro-bind-data|chmod)$/.test(option)
        ? 3
        : /^--(?:unshare|share|die-with|new-session|clearenv|as-pid-1)/.test(option)
          ? 1
          : 2;
  }
  return runInner(call.argv.slice(index), call, { place: { kind: "container", via: "bwrap", mounts } });
}

/** tmux and screen: commands for another terminal. */
export const terminals: Field = {
  programs: () => [
    program("tmux", "readsNothing", {
      options: { flags: "-2CDlNuvV", values: "-cfLST", stopsAtOperand: true },
      run: runTmux,
      operations: [
        "sys.kill kill-server | end every session and what runs in it | safer tmux ls | stops tmux kill-server | passes tmux kill-session -t build",
        "sys.cron set-hook | make something start automatically | stops tmux set-hook -g x y | passes tmux ls",
        "sys.kill kill-session | end every other session | needs a | safer tmux ls | stops tmux kill-session -a | passes tmux kill-session -t build",
      ],
    }),
    program("screen", "readsNothing", {
      options: { flags: "-aAdDfiLmOqrRUvwxX", values: "-cehpsStT", stopsAtOperand: true },
      run: runScreen,
    }),
  ],
};

/** How the subcommands that run something take it; values are options with a word. */
const TMUX: readonly {
  readonly names: RegExp;
  readonly grammar: OptionGrammar;
  readonly kind: "string" | "keys" | "condition";
}[] = [
  {
    names:
      /^(?:new(?:-session)?|neww|new-window|splitw?|split-window|respawnp|respawn-pane|respawnw|respawn-window|display-popup|popup)$/,
    grammar: { flags: "-AdDEPXbfhvIZakKBCSl", values: "-cefFnstxyTwh", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:run|run-shell|pipep|pipe-pane)$/,
    grammar: { flags: "-bCIOo", values: "-cdt", stopsAtOperand: true },
    kind: "string",
  },
  {
    names: /^(?:if|if-shell)$/,
    grammar: { flags: "-bF", values: "-t", stopsAtOperand: true },
    kind: "condition",
  },
  {
    names: /^(?:send|send-keys)$/,
    grammar: { flags: "-FHKlMRX", values: "-cNt", stopsAtOperand: true },
    kind: "keys",
  },
];

const KEYS = /^(?:Enter|C-[a-z]|KPEnter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|C-m|q)$/;

function runTmux(call: ParsedCall): Output {
  return splitAtSemicolons(call.operands)
    .map(words => runTmuxCommand(words, call))
    .reduce(appendOutput, NO_OUTPUT);
}

function runTmuxCommand(words: readonly Value[], call: ParsedCall): Output {
  const name = knownText(wordAt(words, 0)) ?? "";
  const entry = TMUX.find(one => one.names.test(name));
  if (entry === undefined) return NO_OUTPUT;
  const parsed = parseOptions(words, entry.grammar);
  const rest = parsed.operandValues;
  const [first] = rest;
  const directory = entry.kind === "string" ? parsed.valueOf("c") : undefined;
  const inner = { ...call, cwd: directory === undefined ? call.cwd : joinPath(call.cwd, directory) };
  if (first === undefined) return NO_OUTPUT;
  if (entry.kind === "keys") {
    const typed = rest.filter(word => !KEYS.test(knownText(word) ?? ""));
    return runString(joinValues(typed, " "), inner);
  }
  return entry.kind === "condition" || rest.length === 1 ? runString(first, inner) : runInner(rest, inner);
}

function splitAtSemicolons(words: readonly Value[]): readonly (readonly Value[])[] {
  const lists: Value[][] = [[]];
  for (const word of words) {
    if (knownText(word) === ";") lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists;
}

function runScreen(call: ParsedCall): Output {
  const { operands } = call;
  if (!call.options.has("X")) return operands.length === 0 ? [unknownOutput(call)] : runInner(operands, call);
  const [command, ...rest] = operands;
  const name = knownText(command ?? text(""));
  if (name === "stuff") return runString(joinValues(rest.map(typeOut), " "), call);
  return name === "exec" || name === "screen" ? runInner(rest, call) : [unknownOutput(call)];
}

/** `stuff` knows `\n` and `^M` for Return. */
function typeOut(word: Value): Value {
  const known = knownText(word);
  return known === undefined ? word : text(known.replace(/\\(?:n|r|015|012)|\^M/g, "\n"), word.origins);
}
