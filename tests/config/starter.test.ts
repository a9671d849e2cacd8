import { describe, expect, it } from "vitest";
import { loadConfig, projectConfigFile, readJsonc, userConfigFile } from "../../src/config/index.ts";
import { settingKeys } from "../../src/config/json-schema.ts";
import { EXAMPLES, starterConfig, trustProject } from "../../src/config/starter.ts";
import type { Json } from "../../src/protocol/index.ts";
import { memberAt } from "../../src/protocol/members.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const PLACES = { home: "/home/user", stateHome: "/home/user/.amplihack", projectRoot: "/work" };
const USER_FILE = userConfigFile(PLACES.stateHome);
const PROJECT_FILE = projectConfigFile(PLACES.projectRoot);
const LOOSER = '{"guard":{"rules":{"git.stash":"allow"}}}';
const bytes = (text: string) => new TextEncoder().encode(text);

describe("a starter configuration", () => {
  it.each(["user", "project"] as const)("changes nothing and has nothing wrong in it: %s", scope => {
    const path = scope === "user" ? USER_FILE : PROJECT_FILE;
    const plain = loadConfig(createMemorySystem(), PLACES);
    const started = loadConfig(createMemorySystem({ files: { [path]: starterConfig(scope) } }), PLACES);
    expect(started.notices).toEqual([]);
    expect(started.config).toEqual(plain.config);
  });

  /** The slashes in front of every setting are removed. */
  const inForce = (text: string): string => text.replace(/^(\s*)\/\/ (?="[A-Za-z]+": )/gm, "$1");

  it.each(["user", "project"] as const)("holds values that are right and count: %s", scope => {
    const path = scope === "user" ? USER_FILE : PROJECT_FILE;
    const text = inForce(starterConfig(scope));
    const { notices, config } = loadConfig(createMemorySystem({ files: { [path]: text } }), PLACES);
    expect(notices).toEqual([]);
    expect(config.guard.custom).toEqual(EXAMPLES["guard.custom"]);
    // A project that is not trusted may not leave anything out of the history.
    expect(config.history.exclude).toEqual(scope === "user" ? EXAMPLES["history.exclude"] : []);
    expect(config.history.precious).toEqual(EXAMPLES["history.precious"]);
  });

  it("explains every setting there is, each once", () => {
    const read = readJsonc(inForce(starterConfig("user")));
    const file: Json = read.ok ? read.value : null;
    const missing = settingKeys().filter(key => memberAt(file, ...key.split(".")) === undefined);
    expect(missing).toEqual(["guard.trustedProjects"]);
    for (const line of starterConfig("user").split("\n")) expect(line.trim()).not.toBe("//");
    const uncommented = starterConfig("user")
      .split("\n")
      .filter(line => /^\s*"/.test(line));
    expect(uncommented.every(line => /": \{$|"\$schema"/.test(line))).toBe(true);
  });
});

describe("trusting a project", () => {
  it.each([
    ["no file", undefined],
    ["an empty object", "{}"],
    ["a file with comments", '{\n  // mine\n  "memory": { "maxItems": 3 },\n}\n'],
    ["other trusted projects", '{"guard":{"trustedProjects":[{"path":"/other","sha256":"00"}]}}'],
    ["an older hash of it", '{"guard":{"trustedProjects":[{"path":"/work","sha256":"00"}]}}'],
  ])("makes its file count, and keeps what was there: %s", (_, before) => {
    const files = { [PROJECT_FILE]: LOOSER, ...(before === undefined ? {} : { [USER_FILE]: before }) };
    const system = createMemorySystem({ files });
    trustProject(system, USER_FILE, PLACES.projectRoot, bytes(LOOSER));
    const { config, used } = loadConfig(system, PLACES);
    expect(used.find(file => file.scope === "project")?.isTrusted).toBe(true);
    expect(config.guard.rules).toMatchObject({ "git.stash": "allow" });
    const after = system.peek(USER_FILE) ?? "";
    if (before?.includes("// mine") === true) expect(after).toContain("// mine");
    if (before?.includes("/other") === true) expect(after).toContain("/other");
    const read = readJsonc(after);
    const text = JSON.stringify(read.ok ? read.value : undefined);
    expect(text.match(/"path":"\/work"/g)).toHaveLength(1);
  });

  it("ends with the content that was trusted", () => {
    const system = createMemorySystem({ files: { [PROJECT_FILE]: LOOSER } });
    trustProject(system, USER_FILE, PLACES.projectRoot, bytes(LOOSER));
    system.put(PROJECT_FILE, `${LOOSER} `);
    expect(loadConfig(system, PLACES).used.find(file => file.scope === "project")?.isTrusted).toBe(false);
  });
});
