import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { requireAgreed } from "../../src/cli/agreed.ts";
import { type ForAgents, isFamily, type LeafCommand, runsSomething } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-table.ts";
import { preToolUse } from "../../src/hooks/index.ts";
import { quoteWord } from "../../src/system/index.ts";
import { runHook } from "../hooks/run-hook.ts";
import { systemIn } from "../install/sandbox.ts";
import { newUserInside, type User } from "./run-command.ts";

const NOT_AGREED = "is not what the person was asked about";
const step = (command: string) => `name: x\nsteps:\n  - id: a\n    command: ${command}\n`;

/** How a command that runs something is given a file, and what no person can permit inside it. */
interface Running {
  /** what its declaration says that it runs */
  readonly says: string;
  readonly words: readonly string[];
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** absent where it runs no commands of its own: agents and workstreams are judged when they act */
  readonly fixed?: { readonly words: readonly string[]; readonly file?: readonly [string, string] };
}

const SCRIPT = { file: "ss.sh", before: "npm test\n", after: "npm run more\n" };
const behind = (...words: readonly string[]): Running => ({
  ...SCRIPT,
  says: "words",
  words: [...words, "--", "bash", "ss.sh"],
  fixed: { words: [...words, "--", "rm", "-rf", "/"] },
});
const option = (says: string, name: string, ...words: readonly string[]): Running => ({
  ...SCRIPT,
  says,
  words: [...words, `--${name}`, "bash ss.sh"],
  fixed: { words: [...words, `--${name}`, "rm -rf /"] },
});
const code = (...words: readonly string[]): Running => ({
  says: "code",
  words: [...words, "hh.mjs"],
  file: "hh.mjs",
  before: "export default 1;\n",
  after: "export default 2;\n",
  fixed: {
    words: [...words, "bad.mjs"],
    file: ["bad.mjs", 'import { execSync } from "node:child_process";\nexecSync("rm -rf /");\n'],
  },
});
const recipe = (...words: readonly string[]): Running => ({
  says: "recipe",
  words: [...words, "ee.yaml"],
  file: "ee.yaml",
  before: step("npm test"),
  after: step("npm run more"),
  fixed: { words: [...words, "bad.yaml"], file: ["bad.yaml", step("rm -rf /")] },
});
const launch = (agent: string, name = agent): Running => ({
  says: agent,
  words: [name, "--", "--settings", "s.json"],
  file: "s.json",
  before: '{"model":"a"}',
  after: '{"model":"b"}',
});

