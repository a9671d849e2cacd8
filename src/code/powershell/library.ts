import type { Datum } from "../meaning/datum.ts";
import { literal, textDatum } from "../meaning/datum.ts";
import { argumentList, modelTable } from "../meaning/models.ts";
import type { Library, Run } from "../meaning/run.ts";
import { currentDirectory, homeDatum } from "../meaning/run.ts";
import { CMDLET_MODELS } from "./cmdlets.ts";
import { DOTNET_METHODS, DOTNET_MODELS } from "./dotnet.ts";
import { parsePowerShell } from "./statements.ts";

const samePath = (receiver: Datum): Datum => receiver;

/** What cmdlets and the usual .NET calls mean. Everything else is a program. */
export const POWERSHELL: Library = {
  language: "powershell",
  parse: parsePowerShell,
  models: modelTable([...CMDLET_MODELS, ...DOTNET_MODELS]),
  methods: modelTable(DOTNET_METHODS),
  constants: new Map<string, (run: Run) => Datum>([
    ["$home", homeDatum],
    ["$pwd", run => textDatum(currentDirectory(run))],
    ["$psscriptroot", run => textDatum(currentDirectory(run))],
    ["$args", run => argumentList(run, [])],
    ["$env.USERPROFILE", homeDatum],
    ["$env.TEMP", run => literal(run.context.tmpdir)],
    ["$env.SYSTEMDRIVE", () => literal("C:")],
    ["$env.SYSTEMROOT", () => literal("C:/Windows")],
    ["$env.WINDIR", () => literal("C:/Windows")],
  ]),
  properties: new Map([
    ["text.fullname", samePath],
    ["text.path", samePath],
    ["text.pspath", samePath],
    ["text.name", samePath],
    ["matches.fullname", samePath],
    ["matches.path", samePath],
    ["matches.name", samePath],
  ]),
  // Names know no case, but environment variables are kept in capitals.
  canonical: path => (path.startsWith("$env.") ? path : path.toLowerCase()),
  environments: new Set(),
  returnsLast: true,
  callsTexts: true,
};
