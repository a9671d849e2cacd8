import { describe, expect, it } from "vitest";
import { findMisplacedConfig } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const HOME = "/home/user";
const PROJECT = "/home/user/work/app";

function find(paths: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = PROJECT) {
  const all = [`${HOME}/.amplihack/.kept`, `${PROJECT}/.git/HEAD`, ...paths];
  const files = Object.fromEntries(all.map(path => [path, "{}"]));
  const system = createMemorySystem({ files, env: { HOME, ...env } });
  const places = { home: HOME, stateHome: `${HOME}/.amplihack`, projectRoot: PROJECT, cwd };
  return findMisplacedConfig(system, places);
}

describe("a configuration that nobody reads", () => {
  it.each([
    [`${HOME}/.amplihack/config.json`, "user"],
    [`${HOME}/.amplihack/config.yaml`, "user"],
    [`${HOME}/.amplihack/config.yml`, "user"],
    [`${HOME}/.amplihack/config.toml`, "user"],
    [`${HOME}/.amplihack/config.json5`, "user"],
    [`${HOME}/.amplihack/config`, "user"],
    [`${HOME}/.amplihack/config.jsonc.txt`, "user"],
    [`${HOME}/.amplihack/Config.jsonc`, "user"],
    [`${HOME}/.amplihack/config.local.jsonc`, "user"],
    [`${HOME}/.amplihack/settings.json`, "user"],
    [`${HOME}/.amplihack/amplihack.jsonc`, "user"],
    [`${HOME}/.amplihack/hooks.json`, "user"],
    [`${HOME}/.amplihack/hooks.yaml`, "user"],
    [`${HOME}/.amplihack.json`, "user"],
    [`${HOME}/.amplihackrc`, "user"],
    [`${HOME}/.config/amplihack/config.jsonc`, "user"],
    [`${HOME}/.config/amplihack/hooks.jsonc`, "user"],
    [`${PROJECT}/.amplihack/config.json`, "project"],
    [`${PROJECT}/.amplihack/hooks.json`, "project"],
    [`${PROJECT}/.amplihack.jsonc`, "project"],
    [`${PROJECT}/amplihack.config.ts`, "project"],
    [`${PROJECT}/amplihack.yaml`, "project"],
    [`${PROJECT}/.amplihack`, "project"],
    ["/etc/amplihack/config.json", "system"],
  ])("is named, with the file that is read: %s", (path, scope) => {
    const [notice, ...more] = find([path]);
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ code: "misplaced", scope, source: path });
    expect(notice?.message).toContain(`${path} is not read`);
    expect(notice?.message).toContain("config.jsonc");
  });

  it("is looked for where variables put configurations, and between the session's folder and the project's root", () => {
    expect(find(["/cfg/amplihack/config.jsonc"], { XDG_CONFIG_HOME: "/cfg" })).toHaveLength(1);
    expect(find([`${PROJECT}/packages/a/.amplihack/config.jsonc`], {}, `${PROJECT}/packages/a`)).toHaveLength(
      1,
    );
    expect(
      find([`${PROJECT}/packages/a/.amplihack/hooks.jsonc`], {}, `${PROJECT}/packages/a/src`),
    ).toHaveLength(1);
    expect(find([`${PROJECT}/packages/b/.amplihack/config.jsonc`], {}, `${PROJECT}/packages/a`)).toEqual([]);
  });

  it("is named beside one that is read", () => {
    expect(find([`${HOME}/.amplihack/config.jsonc`, `${HOME}/.amplihack/config.json`])).toHaveLength(1);
  });

  it.each([
    `${HOME}/.amplihack/config.jsonc`,
    `${HOME}/.amplihack/hooks.jsonc`,
    `${HOME}/.amplihack/hooks/a.ts`,
    `${HOME}/.amplihack/guard/allow-always.json`,
    `${PROJECT}/.amplihack/config.jsonc`,
    `${PROJECT}/.amplihack/hooks.jsonc`,
    `${PROJECT}/config.json`,
    `${PROJECT}/amplihack`,
    `${PROJECT}/src/amplihack.yaml`,
    "/etc/amplihack/config.jsonc",
  ])("is not what is read, or somebody else's: %s", path => {
    expect(find([path])).toEqual([]);
  });
});
