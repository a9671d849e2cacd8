import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const MAX_BYTES = 350_000;
/** Node reads one large file faster than many small ones. */
const MAX_FILES = 20;

/** Tells every file that Node loads, on standard error. */
const LISTENER = `import * as modules from "node:module";
const load = (url, context, next) => (url.startsWith("file:") && process._rawDebug("loaded " + url), next(url, context));
if (modules.registerHooks !== undefined) modules.registerHooks({ load });
else modules.register("data:text/javascript," + encodeURIComponent("export const load = " + load));
`;

const AGENTS = {
  "amplihack/engine": `import { createHookEngine, guard, history } from "${pathToFileURL(dist)}engine/index.js";
const engine = createHookEngine({ projectDir: process.cwd() });
engine.use([guard(), history()]);`,
  "amplihack/engine/core": `import { createAgentEngine, guard } from "${pathToFileURL(dist)}engine/core.js";
const engine = createAgentEngine({ projectDir: process.cwd() });
engine.use(guard({ home: "/home/user" }));`,
};

/** The bytes of what an agent has loaded after one decision, and the decision. */
function decide(agent: string, command: string) {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "listener.mjs"), LISTENER);
  writeFileSync(
    join(folder, "agent.mjs"),
    `${agent}\nconsole.log((await engine.decide("bash", { command: ${JSON.stringify(command)} })).kind);`,
  );
  const output = execFileSync(
    "sh",
    ["-c", 'exec "$0" --import ./listener.mjs agent.mjs 2>&1', process.execPath],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      encoding: "utf8",
    },
  );
  const loaded = [...output.matchAll(/^loaded (file:.+)$/gm)]
    .map(([, url = ""]) => fileURLToPath(url))
    .filter(path => path.startsWith(dist));
  return {
    kind: output.trim().split("\n").at(-1),
    bytes: loaded.reduce((sum, path) => sum + statSync(path).size, 0),
    files: loaded.length,
  };
}

describe.each(Object.entries(AGENTS))("what %s loads", (_, agent) => {
  it("is small for a first command that is plainly harmless", () => {
    const { kind, bytes, files } = decide(agent, "git status");
    expect([kind, files > 1]).toEqual(["run", true]);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(files).toBeLessThan(MAX_FILES);
  });

  it("has the analysis when a command needs it", () => {
    const { kind, bytes } = decide(agent, "rm -rf ~/work");
    expect(kind).not.toBe("run");
    expect(bytes).toBeGreaterThan(MAX_BYTES);
  });
});
