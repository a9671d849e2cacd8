import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkLayers, usableLayers } from "../../src/sandbox/index.ts";
import { MARK, makeScene, PROGRAM, removeScene, type Scene } from "../sandbox/scene.ts";

const CLI = join(import.meta.dirname, "../../dist/bin/amplihack.cjs");
const report = existsSync(PROGRAM) ? checkLayers(PROGRAM, "/nonexistent") : undefined;
const canRun = report !== undefined && usableLayers(report)?.includes("namespaces") === true;

describe.skipIf(!canRun || !existsSync(CLI))("amplihack sandbox", () => {
  let scene: Scene;
  beforeAll(() => {
    scene = makeScene();
  });
  afterAll(() => removeScene(scene));

  const amplihack = (...words: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...words], {
      cwd: scene.project,
      env: { HOME: scene.home, PATH: process.env["PATH"] ?? "", DEPLOY_TOKEN: MARK },
      encoding: "utf8",
    });

  it("check says which layers work here", () => {
    const { status, stdout } = amplihack("sandbox", "check", "--json");
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      available: true,
      layers: { namespaces: { works: true }, seccomp: { works: true } },
    });
  });

  it("run bounds a command, and ends as it does", () => {
    const script =
      'echo made > made.txt; cat ~/.ssh/id_rsa; echo "$DEPLOY_TOKEN"; echo x >> ~/notes.txt; exit 5';
    const { status, stdout, stderr } = amplihack(
      "sandbox",
      "run",
      "--network",
      "off",
      "--",
      "sh",
      "-c",
      script,
    );
    expect({ status, stdout }).toEqual({ status: 5, stdout: "\n" });
    expect(stderr).toMatch(/Read-only file system|Permission denied/);
    expect(existsSync(join(scene.project, "made.txt"))).toBe(true);
  });

  it("run opens what it is told to", () => {
    const more = join(scene.outside, "more");
    mkdirSync(more);
    const words = ["--write", more, "--read", join(scene.home, ".netrc"), "--env", "DEPLOY_TOKEN"];
    const script = `echo x > ${more}/file && cat ~/.netrc && echo "$DEPLOY_TOKEN"`;
    const { stdout } = amplihack("sandbox", "run", "--network", "off", ...words, "--", "sh", "-c", script);
    expect(stdout).toBe(`${MARK}\n${MARK}\n`);
  });

  it("run lets only allowed hosts be reached, and says what was refused", () => {
    const script = `
      const { host, port } = new URL(process.env.HTTPS_PROXY);
      const ask = name => new Promise(done => {
        const request = require("node:http").request({ host: "127.0.0.1", port, method: "CONNECT", path: name + ":443" });
        request.on("connect", answer => { console.log(name, answer.statusCode); answer.socket.destroy(); done(); }).end();
      });
      ask("other.invalid").then(() => ask("allowed.invalid")).then(() => process.exit());`;
    const { stdout, stderr } = amplihack(
      "sandbox",
      "run",
      "--host",
      "allowed.invalid",
      "--",
      process.execPath,
      "-e",
      script,
    );
    // There is no such name, which is another answer than a refusal.
    expect(stdout).toBe("other.invalid 403\nallowed.invalid 502\n");
    expect(stderr).toBe(
      "amplihack: the sandbox refused other.invalid: it is not among the hosts that are allowed. To allow it: amplihack sandbox allow other.invalid\n",
    );
  });

  it("run needs a command", () => {
    expect(amplihack("sandbox", "run")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("write it after --"),
    });
  });

  it("run follows the configuration", () => {
    const more = join(scene.outside, "configured");
    mkdirSync(more);
    writeFileSync(
      join(scene.home, ".amplihack/config.jsonc"),
      JSON.stringify({ sandbox: { write: [more, "~/not-there"], network: "off" } }),
      { mode: 0o600 },
    );
    const { status } = amplihack("sandbox", "run", "--", "sh", "-c", `echo x > ${more}/file`);
    expect({ status, isThere: existsSync(join(more, "file")) }).toEqual({ status: 0, isThere: true });
  });

  it("allow is for a person at a terminal", () => {
    const { status, stderr } = amplihack("sandbox", "allow", "api.example.com");
    expect(status).toBe(1);
    expect(stderr).toMatch(/terminal/);
  });

  it("try holds changes, shows them, and applies them", () => {
    const held = amplihack("try", "--json", "--", "sh", "-c", "echo tried > a.txt; exit 4");
    const document = JSON.parse(held.stdout);
    expect(held.status).toBe(4);
    expect(document).toMatchObject({ exit: 4, outcome: "held", try: { files: [{ what: "changed" }] } });
    expect(readFileSync(join(scene.project, "a.txt"), "utf8")).toBe("");
    const { id } = document.try;
    expect(amplihack("try", "list").stdout).toContain("a.txt");
    expect(amplihack("try", "show", id).stdout).toContain("+tried");
    expect(amplihack("try", "apply", id)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("undo"),
    });
    expect(readFileSync(join(scene.project, "a.txt"), "utf8")).toBe("tried\n");
    expect(amplihack("undo", "--yes").status).toBe(0);
    expect(readFileSync(join(scene.project, "a.txt"), "utf8")).toBe("");
    expect(amplihack("try", "discard", id)).toMatchObject({ status: 1 });
  });
});
