import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The files that `npm publish` would send. */
function packedFiles(): ReadonlySet<string> {
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const { stdout } = spawnSync("npm", words, { cwd: ROOT, encoding: "utf8" });
  const [{ files }] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

function targetsIn(page: string): readonly string[] {
  const text = read(page).replace(/```[\s\S]*?```/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map(found => found[1] ?? found[2] ?? "");
}

describe("the packed package", () => {
  const packed = packedFiles();
  const pages = [...packed].filter(path => /^(?:[A-Z]+|docs\/[\w/-]+)\.md$/.test(path));

  it("has its pages, its pictures, its recipes and its skill", () => {
    expect(pages).toContain("README.md");
    expect(pages).toContain("docs/getting-started.md");
    for (const path of ["docs/recording.svg", "skills/amplihack/SKILL.md", "recipes/hello.yaml"])
      expect(packed).toContain(path);
    expect([...packed].filter(path => /^(?:src|tests|node_modules|native)\//.test(path))).toEqual([]);
  });

  it.each(pages)("has everything that %s links to or shows", page => {
    const missing = targetsIn(page).filter(target => {
      if (/^(?:https:|#)/.test(target)) return false;
      const [path = ""] = target.split("#");
      return !packed.has(normalize(join(dirname(page), path)));
    });
    expect(missing).toEqual([]);
  });

  it("has declarations that name no package but those that a user brings along", () => {
    const { peerDependencies } = JSON.parse(read("package.json")) as { peerDependencies: object };
    const declarations = [...packed].filter(path => path.startsWith("dist/types/") && path.endsWith(".d.ts"));
    const named = declarations.flatMap(path =>
      Array.from(
        read(path).matchAll(/^(?:import|export) .* from "([^".][^"]*)";$/gm),
        ([, name = ""]) => name,
      ),
    );
    const peers = Object.keys(peerDependencies);
    const isKnown = (name: string) =>
      name.startsWith("node:") || peers.some(peer => name === peer || name.startsWith(`${peer}/`));
    expect(named).toContain("@opentelemetry/api");
    expect([...new Set(named)].filter(name => !isKnown(name))).toEqual([]);
  });

  it("says where it comes from", () => {
    const { repository, homepage, bugs, keywords, description } = JSON.parse(read("package.json"));
    expect(repository.url).toMatch(/^git\+https:\/\/.+\.git$/);
    expect([homepage, bugs.url].every(address => address.startsWith("https://"))).toBe(true);
    expect(keywords.length).toBeGreaterThan(5);
    expect(description.length).toBeGreaterThan(40);
  });
});

describe("the README", () => {
  it("opens with what it does for its reader, a picture and three commands, and ends with those of a clone", () => {
    const text = read("README.md");
    const order = [
      "Stops your coding agent from losing your work",
      "](docs/recording.svg)",
      "npx amplihack demo",
      "npm i -g amplihack",
      "\namplihack hooks replay --transcript\n",
      "\namplihack install\n",
      "\namplihack undo\n",
      "## Work on it",
      "npm ci && npm start",
      "npm ci && npm test",
    ].map(part => text.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});

describe("the recording in the README", () => {
  it("is a picture that loads nothing and runs no script", () => {
    const svg = read("docs/recording.svg");
    const elements = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, name]) => name));
    expect([...elements].toSorted()).toEqual(["g", "rect", "style", "svg", "text", "tspan"]);
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\(|@import|\/tmp\//);
    for (const shown of ["rm -rf src", "amplihack undo", "prefers-color-scheme", "prefers-reduced-motion"])
      expect(svg).toContain(shown);
  });
});
