import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestFiles } from "../../../src/hooks/user/manifest.ts";
import { findUnagreedScripts, listFilesThatRun } from "../../../src/hooks/user/what-runs.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const system = createNodeSystem();

function projectWith(files: Readonly<Record<string, string>>): string {
  const project = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }
  return project;
}

const FILES = {
  "scripts/check.sh": "true\n",
  "scripts/more.sh": "true\n",
  "my dir/check.sh": "true\n",
  "lib/__init__.py": "",
  "lib/util.py": "1\n",
  "src/app.ts": "1\n",
  "cmd/check/main.go": "package main\n",
  "Checks.java": "class Checks {}\n",
  "tools/lint.js": "1\n",
};

const listed = (project: string, handler: object) =>
  listFilesThatRun(system, project, { hooks: { PreToolUse: [{ hooks: [handler] }] } } as never).map(path =>
    path.slice(project.length + 1),
  );

describe("what a trusted command runs", () => {
  it.each([
    ["sh 'my dir/check.sh'", "my dir/check.sh"],
    ['"$CLAUDE_PROJECT_DIR"/"my dir"/check.sh', "my dir/check.sh"],
    ['"${CLAUDE_PROJECT_DIR:-.}/my dir/check.sh"', "my dir/check.sh"],
    ["sh my\\ dir/check.sh", "my dir/check.sh"],
    [`bash -c "sh 'my dir/check.sh' --fast"`, "my dir/check.sh"],
    ["sh sc'ript's/check.sh", "scripts/check.sh"],
    ["sh scripts/chec[k].sh", "scripts/check.sh"],
    ["sh scripts/{check,more}.sh", "scripts/more.sh"],
    ["sh */check.sh", "scripts/check.sh"],
    ["for f in s*/*.sh; do sh $f; done", "scripts/more.sh"],
    ["S=check; sh scripts/$S.sh", "scripts/check.sh"],
    [`cd . && scripts/"$(cat name)".sh`, "scripts/check.sh"],
    ["run-parts scripts", "scripts/more.sh"],
    ["find scripts -type f -exec sh {} \\;", "scripts/check.sh"],
    ["ls scripts | xargs -I{} sh scripts/{}", "scripts/check.sh"],
    ["PYTHONPATH=lib python3 -c 'import util'", "lib/util.py"],
    ["java Checks", "Checks.java"],
    ["go run ./cmd/check", "cmd/check/main.go"],
    ["npx lint", "node_modules/.bin/lint"],
    ["sh ~+/scripts/check.sh", "scripts/check.sh"],
  ])("belongs to what is trusted: %s", (command, file) => {
    const project = projectWith(FILES);
    mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
    symlinkSync("../../tools/lint.js", join(project, "node_modules", ".bin", "lint"));
    expect(listed(project, { type: "command", command })).toContain(file);
  });

  it.each([
    ["cargo run -q", "src/deep/mod.rs"],
    ["cd crates/a && cargo run -q", "crates/b/src/lib.rs"],
    ["cargo run --manifest-path tool/Cargo.toml", "tool/src/main.rs"],
    ["go run .", "internal/x.go"],
    ["dotnet run --project tool", "tool/Program.cs"],
    ["swift run check", "Sources/check/main.swift"],
    ["zig build run", "src/main.zig"],
    ["./gradlew -q run", "src/main/java/App.java"],
    ["mvn -q exec:java", "src/main/java/App.java"],
    ["deno task check", "tasks/check.ts"],
    ["npx tsx tool", "tool/index.ts"],
    ["env A=1 cargo run", "src/main.rs"],
    ["java Checks", "src/Deep.java"],
    ["cargo +nightly -q run --bin check", "src/bin/check.rs"],
    ["bazel run //tools:check", "tools/check.go"],
    ["bash -c 'cargo run'", "src/main.rs"],
    ["cd tool; cargo run", "src/main.rs"],
  ])("belongs to it where it is built at each run: %s, %s", (command, file) => {
    const project = projectWith({ ...FILES, "Cargo.toml": "", [file]: "1\n" });
    expect(listed(project, { command })).toContain(file);
  });

  it("is not what is written at each run, but sources in folders of such names", () => {
    const project = projectWith({
      "Cargo.toml": "",
      "src/bin/check.rs": "",
      "target/debug/.fingerprint/x.json": "{}",
      "app/App.csproj": "",
      "app/obj/project.assets.json": "{}",
      "app/bin/Debug/App.json": "{}",
      ".claude/runtime/x.json": "{}",
    });
    expect(listed(project, { command: "cargo run" })).toEqual([
      "Cargo.toml",
      "app/App.csproj",
      "src/bin/check.rs",
    ]);
  });

  it("is refused where more is built than can be compared", () => {
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`src/m${at}.rs`, ""]));
    expect(() => listed(projectWith(many), { command: "cargo run" })).toThrow(
      /more files than can be compared/,
    );
  });

  it("belongs to it by its variables and arguments as well", () => {
    const project = projectWith(FILES);
    expect(listed(project, { command: "bash", args: ["-c", "sh 'my dir/check.sh'"] })).toEqual([
      "my dir/check.sh",
    ]);
    expect(listed(project, { command: "true", env: { BASH_ENV: "my dir/check.sh" } })).toEqual([
      "my dir/check.sh",
    ]);
  });

  it.each([
    "echo make it so",
    "grep -q cargo README",
    "git log --grep go",
    "prettier --check src/$NAME.ts",
    "grep -q TODO src",
    'git diff --stat "$1"',
    "true * ?",
  ])("is no file that a command only looks at: %s", command =>
    expect(listed(projectWith(FILES), { command })).toEqual([]),
  );

  it("is not hidden behind a long file of another hook", () => {
    const long = Array.from({ length: 30_000 }, (_, index) => `word${index}`).join(" ");
    const project = projectWith({ ...FILES, "scripts/first.js": long });
    const handlers = ["node scripts/first.js", "sh scripts/check.sh"].map(command => ({ command }));
    const data = { hooks: { PreToolUse: [{ hooks: handlers }] } };
    expect(listFilesThatRun(system, project, data)).toContain(join(project, "scripts/check.sh"));
  });

  it.each(["sh 'my dir/check.sh'", "sh my\\ dir/check.sh", "'my dir/check.sh' x", "sh */check.sh"])(
    "is looked for in each project, by a hook of one's own: %s",
    command => {
      const project = projectWith(FILES);
      const action = { kind: "command", command } as never;
      const place = { cwd: project, projectRoot: project };
      const found = findUnagreedScripts(system, temporaryDirectory(), { action, runs: undefined }, place);
      expect(found.map(({ path }) => path)).toContain(join(project, "my dir/check.sh"));
    },
  );
});

it("a program that is too large to be read is another one when it was written since", () => {
  const path = join(projectWith({ large: "" }), "large");
  const large = Buffer.alloc(17 * 1024 * 1024, 1);
  writeFileSync(path, large);
  const before = digestFiles(system, [path]);
  expect(digestFiles(system, [path])).toBe(before);
  large.fill(2, 1000, 1010);
  writeFileSync(path, large);
  expect(digestFiles(system, [path])).not.toBe(before);
});
