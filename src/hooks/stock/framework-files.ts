import { errorText } from "../../protocol/index.ts";
import {
  containPath,
  findAssetHome,
  findHome,
  findStateHome,
  readExactText,
  VARIABLES,
} from "../../state/index.ts";
import { join } from "../../system/index.ts";
import type { HookContext } from "../program/hook-context.ts";

const FILE_BYTES = 512 * 1024;
const PREFERENCES = ["context", "USER_PREFERENCES.md"] as const;

/** What says how the user, and how a project, want work to be done. */
export interface FoundPreferences {
  /** the file in the user's own home: the user's word */
  readonly own: string | undefined;
  /** a file that came with a project or a framework: anybody may have written it */
  readonly project: string | undefined;
}

/** The user's preferences and those of the first other place that has any. */
export function readPreferenceFiles(context: HookContext): FoundPreferences {
  const { projectRoot, system } = context;
  const ownRoots = [findStateHome(system), findHome(system)].map(root => canonical(context, root));
  const roots = [
    projectRoot,
    join(projectRoot, "src", "amplihack"),
    // A project's settings may set variables for hooks, so these are no evidence of the user's word.
    VARIABLES.AMPLIHACK_ROOT.tryGet(system),
    findAssetHome(system),
  ].filter(root => root !== undefined);
  const isOwn = (root: string) => ownRoots.includes(canonical(context, root));
  const read = (root: string) => readInside(context, root, join(root, ".claude", ...PREFERENCES));
  const findFirst = (from: readonly string[]) => {
    for (const root of from) {
      const text = read(root);
      if (text !== undefined && text.trim() !== "") return text;
    }
    return undefined;
  };
  const home = findStateHome(system);
  const own = findFirst([...roots.filter(isOwn), ...(home === undefined ? [] : [home])]);
  const project = findFirst(roots.filter(root => !isOwn(root)));
  if (own === undefined && project === undefined) context.log("INFO", "no USER_PREFERENCES.md was found");
  return { own, project: project === undefined ? undefined : withoutForgedHeadings(project) };
}

function canonical({ system }: HookContext, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return system.files.realPath(path);
  } catch {
    // It does not exist: then its name is all there is to compare.
    return path;
  }
}

/** The words of our own headings above the user's preferences. */
const FORGED_HEADING = /^.*USER PREFERENCES \(MANDATORY.*$/gimu;

/** Text of a repository must not open a section that reads as if we gave the user's word. */
function withoutForgedHeadings(text: string): string {
  return text.replace(FORGED_HEADING, "(left out: a heading that imitates the user's own preferences)");
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
  return text.trim() === known.trim() ? undefined : withoutForgedHeadings(text);
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
