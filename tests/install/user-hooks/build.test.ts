import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readManifest } from "../../../src/hooks/user/manifest.ts";
import { buildHooks, buildProblems } from "../../../src/install/user-hooks/build.ts";
import { TrustedHooks } from "../../../src/install/user-hooks/sources.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { bundleProgram } from "../../bundle-program.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const runner = [process.execPath, bundleProgram(new URL("../../../src/bin/run-hooks.ts", import.meta.url))];
const system = createNodeSystem();

function makePlaces() {
  const home = temporaryDirectory();
  const places = { home, stateHome: join(home, ".amplihack"), projectRoot: join(home, "project") };
  mkdirSync(join(places.stateHome, "hooks"), { recursive: true });
  mkdirSync(join(places.projectRoot, ".amplihack", "hooks"), { recursive: true });
  return places;
}

type Places = ReturnType<typeof makePlaces>;
const own = ({ stateHome }: Places, name: string, text: string) =>
  write(join(stateHome, "hooks", name), text);
const ofProject = ({ projectRoot }: Places, name: string, text: string) =>
  write(join(projectRoot, ".amplihack", "hooks", name), text);
const build = (places: Places) => buildHooks(system, places, { runner, builder: [] });

function write(path: string, text: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const hookText = (name: string, body = "", more = "") => `
import { ask, defineHook } from "amplihack/hooks";
${more}
export default defineHook({ name: "${name}", event: "PreToolUse", tool: "Bash", run({ input }: { input: { command: string } }) { ${body} return ask(input.command); } });
`;

describe("a build", () => {
  it("tells of every hook what it wants, and whether it is portable", async () => {
    const places = makePlaces();
    own(places, "words.json", `["deploy"]`);
    own(
      places,
      "a.ts",
      `import { context, defineHook, deny } from "amplihack/hooks";
import words from "./words.json";
export const one = defineHook({ name: "one", event: ["PreToolUse", "PostToolUse"], tool: ["Bash", "mcp__x__*"], options: { order: 3, timeoutMs: 100, onFailure: "closed", hosts: ["codex"], when: /de(ploy)/gi }, run: () => context(words[0] ?? "") });
export const two = defineHook({ name: "two", event: "Stop", options: { when: ["a", "b"] }, run: ({ facts }) => deny(String(facts.programs.length)) });
export const examples = [];
`,
    );
    own(places, "b.ts", hookText("needs-node", "readFileSync;", `import { readFileSync } from "node:fs";`));
    own(places, "b.test.ts", "not a hook");
    own(places, "c.d.ts", "not a hook");
    const { manifest, hasBundler } = await build(places);
    expect(hasBundler).toBe(true);
    expect(manifest.files).toMatchObject([
      {
        source: join(places.stateHome, "hooks/a.ts"),
        project: undefined,
        isPortable: true,
        usesFacts: true,
        problem: undefined,
        hooks: [
          {
            name: "one",
            exportName: "one",
            events: ["PreToolUse", "PostToolUse"],
            tools: ["Bash", "mcp__x__*"],
            hosts: ["codex"],
            when: { pattern: "de(ploy)", flags: "i" },
            order: 3,
            timeoutMs: 100,
            onFailure: "closed",
          },
          {
            name: "two",
            exportName: "two",
            events: ["Stop"],
            when: { words: ["a", "b"] },
            order: 0,
            timeoutMs: 5000,
            onFailure: "open",
          },
        ],
      },
      { isPortable: false, usesFacts: false, hooks: [{ name: "needs-node", exportName: "default" }] },
    ]);
    expect(manifest.files[0]?.inputs.map(input => input.path)).toEqual(
      ["a.ts", "words.json"].map(name => join(places.stateHome, "hooks", name)),
    );
    expect(readManifest(system, places.stateHome)).toEqual(manifest);
    expect(statSync(join(places.stateHome, "hooks/.build/manifest.json")).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["the process", "process.cwd();"],
    ["timers", "setTimeout(() => {}, 1);"],
    ["the network", "fetch('http://x');"],
    ["the console", "console.log(1);"],
    ["dynamic code", "eval('1');"],
    ["the global object's members", "globalThis['x'];"],
    ["a module that is loaded later", "import('node:fs');"],
  ])("knows that a hook which uses %s needs Node", async (what, body) => {
    const places = makePlaces();
    own(places, "x.ts", hookText("x", body));
    const { manifest } = await build(places);
    expect(manifest.files[0]).toMatchObject({
      isPortable: what === "the global object's members",
      problem: undefined,
    });
  });

  it.each([
    ["a name of its own that Node has too", "const process = { cwd: () => 1 }; process.cwd();"],
    ["such a name in a text", "'process.exit console'.length;"],
    ["dates, maps and promises", "new Map([[new Date(0), Promise.resolve(/x/u)]]);"],
  ])("is not misled by %s", async (_, body) => {
    const places = makePlaces();
    own(places, "x.ts", hookText("x", body));
    expect((await build(places)).manifest.files[0]).toMatchObject({ isPortable: true, problem: undefined });
  });

  it("a broken file breaks itself alone, and is told with its place", async () => {
    const places = makePlaces();
    own(
      places,
      "bad.ts",
      `import { defineHook } from "amplihack/hooks";\nexport default defineHook({ name: }`,
    );
    own(places, "empty.ts", "export const nothing = 1;");
    own(places, "good.ts", hookText("good"));
    own(places, "loop.ts", "process.exit(3); export {};");
    own(
      places,
      "odd.ts",
      `import { defineHook } from "amplihack/hooks"; export const a = defineHook({ name: "odd", event: "Nope" as never, run: () => undefined });`,
    );
    own(places, "same.ts", hookText("good"));
    own(places, "throws.ts", "throw new Error('at once');");
    const report = await build(places);
    const told = buildProblems(report).map(line => line.slice(join(places.stateHome, "hooks/").length));
    expect(told).toEqual([
      expect.stringMatching(/^bad\.ts: Unexpected "}" \(line 2\)$/),
      expect.stringMatching(/^empty\.ts: it exports no hook/),
      expect.stringMatching(/^loop\.ts: loading it ended Node/),
      expect.stringMatching(/^odd\.ts: hook odd: there is no event "Nope"/),
      expect.stringMatching(/^same\.ts: the name good is taken/),
      expect.stringMatching(/^throws\.ts: at once/),
    ]);
    expect(report.manifest.files.find(file => file.source.endsWith("good.ts"))).toMatchObject({
      problem: undefined,
    });
  });

  it("keeps the hooks of a file that broke, so that their failure policies hold", async () => {
    const places = makePlaces();
    const path = own(places, "x.ts", hookText("x"));
    await build(places);
    writeFileSync(path, "oh no (");
    const { manifest } = await build(places);
    expect(manifest.files).toMatchObject([
      { code: undefined, problem: expect.stringContaining("line 1"), hooks: [{ name: "x" }] },
    ]);
  });

  it("compiles what changed, keeps what did not, and names files by their content", async () => {
    const places = makePlaces();
    own(places, "x.ts", hookText("x"));
    const path = own(places, "y.ts", hookText("y"));
    const first = (await build(places)).manifest.files;
    writeFileSync(path, hookText("z"));
    utimesSync(path, 1, 1);
    const second = (await build(places)).manifest.files;
    expect(second[0]).toEqual(first[0]);
    expect(second[1]?.code).not.toBe(first[1]?.code);
    expect(second[1]?.hooks[0]?.name).toBe("z");
    const folder = join(places.stateHome, "hooks/.build");
    expect(readdirSync(folder).filter(name => /^[0-9a-f]{32}\.js$/.test(name))).toHaveLength(3);
    rmSync(join(folder, second[1]?.code ?? ""));
    await build(places);
    expect(existsSync(join(folder, second[1]?.code ?? ""))).toBe(true);
  });
});

describe("the hooks of a project", () => {
  it("are named and not loaded until they are trusted, by path and content, imports included", async () => {
    const places = makePlaces();
    ofProject(places, "lib/word.ts", `export const word = "x";`);
    const path = ofProject(
      places,
      "p.ts",
      hookText("p", "word;", `import { word } from "./lib/word.ts"; throw new Error("loaded");`),
    );
    const first = await build(places);
    expect(first.manifest.files).toEqual([]);
    expect(first.refused).toMatchObject([{ path, state: "untrusted" }]);
    writeFileSync(path, hookText("p", "word;", `import { word } from "./lib/word.ts";`));
    const { refused } = await build(places);
    new TrustedHooks(system, places.stateHome).add(path, refused[0]?.sha256 ?? "");
    const trusted = await build(places);
    expect(trusted.manifest.files).toMatchObject([
      { source: path, project: places.projectRoot, problem: undefined },
    ]);
    ofProject(places, "lib/word.ts", `export const word = "changed";`);
    const changed = await build(places);
    expect(changed.refused).toMatchObject([{ path, state: "changed" }]);
    expect(changed.manifest.files).toMatchObject([
      { problem: expect.stringContaining("changed since it was trusted") },
    ]);
    expect(buildProblems(changed).join()).toContain("amplihack hooks trust");
  });

  it("stay when another project is built", async () => {
    const places = makePlaces();
    const path = ofProject(places, "p.ts", hookText("p"));
    const { refused } = await build(places);
    new TrustedHooks(system, places.stateHome).add(path, refused[0]?.sha256 ?? "");
    await build(places);
    const other = await build({ ...places, projectRoot: temporaryDirectory() });
    expect(other.manifest.files).toMatchObject([{ source: path, project: places.projectRoot }]);
  });
});

describe("the hooks of a package", () => {
  it("are bundled, and pinned to the content that was first seen", async () => {
    const places = makePlaces();
    const folder = "node_modules/@acme/policy";
    own(places, `${folder}/package.json`, `{"name":"@acme/policy","main":"index.js"}`);
    const entry = own(
      places,
      `${folder}/index.js`,
      `const { defineHook } = require("amplihack/hooks"); exports.a = defineHook({ name: "acme", event: "Stop", run() {} });`,
    );
    write(join(places.stateHome, "config.jsonc"), `{"hooks":{"packages":["@acme/policy"]}}`);
    const first = await build(places);
    expect(first.manifest.files).toMatchObject([
      { source: entry, hooks: [{ name: "acme", exportName: "a" }] },
    ]);
    writeFileSync(entry, `${readFileSync(entry, "utf8")}\n// another release`);
    const second = await build(places);
    expect(second.refused).toMatchObject([{ path: entry, state: "changed" }]);
  });
});
