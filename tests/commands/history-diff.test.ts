import { describe, expect, it } from "vitest";
import { renderDiff } from "../../src/cli/changes.ts";
import { BUILT_IN, type GuardSettings } from "../../src/config/settings.ts";
import type { PathChange } from "../../src/history/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { ABSENT, change, fileState, HOME, PLAIN, PROJECT, pathChange } from "./changes.ts";

const { text } = createNodeSystem();
const CONTENTS: Readonly<Record<string, string | Uint8Array>> = {
  old: "a\nb\nc\n",
  new: "a\nB\nc\n",
  colour: "a\n\u001b[31mred\tx\r\nc\n",
  binary: new Uint8Array([1, 0, 2]),
  latin: new Uint8Array([0xe4, 0x0a]),
};

function diff(
  file: PathChange,
  isShown = false,
  others: readonly PathChange[] = [],
  agentSettings: GuardSettings | undefined = undefined,
): Promise<string> {
  return renderDiff(file, change({ files: [file, ...others] }), {
    terminal: PLAIN,
    text,
    home: HOME,
    isShown,
    agentSettings,
    readContent: async (_, { content }) => {
      const kept = content.in === "nowhere" ? undefined : CONTENTS[content.id];
      return typeof kept === "string" ? text.encode(kept) : kept;
    },
  });
}

describe("the diff of a change", () => {
  it("is a unified diff of what changed, came and went", async () => {
    expect(await diff(pathChange("f.ts", "changed", fileState(6, "old"), fileState(6, "new")))).toBe(
      "--- a/f.ts\n+++ b/f.ts\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
    );
    expect(await diff(pathChange("f.ts", "deleted", fileState(6, "old"), ABSENT))).toMatch(
      /^--- a\/f.ts\n\+\+\+ \/dev\/null\n@@ -1,3 \+0,0 @@\n-a\n/,
    );
    expect(await diff(pathChange("f.ts", "created", ABSENT, fileState(6, "new")))).toMatch(
      /^--- \/dev\/null\n\+\+\+ b\/f.ts\n/,
    );
  });

  it("does not show an agent what files of secrets hold, also where they were moved from or to", async () => {
    const forAgent = (file: PathChange) => diff(file, false, [], BUILT_IN.guard);
    const env = pathChange(".env", "changed", fileState(6, "old"), fileState(6, "new"));
    expect(await forAgent(env)).toMatch(/^\.env: it may hold secrets/);
    expect(await diff(env)).toContain("+B");
    for (const path of ["id_ed25519", "server.key", "x/.netrc"])
      expect(await forAgent(pathChange(path, "deleted", fileState(6, "old"), ABSENT))).not.toContain("-a");
    const moved = { ...pathChange("x.txt", "moved", ABSENT, fileState(6, "new")), from: `${PROJECT}/.env` };
    expect(await forAgent(moved)).toMatch(/x\.txt: it may hold secrets/);
    expect(await forAgent(pathChange(".env.example", "created", ABSENT, fileState(6, "new")))).toContain(
      "+B",
    );
    const { paths } = BUILT_IN.guard;
    const own = { ...BUILT_IN.guard, paths: { ...paths, secrets: ["*.vault", "!.env"] } };
    const vault = pathChange("x.vault", "changed", fileState(6, "old"), fileState(6, "new"));
    expect(await diff(vault, false, [], own)).toMatch(/^x\.vault: it may hold secrets/);
    expect(await diff(env, false, [], own)).toContain("+B");
    const inHome = { ...env, path: `${HOME}/.aws/credentials` };
    expect(await forAgent(inHome)).not.toContain("+B");
  });

  it("keeps bytes for programs and writes out controls for a terminal", async () => {
    const file = pathChange("f.ts", "changed", fileState(6, "old"), fileState(9, "colour"));
    expect(await diff(file)).toContain("+\u001b[31mred\tx\r\n");
    expect(await diff(file, true)).toContain("+\\u001b[31mred\tx\\r\n");
    expect(await diff(pathChange("a\nb", "created", ABSENT, fileState(6, "new")))).toContain(
      '+++ "b/a\\nb"\n',
    );
  });

  it("compares a moved file with what it was where it came from", async () => {
    const from = `${PROJECT}/b.ts`;
    const moved = { ...pathChange("c.ts", "moved", ABSENT, fileState(6, "new")), from };
    const source = { ...pathChange("b.ts", "deleted", fileState(6, "old"), ABSENT), to: moved.path };
    expect(await diff(moved, false, [source])).toBe(
      "c.ts: moved from b.ts\n--- a/c.ts\n+++ b/c.ts\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
    );
  });

  it.each<readonly [string, PathChange, string]>([
    [
      "a binary file",
      pathChange("x", "changed", fileState(3, "old"), fileState(2048, "binary")),
      "x: binary file; 3 bytes → 2.0 KB\n",
    ],
    [
      "text that is not UTF-8",
      pathChange("x", "created", ABSENT, fileState(2, "latin")),
      "x: binary file; nothing → 2 bytes\n",
    ],
    [
      "a very large file",
      pathChange("x", "deleted", fileState(9 * 1024 ** 2), ABSENT),
      "x: too large to compare here; 9.0 MB → nothing\n",
    ],
    [
      "what was not kept",
      pathChange(
        "x",
        "deleted",
        fileState(5, "", { content: { in: "nowhere", why: "it is larger than 50 MB" } }),
        ABSENT,
      ),
      "x: content not kept (it is larger than 50 MB); 5 bytes → nothing\n",
    ],
    [
      "what is gone since",
      pathChange("x", "deleted", fileState(5, "none"), ABSENT),
      "x: its content is not there any more; 5 bytes → nothing\n",
    ],
    [
      "permissions",
      pathChange("x", "mode", fileState(6, "old"), fileState(6, "old", { mode: 0o755 })),
      "x: permissions 0644 → 0755\n",
    ],
    [
      "times",
      pathChange("x", "time", fileState(6, "old"), fileState(6, "old")),
      "x: only its time changed\n",
    ],
    [
      "a link",
      pathChange("x", "deleted", { kind: "link", target: "a\u001b", modifiedNs: "1" }, ABSENT),
      "x: link to a\\u001b removed\n",
    ],
    [
      "a folder",
      pathChange("x", "created", ABSENT, { kind: "directory", mode: 0o755, modifiedNs: "1" }),
      "x: directory made\n",
    ],
  ])("says %s in a sentence", async (_, file, sentence) => {
    expect(await diff(file)).toBe(sentence);
  });
});