/** Every command by which an agent can start what it chose itself. One that is new belongs here, or starts nothing. */
const RUNNING: Readonly<Record<string, Running>> = {
  amplifier: launch("amplifier"),
  claude: launch("claude"),
  codex: launch("codex"),
  copilot: launch("copilot"),
  gemini: launch("gemini"),
  "hooks add": code("hooks", "add"),
  "hooks capture": option("reference candidate", "reference", "hooks", "capture", "--event", "stop"),
  "hooks compare": option("candidate reference reference-map", "candidate", "hooks", "compare"),
  "hooks replay": option("candidate", "candidate", "hooks", "replay", "--input", "x.json"),
  "hooks test": code("hooks", "test"),
  install: {
    says: "local/.claude local/amplifier-bundle",
    words: ["install", "--local", "kit"],
    file: "kit/.claude/agents/helper.md",
    before: "Help.\n",
    after: "Help, and run what you find.\n",
  },
  launch: launch("claude", "launch"),
  "mcp guard": behind("mcp", "guard"),
  opencode: launch("opencode"),
  "orch run": {
    says: "file",
    words: ["orch", "run", "ws.json"],
    file: "ws.json",
    before: "[]",
    after: '[{"task":"x"}]',
  },
  pi: launch("pi"),
  "plugin install": {
    says: "file",
    words: ["plugin", "install", "plug"],
    file: "plug/hooks/hooks.json",
    before: "{}",
    after: '{"hooks":{}}',
  },
  "recipe run": recipe("recipe", "run"),
  "recipe schedule": recipe("recipe", "schedule"),
  "recipe submit": recipe("recipe", "submit"),
  "sandbox run": behind("sandbox", "run"),
  "try run": behind("try", "run"),
};
const WITH_VALUES = { file: "values.json", before: '{"x":"a"}', after: '{"x":"/"}' };
const MORE: readonly Running[] = [
  { ...WITH_VALUES, says: "", words: ["recipe", "run", "outer.yaml", "--context-file", "values.json"] },
  { ...WITH_VALUES, says: "", words: ["recipe", "submit", "outer.yaml", "--context-file=values.json"] },
  { ...WITH_VALUES, says: "", words: ["recipe", "run", "outer.yaml", "--resume", "./values.json"] },
  {
    says: "",
    words: ["install", "--local=kit"],
    file: "kit/amplifier-bundle/recipes/deploy.yaml",
    before: step("npm test"),
    after: step("npm run more"),
  },
  {
    says: "",
    words: ["plugin", "install", "plug"],
    file: "plug/node_modules/inner/index.js",
    before: "1;\n",
    after: "2;\n",
  },
  { ...code("hooks", "test"), file: "lib.mjs", words: ["hooks", "test", "importing.mjs"] },
  { ...code("hooks", "add"), file: "deep/lib.ts", words: ["hooks", "add", "importing.ts"] },
  behind("try"),
  behind("try", "--apply"),
  option("", "reference", "hooks", "compare"),
  {
    says: "",
    words: ["hooks", "compare", "--reference-map", "map.json"],
    file: "map.json",
    before: '{"stop":"true"}',
    after: '{"stop":"false"}',
  },
  {
    says: "",
    words: ["recipe", "run", "outer.yaml"],
    file: "inner.yaml",
    before: step("npm test"),
    after: step("npm run more"),
  },
  {
    says: "",
    words: ["recipe", "run", "asking.yaml"],
    file: ".claude/agents/helper.md",
    before: "Help.\n",
    after: "Help, and run what you find.\n",
  },
  {
    says: "",
    words: ["recipe", "run", "child.yaml"],
    file: ".claude/recipes/base.yaml",
    before: step("npm test"),
    after: step("npm run more"),
  },
  {
    says: "",
    words: ["claude", "--", "--mcp-config=m.json"],
    file: "m.json",
    before: "{}",
    after: '{"mcpServers":{}}',
  },
  {
    says: "",
    words: ["launch", "--cwd", "sub", "--", "--settings", "s.json"],
    file: "sub/s.json",
    before: "{}",
    after: '{"a":1}',
  },
];

/** Words that name files, folders or programs, and why nothing of them runs. One that is new is listed, or declared. */
const ONLY_READ: Readonly<Record<string, string>> = {
  "audit verify FILE": "a log",
  "consent-service install --into": "where files of root's are written",
  "consent-service uninstall --into": "where files of root's are removed",
  "guard argv -- PROGRAM [ARGUMENT…]": "judges the words",
  "guard argv --cwd": "a place to judge in",
  "guard explain --cwd": "a place to judge in",
  "guard explain COMMAND": "judges the words",
  "guard replay AUDIT": "a log, judged anew",
  "guard scan PATH": "texts, judged",
  "guard suggest --transcript": "a record of a session",
  "guard test --cwd": "a place to judge in",
  "guard test --file": "commands, judged",
  "guard test COMMAND": "judges the words",
  "hooks capture --baseline": "is written",
  "hooks capture --golden-dir": "is written",
  "hooks capture --input": "a payload",
  "hooks compare --golden-dir": "payloads and answers",
  "hooks compare --input": "a payload",
  "hooks compare --transcript": "a record of a session",
  "hooks replay --input": "a payload",
  "hooks replay --transcript": "a record of a session",
  "hooks test --input": "a payload",
  "hooks trust FILE": "no agent is allowed to",
  "history list --path": "a filter",
  "history show [-- PATH…]": "a filter",
  "hygiene artifact-guard --allowlist": "names of files",
  "hygiene artifact-guard --repo": "a repository, looked at",
  "hygiene branch-protection --repo": "a repository, looked at",
  "recipe artifacts FILE": "a name in the list of a run",
  "recipe list --cd": "a place to look in",
  "recipe list --recipe-dir": "a place to look in",
  "recipe list --working-dir": "a place to look in",
  "recipe list DIR": "a place to look in",
  "recipe run --audit-dir": "is written",
  "recipe show --cd": "a place to look in",
  "recipe show --recipe-dir": "a place to look in",
  "recipe show --working-dir": "a place to look in",
  "recipe show RECIPE": "is shown",
  "recipe validate --cd": "a place to look in",
  "recipe validate --recipe-dir": "a place to look in",
  "recipe validate --working-dir": "a place to look in",
  "recipe validate RECIPE": "is checked",
  "recipe worker --working-dir": "where recipes work that a database has",
  "redo [-- PATH…]": "a filter",
  "report --html": "is written",
  "sandbox allow HOST|PATH": "no agent is allowed to",
  "sandbox run --read": "what the command may read",
  "sandbox run --write": "what the command may write",
  "serve --cert": "a certificate",
  "serve --key": "a key",
  "try show [-- PATH…]": "a filter",
  "undo ID|PATH": "a filter",
  "undo [-- PATH…]": "a filter",
};
/** Where recipes are looked for, and where things run: what lies there is read with what is named. */
const PLACES = ["cwd", "cd", "recipe-dir", "working-dir"];
/** Memory commands: a database and files of notes, which are data. */
const isOfMemory = (path: string) => path.startsWith("memory ");

