import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testProject } from "../history/project.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

// The native program compares tracked files with git's index itself. What it does not see would be missing in a change.

const FILES = 2_500;
const TRIES = 40;

function repository(version: string) {
  const p = testProject();
  const files: Record<string, string> = { ".gitignore": "*.log\nbuilt/\n" };
  for (let at = 0; at < FILES; at++)
    files[`part-${at % 25}/a-rather-long-name-of-a-file-${at}.txt`] = `${at}\n`;
  p.write(files);
  mkdirSync(join(p.root, "empty/inner"), { recursive: true });
  p.git("init", "-q", "-b", "work");
  p.git("config", "index.version", version);
  p.git("add", "-A");
  p.git("commit", "-qm", "one");
  p.write({
    "part-1/changed.txt": "c\n",
    "part-0/a-rather-long-name-of-a-file-0.txt": "changed\n",
    "x.log": "l\n",
  });
  p.git("status");
  let uses = 0;
  const hook = (event: "pre" | "post", command: string, use: string) => {
    const input = JSON.stringify({
      hook_event_name: event === "pre" ? "PreToolUse" : "PostToolUse",
      session_id: "s",
      cwd: p.root,
      tool_name: "Bash",
      tool_use_id: use,
      tool_input: { command },
      ...(event === "post" ? { tool_response: { stdout: "" } } : {}),
    });
    const env = { HOME: p.home, PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1" };
    const run = spawnSync(NATIVE_FILE, [`${event}-tool-use`], { cwd: p.root, env, input, encoding: "utf8" });
    expect([run.status, run.stdout]).toEqual([0, "{}\n"]);
  };
  const call = (work: () => void) => {
    const use = `use-${++uses}`;
    hook("pre", "make", use);
    work();
    hook("post", "make", use);
  };
  /** What git said is written down anew whenever it was asked. */
  const asked = () => {
    const seen = join(p.home, ".amplihack/history/seen");
    return readdirSync(seen).flatMap(name =>
      name.endsWith(".status") ? statSync(join(seen, name)).ino : [],
    )[0];
  };
  /** What was touched a moment ago is not remembered. */
  const settle = () => {
    let before: number | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      call(() => {});
      const now = asked();
      if (now !== undefined && now === before) return;
      before = now;
    }
    throw new Error("git was asked every time, although nothing was touched");
  };
  return { p, call, settle };
}

const name = (at: number) => `part-${at % 25}/a-rather-long-name-of-a-file-${at}.txt`;

describeNative(
  "in a tree that was not touched git is not asked again, and whatever is touched is found",
  () => {
    it.each(["2", "4"])("with an index of version %s", version => {
      const { p, call, settle } = repository(version);
      const at = (path: string) => join(p.root, path);
      const works: Readonly<Record<string, () => void>> = {
        [name(1)]: () => writeFileSync(at(name(1)), "X\n"),
        [name(2)]: () => rmSync(at(name(2))),
        [name(3)]: () => {
          writeFileSync(at("temporary"), "renamed\n");
          renameSync(at("temporary"), at(name(3)));
        },
        [name(4)]: () => chmodSync(at(name(4)), 0o755),
        "part-3/new.txt": () => writeFileSync(at("part-3/new.txt"), "new\n"),
        "empty/inner/new.txt": () => writeFileSync(at("empty/inner/new.txt"), "new\n"),
        "part-1/changed.txt": () => writeFileSync(at("part-1/changed.txt"), "again\n"),
        [name(0)]: () => writeFileSync(at(name(0)), "changed again\n"),
      };
      settle();
      for (const [path, work] of Object.entries(works)) {
        call(work);
        const [change] = p.history.listChanges({}).changes;
        const found = change?.files.map(one => one.path.slice(p.root.length + 1)) ?? [];
        expect(found.filter(one => !one.endsWith("inner") && !/^part-\d+$/.test(one))).toEqual([path]);
        settle();
      }
    });

    it("a file that is written again in the moment in which the index was is found", () => {
      const { p, call, settle } = repository("2");
      settle();
      writeFileSync(join(p.root, name(7)), "7\n");
      p.git("add", name(7));
      call(() => writeFileSync(join(p.root, name(7)), "8\n"));
      const [change] = p.history.listChanges({}).changes;
      expect(change?.files.map(one => one.path)).toEqual([join(p.root, name(7))]);
    });
  },
);
