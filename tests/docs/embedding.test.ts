import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = readdirSync(join(ROOT, "docs/embedding")).map(name => `docs/embedding/${name}`);
const BLOCK = /(?:<!-- from (\S+) -->\n\n)?^```ts\n([\s\S]*?)^```$/gm;
const MAX_ADDED_LINES = 3;

const linesOf = (code: string): readonly string[] =>
  code
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "");

/** Those lines that do not stand in the code, in the same order. */
function missingIn(code: string, wanted: readonly string[]): readonly string[] {
  const lines = linesOf(code);
  let at = 0;
  return wanted.filter(line => {
    const found = lines.indexOf(line, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

describe.each(PAGES)("%s", page => {
  const blocks = [...text(page).matchAll(BLOCK)].map(([, example, code = ""]) => ({ example, code }));

  it("shows lines of an example that is compiled and run", () => {
    expect(blocks).not.toEqual([]);
    for (const { example, code } of blocks) {
      expect(example, `where is this from?\n${code}`).toBeDefined();
      expect(missingIn(text(`examples/embedding/${example}`), linesOf(code))).toEqual([]);
    }
  });

  it("asks its reader to add three lines at most", () => {
    const added = blocks.filter(({ code }) => code.includes("import "));
    expect(added).not.toEqual([]);
    for (const { code } of added) expect(linesOf(code).length).toBeLessThanOrEqual(MAX_ADDED_LINES);
  });
});

describe.each([...PAGES, "docs/embedding.md"])("%s", page => {
  it("names the versions that are installed for the tests", () => {
    const { dependencies } = JSON.parse(text("tests/sdks/package.json"));
    const { peerDependenciesMeta: peers, dependencies: installed } = JSON.parse(text("package.json"));
    expect(installed).toBeUndefined();
    const named = [...text(page).matchAll(/`(@?[\w-]+(?:\/[\w-]+)?)` (\d+\.\d+\.\d+)/g)];
    expect(named).not.toEqual([]);
    for (const [, name = "", version] of named) expect([name, dependencies[name]]).toEqual([name, version]);
    const names = named.map(([, name = ""]) => name);
    expect(names.filter(name => peers[name]?.optional === true)).not.toEqual([]);
  });

  it("names examples that exist", () => {
    const named = [...text(page).matchAll(/`(examples\/[^`]+)`/g)].map(([, path = ""]) => path);
    expect(named).not.toEqual([]);
    expect(named.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("links to what exists", () => {
    const links = [...text(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
    expect(links.filter(link => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });
});

it("every adapter that is exported has a page, and the page of all of them links to it", () => {
  const { exports } = JSON.parse(text("package.json"));
  const adapters = Object.keys(exports).flatMap(path => {
    const name = /^\.\/engine\/(.+)/.exec(path)?.[1];
    return name !== undefined && existsSync(join(ROOT, `src/engine/adapters/${name}.ts`)) ? [name] : [];
  });
  const pages = PAGES.map(page => page.replace(/^.*\/|\.md$/g, ""));
  expect(pages.sort()).toEqual(adapters.sort());
  for (const name of pages) expect(text("docs/embedding.md")).toContain(`(embedding/${name}.md)`);
});
