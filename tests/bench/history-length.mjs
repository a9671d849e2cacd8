// Makes a long history the way it comes about: by calls of a file tool, with the hooks in this process.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const CALLS_A_SESSION = 200;
const made = new Map();
let hooks;

/** Brings the history of a project to `count` changes. */
export async function fillHistory({ home, project }, count) {
  hooks ??= await bundleHooks();
  for (let number = made.get(home) ?? 0; number < count; number++) {
    const file = join(project, `notes-${number % 50}.md`);
    const call = {
      session_id: `session-${Math.floor(number / CALLS_A_SESSION)}`,
      cwd: project,
      tool_name: "Write",
      tool_use_id: `write-${number}`,
      tool_input: { file_path: file, content: `note ${number}\n` },
    };
    await hooks.runHook("pre-tool-use", { hook_event_name: "PreToolUse", ...call }, home);
    writeFileSync(file, call.tool_input.content);
    const tool_response = { success: true, filePath: file };
    await hooks.runHook("post-tool-use", { hook_event_name: "PostToolUse", ...call, tool_response }, home);
  }
  made.set(home, count);
  if (!existsSync(join(home, ".amplihack/history"))) throw new Error("the hooks made no history");
}

const ENTRY = folder => `
import { readCommandLine } from "${folder}/hooks/command-line.ts";
import { openProgram } from "${folder}/hooks/hook-program.ts";
import { definition as before } from "${folder}/hooks/pre-tool-use.ts";
import { definition as after } from "${folder}/hooks/post-tool-use.ts";
import { openRun } from "${folder}/hooks/run.ts";
import { createNodeSystem } from "${folder}/system/node.ts";

export async function runHook(name, payload, home) {
  const node = createNodeSystem();
  const env = { HOME: home, PATH: process.env.PATH };
  const bytes = node.text.encode(JSON.stringify(payload));
  const system = {
    ...node,
    env: { get: name => env[name], names: () => Object.keys(env) },
    files: { ...node.files, workingDirectory: () => payload.cwd },
    stdio: { ...node.stdio, readInput: () => ({ kind: "bytes", bytes }), writeOutput: () => "written", writeError() {} },
  };
  const line = readCommandLine([name]);
  const definition = name === "pre-tool-use" ? before : after;
  const code = await openRun(openProgram(definition, line.subcommand, undefined, system), line.call, system).run();
  if (code !== 0) throw new Error(name + " ended with " + code);
}
`;

async function bundleHooks() {
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  try {
    const entry = join(folder, "entry.ts");
    const outfile = join(folder, "hooks.mjs");
    writeFileSync(entry, ENTRY(resolve("src")));
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      define: { __AMPLIHACK_VERSION__: JSON.stringify(version) },
      nodePaths: [resolve("node_modules")],
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
