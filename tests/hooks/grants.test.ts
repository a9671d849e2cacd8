import { describe, expect, it } from "vitest";
import {
  changedSinceAsked,
  consumeGrants,
  findRefusal,
  forgetGiven,
  grantOnce,
  readGiven,
  readGrants,
  rememberRefusal,
} from "../../src/hooks/program/grants.ts";
import { readMachineKey } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const HOME = "/home/user/.amplihack";
const FILE = `${HOME}/guard/allow-once.json`;
const KEY = `${HOME}/guard/machine.key`;
const refused = (code: string) => ({ code, command: "rm x", cwd: "/w", rules: ["fs.bulk"], refusedMs: 1 });

describe("grants", () => {
  it("are kept side by side, and only the used one is used up", () => {
    const system = createMemorySystem();
    const [one, other] = [grantOnce(system, HOME, refused("aaa")), grantOnce(system, HOME, refused("BBB"))];
    expect(readGrants(system, HOME)).toEqual([one, other]);
    expect(one.code).toBe("AAA");
    expect(consumeGrants(system, HOME, [one])).toBe(true);
    expect(readGrants(system, HOME)).toEqual([other]);
    expect(consumeGrants(system, HOME, [one])).toBe(false);
  });

  it("given again last from then on, and are one", () => {
    const system = createMemorySystem();
    grantOnce(system, HOME, refused("AAA"));
    system.advance(1000);
    expect(readGrants(system, HOME)).toHaveLength(1);
    const again = grantOnce(system, HOME, refused("AAA"));
    expect(readGrants(system, HOME)).toEqual([again]);
  });

  it.each([
    ["[]", "no object"],
    ['{"grants":{}}', "grants that are no list"],
    ['{"grants":[1]}', "a grant that is no object"],
    ['{"grants":[{"code":1,"usesLeft":1,"expiresMs":1}]}', "a code that is no text"],
    ['{"grants":[{"code":"A","usesLeft":"1","expiresMs":1}]}', "uses that are no number"],
    ['{"refused":[{"code":"A","cwd":"/","rules":[],"refusedMs":1}]}', "a refusal without its command"],
    ['{"refused":["A"]}', "a refusal that is no object"],
  ])("in a file like %s, with %s, are none, and the next writer sets it aside", content => {
    const system = createMemorySystem({ files: { [FILE]: content } });
    expect(readGrants(system, HOME)).toEqual([]);
    const grant = grantOnce(system, HOME, refused("AAA"));
    expect(readGrants(system, HOME)).toEqual([grant]);
    const aside = system.files.list(`${HOME}/guard`).filter(name => name.includes(".corrupt-"));
    expect(aside.map(name => system.peek(`${HOME}/guard/${name}`))).toEqual([content]);
  });
});

describe("a grant that this program does not give", () => {
  it.each([999, 2, 1.5, 0, -1])("is worth nothing: %s uses", usesLeft => {
    const grant = { code: "AAA", usesLeft, expiresMs: Number.MAX_SAFE_INTEGER };
    const system = createMemorySystem();
    grant.expiresMs = system.clock.nowMs() + 60_000;
    system.files.makeDirectory(`${HOME}/guard`, 0o700);
    system.files.createExclusive(FILE, system.text.encode(JSON.stringify({ grants: [grant] })), 0o600);
    expect(readGrants(system, HOME)).toEqual([]);
    expect(consumeGrants(system, HOME, [grant])).toBe(false);
  });
});

describe("refusals", () => {
  it("are found by their code in any case, with rules that are texts only", () => {
    const system = createMemorySystem({
      files: { [FILE]: JSON.stringify({ refused: [{ ...refused("OLD"), rules: ["a", 1] }] }) },
    });
    rememberRefusal(system, HOME, refused("NEW"));
    expect(findRefusal(system, HOME, "new")).toEqual(refused("NEW"));
    expect(findRefusal(system, HOME, "OLD")?.rules).toEqual(["a"]);
    expect(findRefusal(system, HOME, "NONE")).toBeUndefined();
  });
});

