import { errorText } from "../protocol/error-text.ts";
import { containPath, findAssetHome, readExactText, VARIABLES } from "../state/index.ts";
import { join } from "../system/paths.ts";
import type { HookContext } from "./context.ts";

const FILE_BYTES = 512 * 1024;
const PREFERENCES = ["context", "USER_PREFERENCES.md"] as const;

/** The user's preferences, from the first place that has them; undefined when none has a readable file. */
export function readPreferencesFile(context: HookContext): string | undefined {
  const { projectRoot, system } = context;
  const roots = [
    projectRoot,
    join(projectRoot, "src", "amplihack"),
    VARIABLES.AMPLIHACK_ROOT.tryGet(system),
    findAssetHome(system),
  ];
  for (const root of roots) {
    if (root === undefined) continue;
    const text = readInside(context, root, join(root, ".claude", ...PREFERENCES));
    if (text !== undefined) return text;
  }
  context.log("INFO", "no USER_PREFERENCES.md was found");
  return undefined;
}

/** The framework's own text, unless the project's CLAUDE.md already is that text. */
export function readFrameworkText(context: HookContext): string | undefined {
  const { projectRoot, system } = context;
  const plugin = VARIABLES.CLAUDE_PLUGIN_ROOT.tryGet(system);
  const own = join(projectRoot, ".claude", "AMPLIHACK.md");
  const text =
    (plugin === undefined ? undefined : readInside(context, plugin, join(plugin, "AMPLIHACK.md"))) ??
    readInside(context, projectRoot, own);
  if (text === undefined || text.trim() === "") return undefined;
  const known = readInside(context, projectRoot, join(projectRoot, "CLAUDE.md")) ?? "";
  return text.trim() === known.trim() ? undefined : text;
}

/** A text file that lies inside its root also after all links; what cannot be read counts as absent. */
export function readInside(context: HookContext, root: string, path: string): string | undefined {
  const found = lookInside(context, root, path);
  return typeof found === "object" ? found.text : undefined;
}

/** As `readInside`, telling a file that is not there from one that cannot be read, which is logged. */
export function lookInside(
  context: HookContext,
  root: string,
  path: string,
): { readonly text: string } | "absent" | "unreadable" {
  const { files } = context.system;
  try {
    if (files.inspect(path) === undefined) return "absent";
    const read = readExactText(context.system, containPath(files, root, path), FILE_BYTES);
    if (read === undefined) return "absent";
    if (!read.replaced) return { text: read.text.replace(/^\uFEFF/, "") };
    context.log("WARNING", `${path} is not UTF-8 and was left out`);
  } catch (error) {
    context.log("WARNING", `${path} was left out: ${errorText(error)}`);
  }
  return "unreadable";
}
