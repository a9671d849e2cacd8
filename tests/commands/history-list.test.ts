import { describe, expect, it } from "vitest";
import { changeDocument } from "../../src/cli/changes.ts";
import { readDuration, readSize } from "../../src/commands/history/amounts.ts";
import { renderSummary } from "../../src/commands/history/summary.ts";
import { renderTable } from "../../src/commands/history/table.ts";
import { describeChange, formatAge } from "../../src/history/words.ts";
import { count, sizeText } from "../../src/text/words.ts";
import { ABSENT, change, deletions, fileState, HOME, NOW_MS, PLAIN, PROJECT, pathChange } from "./changes.ts";

const CHANGES = [
  change({
    command: "rm -rf src/old &&\n  git clean -fdx && npm run a-script-with-a-very-long-name --and-options",
  }),
  change({
    id: "k3f2",
    timeMs: NOW_MS - 90 * 60_000,
    tool: "Edit",
    command: '{"file_path":"/home/ana/shop/src/app.ts"}',
    files: [pathChange("src/app.ts", "changed", fileState(10), fileState(12))],
    undoneBy: "k3g0",
  }),
  change({
    id: "k3e1",
    timeMs: NOW_MS - 5 * 3_600_000,
    command: "make",
    isComplete: false,
    files: deletions(14, "out"),
  }),
  change({ id: "k3d0", timeMs: NOW_MS - 70 * 3_600_000, kind: "undo", of: ["k3c1", "k3c0"] }),
];

const table = (columns: number | undefined, showsProject = false) =>
  renderTable(CHANGES, { terminal: PLAIN, columns, nowMs: NOW_MS, home: HOME, showsProject });

describe("the list of changes", () => {
  it("fits eighty columns: age, id, what was done, files, marks", () => {
    expect(table(80)).toBe(
      [
        " 3 min ago  k3f9  Bash: rm -rf src/old && git clean -fdx…   2 files",
        "90 min ago  k3f2  Edit: src/app.ts                           1 file  undone",
        "   5 h ago  k3e1  Bash: make                               14 files  incomplete",
        "2 days ago  k3d0  undo of k3c1, k3c0                        2 files",
        "",
      ].join("\n"),
    );
    for (const line of table(80).split("\n")) expect(line.length).toBeLessThan(80);
  });

  it("uses the room of a wider terminal, and says which project where several are listed", () => {
    expect(table(120)).toContain(
      "Bash: rm -rf src/old && git clean -fdx && npm run a-script-with-a-very-long-n",
    );
    expect(table(120, true)).toContain("shop: Edit: src/app.ts");
  });

  it("writes out what a terminal would obey", () => {
    const hostile = change({ tool: "B\u001b[2Jash", command: "touch a\u001b]0;x\u0007\u202eb" });
    expect(describeChange(hostile, HOME)).toBe("B\\u001b[2Jash: touch a\\u001b]0;x\\u0007\\u202eb");
    const odd = change({ command: "", files: [pathChange("a\nb", "created", ABSENT, fileState(1))] });
    expect(describeChange(odd, HOME)).toBe("Bash: a\\nb");
  });

  it("marks what was taken back in part, what is open and an undo that was reversed", () => {
    const marks = [
      change({ undonePaths: [`${PROJECT}/a`] }),
      change({ status: "open" }),
      change({ kind: "undo", of: ["k3f9"], undoneBy: "k3h1" }),
    ].map(one =>
      renderTable([one], { terminal: PLAIN, columns: 80, nowMs: NOW_MS, home: HOME, showsProject: false })
        .trimEnd()
        .split(/ {2,}/)
        .at(-1),
    );
    expect(marks).toEqual(["partly undone", "open", "redone"]);
  });
});

