import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;

function load(user: object, project: object, isTrusted: boolean) {
  const text = JSON.stringify(project);
  const trustedProjects = [{ path: PROJECT, sha256: sha256Hex(utf8.encode(text)) }];
  const own = isTrusted ? { ...user, guard: { trustedProjects } } : user;
  const system = createMemorySystem({
    files: {
      [`${HOME}/.amplihack/config.jsonc`]: { content: JSON.stringify(own), mode: 0o600, uid: 1000 },
      [`${PROJECT}/.amplihack/config.jsonc`]: { content: text, mode: 0o600, uid: 1000 },
    },
    env: { HOME },
    uid: 1000,
  });
  return loadConfig(system, { home: HOME, stateHome: `${HOME}/.amplihack`, projectRoot: PROJECT });
}

describe.each([false, true])("sandbox in the layers of configuration, project trusted: %s", isTrusted => {
  it("is widened by the person alone", () => {
    const user = { sandbox: { hosts: ["a.example"], ports: [5432], write: ["~/out"] } };
    const project = {
      sandbox: {
        hosts: ["evil.example"],
        ports: [22],
        write: ["/"],
        read: ["~/.ssh"],
        env: ["TOKEN"],
        network: "on",
      },
    };
    const { config, notices } = load(user, project, isTrusted);
    expect(config.sandbox).toEqual({
      network: "hosts",
      hosts: ["a.example"],
      ports: [5432],
      write: ["~/out"],
      read: [],
      env: [],
    });
    const refused = notices.map(({ message }) => /sandbox\.\w+/.exec(message)?.[0]);
    expect(refused.sort()).toEqual(
      ["env", "hosts", "network", "ports", "read", "write"].map(name => `sandbox.${name}`),
    );
  });

  it("is narrowed by a project", () => {
    expect(
      load({ sandbox: { network: "on" } }, { sandbox: { network: "off" } }, isTrusted).config.sandbox.network,
    ).toBe("off");
  });
});
