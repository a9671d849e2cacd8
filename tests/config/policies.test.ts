import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import {
  parsePolicyReference,
  policyFile,
  policyFolder,
  signedRecordFile,
} from "../../src/config/policies.ts";
import { createMemorySystem, type SeedEntry } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";

const HOME = "/home/user";
const USER = `${HOME}/.amplihack/config.jsonc`;
const SYSTEM = "/etc/amplihack/config.jsonc";
const PROJECT = `${HOME}/project/.amplihack/config.jsonc`;
const KEY = `${"A".repeat(43)}=`;

const own = (content: unknown, mode = 0o600, uid = 1000): SeedEntry => ({
  content: typeof content === "string" ? content : JSON.stringify(content),
  mode,
  uid,
});
const hashOf = (content: string) => sha256Hex(utf8.encode(content));

function load(files: Record<string, SeedEntry>) {
  const system = createMemorySystem({ files, env: { HOME }, uid: 1000 });
  const layers: string[] = [];
  const places = { home: HOME, stateHome: `${HOME}/.amplihack`, projectRoot: `${HOME}/project` };
  const loaded = loadConfig(system, places, (scope, _, policy) => layers.push(policy ?? scope));
  return { ...loaded, layers, messages: loaded.notices.map(({ message }) => message).join("\n") };
}

describe("an entry of extends", () => {
  it.each([
    ["./policy.jsonc", "file"],
    ["../shared/policy.jsonc", "file"],
    ["/etc/acme/policy.jsonc", "file"],
    ["@acme/agent-policy", "package"],
    ["agent-policy", "package"],
    ["https://acme.example/policy.jsonc", "address"],
    ["http://127.0.0.1:8080/policy.jsonc", "address"],
  ])("%s is a %s", (entry, kind) => {
    expect(parsePolicyReference(entry)).toMatchObject({ from: entry, kind, pin: undefined });
    const hash = hashOf(entry);
    expect(parsePolicyReference(`${entry}#sha256-${hash}`)?.pin).toEqual({ kind: "sha256", hash });
    expect(parsePolicyReference(`${entry}#ed25519-${KEY}`)?.pin).toEqual({ kind: "ed25519", key: KEY });
  });

  it.each([
    "",
    "http://acme.example/policy.jsonc",
    "ftp://x/y",
    "@acme/../../etc/passwd",
    "../",
    "UPPER",
    "a b",
    `x${"y".repeat(300)}`,
    "./policy.jsonc#sha256-abc",
    "./policy.jsonc#md5-abc",
  ])("is refused as %j", entry => {
    expect(parsePolicyReference(entry)).toBeUndefined();
    const { messages, config } = load({ [USER]: own({ extends: [entry], guard: { level: "strict" } }) });
    expect(messages).toContain("it is not a file, npm package or https address");
    expect(config.guard.level).toBe("strict");
  });
});

