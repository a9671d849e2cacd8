import { directoryName } from "../../../shell/index.ts";
import {
  createChoice,
  type Datum,
  declare,
  firstValue,
  joined,
  knownDatumText,
  listDatum,
  listItems,
  listOptions,
  literal,
  mapText,
  reference,
  textDatum,
} from "../../meaning/datum.ts";
import { downloads, reads } from "../../meaning/effect-kinds.ts";
import {
  fileContent,
  fileHandle,
  networkOnly,
  noteLoss,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
  runWords,
  send,
} from "../../meaning/effects.ts";
import {
  allDescendants,
  anyName,
  type EvaluationContext,
  environmentDatum,
  isTrue,
  type LibraryFunction,
  select,
  someToken,
  toPattern,
  withArgument,
} from "../../meaning/evaluation-context.ts";
import { readMember } from "../../meaning/invoke.ts";

/** `subprocess.run(args, shell=…, cwd=…, input=…)` and its siblings. */
export const runsSubprocess = withArgument("0 args", (words, call, context) => {
  const cwd = select(call, "cwd");
  const stdin = select(call, "input") ?? networkOnly(select(call, "stdin"));
  if (!isTrue(select(call, "shell"))) return runWords(context, call, words, cwd, stdin);
  const scripts = listOptions(words).flatMap(option => listItems(option).slice(0, 1));
  return reference(
    `${call.name}()`,
    scripts.flatMap(script => noteShell(context, call, script, cwd)),
  );
});

/** `os.execlp(file, arg0, arg1 …)`: an environment may stand behind the words. */
export function startsWords(file: string, words: string): LibraryFunction {
  return withArgument(file, (program, call, context) => {
    const argv = listItems(select(call, words) ?? listDatum([])).filter(word => word.kind !== "record");
    const origins = noteSpawn(context, call, [program, ...argv], call.isOpenEnded, select(call, "cwd"));
    return reference(`${call.name}()`, origins);
  });
}

/** `pty.spawn("/bin/sh")`, `pexpect.spawn("ssh", [..])` */
export const spawnsTerminal = withArgument("0", (words, call, context) => {
  const rest = select(call, "1");
  if (rest?.kind !== "list") return runWords(context, call, words);
  return runWords(context, call, listDatum([words, ...rest.items], rest.isOpenEnded));
});

/** `sh.rm("-rf", "/")`: the attribute is the program. */
export const runsAttribute: LibraryFunction = (call, context) => {
  const argv = [literal(call.name.slice(call.name.lastIndexOf(".") + 1)), ...call.positional];
  return reference(`${call.name}()`, noteSpawn(context, call, argv, call.isOpenEnded));
};

/** `os.dup2(sock.fileno(), 0)` puts a socket in the place of stdin. */
export const duplicates = withArgument("0", (from, call, context) => {
  const isInput = (knownDatumText(select(call, "1")) ?? "0") === "0";
  if (isInput && networkOnly(from) !== undefined) context.standardInput = firstValue(from);
  return undefined;
});

/** `host.system("…")` */
export const runsWhenText = withArgument("0", (command, call, context) =>
  command.kind === "text" ? reference(`${call.name}()`, noteShell(context, call, command)) : undefined,
);

/** `os.open(path, flags)`: anything but a plain O_RDONLY may write. */
export const opensDescriptor = withArgument("0", (path, call, context) => {
  const flags = select(call, "1");
  if (flags?.kind === "reference" && flags.name === "os.O_RDONLY") noteRead(context, call, path);
  else noteWrite(context, call, path, false);
  return fileHandle(path);
});

/** `os.truncate(path)`, `os.ftruncate(descriptor)` */
export const truncates = withArgument("0 path fd", (target, call, context) =>
  noteWrite(context, call, target.kind === "reference" ? (target.receiver ?? target) : target, false),
);

const ENDINGS: Readonly<Record<string, string>> = { gztar: "tar.gz", bztar: "tar.bz2", xztar: "tar.xz" };

/** `shutil.make_archive(base, format, root)`: as the program of archives does it, the ending comes by itself. */
export const packs = withArgument("0 base_name", (base, call, context) => {
  const format = knownDatumText(select(call, "1 format")) ?? "zip";
  const archive = joined([base, literal(`.${ENDINGS[format] ?? format}`)]);
  const root = select(call, "2 root_dir") ?? literal(".");
  noteSpawn(context, call, [literal("zip"), literal("-r"), archive, root], false);
  return archive;
});

/** `dotenv_values()` finds the file by itself. */
export const readsVariables: LibraryFunction = (call, context) => {
  const path = select(call, "0 dotenv_path") ?? literal(".env");
  noteRead(context, call, path);
  return fileContent(path);
};

export const readsLines: LibraryFunction = (call, context) => {
  const content = reads("0 filename")(call, context);
  return content === undefined ? undefined : listDatum([content], true);
};

/** `urlretrieve` gives the name of the file, and headers. */
export const retrieves: LibraryFunction = (call, context) => {
  const answer = downloads("0 url", "1 filename")(call, context);
  return answer === undefined ? undefined : listDatum([select(call, "1 filename") ?? answer], true);
};