const ALL = [...Object.values(RUNNING), ...MORE].map(one => [one.words.join(" "), one] as const);

/** Each leaves other bytes under the name that the person was asked about. */
const SWAPS: Readonly<Record<string, (path: string, after: string) => void>> = {
  "in place": (path, after) => writeFileSync(path, after),
  rename: (path, after) => {
    writeFileSync(`${path}.new`, after);
    renameSync(`${path}.new`, path);
  },
  link: (path, after) => {
    writeFileSync(`${path}.other`, after);
    rmSync(path);
    symlinkSync(`${path}.other`, path);
  },
  "hard link": (path, after) => {
    writeFileSync(`${path}.other`, after);
    rmSync(path);
    linkSync(`${path}.other`, path);
  },
  "a folder above": (path, after) => {
    const folder = dirname(path);
    renameSync(folder, `${folder}.old`);
    mkdirSync(folder);
    writeFileSync(path, after);
  },
};

interface Scene {
  readonly user: User;
  /** What the hook program says of the call. */
  ask(words: readonly string[], cwd?: string): Promise<string | undefined>;
  /** What the command says when an agent starts it. */
  start(words: readonly string[], cwd?: string): Promise<void>;
}

function sceneOf(): Scene {
  const user = newUserInside();
  // Without it nobody knows which files the session wrote.
  mkdirSync(join(user.home, ".amplihack"));
  writeFileSync(join(user.home, ".amplihack", "config.jsonc"), '{"history":{"enabled":false}}');
  const at = (cwd: string) =>
    systemIn(cwd, { PATH: process.env["PATH"] ?? "", HOME: user.home, CLAUDECODE: "1" });
  return {
    user,
    async ask(words, cwd = user.project) {
      const command = ["amplihack", ...words].map(quoteWord).join(" ");
      const call = { tool_name: "Bash", tool_input: { command }, cwd, session_id: "s1" };
      return (await runHook(preToolUse(), at(cwd), call))?.decision?.kind;
    },
    start: (words, cwd = user.project) => requireAgreed(at(cwd), ["amplihack", ...words]),
  };
}

function place({ user }: Scene, file: string, content: string, folder = user.project): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function loadLeaves(): Promise<readonly (readonly [string, LeafCommand])[]> {
  const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));
  return commands.flatMap((command): readonly (readonly [string, LeafCommand])[] =>
    isFamily(command)
      ? command.subcommands.map(sub => [`${command.name} ${sub.name}`, sub])
      : [[command.name, command]],
  );
}

describe("the commands of amplihack", () => {
  it("run what a word of them names, or are listed with what they do with it", async () => {
    const leaves = await loadLeaves();
    const naming = leaves
      .filter(([path]) => !isOfMemory(path))
      .flatMap(([path, leaf]) => namingWords(leaf).map(word => `${path} ${word}`));
    expect(naming.sort()).toEqual(Object.keys(ONLY_READ).sort());
  });

  it("say what they run", async () => {
    const leaves = await loadLeaves();
    const running = leaves.flatMap(([path, leaf]) => {
      const { runs, launches, runsText, runsFile }: Partial<ForAgents> =
        typeof leaf.forAgents === "string" ? {} : leaf.forAgents;
      const says = runs ?? launches ?? [...(runsText ?? []), ...(runsFile ?? [])].join(" ");
      expect([path, runsSomething(leaf)]).toEqual([path, says !== ""]);
      return says === "" ? [] : [[path, says] as const];
    });
    expect(Object.fromEntries(running)).toEqual(
      Object.fromEntries(Object.entries(RUNNING).map(([path, { says }]) => [path, says])),
    );
  });
});

