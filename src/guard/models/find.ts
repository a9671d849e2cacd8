import type { Invocation, ShellFacts } from "../../shell/facts.ts";
import { concatenate, describe, text, wordAt } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { globMatches } from "../paths/match.ts";
import { wordSet } from "../words.ts";
import type { Call, Model } from "./call.ts";
import { ACTIONS_WITH_COMMAND, readFind, type Search } from "./find-expression.ts";

/** Programs which, started for every file found, make it vanish. */
const REMOVERS = wordSet("rm unlink rmdir shred srm wipe trash rimraf del truncate");

export const find: Model = call => {
  const search = readFind(call.argv, startsRemover(call.facts, call.invocation));
  const effects: CommandEffect[] = [];
  for (const path of search.starts) {
    if (search.selection === undefined) continue;
    effects.push({
      kind: "delete",
      by: call.by,
      path,
      isRecursive: true,
      selection: search.selection,
      isContentsOnly: search.isBelowOnly,
      preview: previewOf(call),
    });
  }
  if (search.selection !== undefined) effects.push(...historyOf(call, search));
  if (search.handed === "all") effects.push(...attributesOf(call, search));
  for (const [index, word] of call.argv.entries()) {
    const target = call.argv[index + 1];
    if (/^-(fprint0?|fprintf|fls)$/.test(describe(word)) && target !== undefined) {
      effects.push({ kind: "write", by: call.by, path: target, how: "replace" });
    }
  }
  return effects;
};

/** A search for `.git` by name finds the one of the starting point, unless it starts deeper. */
export function historyOf(call: Call, { starts, names }: Search): readonly CommandEffect[] {
  const isDeep = call.argv.some(
    (word, index) =>
      /^-+min-?depth$/.test(describe(word)) && Number(describe(wordAt(call.argv, index + 1))) > 1,
  );
  if (isDeep || !names.some(name => name.startsWith(".g") && globMatches(name, ".git"))) return [];
  return starts.map(start => ({
    kind: "delete",
    by: call.by,
    path: concatenate([start, text("/.git")]),
    isRecursive: true,
  }));
}

const ATTRIBUTES: ReadonlyMap<string, "mode" | "owner"> = new Map([
  ["chmod", "mode"],
  ["chown", "owner"],
  ["chgrp", "owner"],
]);

/** `-exec chmod 777 {} +` over everything is a recursive change. */
function attributesOf(call: Call, { starts }: Search): readonly CommandEffect[] {
  return startedBy(call.facts, call.invocation).flatMap(({ program, argv }) => {
    const what = program === undefined ? undefined : ATTRIBUTES.get(program);
    if (what === undefined) return [];
    const words = argv.slice(1).map(describe);
    const setting = words.find(word => !/^-[Rfvch]+$|^--/.test(word)) ?? "";
    return starts.map(
      (path): CommandEffect => ({ kind: "attributes", by: call.by, path, isRecursive: true, what, setting }),
    );
  });
}

/** The same search up to its first action, which only prints. */
function previewOf(call: Call): string {
  const words = call.argv.map(describe);
  const action = words.findIndex(word => word === "-delete" || ACTIONS_WITH_COMMAND.has(word));
  const kept = action < 0 ? words : words.slice(0, action);
  return [...kept.map(word => (/^[A-Za-z0-9_./=+-]+$/.test(word) ? word : `'${word}'`)), "-print"].join(" ");
}

/** By itself or through others: `-exec sudo rm {} +`, `-exec sh -c 'rm "$1"' _ {} \;`. */
export function startsRemover(facts: ShellFacts, invocation: Invocation): boolean {
  return startedBy(facts, invocation).some(({ program }) => program !== undefined && REMOVERS.has(program));
}

function startedBy(facts: ShellFacts, invocation: Invocation): readonly Invocation[] {
  const started = new Set([invocation.id]);
  return facts.invocations.filter(({ id, parent }) => {
    if (parent === undefined || !started.has(parent.invocation)) return false;
    started.add(id);
    return true;
  });
}
