import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isUnderstood, judgeCommand } from "../../src/exports/guard.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { buildFolder } from "../build-folder.ts";

// Calls whose words look harmless: what git's settings, links, names and variables make of them is not. Each scene is a real
// repository in a home of the test's, which is in no temporary folder, because what lies in one is the session's to lose.

const [, ...ROWS] = readFileSync(new URL("./looks-harmless.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
const PATH = "/usr/bin:/bin";
/** Understood, and like rows that are not. */
const NEIGHBOURS = [
  "git status -v",
  "git diff",
  "git stash",
  "git tag -m x v1",
  "git commit -qm x",
  "git config gc.auto 1 ## git commit -qm x",
  "git config commit.gpgsign no; git config log.showSignature 0 ## git commit -qm x",
  "git config commit.gpgsign no; git config log.showSignature 0 ## git log",
  "mkdir .husky; echo a > .husky/pre-commit; git add -A; git commit -qm x; touch -d '1 hour ago' .husky/*; git status ## git stash",
  "echo x > notes.md ## git stash -u",
  "ln -s notes.txt src/l ## grep -R a src",
  "ln -s ../sub src/l ## diff -r src src/sub",
  "ln -s ../.env src/l ## grep -r K src",
  "ln -s ../.env src/l ## diff -r --no-dereference src src/sub",
  "jq . package.json",
  "head -c 16 /dev/urandom | base64 > x",
  "dd if=/dev/zero of=x bs=1M count=10",
  "seq 1 1000 > x",
];

function placeForScenes(): string {
  const builds = realpathSync(buildFolder());
  const isTemporary = (path: string) => ["/tmp", "/var/tmp", "/dev"].some(temp => path.startsWith(temp));
  return isTemporary(builds) ? homedir() : builds;
}

describe("a call that looks harmless", () => {
  let top = "";
  const system = createNodeSystem();
  const environment = (home: string) => ({
    ...{ PATH, HOME: home, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "x", GIT_AUTHOR_EMAIL: "x@x", GIT_COMMITTER_NAME: "x", GIT_COMMITTER_EMAIL: "x@x" },
  });
  const run = (script: string, home: string) =>
    execFileSync("bash", ["-c", script], {
      cwd: join(home, "project"),
      env: environment(home),
      stdio: ["ignore", "ignore", "pipe"],
    });
  const isAnswered = (row: string): boolean => {
    const [, setup, call = ""] = /^(?:(.*) ## )?(.*)$/s.exec(row) ?? [];
    const home = setup === undefined ? join(top, "base") : join(top, "scene");
    if (setup !== undefined) {
      rmSync(home, { recursive: true, force: true });
      cpSync(join(top, "base"), home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      run(setup.replaceAll("{{home}}", home), home);
    }
    const command = call.replaceAll("{{home}}", home).replaceAll("⏎", "\n");
    const cwd = join(home, "project");
    return isUnderstood(judgeCommand(command, { cwd, home, system, searchPath: PATH, tmpdir: "/tmp" }));
  };
  beforeAll(() => {
    top = mkdtempSync(join(placeForScenes(), "harmless-"));
    const home = join(top, "base");
    mkdirSync(join(home, "project/src/sub"), { recursive: true });
    const files = `
      printf 'a b\\nx y\\n' > notes.txt; echo '{"a":1}' > package.json; echo 'export const a=1' > src/a.ts
      echo b > src/sub/b.ts; printf '*.log\\n.env\\n' > .gitignore; echo l > keep.log; echo KEY=x > .env
      git init -q -b feature; git config user.name x; git config user.email x@x; git add -A; git commit -qm one
      echo more >> notes.txt; mkdir ../elsewhere; echo other > ../elsewhere/file`;
    run(files, home);
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  it("is not answered where it is not", () => {
    expect(ROWS.filter(isAnswered)).toEqual([]);
    expect(ROWS.length).toBeGreaterThan(900);
  });

  it("is answered where it is", () => {
    expect(NEIGHBOURS.filter(row => !isAnswered(row))).toEqual([]);
  });
});
