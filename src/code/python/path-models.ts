import { baseName, directoryName } from "../../shell/paths.ts";
import { knownPrefix } from "../../shell/value.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  choiceOf,
  firstValue,
  joined,
  listDatum,
  literal,
  mapped,
  optionsOf,
  textDatum,
} from "../meaning/datum.ts";
import { argument, changes, passesReceiver } from "../meaning/models.ts";
import {
  absolute,
  anyName,
  childrenOf,
  joinsPath,
  normalised,
  patternOf,
  temporaryPath,
} from "../meaning/path-values.ts";
import type { Model, Run } from "../meaning/run.ts";
import { currentDirectory, environmentDatum, homeDatum } from "../meaning/run.ts";
import { expandTilde } from "../meaning/tilde.ts";

type Rows = readonly (readonly [string, Model])[];

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** `$HOME/x` inside a text, as `os.path.expandvars` reads it. */
function expandVariables(run: Run, path: Datum): Datum {
  const parts = firstValue(path).pieces.flatMap(piece => {
    if (piece.kind !== "text") return [textDatum({ pieces: [piece], origins: [] })];
    const found: Datum[] = [];
    let start = 0;
    for (const match of piece.text.matchAll(VARIABLE)) {
      found.push(
        literal(piece.text.slice(start, match.index)),
        environmentDatum(run, match[1] ?? match[2] ?? ""),
      );
      start = match.index + match[0].length;
    }
    return [...found, literal(piece.text.slice(start))];
  });
  return joined(parts);
}

function onArgument(change: (run: Run, path: Datum) => Datum): Model {
  return (call, run) => {
    const path = call.positional[0] ?? call.receiver;
    return path === undefined ? undefined : change(run, path);
  };
}

function typed(datum: Datum, type: string): Datum {
  return choiceOf(
    optionsOf(datum).map(option =>
      option.kind === "text" ? { ...option, type } : textDatum(firstValue(option), type),
    ),
  );
}

/** `os.walk(top)` and `Path.walk`: every directory below, with all names in it. */
function walk(directory: Datum, type: string): Datum {
  const below = choiceOf([directory, typed(joined([directory, patternOf(literal("/**"))]), type)]);
  const names = (): Datum => listDatum([anyName("text")], false);
  return listDatum([listDatum([below, names(), names()])]);
}

const makesPath: Model = (call, run) => {
  const joinedPath = joinsPath("path")(call, run);
  return joinedPath === undefined ? literal(".") : typed(joinedPath, "path");
};

/** `Path(a).glob(pattern)`; `rglob` looks below. */
function globs(prefix: string): Model {
  return call => {
    const pattern = argument(call, 0, "pattern");
    if (call.receiver === undefined || pattern === undefined) return undefined;
    return typed(
      joined([call.receiver, literal("/"), patternOf(joined([literal(prefix), pattern]))]),
      "path",
    );
  };
}

const globsText: Model = call => {
  const pattern = argument(call, 0, "pathname");
  if (pattern === undefined) return undefined;
  const root = call.named.get("root_dir");
  const whole = root === undefined ? pattern : joined([root, literal("/"), pattern]);
  return patternOf(whole);
};

const withSuffix: Model = call => {
  const suffix = call.positional[0];
  if (call.receiver === undefined || suffix === undefined) return undefined;
  return joined([mapped(call.receiver, known => known.replace(/\.[^./]*$/, "")), suffix], "path");
};

const withName: Model = call => {
  const name = call.positional[0];
  if (call.receiver === undefined || name === undefined) return undefined;
  return joined([mapped(call.receiver, directoryName), literal("/"), name], "path");
};

export const PATH_MODELS: Rows = [
  ["os.path.join", joinsPath("text")],
  ["pathlib.Path pathlib.PurePath", makesPath],
  [
    "path.joinpath",
    (call, run) =>
      call.receiver === undefined
        ? undefined
        : makesPath({ ...call, positional: [call.receiver, ...call.positional] }, run),
  ],
  ["os.path.expanduser path.expanduser", onArgument(expandTilde)],
  ["os.path.expandvars", onArgument(expandVariables)],
  ["pathlib.Path.home", (_call, run) => typed(homeDatum(run), "path")],
  ["pathlib.Path.cwd", (_call, run) => textDatum(currentDirectory(run), "path")],
  ["os.getcwd os.getcwdb", (_call, run) => textDatum(currentDirectory(run))],
  ["os.path.abspath os.path.realpath path.resolve path.absolute", onArgument(absolute)],
  ["os.path.normpath", onArgument((_run, path) => normalised(path))],
  ["os.path.dirname", changes(directoryName)],
  ["os.path.basename", changes(baseName)],
  ["os.path.relpath", call => call.positional[0]],
  ["os.getenv os.environ.get os.environ.pop os.environ.setdefault", readsVariable],
  ["tempfile.mkdtemp tempfile.mktemp", (_call, run) => temporaryPath(run)],
  ["tempfile.mkstemp", (_call, run) => listDatum([literal("3"), temporaryPath(run)])],
  [
    "tempfile.TemporaryDirectory tempfile.NamedTemporaryFile",
    (_call, run) => temporaryPath(run, "temporary"),
  ],
  ["tempfile.gettempdir", (_call, run) => literal(run.context.tmpdir)],
  ["glob.glob glob.iglob", globsText],
  ["path.glob", globs("")],
  ["path.rglob", globs("**/")],
  ["path.iterdir", call => (call.receiver === undefined ? undefined : childrenOf(call.receiver, "path"))],
  ["os.listdir", () => anyName("matches")],
  ["os.scandir", call => childrenOf(call.positional[0] ?? literal("."), "entry")],
  ["os.walk os.fwalk", call => walk(call.positional[0] ?? literal("."), "text")],
  ["path.walk", call => walk(call.receiver ?? literal("."), "path")],
  ["path.with_suffix", withSuffix],
  ["path.with_name", withName],
  ["path.as_posix path.relative_to path.strip path.rstrip os.fspath", passesReceiver],
  ["shutil.which", call => call.positional[0]],
];

function readsVariable(call: Parameters<Model>[0], run: Run): Datum | undefined {
  const name = firstValue(call.positional[0] ?? literal(""));
  const known = knownPrefix(name);
  const value = environmentDatum(run, known);
  const fallback = call.positional[1];
  // A fallback counts only where the variable may be missing.
  if (fallback === undefined || (value.kind === "text" && value.value.origins.length === 0)) return value;
  return choiceOf([value, fallback]);
}

export const PATH_PROPERTIES = new Map<string, (receiver: Datum, run: Run) => Datum>([
  ["path.parent", receiver => typed(mapped(receiver, directoryName), "path")],
  ["path.name", receiver => typed(mapped(receiver, baseName), "text")],
  [
    "path.stem",
    receiver =>
      typed(
        mapped(receiver, known => baseName(known).replace(/\.[^.]*$/, "")),
        "text",
      ),
  ],
  ["path.parents", receiver => parentsOf(receiver)],
  ["temporary.name", receiver => typed(receiver, "text")],
  ["entry.path", receiver => typed(receiver, "text")],
  ["entry.name", () => anyName("text")],
]);

const MOST_PARENTS = 16;

function parentsOf(receiver: Datum): Datum {
  const parents: Datum[] = [];
  let current = receiver;
  for (let index = 0; index < MOST_PARENTS; index += 1) {
    current = typed(mapped(current, directoryName), "path");
    parents.push(current);
  }
  return listDatum(parents);
}
