import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingKeys } from "../../src/config/json-schema.ts";
import { newUserInside, type User } from "./run-command.ts";

const fileOf = (user: User) => join(user.home, ".amplihack", "config.jsonc");
const textOf = (user: User) => readFileSync(fileOf(user), "utf8");

function userWith(config: string, project?: string): User {
  const user = newUserInside();
  mkdirSync(join(user.home, ".amplihack"));
  writeFileSync(fileOf(user), config, { mode: 0o600 });
  if (project !== undefined) {
    mkdirSync(join(user.project, ".amplihack"));
    writeFileSync(join(user.project, ".amplihack", "config.jsonc"), project);
  }
  return user;
}

interface Listed {
  readonly settings: readonly { readonly key: string; readonly value: unknown; readonly layer: string }[];
}

async function listed(user: User, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const { settings } = await user.json<Listed>("config", "list", ...words);
  return Object.fromEntries(settings.map(({ key, value, layer }) => [key, [layer, value]]));
}

describe("amplihack config list", () => {
  it("shows nothing where nothing was changed, and writes nothing", async () => {
    const user = newUserInside();
    expect((await user.type(["config"])).stdout).toBe(
      "Every setting has its built-in value. All of them: amplihack config list --all\n",
    );
    expect(await listed(user)).toEqual({});
    expect(existsSync(fileOf(user))).toBe(false);
  });

  it("shows what differs, and the layer that it comes from", async () => {
    const user = userWith(
      '{ "guard": { "level": "strict", "rules": { "git.push": "ask", "git.stash": "deny" } }, "update": { "check": true } }',
      '{ "guard": { "level": "relaxed", "rules": { "git.push": "deny", "git.stash": "ask", "db.drop": "deny" } } }',
    );
    expect(await listed(user)).toEqual({
      "guard.level": ["user", "strict"],
      "guard.rules.git.push": ["project", "deny"],
      "guard.rules.git.stash": ["user", "deny"],
      "guard.rules.db.drop": ["project", "deny"],
    });
    const { stdout, stderr } = await user.type(["config", "list"]);
    expect(stdout).toMatch(/^guard\.level {12}user {9}strict$/m);
    expect(stderr).toContain("guard.level is ignored: a project may only tighten");
  });

  it("names the environment where that decides", async () => {
    const { stdout } = await newUserInside().type(["config", "list", "--json"], {
      env: { AMPLIHACK_GUARD_LEVEL: "strict", AMPLIHACK_FAILURE_POLICY: "closed" },
    });
    expect((JSON.parse(stdout) as Listed).settings).toEqual([
      { key: "guard.level", value: "strict", builtIn: "standard", layer: "environment", source: null },
      { key: "failure.default", value: "closed", builtIn: null, layer: "environment", source: null },
    ]);
  });

  it("shows every setting with --all", async () => {
    const all = await listed(newUserInside(), "--all");
    const maps = ["guard.rules", "failure", "prices"];
    expect(Object.keys(all)).toEqual(settingKeys().filter(key => !maps.includes(key)));
    expect(all["history.budgetMs"]).toEqual(["built-in", 150]);
    expect(all["reflect.agent"]).toEqual(["built-in", null]);
  });
});

describe("amplihack config get", () => {
  const configured = () =>
    userWith(
      '{ "guard": { "level": "strict", "rules": { "git.push": "deny" }, "custom": [{ "id": "my.rule", "when": { "command": "x" }, "verdict": "ask", "reason": "r" }], "trustedProjects": [] } }',
    );

  it.each([
    ["guard.level", "strict"],
    ["guard.rules.git.push", "deny"],
    ["guard.rules.my.rule", "null"],
    ["guard.rules", '{"git.push":"deny"}'],
    ["guard.protectedBranches", '["main","master","release/*"]'],
    ["guard.trustedProjects", "[]"],
    ["update", '{"check":true}'],
    ["bridge.command", "null"],
  ])("prints %s", async (key, value) => {
    const { code, stdout } = await configured().type(["config", "get", key]);
    expect([code, stdout]).toEqual([0, `${value}\n`]);
  });

  it("says where a value comes from with --json", async () => {
    expect(await configured().json("config", "get", "guard.level")).toEqual({
      key: "guard.level",
      value: "strict",
      layer: "user",
    });
  });

  it.each([
    ["guard.levle", "there is no setting 'guard.levle'; did you mean guard.level?"],
    ["guard.level.x", "there is no setting 'guard.level.x'; did you mean guard.level?"],
    ["guard.rules.gti.push", "there is no rule 'gti.push'; did you mean git.push?"],
    ["failure.No", "there is no setting 'failure.No'; did you mean failure?"],
    ["failure.pre-tol-use", "there is no hook 'pre-tol-use'; did you mean pre-tool-use?"],
    ["toString", "there is no setting 'toString'"],
  ])("does not know '%s'", async (key, message) => {
    const { code, stdout, stderr } = await configured().type(["config", "get", key]);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([1, "", `Error: ${message}`]);
  });
});

