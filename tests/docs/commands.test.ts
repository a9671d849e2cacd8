import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runProgram } from "../hooks/executable.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter(name => name.endsWith(".md"))
    .map(name => `docs/${name}`),
];

interface Block {
  readonly line: number;
  readonly script: string;
  /** why it is not run; undefined when it is */
  readonly excuse: string | undefined;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/(?:<!-- not run: ([^>]+) -->\n\n?)?^```sh\n([\s\S]*?)^```$/gm)].map(match => ({
    line: text.slice(0, match.index).split("\n").length,
    script: match[2] ?? "",
    excuse: match[1],
  }));
}

/** A machine on which `amplihack` and `amplihack-hooks` are commands, and a project in an empty home. */
function newMachine() {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-test-"));
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

it("the documentation has commands to run", () => {
  const blocks = PAGES.flatMap(blocksOf);
  expect(blocks.filter(({ excuse }) => excuse === undefined).length).toBeGreaterThan(10);
});

describe.each(PAGES.filter(page => blocksOf(page).length > 0))("commands in %s, in their order", page => {
  const { home, bin, project } = newMachine();
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  for (const { line, script, excuse } of blocksOf(page)) {
    const name = `line ${line}: ${script.split("\n")[0]}`;
    if (excuse !== undefined) it.skip(`${name} (not run: ${excuse})`, () => {});
    else
      it(name, async () => {
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
