import { FileLock, findHome, readExactText } from "../../state/index.ts";
import { writeAtomically } from "../../system/atomic-write.ts";
import { ancestors, join } from "../../system/paths.ts";
import { attempt, type HookContext } from "../context.ts";

const WANTED = [".claude/logs/", ".claude/runtime/"];
const HEADER = "# amplihack run-time files (added automatically)";
const FILE_BYTES = 4 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 1_000;

/** Keeps run-time files out of the user's repository. Says so on stderr; true when the file was changed. */
export function ignoreRuntimeFiles(context: HookContext): boolean {
  const { system, projectRoot } = context;
  let added: readonly string[] = [];
  attempt(context, ".gitignore was left as it is", () => {
    const isWorkTree = ancestors(projectRoot).some(
      at => system.files.inspect(join(at, ".git")) !== undefined,
    );
    if (!isWorkTree || projectRoot === findHome(system)) return;
    context.prepare();
    const lock = new FileLock(context.path("gitignore.lock"), { system, timeoutMs: LOCK_TIMEOUT_MS });
    added = lock.run(() => appendMissing(context, join(projectRoot, ".gitignore")));
  });
  if (added.length > 0) context.notify(`added to .gitignore: ${added.join(", ")}`);
  return added.length > 0;
}

function appendMissing(context: HookContext, path: string): readonly string[] {
  const { system } = context;
  const read = readExactText(system, path, FILE_BYTES);
  if (read?.replaced === true) throw new Error("it is not UTF-8");
  const text = read?.text ?? "";
  const missing = missingPatterns(text);
  if (missing.length === 0) return [];
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const addition = [HEADER, ...missing, ""].join("\n");
  writeAtomically(system, path, system.text.encode(`${text}${gap}${addition}`), { mode: 0o644 });
  return missing;
}

/** A line that ignores all of `.claude` covers both. */
export function missingPatterns(text: string): readonly string[] {
  const present = new Set(
    text
      .split("\n")
      .map(line => line.trim())
      .filter(line => line !== "" && !line.startsWith("#"))
      .map(line => line.replace(/^\//, "").replace(/\/$/, "")),
  );
  if (present.has(".claude")) return [];
  return WANTED.filter(pattern => !present.has(pattern.replace(/\/$/, "")));
}