describe("policies", () => {
  const policy = '{ "guard": { "level": "strict", "rules": { "git.stash": "deny", "publish": "deny" } } }';
  const pinned = `./policy.jsonc#sha256-${hashOf(policy)}`;
  const beside = (file: string) => `${file.slice(0, file.lastIndexOf("/"))}/policy.jsonc`;

  it("lie below the file that extends them, and above the one below", () => {
    const { config, layers, notices } = load({
      [SYSTEM]: own({ extends: [pinned], guard: { rules: { publish: "ask" } } }, 0o644, 0),
      [beside(SYSTEM)]: own(policy, 0o644, 0),
      [USER]: own({ guard: { level: "relaxed" } }),
    });
    expect(notices).toEqual([]);
    expect(layers).toEqual(["./policy.jsonc", "system", "user", "environment"]);
    expect(config.guard).toMatchObject({ level: "relaxed", rules: { publish: "ask", "git.stash": "deny" } });
    expect(config.extends).toEqual([pinned]);
  });

  it("count in the order in which they are written", () => {
    const second = '{ "guard": { "level": "relaxed" } }';
    const entries = [pinned, `./second.jsonc#sha256-${hashOf(second)}`];
    const files = { [beside(USER)]: own(policy), [`${HOME}/.amplihack/second.jsonc`]: own(second) };
    const level = (list: readonly string[]) =>
      load({ ...files, [USER]: own({ extends: list }) }).config.guard.level;
    expect([level(entries), level(entries.toReversed())]).toEqual(["relaxed", "strict"]);
  });

  it("do not count without a pin, or when nothing was pulled yet", () => {
    const address = `https://acme.example/p.jsonc#sha256-${hashOf(policy)}`;
    const loaded = load({
      [USER]: own({ extends: ["./policy.jsonc", address] }),
      [beside(USER)]: own(policy),
    });
    expect(loaded.config.guard.level).toBe("standard");
    expect(loaded.notices.map(({ code }) => code)).toEqual(["broken", "broken"]);
    expect(loaded.messages).toMatch(/not pinned[\s\S]*what was pinned is not there/);
  });

  it("count as they were last pulled when the file was changed since, and that is told", () => {
    const kept = policyFile(policyFolder(USER), hashOf(policy));
    const files = { [USER]: own({ extends: [pinned] }), [beside(USER)]: own("{}"), [kept]: own(policy) };
    const loaded = load(files);
    expect(loaded.config.guard.level).toBe("strict");
    expect(loaded.notices).toMatchObject([{ code: "broken" }]);
    const told = `the policy ./policy.jsonc#sha256-${hashOf(policy).slice(0, 8)}… counts as it was last pulled: `;
    expect(loaded.messages).toContain(`${told}${beside(USER)} is not what was pinned`);
    const tampered = load({ ...files, [kept]: own(policy.replace("strict", "relaxed")) });
    expect(tampered.config.guard.level).toBe("standard");
    // It lies here: there is nothing to pull.
    expect(tampered.messages).toMatch(/is not what was pinned: it is sha256-[0-9a-f]{64} now; bring/);
    expect(tampered.messages).not.toContain("config pull");
  });

  it("that are signed count as they were found when the signature was checked", () => {
    const entry = `https://acme.example/p.jsonc#ed25519-${KEY}`;
    const folder = policyFolder(USER);
    const record = signedRecordFile({ text: utf8 }, folder, entry);
    const kept = policyFile(folder, hashOf(policy));
    const files = {
      [USER]: own({ extends: [entry] }),
      [record]: own({ entry, sha256: hashOf(policy) }),
      [kept]: own(policy),
    };
    expect(load(files).config.guard.level).toBe("strict");
    expect(load({ ...files, [kept]: own("{}") }).messages).toContain("was changed or removed");
    expect(load({ ...files, [record]: own({ entry: "x", sha256: "y" }) }).messages).toContain(
      "no signed content",
    );
    expect(load({ ...files, [record]: own({}, 0o666) }).messages).toContain("can be written by others");
    expect(load({ [USER]: own({ extends: [entry] }) }).messages).toContain(
      "no signed content was fetched yet",
    );
  });

  it("never bring in programs, addresses, trust, or further policies", () => {
    const hostile = JSON.stringify({
      extends: [pinned],
      managed: true,
      bridge: { command: ["/tmp/evil"] },
      update: { source: "https://evil.example" },
      hooks: { packages: ["evil"] },
      guard: {
        trustHooks: ["x"],
        trustedProjects: [{ path: "/p", sha256: "0".repeat(64) }],
        audit: { file: "/dev/null", allowed: true },
      },
    });
    const { config, messages } = load({
      [USER]: own({ extends: [`./policy.jsonc#sha256-${hashOf(hostile)}`] }),
      [beside(USER)]: own(hostile),
    });
    expect(config).toMatchObject({ managed: false, bridge: { command: undefined }, hooks: { packages: [] } });
    expect(config.update.source).toBeUndefined();
    expect(config.guard).toMatchObject({ trustHooks: [], audit: { file: undefined, allowed: true } });
    for (const member of [
      "extends",
      "managed",
      "bridge",
      "update",
      "hooks",
      "guard.trustHooks",
      "guard.audit.file",
    ])
      expect(messages).toContain(`may not hold ${member}`);
  });

  it.each([
    ["too large", `{"a":"${"x".repeat(300_000)}"}`, "is not there"],
    ["too deep", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, "not valid JSON with comments (too-deep)"],
    ["no JSON", "<html>", "not valid JSON with comments (malformed)"],
    ["no object", "[1]", "expected an object"],
  ])("that are %s change nothing and are told", (_, content, message) => {
    const { config, messages } = load({
      [USER]: own({ extends: [`./policy.jsonc#sha256-${hashOf(content)}`], guard: { level: "strict" } }),
      [beside(USER)]: own(content),
    });
    expect(config.guard.level).toBe("strict");
    expect(messages).toContain(message);
  });

  it("are sixteen at most, and cannot be read is told", () => {
    const many = Array.from({ length: 20 }, (_, index) => `./p${index}.jsonc#sha256-${hashOf("{}")}`);
    const seeds = Object.fromEntries(
      many.map((_, index) => [`${HOME}/.amplihack/p${index}.jsonc`, own("{}")]),
    );
    const loaded = load({ ...seeds, [USER]: own({ extends: many }) });
    expect(loaded.layers.filter(layer => layer.startsWith("./p"))).toHaveLength(16);
    expect(loaded.notices.map(({ code }) => code)).toEqual(["too-many"]);
  });

  it("are no matter of a project's", () => {
    const { config, messages } = load({
      [PROJECT]: own({ extends: [pinned], managed: true }),
      [`${HOME}/project/.amplihack/policy.jsonc`]: own(policy),
    });
    expect(config).toMatchObject({ extends: [], managed: false, guard: { level: "standard" } });
    expect(messages).toMatch(/extends is ignored[\s\S]*managed is ignored/);
  });
});