describe("questions about files", () => {
  const asked = (code: string, session: string, refusedMs: number) => ({
    ...refused(code),
    session,
    refusedMs,
    files: [{ path: `/w/${code}`, sha256: code }],
  });

  it("of one session are not pushed out by those of another", () => {
    const system = createMemorySystem();
    const now = system.clock.nowMs();
    rememberRefusal(system, HOME, asked("MINE", "mine", now));
    for (let each = 0; each < 80; each += 1)
      rememberRefusal(system, HOME, asked(`X${each}`, "other", now + each));
    expect(findRefusal(system, HOME, "MINE")).toBeDefined();
    expect(findRefusal(system, HOME, "X79")).toBeDefined();
    expect(findRefusal(system, HOME, "X0")).toBeUndefined();
    expect(changedSinceAsked(system, HOME, [{ path: "/w/MINE", sha256: "other" }])).toBe("/w/MINE");
  });

  it("that had to be forgotten leave nothing unasked, for a week", () => {
    const system = createMemorySystem();
    const now = system.clock.nowMs();
    const unknown = [{ path: "/w/X0", sha256: "swapped" }];
    for (let each = 0; each < 50; each += 1)
      rememberRefusal(system, HOME, asked(`X${each}`, "s", now + each));
    expect(changedSinceAsked(system, HOME, [{ path: "/w/never", sha256: "a" }])).toBeUndefined();
    rememberRefusal(system, HOME, asked("X50", "s", now + 50));
    expect(findRefusal(system, HOME, "X0")).toBeUndefined();
    expect(changedSinceAsked(system, HOME, unknown)).toBe("/w/X0");
    rememberRefusal(system, HOME, asked("LAST", "s", now + 60));
    expect(changedSinceAsked(system, HOME, [{ path: "/w/LAST", sha256: "LAST" }])).toBeUndefined();
    system.advance(8 * 24 * 60 * 60 * 1000);
    expect(changedSinceAsked(system, HOME, unknown)).toBeUndefined();
  });

  it("are kept before those that run none, and longer", () => {
    const system = createMemorySystem();
    const now = system.clock.nowMs();
    rememberRefusal(system, HOME, asked("FILE", "s", now));
    for (let each = 0; each < 60; each += 1)
      rememberRefusal(system, HOME, { ...refused(`P${each}`), session: "s", refusedMs: now + each });
    expect(changedSinceAsked(system, HOME, [{ path: "/w/FILE", sha256: "other" }])).toBe("/w/FILE");
    system.advance(2 * 24 * 60 * 60 * 1000);
    rememberRefusal(system, HOME, { ...refused("NEW"), refusedMs: system.clock.nowMs() });
    expect(changedSinceAsked(system, HOME, [{ path: "/w/FILE", sha256: "other" }])).toBe("/w/FILE");
    expect(findRefusal(system, HOME, "P59")).toBeUndefined();
  });

  it("in a ledger that cannot be read leave nothing unasked", () => {
    const system = createMemorySystem({ files: { [FILE]: "[]" } });
    expect(changedSinceAsked(system, HOME, [{ path: "/w/x", sha256: "x" }])).toBe("/w/x");
  });
});

describe("the key of the machine", () => {
  it("is made once and read from then on", () => {
    const system = createMemorySystem();
    const key = readMachineKey(system, HOME);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(readMachineKey(system, HOME)).toBe(key);
    expect(system.peek(KEY)).toBe(`${key}\n`);
    expect(system.files.inspect(KEY)?.mode).toBe(0o600);
  });

  it("is made anew where the file holds no key", () => {
    const system = createMemorySystem({ files: { [KEY]: "no key" } });
    const key = readMachineKey(system, HOME);
    expect(system.peek(KEY)).toBe(`${key}\n`);
  });

  it("is an error where it cannot be made", () => {
    const system = createMemorySystem();
    system.faults.failUnder(KEY, "EACCES", ["createExclusive"]);
    expect(() => readMachineKey(system, HOME)).toThrow("EACCES");
  });
});

describe("a grant", () => {
  const asked = { ...refused("AAA"), session: "s1", host: "codex" };

  it("counts in the session and the host that it was asked in, and nowhere else", () => {
    const system = createMemorySystem();
    grantOnce(system, HOME, asked);
    expect(readGrants(system, HOME, { session: "s1", host: "codex" })).toHaveLength(1);
    for (const asker of [
      {},
      { session: "s2", host: "codex" },
      { session: "s1", host: "claude-code" },
      { session: "s1" },
    ])
      expect(readGrants(system, HOME, asker)).toEqual([]);
  });

  it("counts only as this program sealed it", () => {
    const forge = (change: (text: string) => string) => {
      const system = createMemorySystem();
      grantOnce(system, HOME, asked);
      const text = system.text.decode(system.files.read(FILE, 65_536)).text;
      system.files.remove(FILE);
      system.files.createExclusive(FILE, system.text.encode(change(text)), 0o600);
      return readGrants(system, HOME, { session: "s1", host: "codex" }).length;
    };
    expect(forge(text => text)).toBe(1);
    expect(forge(text => text.replaceAll('"AAA"', '"BBB"'))).toBe(0);
    expect(forge(text => text.replaceAll('"s1"', '"s2"').replaceAll('"s2"', '"s1" '))).toBe(1);
    expect(forge(text => text.replaceAll('"codex"', '"claude-code"'))).toBe(0);
    expect(forge(text => text.replace(/,?\s*"session":\s*"s1"/g, ""))).toBe(0);
    expect(forge(text => text.replace(/"usesLeft":\s*1/, '"usesLeft":1e0'))).toBe(1);
    expect(forge(text => text.replace(/"seal":\s*"[0-9a-f]*"/, '"seal":"x"'))).toBe(0);
    expect(forge(text => text.replace(/,?\s*"seal":\s*"[0-9a-f]*"/, ""))).toBe(0);
    expect(
      forge(text => text.replace(/"expiresMs":\s*(\d+)/, (_, ms: string) => `"expiresMs":${Number(ms) - 1}`)),
    ).toBe(0);
  });

  it("is remembered for the next session to show, until that has shown it", () => {
    const system = createMemorySystem();
    grantOnce(system, HOME, asked);
    const given = readGiven(system, HOME);
    expect(given).toMatchObject([{ command: "rm x", host: "codex" }]);
    forgetGiven(system, HOME, given);
    expect(readGiven(system, HOME)).toEqual([]);
    expect(readGrants(system, HOME, { session: "s1", host: "codex" })).toHaveLength(1);
  });
});
