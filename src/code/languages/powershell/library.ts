import type { EvaluationContext, LanguageDefinition } from "../../meaning/context.ts";
import { currentDirectory, homeDatum } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { literal, textDatum } from "../../meaning/datum.ts";
import { argumentList, functionTable } from "../../meaning/models.ts";
import { CMDLET_MODELS } from "./cmdlets.ts";
import { DOTNET_METHODS, DOTNET_MODELS } from "./dotnet.ts";
import { parsePowerShell } from "./statements.ts";

const samePath = (receiver: Datum): Datum => receiver;

/** What cmdlets and the usual .NET calls mean. Everything else is a program. */
export const POWERSHELL: LanguageDefinition = {
  id: "powershell",
  parse: parsePowerShell,
  functions: functionTable([...CMDLET_MODELS, ...DOTNET_MODELS]),
  methods: functionTable(DOTNET_METHODS),
  constants: new Map<string, (context: EvaluationContext) => Datum>([
    ["$home", homeDatum],
    ["$pwd", context => textDatum(currentDirectory(context))],
    ["$psscriptroot", context => textDatum(currentDirectory(context))],
    ["$args", context => argumentList(context, [])],
    ["$env.USERPROFILE", homeDatum],
    ["$env.TEMP", context => literal(context.inputs.tmpdir)],
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
