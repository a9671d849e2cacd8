import { describe, expect, it } from "vitest";
import {
  changesToPick,
  chosenIds,
  keysIn,
  matching,
  press,
  startPicking,
} from "../../src/commands/undo/picker.ts";
import { change, PROJECT } from "./changes.ts";

const ROWS = [
  { id: "c3", line: "", words: "c3 Bash rm -rf src src/app.ts src/View.tsx" },
  { id: "c2", line: "", words: "c2 Write notes.md notes.md" },
  { id: "c1", line: "", words: "c1 Bash git clean -fd drafts/view.md" },
];
const typed = (keys: string) => keysIn(keys).reduce(press, startPicking(ROWS));

describe("choosing what to undo", () => {
  it("Enter takes the one under the cursor, the newest at first", () => {
    expect(chosenIds(typed("\r"))).toEqual(["c3"]);
    expect(chosenIds(typed("\u001b[B\r"))).toEqual(["c2"]);
    expect(chosenIds(typed("\u001b[B\u001b[B\u001b[B\u001b[A\r"))).toEqual(["c2"]);
  });

  it("offers a call that changed nothing last: it was asked about, and may never have run", () => {
    const changes = [
      change({ id: "asked", files: [], verdict: "ask", isComplete: false }),
      change({ id: "removed" }),
      change({ id: "earlier" }),
    ];
    const picked = changesToPick({
      project: PROJECT,
      history: { listChanges: () => ({ changes, problems: [] }) },
    });
    expect(picked?.map(({ id }) => id)).toEqual(["removed", "earlier", "asked"]);
  });

  it("typing finds files and commands in any case, and Backspace takes it back", () => {
    expect(matching(typed("VIEW")).map(({ id }) => id)).toEqual(["c3", "c1"]);
    expect(chosenIds(typed("view\u001b[B\r"))).toEqual(["c1"]);
    expect(matching(typed("xyz")).length).toBe(0);
    expect(typed("xyz\r").end).toBeUndefined();
    expect(chosenIds(typed("xyz\u007f\u007f\u007f\r"))).toEqual(["c3"]);
  });

  it("space marks several, also over several filters, newest first", () => {
    expect(chosenIds(typed("clean \u007f\u007f\u007f\u007f\u007fapp \r"))).toEqual(["c3", "c1"]);
    expect(chosenIds(typed("  \r"))).toEqual(["c3"]);
  });

  it("Escape and control C leave", () => {
    for (const key of ["\u001b", "\u0003"]) expect(typed(key).end).toBe("left");
  });
});