describe("a change as JSON", () => {
  it("has members that stay", () => {
    const one = changeDocument(
      change({
        files: [
          pathChange("a", "changed", fileState(3, "f00"), fileState(4, "ba4", { mode: 0o755 })),
          pathChange("l", "deleted", { kind: "link", target: "a", modifiedNs: "1" }, ABSENT),
        ],
        notKept: [{ path: "/big", why: "it is larger than 50 MB" }],
      }),
    );
    expect(one).toMatchObject({
      id: "k3f9",
      time: "2026-11-15T19:57:00.000Z",
      host: "claude-code",
      session: "s-1",
      turn: 3,
      tool: "Bash",
      command: "rm -rf src/old",
      project: PROJECT,
      verdict: "allow",
      undone: false,
      notKept: [{ path: "/big", why: "it is larger than 50 MB" }],
    });
    expect(one["files"]).toEqual([
      {
        path: `${PROJECT}/a`,
        what: "changed",
        from: null,
        before: { kind: "file", size: 3, mode: "0644", content: "f00", keptIn: "store" },
        after: { kind: "file", size: 4, mode: "0755", content: "ba4", keptIn: "store" },
      },
      {
        path: `${PROJECT}/l`,
        what: "deleted",
        from: null,
        before: { kind: "link", target: "a" },
        after: { kind: "absent" },
      },
    ]);
    expect(changeDocument(change({ undoneBy: "k3g0" }))).toMatchObject({ undone: true, undoneBy: "k3g0" });
  });
});

describe("the summary of one change", () => {
  it("says who did what, when and where, with the sizes, git's state and what was not kept", () => {
    const text = renderSummary(
      change({
        files: [
          pathChange("a.ts", "changed", fileState(1200), fileState(90)),
          { ...pathChange("c.ts", "moved", ABSENT, fileState(5)), from: `${PROJECT}/b.ts` },
        ],
        git: [
          {
            gitDirectory: `${PROJECT}/.git`,
            commonDirectory: `${PROJECT}/.git`,
            top: PROJECT,
            refs: [{ name: "refs/heads/main", before: "a".repeat(40), after: undefined }],
            stashes: { before: [{ id: "1", message: "wip" }], after: [] },
            files: [],
          },
        ],
        notKept: [{ path: `${PROJECT}/big.bin`, why: "it is larger than 50 MB" }],
        rules: ["fs.source"],
        verdict: "kept",
      }),
      { terminal: PLAIN, nowMs: NOW_MS, home: HOME },
    );
    expect(text).toContain("who    Claude Code, session s-1, turn 3\n");
    expect(text).toContain("where  ~/shop\n");
    expect(text).toContain("guard  kept (fs.source)\n");
    expect(text).toContain("  changed   a.ts  1.2 KB → 90 bytes\n");
    expect(text).toContain("  moved     c.ts  from b.ts\n");
    expect(text).toContain("  git       branch main: aaaaaaa → none\n");
    expect(text).toContain("  git       stashes: 1 → 0\n");
    expect(text).toContain("  not kept  big.bin: it is larger than 50 MB\n");
  });
});

describe("amounts", () => {
  it("are read as people type them", () => {
    expect([
      readDuration("since", "10m"),
      readDuration("since", "2h"),
      readDuration("since", "1.5 d"),
    ]).toEqual([600_000, 7_200_000, 129_600_000]);
    expect([readSize("to", "500mb"), readSize("to", "2GB")]).toEqual([500 * 1024 ** 2, 2 * 1024 ** 3]);
    expect(() => readDuration("since", "yesterday")).toThrow(
      "--since must be a time such as 10m, 2h or 7d, not 'yesterday'",
    );
    expect(() => readSize("to", "500")).toThrow("--to must be a size such as 500mb or 2gb, not '500'");
  });

  it("are told shortly", () => {
    const ages = [0, 59_000, 119 * 60_000, 47 * 3_600_000, 50 * 3_600_000].map(ms =>
      formatAge(NOW_MS, NOW_MS - ms),
    );
    expect(ages).toEqual(["just now", "just now", "119 min ago", "47 h ago", "2 days ago"]);
    expect([0, 1, 1023, 1024, 1_258_291, 60 * 1024 ** 2, 3 * 1024 ** 3].map(sizeText)).toEqual([
      "0 bytes",
      "1 byte",
      "1023 bytes",
      "1.0 KB",
      "1.2 MB",
      "60 MB",
      "3.0 GB",
    ]);
    expect([count(1, "file"), count(2, "file")]).toEqual(["1 file", "2 files"]);
  });
});
