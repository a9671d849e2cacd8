// Makes a long history as calls of a file tool do, by what the hooks call before and after each of them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const CALLS_A_SESSION = 200;
const made = new Map();
let calls;

/** Brings the history of a project to `count` changes. */
export async function fillHistory({ home, project }, count) {
  calls ??= await bundleCalls();
  const run = calls.openCalls(home, project);
  for (let number = made.get(home) ?? 0; number < count; number++) {
    const file = join(project, `notes-${number % 50}.md`);
    const session = `session-${Math.floor(number / CALLS_A_SESSION)}`;
    const isKept = await run(session, `write-${number}`, file, () => writeFileSync(file, `note ${number}\n`));
    if (!isKept) throw new Error(`change ${number} was not kept`);
  }
  made.set(home, count);
}

const ENTRY = folder => `
import { BUILT_IN } from "${folder}/config/settings.ts";
import { NO_FOOTPRINT } from "${folder}/guard/footprint.ts";
import { beginCall } from "${folder}/history/begin.ts";
import { completeChange } from "${folder}/history/complete.ts";
import { openContext } from "${folder}/history/context.ts";
import { callKey, findOpen } from "${folder}/history/open-changes.ts";
import { createNodeSystem } from "${folder}/system/node.ts";

export function openCalls(home, project) {
  const places = { project, home, stateHome: home + "/.amplihack", temps: [], regenerable: [] };
  const context = openContext(createNodeSystem(), places, { ...BUILT_IN.history, budgetMs: 60_000 });
  return async (session, toolUseId, path, work) => {
    const call = { host: "claude-code", session, tool: "Write", toolUseId, command: path, verdict: "allow", rules: [] };
    const targets = [{ path, how: "write", isTree: false }];
    await beginCall(context, call, { ...NO_FOOTPRINT, targets });
    work();
    const [open] = findOpen(context.store, session, callKey(context.store, toolUseId, call.tool, call.command));
    return open !== undefined && (await completeChange(context, open, { exit: "ok" })) !== undefined;
  };
}
`;

async function bundleCalls() {
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  try {
    const entry = join(folder, "entry.ts");
    const outfile = join(folder, "calls.mjs");
    writeFileSync(entry, ENTRY(resolve("src")));
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      define: { __AMPLIHACK_VERSION__: '"bench"' },
      nodePaths: [resolve("node_modules")],
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
