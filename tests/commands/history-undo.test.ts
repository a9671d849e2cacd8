import { describe, expect, it } from "vitest";
import { renderConflicts, typeAgain } from "../../src/commands/undo/carry-out.ts";
import { type PreviewView, renderPreview } from "../../src/commands/undo/preview.ts";
import type { PathState, PathStep, UndoPlan } from "../../src/history/index.ts";
import { ABSENT, change, deletions, fileState, HOME, NOW_MS, PLAIN, PROJECT, pathChange } from "./changes.ts";

const FOLDER: PathState = { kind: "directory", mode: 0o755, modifiedNs: "1" };

function step(name: string, action: PathStep["action"], present: PathState, target: PathState): PathStep {
  return { path: `${PROJECT}/${name}`, action, present, target };
}

function plan(more: Partial<UndoPlan> = {}): UndoPlan {
  return {
    kind: "undo",
    changes: [change()],
    steps: [],
    git: [],
    conflicts: [],
    gone: [],
    paths: undefined,
    ...more,
  };
}

const VIEW: PreviewView = {
  terminal: PLAIN,
  stream: "stdout",
  columns: 80,
  nowMs: NOW_MS,
  home: HOME,
  project: PROJECT,
  isWhole: false,
};

describe("what an undo shows before it asks", () => {
  it("names what comes back, what gets its content back and what goes away, and why", () => {
    const shown = renderPreview(
      plan({
        steps: [
          step("src/old/a.ts", "restore", ABSENT, fileState(3)),
          step("src/old/b.ts", "restore", ABSENT, fileState(3)),
          step("src/old", "restore", ABSENT, FOLDER),
          step("logs", "restore", ABSENT, FOLDER),
          step("src/app.ts", "restore", fileState(1), fileState(2)),
          step("src/new.ts", "remove", fileState(1), ABSENT),
          step("untouched.ts", "keep", fileState(1), fileState(1)),
        ],
        git: [{ change: {} as never, lines: ["branch main: 3f2a91c → 77e0d12"] }],
        gone: [{ path: `${PROJECT}/big.bin`, why: "it is larger than 50 MB" }],
      }),
      VIEW,
    );
    expect(shown).toBe(
      [
        "This takes back what Claude Code did 3 min ago:",
        "  k3f9  Bash: rm -rf src/old",
        "",
        "  2 files and 2 folders come back",
        "      src/old/a.ts",
        "      src/old/b.ts",
        "      logs/",
        "  1 file gets its earlier content back",
        "      src/app.ts",
        "  1 file is removed: it was not there before",
        "      src/new.ts",
        "  git branch main: 3f2a91c → 77e0d12",
        "  1 file cannot come back",
        "      big.bin: it is larger than 50 MB",
        "",
      ].join("\n"),
    );
  });

  it("tells many files by their folders, and every one when only looking", () => {
    const steps = ["src/a", "src/b/c"].flatMap(folder =>
      deletions(30, folder).map(({ path, before }) => ({
        path,
        action: "restore" as const,
        present: ABSENT,
        target: before,
      })),
    );
    const shown = renderPreview(plan({ steps }), VIEW);
    expect(shown).toContain("  60 files come back\n      src/a/  (30)\n      src/b/c/  (30)\n");
    expect(renderPreview(plan({ steps }), { ...VIEW, isWhole: true }).match(/file\d+\.ts/g)).toHaveLength(60);
  });

  it("counts the calls of several changes, and names agents and time", () => {
    const changes = [change(), change({ id: "k3f2", host: "codex", timeMs: NOW_MS - 3 * 3_600_000 })];
    expect(renderPreview(plan({ changes }), VIEW)).toContain(
      "This takes back 2 calls of Claude Code and Codex, from 3 h ago to 3 min ago:\n  k3f9  Bash: rm -rf src/old\n  k3f2  ",
    );
  });

  it("says that what a person saved while an unknown program ran looks like its own", () => {
    const shown = (more: Parameters<typeof change>[0]) =>
      renderPreview(plan({ changes: [change(more)] }), VIEW);
    expect(shown({ isCompared: true, durationMs: 30_000 })).toContain(
      "what you saved meanwhile looks like its own",
    );
    expect(shown({ isCompared: true, durationMs: 100 })).not.toContain("saved meanwhile");
    expect(shown({ durationMs: 30_000 })).not.toContain("saved meanwhile");
  });

  it("says what is in doubt", () => {
    const changes = [change({ status: "open" }), change({ id: "k3f2", isComplete: false })];
    const shown = renderPreview(plan({ changes }), VIEW);
    expect(shown).toContain("note k3f9: its end was not seen; it may still be running\n");
    expect(shown).toContain(
      "note k3f2: it may have changed more; files that are not named here stay as they are\n",
    );
  });

  it("has words of its own for a redo", () => {
    const undo = change({ id: "k3g0", kind: "undo", of: ["k3f9"] });
    const steps = [
      step("a.ts", "restore", fileState(1), fileState(2)),
      step("b.ts", "remove", fileState(1), ABSENT),
    ];
    const shown = renderPreview(plan({ kind: "redo", changes: [undo], steps }), VIEW);
    expect(shown).toContain("This reverses the undo of 3 min ago:\n  k3g0  undo of k3f9\n");
    expect(shown).toContain("1 file gets its later content back\n");
    expect(shown).toContain("1 file is removed again\n");
  });

  it("writes out control characters of names", () => {
    const shown = renderPreview(
      plan({ steps: [step("a\u001b[31m\nb", "restore", ABSENT, fileState(1))] }),
      VIEW,
    );
    expect(shown).toContain("      a\\u001b[31m\\nb\n");
  });
});

describe("what an undo says when files were changed since", () => {
  const conflicted = plan({
    changes: [change({ files: [pathChange("src/app.ts", "changed", fileState(1), fileState(2))] })],
    conflicts: [
      { subject: `${PROJECT}/src/app.ts`, why: "it was changed since", advice: "use --force" },
      { subject: "branch main", why: "it was moved since", advice: "git log main" },
    ],
  });

  it("names each with what to do, and the ways out as commands", () => {
    const shown = renderConflicts(conflicted, VIEW, { words: ["amplihack", "undo", "k3f9"], paths: [] });
    expect(shown).toBe(
      [
        "Nothing was changed, because 2 things are different since:",
        "  src/app.ts: it was changed since",
        "  branch main: it was moved since",
        "      git log main",
        "",
        "You can:",
        "  amplihack history show k3f9",
        "      shows what it changed",
        "  amplihack undo k3f9 -- PATH",
        "      takes back only the files that you name",
        "  amplihack undo k3f9 --force",
        "      does it anyway; what is there now is kept too, so this can be reversed",
        "",
      ].join("\n"),
    );
  });

  it("repeats the command as it was typed", () => {
    expect(typeAgain({ words: ["amplihack", "undo", "--turn", "2"], paths: ["a b"] }, "--force")).toBe(
      "amplihack undo --turn 2 --force -- 'a b'",
    );
  });
});
