import { baseName, directoryName } from "../../../shell/paths.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { currentDirectory, environmentDatum, homeDatum } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { choiceOf, knownTextOf, literal, recordDatum, textDatum } from "../../meaning/datum.ts";
import { changes } from "../../meaning/models.ts";
import { absolute, joinsPath, normalised, patternOf, temporaryPath } from "../../meaning/path-values.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

const joins: LibraryFunction = (call, context) => {
  const path = joinsPath("text", false)(call, context);
  return path === undefined ? undefined : normalised(path);
};

const resolves: LibraryFunction = (call, context) => {
  const path = joinsPath("text")(call, context);
  return path === undefined ? undefined : absolute(context, path);
};

const readsVariable: LibraryFunction = (
  call: FunctionCall,
  context: EvaluationContext,
): Datum | undefined => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(context, name);
};

const namesUser: LibraryFunction = (_call, context) =>
  recordDatum([
    ["homedir", homeDatum(context)],
    ["username", environmentDatum(context, "USER")],
  ]);

/** `fileURLToPath("file:///x")` */
const readsAddress: LibraryFunction = call => {
  const [address] = call.positional;
  const known = knownTextOf(address);
  return known?.startsWith("file://") === true ? literal(known.slice("file://".length)) : address;
};

export const PATH_MODELS: Rows = [
  ["path.join", joins],
  ["path.resolve", resolves],
  ["path.normalize", call => (call.positional[0] === undefined ? undefined : normalised(call.positional[0]))],
  ["path.dirname", changes(directoryName)],
  ["path.basename", changes(baseName)],
  [
    "fs.realpathSync fs.realpath Deno.realPathSync",
    (call, context) => (call.positional[0] === undefined ? undefined : absolute(context, call.positional[0])),
  ],
  ["os.homedir", (_call, context) => homeDatum(context)],
  ["os.userInfo", namesUser],
  ["os.tmpdir", (_call, context) => literal(context.inputs.tmpdir)],
  [
    "Deno.makeTempDir Deno.makeTempDirSync Deno.makeTempFile Deno.makeTempFileSync",
    (_call, context) => temporaryPath(context),
  ],
  ["process.cwd Deno.cwd", (_call, context) => textDatum(currentDirectory(context))],
  ["Deno.env.get", readsVariable],
  ["Deno.env.toObject", (_call, context) => choiceOf([environmentDatum(context, "*")])],
  ["url.fileURLToPath", readsAddress],
  ["Bun.Glob", call => (call.positional[0] === undefined ? undefined : patternOf(call.positional[0]))],
];
