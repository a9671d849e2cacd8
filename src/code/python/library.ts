import { joined, literal, textDatum } from "../meaning/datum.ts";
import { argumentList, modelTable, standardInput } from "../meaning/models.ts";
import type { Library } from "../meaning/run.ts";
import { currentDirectory, wholeEnvironment } from "../meaning/run.ts";
import { CODE_MODELS } from "./code-models.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { NETWORK_METHODS, NETWORK_MODELS } from "./network-models.ts";
import { PATH_MODELS, PATH_PROPERTIES } from "./path-models.ts";
import { PROCESS_METHODS, PROCESS_MODELS } from "./process-models.ts";
import { parsePython } from "./statements.ts";
import { TEXT_METHODS, TEXT_MODELS } from "./text-models.ts";

/** What the names of Python's own library mean. */
export const PYTHON: Library = {
  language: "python",
  parse: parsePython,
  models: modelTable([
    ...PROCESS_MODELS,
    ...FILE_MODELS,
    ...PATH_MODELS,
    ...TEXT_MODELS,
    ...CODE_MODELS,
    ...NETWORK_MODELS,
  ]),
  methods: modelTable([...PROCESS_METHODS, ...FILE_METHODS, ...TEXT_METHODS, ...NETWORK_METHODS]),
  constants: new Map([
    ["os.environ", () => wholeEnvironment("os.environ")],
    ["os.environb", () => wholeEnvironment("os.environ")],
    ["os.sep", () => literal("/")],
    ["os.path.sep", () => literal("/")],
    ["os.curdir", () => literal(".")],
    ["os.pardir", () => literal("..")],
    ["sys.argv", run => argumentList(run, ["-c"])],
    ["sys.executable", () => literal("python3")],
    ["sys.stdin", standardInput],
    ["string.ascii_lowercase", () => literal("abcdefghijklmnopqrstuvwxyz")],
    ["__file__", run => joined([textDatum(currentDirectory(run)), literal("/script.py")])],
  ]),
  properties: PATH_PROPERTIES,
  canonical,
  environments: new Set(["os.environ"]),
  returnsLast: false,
};

const PREFIXES = ["sys.modules.", "builtins.", "__builtins__.", "__builtin__."];

/** Other ways to write the same road. */
function canonical(path: string): string {
  let road = path.includes(".__dict__") ? path.replaceAll(".__dict__", "") : path;
  for (const prefix of PREFIXES) if (road.startsWith(prefix)) road = road.slice(prefix.length);
  // Snippets often leave the import out.
  if (road === "Path" || road.startsWith("Path.")) return `pathlib.${road}`;
  if (road.startsWith("posix.")) return `os.${road.slice("posix.".length)}`;
  if (road.startsWith("posixpath.")) return `os.path.${road.slice("posixpath.".length)}`;
  if (road.startsWith("pathlib.PosixPath")) return road.replace("PosixPath", "Path");
  return road;
}
