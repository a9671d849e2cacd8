import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "layers-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function lint(files: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly text: string;
} {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const run = spawnSync(process.execPath, ["scripts/check-layers.mjs", root], { encoding: "utf8" });
  return { status: run.status, text: run.stdout + run.stderr };
}

describe("the layer lint", () => {
  it("accepts an import that points to a folder above", () => {
    const { status } = lint({ "hosts/a.ts": 'import { readJson } from "../protocol/index.ts";\n' });
    expect(status).toBe(0);
  });

  it.each([
    ["a file", '"../protocol/read-json.ts"'],
    ["an index of a sub-folder", '"../hosts/tools/index.ts"'],
  ])("rejects %s behind the door of a folder above", (_, specifier) => {
    const result = lint({ "shell/bad.ts": `import { readJson } from ${specifier};\n` });
    expect(result.status).toBe(1);
    expect(result.text).toContain("past the door of");
  });

  it("accepts a further door that is named with its reason", () => {
    const { status } = lint({ "bin/a.ts": 'import { createNodeSystem } from "../system/node.ts";\n' });
    expect(status).toBe(0);
  });

  it("rejects a door without a paragraph on its folder", () => {
    expect(lint({ "protocol/index.ts": "export const a = 1;\n" }).text).toContain(
      "begins without the paragraph",
    );
    expect(lint({ "protocol/index.ts": "/** What it knows. */\nexport const a = 1;\n" }).status).toBe(0);
  });

  it.each([
    ["a value import", 'import { run } from "../hooks/run.ts";\n'],
    ["a type import", 'import type { Run } from "../hooks/run.ts";\n'],
    ["a re-export", 'export * from "../hooks/run.ts";\n'],
    ["a lazy import", 'const load = () => import("../hooks/run.ts");\n'],
    ["an import for its effect", 'import "../hooks/run.ts";\n'],
    ["an import over several lines", 'import {\n  run,\n} from "../hooks/run.ts";\n'],
  ])("rejects %s from a folder below, naming both and the line", (_, text) => {
    const result = lint({ "protocol/bad.ts": `// first line\n${text}` });
    expect(result.status).toBe(1);
    expect(result.text).toMatch(/protocol\/bad\.ts:\d: "protocol" may not import from "hooks"/);
  });

  it.each([
    [
      "two files",
      { "state/a.ts": 'import "./b.ts";\n', "state/b.ts": 'import "./a.ts";\n' },
      "state/a.ts, state/b.ts",
    ],
    [
      "types alone",
      {
        "state/a.ts": 'import type { B } from "./b.ts";\n',
        "state/b.ts": 'import type { C } from "./c.ts";\n',
        "state/c.ts": 'import type { A } from "./a.ts";\n',
      },
      "state/a.ts, state/b.ts, state/c.ts",
    ],
  ])("rejects a cycle of %s and names its files", (_, files, names) => {
    const result = lint(files as unknown as Record<string, string>);
    expect(result.status).toBe(1);
    expect(result.text).toContain(`import cycle of ${names.split(",").length} files: ${names}`);
  });

  it("accepts a way back that is only taken when it is needed", () => {
    const files = {
      "state/a.ts": 'import "./b.ts";\n',
      "state/b.ts": 'const load = () => import("./a.ts");\n',
    };
    expect(lint(files).status).toBe(0);
  });

  it("rejects an import against the order of sub-folders, and a sub-folder that is not in it", () => {
    const against = lint({ "shell/words/a.ts": 'import "../walk/b.ts";\n' });
    expect(against.text).toContain('"shell/words" may not import from "shell/walk"');
    const unknown = lint({ "shell/more/a.ts": 'import "../walk/b.ts";\n' });
    expect(unknown.text).toContain('"shell/more" is not in the list of sub-folders');
  });

  it.each(["node:fs", "fs", "yaml", "libsql"])("rejects %s in a portable folder", specifier => {
    const result = lint({ "guard/bad.ts": `import x from "${specifier}";\n` });
    expect(result.status).toBe(1);
    expect(result.text).toContain(`portable folder "guard" may not import "${specifier}"`);
  });

  it("allows a portable package where it belongs", () => {
    expect(lint({ "shell/parse.ts": 'import { parse } from "unbash";\n' }).status).toBe(0);
  });

  it("rejects an adapter of system/ in a portable folder and accepts its interface", () => {
    expect(lint({ "state/good.ts": 'import type { System } from "../system/index.ts";\n' }).status).toBe(0);
    const result = lint({ "state/bad.ts": 'import { createNodeSystem } from "../system/node.ts";\n' });
    expect(result.text).toContain("may import the interface of system/ only");
  });

  it.each(["process.env", "Buffer.from(x)", "new TextDecoder()", "setTimeout(f, 1)", "console.log(1)"])(
    "rejects %s in a portable folder",
    code => {
      const result = lint({ "hooks/bad.ts": `export const x = ${code};\n` });
      expect(result.status).toBe(1);
      expect(result.text).toContain("is not ECMAScript");
    },
  );

  it("does not take words in comments, strings and property names for globals", () => {
    const text = 'export const note = "process.env"; // process.env\nexport const own = note.process(1);\n';
    expect(lint({ "hooks/good.ts": text }).status).toBe(0);
  });

  it("rejects a folder that is no layer", () => {
    expect(lint({ "utils/x.ts": "export const x = 1;\n" }).text).toContain(
      'folder "utils" is not in the list of layers',
    );
  });
});
