import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUser } from "./run-command.ts";

describe("guard test", () => {
  it("tells the verdict by its exit code", async () => {
    const user = newUser();
    const codes = await Promise.all(
      ["ls -la", "git push --force", "rm -rf /"].map(
        async command => (await user.type(["guard", "test", command])).code,
      ),
    );
    expect(codes).toEqual([0, 3, 2]);
  });

  it("takes the command as words, whose options are their own", async () => {
    const user = newUser();
    expect((await user.type(["guard", "test", "rm", "-rf", "/"])).code).toBe(2);
    expect((await user.type(["guard", "test", "rm", "-f", "notes.txt"])).code).toBe(0);
    const json = await user.type(["guard", "test", "rm", "-rf", "/", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: "deny", rules: ["fs.root", "fs.cwd"] });
  });

  it("gives every member of a finding as JSON", async () => {
    const user = newUser();
    const { stdout } = await user.type(["guard", "test", "--json", "git clean -fdx"]);
    const judged = JSON.parse(stdout);
    expect(judged.reason).toContain("[git.clean]");
    expect(judged.code).toMatch(/^[A-Z2-9]{6}$/);
    expect(Object.keys(judged.findings[0]).sort()).toEqual(
      ["allowable", "lost", "rule", "safer", "target", "title", "verdict"].sort(),
    );
  });

  it("refuses an option it does not know in front of the command", async () => {
    expect((await newUser().type(["guard", "test", "--nope", "ls"])).code).toBe(4);
  });
});

describe("guard explain", () => {
  it("shows the tree with resolved words, effects, rules and the time it took", async () => {
    const user = newUser();
    const { stdout, code } = await user.type(["guard", "explain", 'D=/; sudo rm -rf "$D"']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/sudo rm -rf \/ {2}\[5–/);
    expect(stdout).toContain("wrapper: rm -rf /");
    expect(stdout).toContain("fs.root");
    expect(stdout).toMatch(/judged in [\d.]+ ms/);
  });

  it("gives the same as JSON", async () => {
    const user = newUser();
    mkdirSync(join(user.project, "src"));
    writeFileSync(join(user.project, "src", "app.ts"), "work");
    const explained = await user.json("guard", "explain", "rm -rf src");
    expect(explained).toMatchObject({
      verdict: "ask",
      tree: [{ argv: ["rm", "-rf", "src"], cwd: expect.stringContaining("project") }],
      timings: { milliseconds: expect.any(Number) },
    });
  });
});

describe("the other guard commands", () => {
  it("judge an argv as a shim would hand it over", async () => {
    const user = newUser();
    expect((await user.type(["guard", "argv", "--", "rm", "-rf", "/"])).code).toBe(2);
    expect((await user.type(["guard", "argv", "--", "git", "reset", "--hard"])).code).toBe(3);
    expect((await user.type(["guard", "argv", "--", "ls"])).code).toBe(0);
    expect((await user.type(["guard", "argv"])).code).toBe(4);
  });

  it("explain a rule, and fail for one that is none", async () => {
    const user = newUser();
    expect((await user.type(["guard", "why", "sec.exfil"])).stdout).toContain("can never be permitted");
    expect((await user.type(["guard", "why", "no.such"])).code).toBe(1);
  });

  it("explains a rule of the configuration", async () => {
    const user = newUser();
    const when = { command: "acme", args: ["deploy"] };
    const rule = { id: "acme.deploy", when, verdict: "ask", reason: "ships to customers" };
    mkdirSync(join(user.home, ".amplihack"), { recursive: true });
    const path = join(user.home, ".amplihack/config.jsonc");
    writeFileSync(path, JSON.stringify({ guard: { custom: [rule] } }), { mode: 0o600 });
    const { stdout, code } = await user.type(["guard", "why", "acme.deploy"]);
    expect(code).toBe(0);
    expect(stdout).toContain("acme deploy");
    expect(stdout).toContain("ships to customers");
  });

  it("permit nothing without a person at a terminal", async () => {
    const user = newUser();
    const { stdout } = await user.type(["guard", "test", "--json", "git reset --hard"]);
    const ran = await user.type(["guard", "allow-once", JSON.parse(stdout).code]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("terminal");
  });

  it("write a configuration that only its owner can read", async () => {
    const user = newUser();
    expect((await user.type(["guard", "init"])).code).toBe(0);
    const file = join(user.home, ".amplihack", "config.jsonc");
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("protectedBranches");
    expect((await user.type(["guard", "test", "ls"])).stderr).toBe("");
  });
});
