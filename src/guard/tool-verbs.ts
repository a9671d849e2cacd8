import { toolWords } from "../hosts/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../protocol/index.ts";
import { wordSet } from "../shell/index.ts";
import type { Actor, EffectOf } from "./rule-context.ts";

/** What takes something away, or makes it unusable, wherever it stands in the name of a tool. */
const DESTROYS = wordSet(`
  delete drop destroy purge wipe truncate terminate erase remove uninstall revoke disable deactivate reset nuke
  obliterate teardown decommission deprovision unpublish force flushall flushdb
`);
/** A tool that begins with one of these looks, makes or searches; what follows is what it looks at. */
const CALM = wordSet(`
  get list search find read describe show count check view fetch query explain resolve create add new insert open watch
  preview validate inspect lookup is has can suggest estimate browser
`);
/** Under version control, or kept for the agent alone. */
const OWN_THINGS = wordSet(`
  file files entity entities observation observations relation relations note notes memory memories todo todos draft
`);
/** Members that say what a tool of many uses does. */
const CHOOSES = wordSet("method action operation op verb mode tool function");
/** Ways past a question or a protection, when they are true. */
const PASSES_BY =
  /^(force|forced|bypass|admin|override|overwrite_protected|skip_?(checks|protection|review)s?)/i;
const PUBLISHES = wordSet("push merge");
const MAX_TARGET = 120;
const MAX_NAMES = 40;

/**
 * What the name of a tool that nobody described says it does: `delete_repository`, `dropDatabase`, `manage(action:
 * "purge")`. Asked about as the command of an unknown program is.
 */
export function operationOfTool(tool: string, input: Json, by: Actor): EffectOf<"operation"> | undefined {
  const { tool: words } = toolWords(tool);
  const members = isJsonObject(input) ? input : {};
  const verb = verbIn(words) ?? chosenVerb(members);
  const target = `${tool} ${JSON.stringify(input) ?? ""}`.slice(0, MAX_TARGET);
  const common = { kind: "operation", by, target, names: namesIn(members), safer: "" } as const;
  if (verb !== undefined) return { ...common, rule: "cloud.other", what: `${verb} something` };
  const isForced = Object.entries(members).some(([name, value]) => value === true && PASSES_BY.test(name));
  if (!isForced || !words.some(word => PUBLISHES.has(word))) return undefined;
  return words.includes("merge")
    ? { ...common, rule: "deploy.merge", what: "merge past the protection" }
    : { ...common, rule: "git.history", what: "replace what is published" };
}

function verbIn(words: readonly string[]): string | undefined {
  const [first = ""] = words;
  const isCalm = CALM.has(first) || CALM.has(words.at(-1) ?? "") || words.some(word => OWN_THINGS.has(word));
  return isCalm ? undefined : words.find(word => DESTROYS.has(word));
}

/** `{"method": "project.purge"}`; a sentence is no name of an operation. */
function chosenVerb(members: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(members)) {
    if (!CHOOSES.has(name.toLowerCase()) || typeof value !== "string" || !/^[\w.:/-]{1,60}$/.test(value))
      continue;
    // The method of a request says nothing of what it is sent to.
    if (/^[A-Z]+$/.test(value)) continue;
    const verb = verbIn(toolWords(value.replace(/[./:]/g, "_")).tool);
    if (verb !== undefined) return verb;
  }
  return undefined;
}

/** Words that may name a production system. */
function namesIn(members: JsonObject): readonly string[] {
  return Object.values(members)
    .flatMap(value => (typeof value === "string" ? [value] : []))
    .filter(value => !/\s/.test(value))
    .slice(0, MAX_NAMES);
}
