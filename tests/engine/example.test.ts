import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { processGone } from "../launcher/launch-machine.ts";
import { temporaryFolder } from "./fixture.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

describe("the published package", () => {
  it("was built", () => {
    expect(existsSync(`${root}dist/engine/index.js`), "run `npm run build` first").toBe(true);
  });

  it("runs the example agent to its end", async () => {
    const { stdout, stderr } = await run(process.execPath, [`${root}examples/agent-loop/main.mjs`], {
      env: { PATH: process.env["PATH"] ?? "", HOME: temporaryFolder() },
    });
    expect(stderr).toBe("");
    expect(stdout.split("\n").map(line => line.trim())).toEqual([
      "system House rule: small steps.",
      'model  shell {"command":"echo hello"}',
      "hooks  shell: none",
      "tool   hello",
      'model  shell {"command":"rm -rf build"}',
      "hooks  shell: deny",
      "error  Destructive command blocked",
      'model  shell {"command":"npm publish"}',
      "hooks  shell: none",
      "tool   (dry run) npm publish",
      'model  write {"path":"../outside.txt","content":"x"}',
      "hooks  write: deny",
      "error  files are written inside the project only",
      "hooks  not yet: write notes.txt first",
      'model  write {"path":"notes.txt","content":"all done"}',
      "hooks  write: none",
      "tool   wrote 8 characters",
      "done   7 messages",
      "",
    ]);
  });

  it.each(["amplihack/engine", "amplihack/engine/pi", "amplihack/engine/otel"])("gives %s", async name => {
    const script = `import * as found from ${JSON.stringify(name)}; console.log(Object.keys(found).length)`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    expect(Number(stdout)).toBeGreaterThan(0);
  });

  it.each(["process.exit(3)", 'process.kill(process.pid, "SIGTERM")', 'throw new Error("host bug")'])(
    "leaves no hook behind when its host ends by %s",
    async ending => {
      const folder = temporaryFolder();
      const script = `
        import { existsSync, readFileSync } from "node:fs";
        import { createHookEngine } from "amplihack/engine";
        const command = "echo $$ > ${folder}/pid; exec sleep 300";
        const data = { hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } };
        const engine = createHookEngine({ projectDir: ${JSON.stringify(folder)}, sources: [{ kind: "user", dialect: "claude", data }] });
        engine.dispatch("Stop", {});
        setInterval(() => {
          if (existsSync("${folder}/pid") && readFileSync("${folder}/pid", "utf8").endsWith("\\n")) ${ending};
        }, 5);`;
      await expect(
        run(process.execPath, ["--input-type=module", "-e", script], { cwd: root }),
      ).rejects.toThrow();
      const pid = Number(readFileSync(`${folder}/pid`, "utf8"));
      expect(pid).toBeGreaterThan(1);
      await processGone(pid);
    },
  );

  it("declares the types of every sub-path", () => {
    const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
    for (const name of ["./engine", "./engine/pi", "./engine/otel"])
      expect(existsSync(`${root}${exports[name].types}`), `${name} has declarations`).toBe(true);
  });
});