/** The words of a command that may name something to run: behind `--`, arguments, and options by what stands for their value. */
function namingWords(leaf: LeafCommand): readonly string[] {
  const { positionals = [], wordsBehind, options, forAgents } = leaf;
  const {
    runs,
    launches,
    runsText = [],
    runsFile = [],
  }: Partial<ForAgents> = typeof forAgents === "string" ? {} : forAgents;
  const isRun = (name: string) => runsText.includes(name) || runsFile.some(one => one.split("/")[0] === name);
  const runsFirst = runs !== undefined && runs !== "words";
  return [
    ...(wordsBehind === undefined || runs === "words" ? [] : [wordsBehind]),
    ...positionals.flatMap(({ name, completes, isCommandLine }, index) => {
      const isNaming = isCommandLine === true || /^(?:file|directory|recipe)$/.test(completes ?? "");
      return (isNaming || /FILE|DIR|PATH|COMMAND/.test(name)) && !(runsFirst && index === 0) ? [name] : [];
    }),
    ...Object.entries(options).flatMap(([name, spec]) => {
      const label = "label" in spec ? spec.label : "";
      if (!/FILE|DIR|PATH|COMMAND|PROGRAM|SCRIPT/.test(label) || isRun(name)) return [];
      return (runs ?? launches) !== undefined && PLACES.includes(name) ? [] : [`--${name}`];
    }),
  ];
}

/** What names the files that are swapped. */
function placeAround(scene: Scene, cwd: string): void {
  place(scene, "outer.yaml", "name: o\nsteps:\n  - id: a\n    recipe: ./inner.yaml\n", cwd);
  place(scene, "asking.yaml", "name: a\nsteps: [{id: a, agent: helper, prompt: x}]\n", cwd);
  place(scene, "child.yaml", "name: c\nextends: base\n", cwd);
  place(scene, "importing.mjs", 'export { default } from "./lib.mjs";\n', cwd);
  place(scene, "importing.ts", 'export { default } from "./through.js";\n', cwd);
  place(scene, "through.ts", 'export { default } from "./deep/lib.js";\n', cwd);
}

describe.each(ALL)("amplihack %s", (_, { words, file, before, after, fixed, says }) => {
  it("runs while its file is the one that was asked about, and after no swap", async () => {
    const scene = sceneOf();
    // All launches are one declaration.
    const isAlike = words.includes("--settings") && says !== "claude";
    for (const [kind, swap] of Object.entries(SWAPS).slice(0, isAlike ? 1 : undefined)) {
      const cwd = join(scene.user.project, kind.replaceAll(" ", "-"), "in");
      placeAround(scene, cwd);
      const path = place(scene, file, before, cwd);
      expect([kind, await scene.ask(words, cwd)]).toEqual([kind, "ask"]);
      await scene.start(words, cwd);
      swap(path, after);
      placeAround(scene, cwd);
      await expect(scene.start(words, cwd), kind).rejects.toThrow(NOT_AGREED);
      // Asked about anew it is another question, and then it may run.
      expect([kind, await scene.ask(words, cwd)]).toEqual([kind, "ask"]);
      await scene.start(words, cwd);
    }
  });

  it.skipIf(fixed === undefined)("is denied what nobody can permit, asked or started", async () => {
    if (fixed === undefined) return;
    const scene = sceneOf();
    const [name, content] = fixed.file ?? ["unused", ""];
    place(scene, name, content);
    expect(await scene.ask(fixed.words)).toBe("deny");
    await expect(scene.start(fixed.words)).rejects.toThrow("it did not run");
  });
});

