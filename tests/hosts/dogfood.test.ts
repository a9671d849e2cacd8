import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { UserPlace } from "../../src/verify/live/live.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { command } from "./file-tools.ts";
import { INSTALLED, makePlace, runScript } from "./run-script.ts";

const SESSION_MS = 300_000;
/** One host with tools for files and one that has a shell alone. */
const TRIED = INSTALLED.filter(host => host === "claude-code" || host === "codex");

/** A home with a clone of this repository in it, not below a temporary directory: there the guard lets more pass. */
function checkout(): UserPlace {
  const parent = join(homedir(), ".cache");
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "amplihack-dogfood-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const place = makePlace(root);
  for (const words of [
    ["clone", "-q", PACKAGE_ROOT, "."],
    ["checkout", "-q", "-b", "topic"],
    ["config", "user.name", "Test"],
    ["config", "user.email", "test@example.test"],
  ])
    inTerminal(place, "git", ...words);
  symlinkSync(join(PACKAGE_ROOT, "node_modules"), join(place.project, "node_modules"));
  return place;
}

/** What the developer types: no hook is asked there. */
function inTerminal({ home, project }: UserPlace, program: string, ...words: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, AMPLIHACK_NONINTERACTIVE: "1" };
  const ran = spawnSync(program, [...words], { cwd: project, env, encoding: "utf8" });
  expect(ran.status, `${program} ${words.join(" ")}\n${ran.stdout}${ran.stderr}`).toBe(0);
  return ran.stdout;
}

describe.each(TRIED)("a change of amplihack itself in %s, under its own hooks", host => {
  it(
    "is made, checked and committed; a mistake is undone; nothing of the installation gets into the repository",
    async () => {
      const place = checkout();
      const path = join(place.project, "src/version.ts");
      const before = readFileSync(path, "utf8");
      const [first = ""] = before.split("\n");
      const { results, end } = await runScript(host, place, tools => [
        tools.read(path),
        tools.edit(path, first, `// one more line\n${first}`),
        command("npm run types"),
        command("git add -A && git commit -q -m 'version: one more line'"),
        command("git push --force origin main"),
        command("rm -r src/guard"),
      ]);
      const told = `${end}\n${results.join("\n----\n")}`;
      const git = (...words: readonly string[]) => inTerminal(place, "git", ...words);
      expect(results, told).toHaveLength(6);
      expect(results[2], told).not.toContain("error");
      expect(git("show", "--name-only", "--format=%s"), told).toBe(
        "version: one more line\n\nsrc/version.ts\n",
      );
      expect(results[4]).toContain("git.push");
      expect(git("status", "--porcelain"), told).toMatch(/^ D src\/guard\//);
      inTerminal(place, process.execPath, join(PACKAGE_ROOT, "dist/bin/amplihack.cjs"), "undo", "--yes");
      expect(git("status", "--porcelain")).toBe("");
      expect(readFileSync(path, "utf8")).toBe(`// one more line\n${before}`);
    },
    SESSION_MS,
  );
});

describe.each(TRIED.filter(host => host === "claude-code"))(
  "hooks that are built from the checkout itself, in %s",
  host => {
    /** The last step of every part: a rule that always speaks, in the words of the build that counts. */
    const push = command("git push --force origin main");
    const change = (from: string, to: string, file: string) => command(`sed -i 's/${from}/${to}/' ${file}`);
    const GUARD = "src/hooks/stock/pre-tool-use.ts";

    it(
      "are the new ones after a build, the old ones after a build that failed, and a person gets out when they refuse everything",
      async () => {
        const place = checkout();
        // `npm run build` makes no native program, so that the one of the last build must not answer.
        cpSync(join(PACKAGE_ROOT, "dist"), join(place.project, "dist"), {
          recursive: true,
          filter: path => path !== join(PACKAGE_ROOT, "dist/native"),
        });
        const prepare = () =>
          inTerminal(place, process.execPath, "dist/bin/amplihack.cjs", "install", "--host", "claude");
        const env = { AMPLIHACK_HOOK_ENGINE: "node" };
        const { results, end } = await runScript(
          host,
          place,
          () => [
            push,
            change("with it commits of others", "with it what others did", "src/guard/rules/git-branches.ts"),
            command("npm run build"),
            push,
            command(`echo 'const broken = ;' >> ${GUARD}`),
            command("npm run build || echo failed"),
            push,
            command(`git checkout -q -- ${GUARD}`),
            change(
              "judge(input, system) :",
              '{ ...(await judge(input, system)), decision: { kind: "deny", reason: "a mistake" } } :',
              GUARD,
            ),
            command("npm run build"),
            command("npm run build"),
          ],
          { prepare, env },
        );
        const told = `${end}\n${results.join("\n----\n")}`;
        expect(results[0], told).toContain("with it commits of others");
        expect(results[3], told).toContain("with it what others did");
        expect(results[5], told).toContain("failed");
        expect(results[6], told).toContain("with it what others did");
        expect(results.at(-1), told).toContain("a mistake");
        inTerminal(place, "git", "checkout", "-q", "--", ".");
        inTerminal(place, "npm", "run", "build");
        const after = await runScript(host, place, () => [command("ls package.json"), push], {
          prepare,
          env,
        });
        expect(after.results[0], after.end).toContain("package.json");
        expect(after.results[1], after.end).toContain("with it commits of others");
      },
      3 * SESSION_MS,
    );
  },
);
