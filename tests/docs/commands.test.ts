import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runProgram } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter(name => name.endsWith(".md"))
    .map(name => `docs/${name}`),
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly script: string;
  /** why it is not run; undefined when it is */
  readonly excuse: string | undefined;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/(?:<!-- not run: ([^>]+) -->\n\n?)?^```sh\n([\s\S]*?)^```$/gm)].map(match => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    script: match[2] ?? "",
    excuse: match[1],
  }));
}

const BLOCKS = PAGES.flatMap(blocksOf);

/** A machine on which `amplihack` and `amplihack-hooks` are commands, and a project in an empty home. */
function newMachine() {
  const home = temporaryDirectory();
  const bin = join(home, "bin");
  const project = join(home, "project");
  mkdirSync(bin);
  mkdirSync(join(project, ".claude"), { recursive: true });
  for (const name of ["amplihack", "amplihack-hooks"]) {
    const path = join(bin, name);
    writeFileSync(
      path,
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, `dist/bin/${name}.cjs`)}" "$@"\n`,
    );
    chmodSync(path, 0o755);
  }
  return { home, bin, project };
}

describe("commands in the documentation", () => {
  it("are found", () => {
    expect(BLOCKS.filter(({ excuse }) => excuse === undefined).length).toBeGreaterThan(10);
  });

  for (const { page, line, script, excuse } of BLOCKS) {
    const name = `${page}:${line} ${script.split("\n")[0]}`;
    if (excuse !== undefined) it.skip(`${name} (not run: ${excuse})`, () => {});
    else
      it(name, async () => {
        const { home, bin, project } = newMachine();
        const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
        // Paths in the README are those of a checkout.
        const runnable = script.replaceAll("node dist/", `node ${join(ROOT, "dist")}/`);
        const ran = await runProgram(["bash", "-euo", "pipefail", "-c", runnable], [], {
          home,
          cwd: project,
          input: "",
          env: { PATH, AMPLIHACK_NONINTERACTIVE: "1" },
        });
        expect({ code: ran.code, said: ran.code === 0 ? "" : ran.stdout + ran.stderr }).toEqual({
          code: 0,
          said: "",
        });
      });
  }
});