/** `urllib.request.Request(url, data=…)` speaks only when opened; the address and body travel with it. */
export const makesRequest = withArgument("0 url", (address, call) => {
  const rest = [select(call, "1 data"), select(call, "method")];
  return listDatum([address, ...rest.filter(datum => datum !== undefined)]);
});

export const opensAddress: LibraryFunction = (call, context) => {
  const [address = reference("address"), ...data] = listItems(select(call, "0 url") ?? reference("address"));
  return send(context, call, address, [...data, ...call.positional.slice(1), ...call.named.values()]);
};

/** `[p.kill() for p in psutil.process_iter()]` */
export const endsProcesses: LibraryFunction = (call, context) =>
  /process_iter\(\)\[\]/.test(call.name)
    ? noteLoss(context, call, "sys.kill", "end every process")
    : undefined;

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/;

/** `$HOME/x` inside a text, as `os.path.expandvars` reads it. */
export function expandVariables(path: Datum, context: EvaluationContext): Datum {
  const parts = firstValue(path).pieces.flatMap(piece => {
    if (piece.kind !== "text") return [textDatum({ pieces: [piece], origins: [] })];
    // Split at variables: text, name in braces, plain name, text …
    return piece.text.split(VARIABLE).flatMap((part: string | undefined, index) => {
      if (part === undefined) return [];
      return index % 3 === 0 ? [literal(part)] : [environmentDatum(context, part)];
    });
  });
  return joined(parts);
}

/** `os.walk(top)` and `Path.walk`: every directory below, with all names in it. */
export function walks(top: string, type: string): LibraryFunction {
  return call => {
    const directory = select(call, top) ?? literal(".");
    const names = (): Datum => listDatum([anyName("text")]);
    return listDatum([
      listDatum([createChoice([directory, allDescendants(directory, type)]), names(), names()]),
    ]);
  };
}

/** `Path(a).glob(pattern)`; `rglob` looks below. */
export function globs(prefix: string): LibraryFunction {
  return withArgument("this", (directory, call) => {
    const pattern = select(call, "0 pattern");
    if (pattern === undefined) return undefined;
    return joined([directory, literal("/"), toPattern(joined([literal(prefix), pattern]))], "path");
  });
}

export const globsText = withArgument("0 pathname", (pattern, call) => {
  const root = select(call, "root_dir");
  return toPattern(root === undefined ? pattern : joined([root, literal("/"), pattern]));
});

/** `path.with_suffix(".txt")`, `path.with_name("b")` */
export function withEnd(keep: (path: string) => string, between: string): LibraryFunction {
  return withArgument(
    "0",
    (end, call) => call.receiver && joined([mapText(call.receiver, keep), literal(between), end], "path"),
  );
}

const MAX_PARENTS = 16;

export function listParents(path: Datum): Datum {
  const parents: Datum[] = [];
  let parent = path;
  while (parents.length < MAX_PARENTS) {
    parent = mapText(parent, directoryName, "path");
    parents.push(parent);
  }
  return listDatum(parents);
}

const MAX_COUNTED = 16;

/** `range(3)`: few numbers are known, many are numbers. */
export const counts: LibraryFunction = call => {
  const bounds = call.positional.map(bound => Number(knownDatumText(bound)));
  const [from, to] = bounds.length === 1 ? [0, bounds[0]] : bounds;
  const isKnown = from !== undefined && to !== undefined && bounds.length < 3 && to - from <= MAX_COUNTED;
  if (!isKnown) return listDatum([someToken("range()")]);
  const length = Math.max(0, to - from);
  return listDatum(Array.from({ length }, (_, index) => literal(String(from + index))));
};

export const readsField = withArgument("this", (record, call) => {
  const key = knownDatumText(select(call, "0"));
  if (record.kind !== "record" || key === undefined) return undefined;
  return record.fields.get(key) ?? select(call, "1");
});

/** `getattr(os, "system")` */
export const readsAttribute = withArgument("0", (object, call, context) => {
  const name = knownDatumText(select(call, "1"));
  return name === undefined ? undefined : readMember(context, object, name);
});

/** `importlib.import_module("os.path")`, which answers with the last part of a dotted name. */
export const imports = withArgument("0", name => {
  const known = knownDatumText(name);
  return known === undefined ? undefined : reference(known);
});

/** `__import__("os.path")` answers with the first part, unless the call says what is wanted of the last one. */
export const importsFirst = withArgument("0", (name, call) => {
  const known = knownDatumText(name);
  if (known === undefined) return undefined;
  const isLast = select(call, "3 fromlist") !== undefined;
  return reference(isLast ? known : known.replace(/\..*$/s, ""));
});

/** `from os import *`: every name of that module that means something here. */
export const importsEverything: LibraryFunction = (call, context) => {
  const prefix = `${knownDatumText(select(call, "0")) ?? ""}.`;
  for (const path of [...context.language.functions.keys(), ...context.language.constants.keys()]) {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (name !== "" && !name.includes(".")) declare(context.globals, name, reference(path));
  }
  return undefined;
};

/** One member of an archive comes into the folder under its own name. */
export const extractsMember: LibraryFunction = (call, context) => {
  const member = select(call, "0 member");
  const folder = select(call, "1 path");
  if (member === undefined) return undefined;
  const path = folder === undefined ? member : joined([folder, literal("/"), member], "path");
  return noteWrite(context, call, path, false);
};
