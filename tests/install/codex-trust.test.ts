import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { HOSTS, unregisterEntries } from "../../src/exports/hosts.ts";
import { registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";
import { changeTrust, fingerprints, trustStatus } from "../../src/install/trust.ts";

const FILE = "/home/ines/.codex/hooks.json";
const mine = (command: string) => ({ type: "command", command });

function register(text: string): string {
  const layout = HOSTS.codex.registration?.layout;
  if (layout === undefined) throw new Error("no layout");
  const wanted = wantedEntries("codex", {
    program: "/home/ines/.amplihack/.claude/bin/amplihack-hooks",
    isShared: false,
  });
  const edited = registerEntries(text, layout, wanted);
  if (!edited.ok) throw new Error(edited.problem);
  return edited.text;
}

function unregister(text: string): string {
  const layout = HOSTS.codex.registration?.layout;
  const edited = layout === undefined ? undefined : unregisterEntries(text, layout);
  if (edited?.ok !== true) throw new Error("cannot unregister");
  return edited.text;
}

function change(config: string | undefined, before: string, after: string, isAgreed = true): string {
  const changed = changeTrust(config, { hooksFile: FILE, before, after, isAgreed });
  if (!changed.ok) throw new Error(changed.problem);
  return changed.text ?? "";
}

const state = (config: string) =>
  (parse(config) as { hooks?: { state?: Record<string, { trusted_hash?: string }> } }).hooks?.state ?? {};

describe("the fingerprint of a handler", () => {
  // Taken from `hooks/list` of Codex 0.166.0.
  it.each([
    [
      "PreToolUse",
      "*",
      { ...mine("/bin/true a"), timeout: 10 },
      "159df61c3ccca6f6d8a6eb8aa51f551c2dcab19e2ba5e55bd3d5052111559d87",
    ],
    [
      "PreToolUse",
      "*",
      mine("/bin/true b"),
      "193d600112464f01bcb0d77d51eee9196eadeeea228f38dcbd74bb1b7341eb67",
    ],
    [
      "PreToolUse",
      undefined,
      { ...mine("/bin/true é"), timeout: 10 },
      "7072d0116012398c207e71cd0c68c1db8cdc82a829e8ca4c463099af9f10a798",
    ],
    [
      "SessionStart",
      "",
      { ...mine("/bin/true e"), timeout: 3, statusMessage: "x" },
      "1ab8d890d06979895a5e08a896e085ce2ab7603d1e38237929edd180ff360b26",
    ],
    [
      "SessionEnd",
      undefined,
      { ...mine("/bin/true e"), timeout: 30 },
      "e53ca57678ba6e1ff707e6fdd6e2e7af1c2e56e00859abac3dc61fe13c7c4ba9",
    ],
    [
      "Stop",
      "x",
      { ...mine("/bin/true s"), timeout: 120 },
      "ab11da4ed10b628fcf8d1eaf648ee843452011e2b65fcbeb5329991f643e7301",
    ],
    [
      "PreToolUse",
      undefined,
      { ...mine("a"), commandWindows: "b", timeout: 0, additionalContextLimit: 5, async: true, foo: 1 },
      "0cac06f79e22ab60ac5b03f4553edcd766fe6716019b2ed7ca41907faa05b57a",
    ],
  ])("on %s with matcher %s is the one Codex computes", (event, matcher, handler, hash) => {
    const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
    expect(fingerprints(FILE, JSON.stringify({ hooks: { [event]: [group] } }))[0]?.hash).toBe(
      `sha256:${hash}`,
    );
  });

  it("has a name made of file, event and position", () => {
    const groups = [{ hooks: [mine("a"), mine("b")] }, { hooks: [mine("c")] }];
    const keys = fingerprints(FILE, JSON.stringify({ hooks: { UserPromptSubmit: groups } })).map(
      each => each.key,
    );
    expect(keys).toEqual(["0:0", "0:1", "1:0"].map(place => `${FILE}:user_prompt_submit:${place}`));
  });
});

describe("trusting our hooks", () => {
  const after = register("");

  it("writes one table for each and leaves the rest of the file alone", () => {
    const before = '# mine\nmodel = "gpt" # best\n\n[projects."/srv"]\ntrust_level = "trusted"\n';
    const config = change(before, "", after);
    expect(config.startsWith(before)).toBe(true);
    expect(Object.keys(state(config))).toHaveLength(fingerprints(FILE, after).length);
    for (const each of fingerprints(FILE, after)) expect(trustStatus(config, each)).toBe("trusted");
    expect(change(config, after, after)).toBe(config);
    expect(change(config, after, unregister(after), false)).toBe(before);
  });

  it("works on a missing file, on Windows line ends and without a newline at the end", () => {
    expect(change(undefined, "", after)).toMatch(/^\[hooks\.state\./);
    expect(change("a = 1\r\n", "", after)).not.toMatch(/[^\r]\n/);
    expect(change("a = 1", "", after)).toMatch(/^a = 1\n\n\[hooks/);
  });

  it("writes nothing without agreement, and makes no file for it", () => {
    expect(change("a = 1\n", "", after, false)).toBe("a = 1\n");
    expect(changeTrust(undefined, { hooksFile: FILE, before: "", after, isAgreed: false })).toEqual({
      ok: true,
      text: undefined,
    });
  });

  it("renews the fingerprint of a hook that changed", () => {
    const other = after.replace('"timeout": 120', '"timeout": 90');
    const config = change(change("", "", after), after, other);
    for (const each of fingerprints(FILE, other)) expect(trustStatus(config, each)).toBe("trusted");
  });

  it("keeps a hook switched off that the user switched off", () => {
    const config = change("", "", after).replace(/(stop:0:0"\]\n)/, "$1enabled = false\n");
    expect(change(config, after, after)).toBe(config);
    const stop = fingerprints(FILE, after).find(each => each.key.endsWith(":stop:0:0"));
    expect(stop && trustStatus(config, stop)).toBe("disabled");
  });
});

describe("fingerprints of other people's hooks", () => {
  const before = JSON.stringify({
    hooks: { PreToolUse: [{ hooks: [mine("one"), mine("two")] }, { hooks: [mine("three")] }], Later: [] },
  });
  const [one, two, three] = fingerprints(FILE, before);
  const trusted = `[hooks.state."${one?.key}"]\ntrusted_hash = "${one?.hash}"\n# note\n\n[hooks.state.'${two?.key}']\nenabled = false\n\n[hooks.state."${three?.key}"]\ntrusted_hash = "${three?.hash}"\nenabled = true\n\n[other]\nx = 1\n`;

  it("move along with the hooks, agreed or not, and back again", () => {
    const after = register(before);
    for (const isAgreed of [true, false]) {
      const config = change(trusted, before, after, isAgreed);
      const foreign = fingerprints(FILE, after).filter(each => !each.isOurs);
      expect(foreign.map(each => trustStatus(config, each))).toEqual(["trusted", "disabled", "trusted"]);
      expect(config).toContain("# note");
      const back = change(config, after, unregister(after), false);
      expect(parse(back)).toEqual(parse(trusted));
    }
  });

  it("are put right after an attempt that ended half-way", () => {
    const after = register(before);
    const half = change(trusted, before, after);
    // The hooks file was not written: what is there is still the old one.
    expect(change(half, before, after)).toBe(half);
    const back = change(half, after, unregister(after), false);
    expect(parse(change(back, after, unregister(after), false))).toMatchObject({
      hooks: { state: { [one?.key ?? ""]: { trusted_hash: one?.hash } } },
    });
  });
});

describe("a configuration that cannot be edited safely", () => {
  it.each([
    ["broken TOML", "model = \n", /not valid TOML/],
    ["state in an inline table", `hooks = { state = {} }\n`, /form that cannot be edited/],
    [
      "a table written with dotted keys",
      'hooks.state."/home/ines/.codex/hooks.json:stop:0:0".trusted_hash = "sha256:old"\n',
      /form that cannot be edited/,
    ],
  ])("is left alone: %s", (_, config, problem) => {
    const changed = changeTrust(config, { hooksFile: FILE, before: "", after: register(""), isAgreed: true });
    expect(changed).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });
});