describe("a file that was not there when the person was asked", () => {
  it.each([
    [["recipe", "run", "ee"], ".claude/recipes/ee.yaml", "ee.yaml"],
    [["recipe", "run", "ee"], ".claude/recipes/ee.yaml", "amplifier-bundle/recipes/ee.yaml"],
    [["recipe", "run", "asking.yaml"], ".claude/agents/helper.md", "amplifier-bundle/agents/helper.md"],
    [["try", "--", "node", "tools"], "tools/index.js", "tools.js"],
    [["try", "--", "python3", "srv.py"], "srv.py", "json.py"],
    [["sandbox", "run", "--", "cargo", "run"], "src/main.rs", ".cargo/config.toml"],
    [["try", "--", "npm", "test"], "package.json", "vitest.config.ts"],
    [["install", "--local", "kit"], "kit/.claude/agents/helper.md", "kit/.claude/agents/other.md"],
    [["plugin", "install", "plug"], "plug/hooks/hooks.json", "plug/hooks/other.json"],
    [["hooks", "test", "importing.mjs"], "lib.mjs", "lib.mjs.js"],
    [["hooks", "test", "importing.mjs"], "lib.mjs", "unrelated.md"],
  ])("is another question: amplihack %j, %s, %s", async (words, file, added) => {
    const scene = sceneOf();
    const cwd = join(scene.user.project, "in");
    place(scene, ".git/HEAD", "ref: x\n", cwd);
    placeAround(scene, cwd);
    place(
      scene,
      file,
      file.endsWith(".yaml") ? step("npm test") : file.endsWith(".json") ? "{}" : "1\n",
      cwd,
    );
    expect(await scene.ask(words, cwd)).toBe("ask");
    await scene.start(words, cwd);
    place(scene, added, added.endsWith(".yaml") ? step("npm run more") : "2\n", cwd);
    if (added === "unrelated.md") await scene.start(words, cwd);
    else await expect(scene.start(words, cwd)).rejects.toThrow(NOT_AGREED);
  });
});

describe("a command that runs something", () => {
  it("refuses before it does anything, when an agent starts it", async () => {
    const scene = sceneOf();
    const { user } = scene;
    const env = { CLAUDECODE: "1" };
    const hook = place(scene, "hh.mjs", "export default 1;\n");
    expect(await scene.ask(["hooks", "test", "./hh.mjs"])).toBe("ask");
    writeFileSync(
      hook,
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(user.project, "ran"))}, "");\n`,
    );
    const ran = await user.type(["hooks", "test", "./hh.mjs"], { env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(NOT_AGREED);
    expect(ran.stderr).toContain("run the command again");
    const watched = await user.type(["hooks", "test", "./hh.mjs", "--watch"], { env });
    expect(watched.code).toBe(1);
    const denied = await user.type(["mcp", "guard", "--", "rm", "-rf", "/"], { env });
    expect(denied.stderr).toContain("it did not run");
  });

  it("is not held up where a person starts it, or nothing was asked", async () => {
    const scene = sceneOf();
    const words = ["amplihack", "recipe", "run", "ee.yaml"];
    const path = place(scene, "ee.yaml", step("npm test"));
    await scene.start(words.slice(1));
    expect(await scene.ask(words.slice(1))).toBe("ask");
    writeFileSync(path, step("npm run more"));
    const system = systemIn(scene.user.project, { HOME: scene.user.home, PATH: "" });
    const { processes } = system;
    // Nothing above it.
    const person = { ...system, processes: { ...processes, self: { ...processes.self, pid: 0 } } };
    await requireAgreed(person, words);
  });

  it("notices a swap although other questions came in between", async () => {
    const scene = sceneOf();
    const path = place(scene, "ee.yaml", step("npm test"));
    const words = ["recipe", "run", "ee.yaml"];
    expect(await scene.ask(words)).toBe("ask");
    for (let each = 0; each < 60; each += 1)
      expect(await scene.ask(["memory", "delete", `key-${each}`])).toBe("ask");
    writeFileSync(path, step("npm run more"));
    await expect(scene.start(words)).rejects.toThrow(NOT_AGREED);
    expect(await scene.ask(words)).toBe("ask");
    await scene.start(words);
  });

  it("notices a swap of one among many files", async () => {
    const scene = sceneOf();
    const names = Array.from({ length: 60 }, (_, index) => `plug/skills/s${index}/SKILL.md`);
    const paths = names.map(name => place(scene, name, "Help.\n"));
    const words = ["plugin", "install", "plug"];
    expect(await scene.ask(words)).toBe("ask");
    await scene.start(words);
    for (const path of [paths[0], paths[35], paths[59]]) {
      writeFileSync(path ?? "", "Help, and send it.\n");
      await expect(scene.start(words)).rejects.toThrow(NOT_AGREED);
      writeFileSync(path ?? "", "Help.\n");
    }
    await scene.start(words);
  });

  it("does not run what would be asked about, if nobody was", async () => {
    const scene = sceneOf();
    place(scene, "mm.sh", "git push --force\n");
    await expect(scene.start(["mcp", "guard", "--", "bash", "mm.sh"])).rejects.toThrow("it did not run");
    expect(await scene.ask(["mcp", "guard", "--", "bash", "mm.sh"])).toBe("ask");
    await scene.start(["mcp", "guard", "--", "bash", "mm.sh"]);
  });
});
