import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { judgeCommand } from "../../src/exports/guard.ts";
import { createNodeSystem } from "../../src/system/node.ts";

const root = mkdtempSync(join(tmpdir(), "amplihack-taken-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const KEY = `sk_live_${"a1B2c3D4e5F6g7H8i9J0k1L2"}`;
let count = 0;

/** A real repository with one commit, and these files on top of it. */
function rulesOf(command: string, files: Readonly<Record<string, string>>): readonly string[] {
  const { findings, project } = judgeIn(command, files);
  return findings.map(({ rule, target }) => `${rule} ${target.replace(`${project}/`, "")}`);
}

function judgeIn(command: string, files: Readonly<Record<string, string>>) {
  count += 1;
  const home = join(root, `home-${count}`);
  const project = join(home, "work", "app");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  put("README.md", "# app\n");
  put(".gitignore", "dist/\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.test", ...words], { cwd: project });
  git("init", "-q", "-b", "feature/x");
  git("add", "-A");
  git("commit", "-qm", "first");
  for (const [path, text] of Object.entries(files)) put(path, text);
  const { findings } = judgeCommand(command, { system: createNodeSystem(), cwd: project, home });
  return { findings, project };
}

it("the safer command names the file and not what is in it", () => {
  const files = { "package.json": '{"name":"app","version":"1.0.0"}', "src/pay.js": `const k = "${KEY}";\n` };
  const { findings, project } = judgeIn("npm publish", files);
  const [read] = findings.filter(({ rule }) => rule === "sec.read");
  expect(read?.target).toBe(`${project}/src/pay.js (a Stripe key)`);
  expect(read?.safer).toBe(`ls -l ${project}/src/pay.js`);
});

describe("what git would include", () => {
  it.each([
    ["git add -A", { ".env": `STRIPE=${KEY}\n` }, "git.secret-add .env (a file of secrets)"],
    ["git add . && git commit -m x", { id_rsa: "key\n" }, "git.secret-add id_rsa (a private key)"],
    ["git add -A", { "src/pay.ts": `const k = "${KEY}";\n` }, "git.secret-add src/pay.ts (a Stripe key)"],
    ["git add src", { "src/pay.ts": `const k = "${KEY}";\n` }, "git.secret-add src/pay.ts (a Stripe key)"],
    [
      "git stash -u && git push origin stash@{0}:refs/heads/wip",
      { ".env": `STRIPE=${KEY}\n` },
      "git.secret-add .env (a file of secrets)",
    ],
  ])("is looked at: %s of %j", (command, files, found) => {
    expect(rulesOf(command, files as unknown as Record<string, string>)).toContain(found);
  });

  it.each([
    ["git add -A", { ".env.example": "STRIPE=\n" }],
    ["git add -A", { "dist/pay.js": `const k = "${KEY}";\n` }],
    ["git add -A", { ".env": `STRIPE=${KEY}\n`, ".gitignore": ".env\n" }],
    ["git add -A", { "tests/key.json": '{"key":"sk_test_xxxxxxxxxxxxxxxxxxxxxxxx"}\n' }],
    ["git add -A", { "src/pay.ts": "const k = process.env.STRIPE_KEY;\n" }],
    ["git add -n -A", { ".env": `STRIPE=${KEY}\n` }],
    ["git status", { ".env": `STRIPE=${KEY}\n` }],
  ])("passes without a secret: %s of %j", (command, files) => {
    expect(rulesOf(command, files as unknown as Record<string, string>)).toEqual([]);
  });
});

describe("what a search through a folder would show", () => {
  const files = { ".env": `STRIPE_KEY=${KEY}\n`, "src/pay.ts": "// STRIPE_KEY comes from the environment\n" };

  it.each([
    "grep -rn STRIPE .",
    "grep -r . .",
    "grep -rv nothing .",
    'grep -rnE "nothing|stripe_k.y" .',
    'grep -rn "x\\?STRIPE" .',
    "grep -rn STRIPE --include=.env* .",
    "grep -rne nothing -e STRIPE .",
    "rg --hidden STRIPE",
    "rg -uu --hidden STRIPE .",
    "git grep --no-index STRIPE",
    "git diff --no-index src .",
    "git grep --untracked --no-exclude-standard STRIPE",
    "diff -r . src",
  ])("is asked about where a secret holds it: %s", command => {
    expect(rulesOf(command, files)).toContain("sec.read .env");
  });

  it.each([
    "grep -rn TODO .",
    'grep -rn "import .* from" .',
    "grep -rn STRIPE src",
    "grep -rn STRIPE --include=*.ts .",
    "grep -rn STRIPE . --exclude=.env",
    "grep -rln STRIPE .",
    "rg STRIPE",
    "rg --hidden STRIPE -g '!.env'",
    "rg --hidden -tts STRIPE",
    "git grep STRIPE",
    "git grep --no-index TODO",
    "diff -rq . src",
  ])("passes where none does: %s", command => {
    expect(rulesOf(command, files)).toEqual([]);
  });
});

describe("a large tree", () => {
  it("does not hide a secret that lies at its top", () => {
    const many = Object.fromEntries(
      Array.from({ length: 4100 }, (_, index) => [`zoo/d${index % 40}/f${index}.txt`, ""]),
    );
    expect(rulesOf("grep -rn STRIPE .", { ...many, ".env": `STRIPE_KEY=${KEY}\n` })).toEqual([
      "sec.read .env",
    ]);
  });
});