describe("amplihack config set", () => {
  it("writes the user's file, which only its owner can read", async () => {
    const user = newUserInside();
    const { code, stdout } = await user.type(["config", "set", "guard.level", "strict"]);
    expect([code, stdout]).toEqual([0, `guard.level is now strict in ${fileOf(user)}\n`]);
    expect(JSON.parse(textOf(user))).toEqual({ guard: { level: "strict" } });
    expect(statSync(fileOf(user)).mode & 0o777).toBe(0o600);
    const again = await user.json("config", "set", "guard.level", "strict");
    expect(again).toMatchObject({ success: true, changed: false, value: "strict", effective: "strict" });
  });

  it("keeps comments and everything else", async () => {
    const user = userWith('{\n  // mine\n  "guard": {\n    "level": "strict" // high\n  }\n}\n');
    await user.json("config", "set", "guard.rules.git.stash", "deny");
    await user.json("config", "set", "guard.level", "standard");
    expect(textOf(user)).toMatch(/\/\/ mine\n {2}"guard": \{\n {4}"level": "standard",? \/\/ high/);
    expect(await user.json("config", "get", "guard.rules")).toMatchObject({ value: { "git.stash": "deny" } });
  });

  it.each([
    ["guard.audit.allowed", "true", true],
    ["history.maxAgeDays", "30", 30],
    ["guard.prodNames", "prod, live", ["prod", "live"]],
    ["guard.prodNames", '["a,b"]', ["a,b"]],
    ["parts", "guard,history", ["guard", "history"]],
    ["guard.rules.git.*", "ask", "ask"],
    ["guard.rules.fs.root", "deny", "deny"],
    ["failure.pre-tool-use", "closed", "closed"],
    ["guard.rules", '{ "db.drop": "deny" }', { "db.drop": "deny" }],
    ["guard.allow", '[{ "command": "make clean" }]', [{ command: "make clean" }]],
  ])("reads %s %s by the type of the setting", async (key, text, value) => {
    const user = newUserInside();
    expect(await user.json("config", "set", key, text)).toMatchObject({ value, effective: value });
    expect(await user.json("config", "get", key)).toMatchObject({ value });
  });

  it.each([
    [1, ["guard.levle", "strict"], "there is no setting 'guard.levle'; did you mean guard.level?"],
    [
      2,
      ["guard.level", "strickt"],
      "guard.level must be one of relaxed, standard, strict, not 'strickt'; did you mean strict?",
    ],
    [2, ["guard.audit.allowed", "yes"], "guard.audit.allowed must be true or false, not 'yes'"],
    [2, ["history.maxAgeDays", "0"], "history.maxAgeDays must be a whole number from 1 to 3650, not '0'"],
    [2, ["parts", "guard,gaurd"], "parts must be a list, each one of guard"],
    [2, ["guard.allow", "make clean"], "guard.allow must be a value in JSON, not 'make clean'"],
    [2, ["history", "{}"], "history is a section; its settings are history.enabled, "],
    [2, ["guard.trustedProjects", "[]"], "guard.trustedProjects holds checksums and is not set by hand"],
    [
      2,
      ["memory.url", "postgres://ann:secret@db/x"],
      "the address of the database cannot be used: it holds a password",
    ],
    [
      2,
      ["memory.url", "postgres://ann:12?secret@db/x"],
      "the address of the database cannot be used: it has an @ or a # after its host",
    ],
    [2, ["update.source", "ftp://ann:secret@db/x"], "update.source must be without user names and passwords"],
    [2, ["extends", "https://ann:secret@db/x"], "extends must be without user names and passwords"],
    [2, ["memory.team", "a\u001b[31m"], "memory.team must be the team whose memories are shared there"],
    [1, ["__proto__", "x"], "there is no setting '__proto__'"],
    [1, ["failure.nope", "open"], "there is no hook 'nope'"],
    [1, ["k".repeat(100_000), "x"], "there is no setting 'kkk"],
    [
      2,
      ["guard.level", "x".repeat(100_000)],
      "guard.level must be one of relaxed, standard, strict, not 'xxx",
    ],
    [1, ["guard.prodNames", "x".repeat(300_000)], "HOME/.amplihack/config.jsonc would have 300"],
    [1, ["guard.rules.git.psh", "allow"], "there is no rule 'git.psh'; did you mean git.push?"],
    [1, ["guard.rules.nothing.*", "allow"], "there is no rule 'nothing.*'"],
    [1, ["guard.rules", '{ "git.psh": "deny" }'], "there is no rule 'git.psh'; did you mean git.push?"],
    [
      1,
      ["guard.rules.fs.root", "allow"],
      "the rule 'fs.root' always says deny: no configuration can loosen it",
    ],
    [1, ["guard.rules.fs.root", "ask"], "the rule 'fs.root' always says deny"],
  ])("refuses with exit code %i: %j", async (exitCode, words, message) => {
    const user = newUserInside();
    const { code, stdout, stderr } = await user.type(["config", "set", ...words]);
    expect([code, stdout]).toEqual([exitCode, ""]);
    expect(stderr).toContain(`Error: ${message.replace("HOME", user.home)}`);
    expect(stderr).toMatch(/^ {2}fix: \S/m);
    expect(stderr).not.toContain("secret");
    expect(stderr.length).toBeLessThan(5_000);
    expect(existsSync(fileOf(user))).toBe(false);
  });

  it("says when another layer makes it something else here", async () => {
    const user = userWith("{}", '{ "guard": { "level": "strict" } }');
    const { code, stderr } = await user.type(["config", "set", "guard.level", "relaxed"]);
    expect([code, stderr]).toEqual([0, "Note: together with the other layers it is strict here (project)\n"]);
  });

  it("leaves a file alone that it does not understand", async () => {
    const user = userWith('{ "guard": ');
    const { code, stderr } = await user.type(["config", "set", "guard.level", "strict"]);
    expect(code).toBe(1);
    expect(stderr).toContain("is left alone: it is not valid JSON");
    expect(textOf(user)).toBe('{ "guard": ');
  });
});

describe("amplihack config unset", () => {
  it("takes a setting out, and keeps comments and everything else", async () => {
    const user = userWith(
      '{\n  // mine\n  "guard": {\n    "level": "strict", // high\n    "rules": { "git.stash": "deny", "publish": "ask" }\n  }\n}\n',
    );
    const { code, stdout } = await user.type(["config", "unset", "guard.level"]);
    expect([code, stdout]).toEqual([0, `guard.level was taken out of ${fileOf(user)}; it is standard now\n`]);
    expect(await user.json("config", "unset", "guard.rules.git.stash")).toMatchObject({
      success: true,
      changed: true,
      effective: null,
    });
    expect(textOf(user)).toContain("// mine");
    expect(await user.json("config", "get", "guard.rules")).toMatchObject({ value: { publish: "ask" } });
    await user.json("config", "unset", "guard");
    expect(textOf(user)).not.toContain("guard");
  });

  it("changes nothing where it is not set, and makes no file", async () => {
    const user = newUserInside();
    const { code, stdout } = await user.type(["config", "unset", "guard.level"]);
    expect([code, stdout]).toEqual([0, `guard.level is not set in ${fileOf(user)}; it is standard now\n`]);
    expect(existsSync(fileOf(user))).toBe(false);
    const broken = userWith('{ "guard": ');
    expect((await broken.type(["config", "unset", "guard.level"])).code).toBe(1);
    expect(textOf(broken)).toBe('{ "guard": ');
    expect((await user.type(["config", "unset", "guard.levle"])).stderr).toContain(
      "did you mean guard.level?",
    );
  });
});

describe("amplihack config edit", () => {
  /** An editor that puts this text into the file, whose name it gets as its last word. */
  const writing = (text: string) => ({
    EDITOR: 'f() { printf \'%s\' "$CONTENT" > "$1"; }; f',
    CONTENT: text,
  });

  it("writes a file to start from, opens it and says that it is valid", async () => {
    const user = newUserInside();
    const { code, stdout } = await user.type(["config", "edit"], {
      env: { VISUAL: "true", EDITOR: "false" },
    });
    expect([code, stdout]).toEqual([0, `${fileOf(user)} is valid\n`]);
    expect(textOf(user)).toContain("Your settings for amplihack");
  });

  it("tells everything that does not count", async () => {
    const user = newUserInside();
    const content =
      '{ "guard": { "levle": 1, "rules": { "git.psh": "ask", "fs.root": "off", "git.*": "ask" } } }';
    const { code, stderr } = await user.type(["config", "edit"], { env: writing(content) });
    expect(code).toBe(1);
    expect(stderr).toContain(`${fileOf(user)} has 3 problems`);
    expect(stderr).toContain("guard.levle is ignored");
    expect(stderr).toContain("there is no rule 'git.psh'; did you mean git.push?");
    expect(stderr).toContain("the rule 'fs.root' always says deny");
    expect(textOf(user)).toBe(content);
    const broken = await user.type(["config", "edit"], { env: writing("{ broken") });
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("has a problem")]);
  });

  it("says what to do without an editor, or when it fails", async () => {
    const user = newUserInside();
    const none = await user.type(["config", "edit"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("fix: set EDITOR to")]);
    const failed = await user.type(["config", "edit"], { env: { EDITOR: "exit 3;" } });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("failed: exit code 3")]);
  });
});
