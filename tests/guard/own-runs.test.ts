import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../src/exports/guard.ts";
import { readRecipeTexts } from "../../src/programs/model/run-own.ts";
import { contextFor, machine, PROJECT } from "./scene.ts";

const recipe = (command: string) => `name: x\nsteps:\n  - id: a\n    command: |\n      ${command}\n`;

const DECLARED: Readonly<Record<string, string>> = {
  ".claude/recipes/other.yaml": "By its name",
  "flows/named.yaml": "by-name",
};
const withName = (file: string, command: string) =>
  recipe(command).replace("name: x", `name: ${DECLARED[file] ?? "x"}`);

function judge(command: string, files: Readonly<Record<string, string>> = {}) {
  const placed = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text]),
  );
  return judgeCommand(command, contextFor({ system: machine(placed), machineKey: () => "k".repeat(64) }));
}

describe("what a command of amplihack runs", () => {
  it.each([
    ['amplihack mcp guard -- bash -c "rm -rf ~"', {}],
    ["npx amplihack mcp guard --name x -- rm -rf /", {}],
    ["env A=1 amplihack mcp guard -- env rm -rf ~", {}],
    ["amplihack mcp guard -- bash mm.sh", { "mm.sh": "rm -rf ~\n" }],
    ["amplihack sandbox run -- rm -rf ~", {}],
    ["amplihack sandbox run --network none -- bash mm.sh", { "mm.sh": "rm -rf ~\n" }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": recipe("rm -rf ~") }],
    ["amplihack recipe run -- ./ee.yaml", { "ee.yaml": recipe("rm -rf ~") }],
    ["amplihack recipe run ee", { ".claude/recipes/ee.yml": recipe("rm -rf ~") }],
    ["amplihack recipe run ee -R more", { "more/ee.yaml": recipe("rm -rf ~") }],
    ["amplihack recipe run ee -w sub", { "sub/amplifier-bundle/recipes/ee.yaml": recipe("rm -rf ~") }],
    ["node dist/bin/amplihack.cjs recipe run ee.yaml", { "ee.yaml": recipe("rm -rf ~") }],
    ["amplihack recipe submit ee.yaml", { "ee.yaml": recipe("rm -rf ~") }],
    [
      "amplihack recipe run a.yaml",
      { "a.yaml": "steps:\n  - recipe: ./b.yaml\n", "b.yaml": recipe("rm -rf ~") },
    ],
    ["amplihack recipe run ee.yaml", { "ee.yaml": 'steps: [{ "id": "a", "command": "rm -rf ~" }]' }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": "steps:\n  - {id: a, command: 'rm -rf ~'}\n" }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": 'steps:\n  - "command": "r\\x6d -rf ~"\n' }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": "steps:\n  - command: rm\n      -rf ~\n" }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": "steps: [{id: a, command: rm -rf ~}]" }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": "hooks:\n  on_error: rm -rf ~\nsteps: []\n" }],
    ["amplihack recipe run ee.yaml", { "ee.yaml": 'hooks: { post_step: "rm -rf ~" }\n' }],
    [
      "amplihack recipe run a.yaml",
      { "a.yaml": "name: x\nextends: base\n", ".claude/recipes/base.yaml": recipe("rm -rf ~") },
    ],
    ["printf 'steps:\\n  - command: rm -rf ~\\n' > new.yaml && amplihack recipe run new.yaml", {}],
    ["amplihack hooks compare --candidate 'rm -rf ~'", {}],
    ["amplihack hooks replay --input x.json --candidate='rm -rf ~'", {}],
    ["amplihack hooks capture --event stop --reference 'rm -rf ~'", {}],
    [
      "amplihack hooks test hh.mjs",
      { "hh.mjs": 'import { execSync } from "node:child_process";\nexecSync("rm -rf ~");\n' },
    ],
  ])("is denied where it would be denied alone: %s", (command, files) => {
    expect(judge(command, files).verdict).toBe("deny");
  });

  it.each([
    ["amplihack mcp guard -- npx -y some-server", {}],
    ["amplihack recipe run ee.yaml", { "ee.yaml": recipe("npm test") }],
    ["amplihack recipe run hello", {}],
  ])("is asked about as before where nothing in it is denied: %s", (command, files) => {
    expect(judge(command, files).verdict).toBe("ask");
  });

  it("is not read where nothing runs", () => {
    const files = { "ee.yaml": recipe("rm -rf ~") };
    for (const command of [
      "amplihack recipe run ee.yaml --dry-run",
      "amplihack recipe show ee.yaml",
      "amplihack recipe validate ee.yaml",
    ])
      expect([command, judge(command, files).verdict]).toEqual([command, "allow"]);
  });
});

