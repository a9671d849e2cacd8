import { parseJsonObject, stringAt } from "../../../protocol/index.ts";
import { join } from "../../../system/index.ts";
import { version } from "../../../version.ts";
import type { HookContext } from "../../program/context.ts";
import { readInside } from "../framework-files.ts";

/** Below `.claude` of a project that amplihack was set up in; the version first. */
const OWN_FILES = [".version", ".update_preference", "context/USER_PREFERENCES.md"];

/** Tells when the project was set up by another version. Reports only: updating belongs to the command line. */
export function checkVersion(context: HookContext): void {
  const marks = OWN_FILES.map(name => readProjectFile(context, name));
  if (marks.every(text => text === undefined)) {
    context.log("INFO", "the project has no files of amplihack, so there is no version to compare");
    return;
  }
  const found = marks[0]?.trim() ?? "";
  if (found === version) {
    context.log("INFO", `the project's version is ${version}`);
    return;
  }
  const project = found === "" ? "of unknown version" : `of version ${found}`;
  const wish = findWish(context);
  context.log("INFO", `version mismatch, preference: ${wish ?? "none"}`);
  context.notify(
    `this project's files are ${project}, amplihack is ${version}${HINTS[wish ?? "none"] ?? ""}`,
  );
  if (wish === undefined) context.metric("version_prompt_skipped_non_interactive", 1);
}

/** Nothing is updated here: the program is the command line's to update, the project's files are the user's. */
const SETTLE = `update amplihack with "amplihack update"; once the files fit, say so in .claude/.version`;
const HINTS: Readonly<Record<string, string>> = {
  always: `; ${SETTLE}`,
  never: "; your preference is not to update",
  none: `; ${SETTLE}`,
};

/** What the user wants done about it, by the preferences or by the older file. */
function findWish(context: HookContext): "always" | "never" | undefined {
  const preferences = readProjectFile(context, "context/USER_PREFERENCES.md") ?? "";
  const heading = /^### Auto Update[^\S\n]*\n[^\S\n]*\n?[^\S\n]*(\S+)/m.exec(preferences)?.[1];
  const recorded = parseJsonObject(readProjectFile(context, ".update_preference") ?? "", 8);
  return [heading?.toLowerCase(), stringAt(recorded, "auto_update")].find(
    wish => wish === "always" || wish === "never",
  );
}

function readProjectFile(context: HookContext, name: string): string | undefined {
  return readInside(context, context.projectRoot, join(context.projectRoot, ".claude", name));
}
