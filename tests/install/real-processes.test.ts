import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { createSandbox, PACKAGE_ROOT, type Sandbox } from "./sandbox.ts";

const program = bundleProgram(new URL("./programs/dying-install.ts", import.meta.url));
const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");
const BEFORE = '{\n  "theme":  "mine",\n  "model": "opus",\n  "hooks": { "Stop": [] }\n}\n';

function prepare(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("home/.claude/settings.json", BEFORE);
  sandbox.write("home/.codex/config.toml", 'model = "gpt"\n');
  return sandbox;
}

/** The fingerprints depend on where the home is. */
function plain(text: string, home: string): string {
  return text.replaceAll(home, "HOME").replace(/sha256:[0-9a-f]{64}/g, "sha256:HASH");
}

const texts = ({ home }: Sandbox) =>
  [".claude/settings.json", ".codex/hooks.json", ".codex/config.toml"].map(name => {
    const path = join(home, name);
    return existsSync(path) ? plain(readFileSync(path, "utf8"), home) : undefined;
  });

function start({ env, project }: Sandbox, words: readonly string[]) {
  const child = spawn(process.execPath, [...words], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", chunk => {
    output += String(chunk);
  });
  child.stderr.on("data", chunk => {
    output += String(chunk);
  });
  return once(child, "close").then(([code, signal]) => ({ code, signal, output }));
}

describe("an install by a real process", () => {
  it("killed at one of its changes leaves valid files, old or new, that the next one finishes", async () => {
    const model = prepare();
    const whole = await start(model, [program, PACKAGE_ROOT]);
    const { success, count } = JSON.parse(whole.output) as { success: boolean; count: number };
    expect(success).toBe(true);
    expect(count).toBeGreaterThan(40);
    const before = texts(prepare());
    const after = texts(model);
    for (let n = 1; n <= count; n += runs(13, 1)) {
      const sandbox = prepare();
      const killed = await start(sandbox, [
        program,
        PACKAGE_ROOT,
        String(n),
        n % 2 === 1 ? "before" : "after",
      ]);
      expect(killed.signal, `death at ${n}`).toBe("SIGKILL");
      texts(sandbox).forEach((text, index) => {
        expect([before[index], after[index]], `death at ${n}`).toContain(text);
      });
      const next = await start(sandbox, [CLI, "install", "--host", "claude", "--host", "codex", "--yes"]);
      expect(next, `install after death at ${n}`).toMatchObject({ code: 0 });
      expect(texts(sandbox), `after death at ${n}`).toEqual(after);
    }
  });

  it("ends well beside others that run at the same moment", async () => {
    const sandbox = prepare();
    const ended = await Promise.all(
      ["claude", "codex", "gemini", "claude"].map(host =>
        start(sandbox, [CLI, "install", "--host", host, "--yes", "--format", "json"]),
      ),
    );
    for (const { code, output } of ended) expect({ code, output }).toMatchObject({ code: 0 });
    const { hooks } = parse(sandbox.read("home/.claude/settings.json")) as {
      hooks: Record<string, object[]>;
    };
    expect(hooks["PreToolUse"]).toHaveLength(1);
    const manifest = JSON.parse(sandbox.read("home/.amplihack/.claude/install/amplihack-manifest.json")) as {
      hosts: { host: string }[];
    };
    expect(manifest.hosts.map(({ host }) => host).toSorted()).toEqual(["claude-code", "codex", "gemini-cli"]);
    const left = Object.keys(sandbox.snapshot()).filter(name => /\.(lock|tmp)$|staging/.test(name));
    expect(left).toEqual([]);
    const undone = spawnSync(process.execPath, [CLI, "uninstall"], {
      cwd: sandbox.project,
      env: sandbox.env,
    });
    expect(undone.status).toBe(0);
    expect(sandbox.read("home/.claude/settings.json")).toBe(BEFORE);
  });
});
