import { baseName, directoryName } from "../../shell/paths.ts";
import type { Datum } from "../meaning/datum.ts";
import { choiceOf, knownTextOf, literal, recordDatum, textDatum } from "../meaning/datum.ts";
import { changes } from "../meaning/models.ts";
import { absolute, joinsPath, normalised, patternOf, temporaryPath } from "../meaning/path-values.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { currentDirectory, environmentDatum, homeDatum } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

const joins: Model = (call, run) => {
  const path = joinsPath("text", false)(call, run);
  return path === undefined ? undefined : normalised(path);
};

const resolves: Model = (call, run) => {
  const path = joinsPath("text")(call, run);
  return path === undefined ? undefined : absolute(run, path);
};

const readsVariable: Model = (call: Call, run: Run): Datum | undefined => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(run, name);
};

const namesUser: Model = (_call, run) =>
  recordDatum([
    ["homedir", homeDatum(run)],
    ["username", environmentDatum(run, "USER")],
  ]);

/** `fileURLToPath("file:///x")` */
const readsAddress: Model = call => {
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
    (call, run) => (call.positional[0] === undefined ? undefined : absolute(run, call.positional[0])),
  ],
  ["os.homedir", (_call, run) => homeDatum(run)],
  ["os.userInfo", namesUser],
  ["os.tmpdir", (_call, run) => literal(run.context.tmpdir)],
  [
    "Deno.makeTempDir Deno.makeTempDirSync Deno.makeTempFile Deno.makeTempFileSync",
    (_call, run) => temporaryPath(run),
  ],
  ["process.cwd Deno.cwd", (_call, run) => textDatum(currentDirectory(run))],
  ["Deno.env.get", readsVariable],
  ["Deno.env.toObject", (_call, run) => choiceOf([environmentDatum(run, "*")])],
  ["url.fileURLToPath", readsAddress],
  ["Bun.Glob", call => (call.positional[0] === undefined ? undefined : patternOf(call.positional[0]))],
];