describe("a yes to a command that runs a file", () => {
  it.each([
    ["amplihack recipe run ee.yaml", "ee.yaml", recipe("npm test"), recipe("npm test && npm run more")],
    ["amplihack recipe run ee", ".claude/recipes/ee.yaml", recipe("npm test"), recipe("npm run more")],
    ["amplihack recipe submit ee.yaml", "ee.yaml", recipe("npm test"), recipe("npm run more")],
    ["amplihack mcp guard -- bash mm.sh", "mm.sh", "npm test\n", "npm run more\n"],
    ["amplihack sandbox run -- bash mm.sh", "mm.sh", "npm test\n", "npm run more\n"],
    ["amplihack try --discard -- bash mm.sh", "mm.sh", "npm test\n", "npm run more\n"],
    ["amplihack claude -- --settings s.json -p hello", "s.json", "{}", '{"model":"x"}'],
    ["amplihack hooks add hh.mjs", "hh.mjs", "export default 1", "export default 2"],
    ["amplihack plugin install plug", "plug/hooks/hooks.json", "{}", '{"hooks":{}}'],
    ["amplihack hooks compare --reference-map m.json", "m.json", "{}", '{"stop":"true"}'],
    ["amplihack orch run ws.json", "ws.json", "[]", '[{"task":"x"}]'],
    [
      "amplihack config set guard.level strict; amplihack hooks test ./hh.ts",
      "hh.ts",
      "export default 1",
      "export default 2",
    ],
  ])("is for its bytes: %s", (command, file, before, after) => {
    const first = judge(command, { [file]: before });
    const second = judge(command, { [file]: after });
    expect(first.code).toBeDefined();
    expect(judge(command, { [file]: before }).digest).toBe(first.digest);
    expect(second.digest).not.toBe(first.digest);
  });

  it.each([
    ["amplihack mcp guard -- node srv.js", "srv.js"],
    ["amplihack mcp guard -- node srv.js", "other.js"],
    ["amplihack mcp guard -- python3 srv.py", "helper.py"],
    ["amplihack mcp guard -- deno run srv.js", "srv.js"],
    ["amplihack mcp guard -- uv run srv.py", "srv.py"],
    ["amplihack mcp guard -- npx tsx srv.js", "srv.js"],
    ["amplihack sandbox run -- ruby run.rb", "run.rb"],
    ["amplihack try -- bash step.sh", "lib.sh"],
    ["amplihack recipe run top.yaml", "lib.sh"],
  ])("is for the bytes of what runs deeper: %s, %s", (command, changed) => {
    const files = {
      "srv.js": "require('./other.js')\n",
      "other.js": "1\n",
      "srv.py": "import helper\n",
      "helper.py": "x = 1\n",
      "run.rb": "puts 1\n",
      "step.sh": ". ./lib.sh\n",
      "lib.sh": "npm test\n",
      "top.yaml": recipe("bash ./step.sh"),
    };
    const first = judge(command, files);
    expect(first.code).toBeDefined();
    expect(judge(command, files).digest).toBe(first.digest);
    expect(judge(command, { ...files, [changed]: "\n" }).digest).not.toBe(first.digest);
  });

  it.each([
    ["amplihack recipe run r.yaml", ".claude/agents/helper.md"],
    ["amplihack recipe run r.yaml", "amplifier-bundle/agents/core/reviewer.md"],
    ["amplihack recipe run r.yaml", ".claude/agents/team/core/reviewer.md"],
    ["amplihack recipe run -w sub r.yaml", "sub/.claude/agents/helper.md"],
    ["amplihack recipe run flow.yaml", ".claude/agents/helper.md"],
    ["amplihack recipe run outer.yaml", ".claude/agents/helper.md"],
    ["amplihack recipe run child.yaml", ".claude/recipes/base.yaml"],
    ["amplihack recipe run flows/top.yaml", "flows/beside.yaml"],
    ["amplihack recipe run -R flows top", "flows/beside.yml"],
    ["amplihack recipe run outer.yaml", "inner.yaml"],
    ["amplihack recipe run 'By its name'", ".claude/recipes/other.yaml"],
    ["cd flows && amplihack recipe run child2.yaml", ".claude/recipes/base.yaml"],
    ["cd flows && amplihack recipe run r.yaml", "flows/.claude/agents/helper.md"],
    ["amplihack recipe run flows/alias.yaml", "flows/named.yaml"],
  ])("is for the agents and recipes that it names: %s, %s", (command, changed) => {
    const named = "  - {id: b, agent: 'team:reviewer', prompt: y}\n";
    const files = {
      "r.yaml": `name: r\nsteps:\n  - id: a\n    agent: helper\n    prompt: x\n${named}`,
      "flow.yaml": "name: f\nsteps: [{id: a, agent: helper, prompt: x}]\n",
      "outer.yaml": "name: o\nsteps: [{id: a, recipe: inner}]\n",
      ".claude/recipes/inner.yaml": "name: i\nsteps:\n  - id: a\n    agent: helper\n    prompt: x\n",
      "child.yaml": "name: c\nextends: base\n",
      ".claude/recipes/base.yaml": recipe("npm test"),
      ".claude/recipes/other.yaml": "name: By its name\n",
      "flows/top.yaml": "name: t\nsteps: [{id: a, recipe: beside}]\n",
      "flows/child2.yaml": "name: c\nextends: base\n",
      "flows/alias.yaml": "name: t\nsteps: [{id: a, recipe: 'by-name'}]\n",
    };
    const first = judge(command, { ...files, [changed]: withName(changed, "npm test") });
    expect(first.code).toBeDefined();
    expect(judge(command, { ...files, [changed]: withName(changed, "npm run more") }).digest).not.toBe(
      first.digest,
    );
  });

  it.each([
    ["amplihack mcp guard -- node --import=./first.mjs srv.js", "first.mjs"],
    ["amplihack mcp guard -- node .", "index.js"],
    ["amplihack mcp guard -- node .", "dist/started.js"],
    ["amplihack mcp guard -- node ./tools", "tools/index.js"],
    ["amplihack mcp guard -- node srv", "srv.js"],
    ["amplihack mcp guard -- node tools", "tools.js"],
    ["amplihack mcp guard -- npx ./tools", "tools/index.js"],
    ["amplihack mcp guard -- go run main.go", "main.go"],
    ["amplihack mcp guard -- go run ./cmd", "cmd/main.go"],
    ["amplihack mcp guard -- java -jar srv.jar", "srv.jar"],
    ["amplihack mcp guard -- ./srv", "srv"],
    ["amplihack mcp guard -- docker compose up", "compose.override.yml"],
    ["amplihack mcp guard -- node srv.js --config conf.toml", "conf.toml"],
    ["amplihack try -- terraform plan", "main.tf"],
    ["amplihack recipe run jar.yaml", "srv.jar"],
  ])("is for what is named in other ways, compiled programs too: %s, %s", (command, changed) => {
    const files = {
      "first.mjs": "1\n",
      "index.js": "1\n",
      "package.json": '{"main": "./dist/started.js"}\n',
      "dist/started.js": "1\n",
      "tools/index.js": "1\n",
      "tools.js": "1\n",
      "srv.js": "1\n",
      "main.go": "package main\n",
      "cmd/main.go": "package main\n",
      "srv.jar": "PK\0\0",
      srv: "\x7fELF\0\0",
      "compose.override.yml": "services: {}\n",
      "conf.toml": "a = 1\n",
      "main.tf": "1\n",
      "jar.yaml": recipe("java -jar srv.jar"),
    };
    const first = judge(command, files);
    expect(first.code).toBeDefined();
    expect(judge(command, files).digest).toBe(first.digest);
    const other = files[changed as keyof typeof files]
      .replace("1", "2")
      .replace("\n", " \n")
      .replace("\0", "\0x");
    expect(judge(command, { ...files, [changed]: other }).digest).not.toBe(first.digest);
  });

  it.each([
    ["cargo run", "src/main.rs"],
    ["cargo run", "src/deep/mod.rs"],
    ["cargo test", "tests/it.rs"],
    ["cd crates/a && cargo run", "crates/b/src/lib.rs"],
    ["cargo run", ".cargo/config.toml"],
    ["go run .", "main.go"],
    ["go run ./cmd", "internal/deep/x.go"],
    ["go test ./...", "internal/deep/x_test.go"],
    ["dotnet run", "Program.cs"],
    ["dotnet run", "lib/More.cs"],
    ["dotnet build", "app.csproj"],
    ["swift run", "Sources/app/main.swift"],
    ["zig build run", "src/main.zig"],
    ["gradle run", "src/main/java/App.java"],
    ["./gradlew run", "src/main/java/App.java"],
    ["mvn exec:java", "src/main/java/App.java"],
    ["deno task start", "src/serve.ts"],
    ["npx tsx src", "src/deep/other.ts"],
    ["python -m pkg", "pkg/__main__.py"],
    ["python3 -m pkg.deep", "pkg/deep/other.py"],
    ["pytest", "tests/test_x.py"],
    ["make run", "src/app.c"],
    ["cmake --build build", "src/app.c"],
    ["npm test", "test/x.test.js"],
    ["npm test", "vitest.config.ts"],
    ["bun run start", "src/serve.ts"],
    ["docker build .", "entry.sh"],
    ["just all", "src/app.c"],
    ["mix run", "lib/app.ex"],
    ["sbt run", "src/main/scala/App.scala"],
    ["java -cp build App", "build/App.class"],
    ["ruby run.rb", "lib/deep.rb"],
    ["perl run.pl", "lib/Deep.pm"],
    ["php run.php", "src/Deep.php"],
    ["php artisan serve", "app/Http/Kernel.php"],
    ["uv run app", "app/main.py"],
    ["node --test", "test/x.test.js"],
    ["git commit -m x", ".git/hooks/pre-commit"],
    ["git push", ".husky/pre-push"],
    ["git push", ".git/config"],
    ["./unknown-runner", "data/plan.dat"],
  ])("is for the sources that it builds or finds: %s, %s", (words, changed) => {
    const files = { ".git/HEAD": "ref: x\n", "package.json": '{"scripts":{"test":"vitest","start":"x"}}' };
    for (const wrapper of ["try", "sandbox run", "mcp guard"]) {
      const [, place = "", line = words] = /^(cd \S+ && )(.*)$/.exec(words) ?? [];
      const command = `${place}amplihack ${wrapper} -- ${line}`;
      const first = judge(command, { ...files, [changed]: "1\n" });
      expect([command, first.verdict]).toEqual([command, expect.stringMatching(/ask|deny/)]);
      expect(judge(command, { ...files, [changed]: "1\n" }).digest).toBe(first.digest);
      expect([command, judge(command, { ...files, [changed]: "22\n" }).digest]).not.toEqual([
        command,
        first.digest,
      ]);
      expect([
        command,
        judge(command, { ...files, [`${changed}.js`]: "", [changed]: "1\n" }).code,
      ]).not.toEqual([command, undefined]);
    }
  });

  it.each(["ls", "cat src/main.rs", "grep -r x .", "git status", "wc -l src/main.rs"])(
    "is not for files that nothing runs: %s",
    words => {
      const files = { ".git/HEAD": "ref: x\n", "src/main.rs": "1\n", "other.rs": "1\n" };
      const first = judge(`amplihack try -- ${words}`, files);
      expect(first.code).toBeDefined();
      expect(judge(`amplihack try -- ${words}`, { ...files, "other.rs": "22\n" }).digest).toBe(first.digest);
    },
  );

  it("is not for logs and caches, which change all the time, and says where there is too much to compare", () => {
    const files = { ".git/HEAD": "ref: x\n", "src/main.rs": "1\n" };
    const command = "amplihack try -- cargo run";
    const first = judge(command, files);
    for (const other of ["build.log", "node_modules/a/index.js", ".pytest_cache/x", ".claude/runtime/x.json"])
      expect([other, judge(command, { ...files, [other]: "x" }).digest]).toEqual([other, first.digest]);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`many/${at}.rs`, "1"]));
    const judged = judge(command, { ...files, ...many });
    expect(judged.findings.map(({ rule }) => rule)).toContain("guard.unexamined");
    expect(judged.notes.join()).toMatch(/more files than can be compared/);
  });

  it("cannot be given for good", () => {
    const files = { "ee.yaml": recipe("npm test") };
    const [finding] = judge("amplihack recipe run ee.yaml", files).findings;
    expect(finding?.isOfFile).toBe(true);
  });
});

describe("the texts of a recipe", () => {
  it("are read in every shape that a member has", () => {
    const source = [
      "steps:",
      "  - id: one",
      "    command: |-",
      "      echo a",
      "",
      "      echo b",
      "  - command: >",
      "      folded",
      "      text",
      "    id: two",
      "  - command: 'it''s'",
      '  - { command: "a\\tb", id: three }',
      "  - recipe: other # why",
      "description: 'command: none'",
    ].join("\n");
    const { commands, recipes } = readRecipeTexts(source);
    expect(commands.map(text => text.trim().replace(/\s+/g, " "))).toEqual([
      "echo a echo b",
      "folded text",
      "it's",
      "a b",
    ]);
    expect(recipes).toEqual(["other"]);
  });
});
