import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { accept, type SchemaProblem } from "../../src/config/schema.ts";
import { CONFIG_SCHEMA } from "../../src/config/sections.ts";
import { BUILT_IN } from "../../src/config/settings.ts";
import { PACKS } from "../../src/guard/rules.ts";
import type { Json } from "../../src/protocol/index.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function writeDocs(...words: readonly string[]) {
  return spawnSync(process.execPath, [join(ROOT, "scripts/write-docs.mjs"), ...words], { encoding: "utf8" });
}

describe("pages made from the source", () => {
  it("are up to date", () => {
    const { status, stderr } = writeDocs("--check");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("name every rule and the built-in level", () => {
    const guard = readFileSync(join(ROOT, "docs/guard.md"), "utf8");
    for (const { id } of PACKS.flatMap(pack => pack.rules)) expect(guard).toContain(`\n| \`${id}\` `);
    const configuration = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
    expect(configuration).toContain(`\`"${BUILT_IN.guard.level}"\``);
  });

  it("are found out when they are not, and put right", () => {
    const folder = temporaryDirectory();
    cpSync(join(ROOT, "docs"), folder, { recursive: true });
    const path = join(folder, "guard.md");
    const right = readFileSync(path, "utf8");
    writeFileSync(path, right.replace("| `fs.home` ", "| `fs.house` "));
    expect(writeDocs("--check", folder)).toMatchObject({
      status: 1,
      stderr: "guard.md is out of date; run: node scripts/write-docs.mjs\n",
    });
    expect(writeDocs(folder).status).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(right);
  });
});

describe("configuration in the documentation", () => {
  it("says what every setting means", () => {
    const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
    const [table = ""] = /<!-- generated: settings -->[\s\S]*<!-- end: settings -->/.exec(page) ?? [];
    const rows = table.split("\n").filter(line => line.startsWith("| `"));
    expect(rows.length).toBeGreaterThan(40);
    const unexplained = rows.filter(row =>
      /^(required)?$/.test(
        row
          .split(/(?<!\\)\|/)
          .at(-2)
          ?.trim() ?? "",
      ),
    );
    expect(unexplained).toEqual([]);
  });

  const examples = ["configuration.md", "guard.md", "history.md", "parts.md", "rules.md"].flatMap(page =>
    [...readFileSync(join(ROOT, "docs", page), "utf8").matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map(
      ([, text = ""]) => ({ page, text }),
    ),
  );

  it.each(examples)("is accepted by the program: $page", ({ text }) => {
    const problems: SchemaProblem[] = [];
    const value = parse(text) as Json;
    expect(accept(CONFIG_SCHEMA, value, "", problems)).toEqual(value);
    expect(problems).toEqual([]);
  });
});

describe("the picture of the tour", () => {
  it("is drawn from what the tour prints, and holds nothing but text", () => {
    const path = join(temporaryDirectory(), "demo.svg");
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, "scripts/record-terminal.mjs"), path],
      {
        encoding: "utf8",
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const picture of [path, join(ROOT, "docs/demo.svg")]) {
      const svg = readFileSync(picture, "utf8");
      expect(svg).toMatch(/fill="#ff8a80">refused<\/tspan>/);
      expect(svg).toContain("D=~; sudo bash -c &quot;rm -rf $D&quot;");
      expect([...new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, name]) => name))]).toEqual([
        "svg",
        "rect",
        "g",
        "text",
        "tspan",
      ]);
    }
  });
});

describe("pictures of hosts", () => {
  const images = join(ROOT, "docs/hosts/images");
  const hosts = Object.keys(JSON.parse(readFileSync(join(ROOT, "tests/hosts/versions.json"), "utf8")));

  it("are there for every host that is driven, and its page shows them", () => {
    const wanted = hosts.flatMap(host => [`${host}-ask.svg`, `${host}-refusal.svg`]);
    expect(readdirSync(images).toSorted()).toEqual(wanted.toSorted());
    for (const host of hosts) {
      const page = readFileSync(join(ROOT, `docs/hosts/${host}.md`), "utf8");
      for (const scene of ["ask", "refusal"]) expect(page).toContain(`](images/${host}-${scene}.svg)`);
    }
  });

  it.each(readdirSync(images))("are small and hold nothing but text: %s", name => {
    const svg = readFileSync(join(images, name), "utf8");
    expect(svg.length).toBeLessThan(60_000);
    const elements = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, element]) => element));
    expect([...elements].toSorted()).toEqual(["g", "rect", "svg", "text", "tspan"]);
  });
});

const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter(name => name.endsWith(".md"))
  .map(name => `docs/${name}`);

it("every page can be reached from the list of all pages", () => {
  const reached = new Set<string>();
  for (const list of ["README.md", "embedding.md", "hosts/README.md"]) {
    const text = readFileSync(join(ROOT, "docs", list), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+\.md)/g))
      reached.add(join("docs", dirname(list), target));
  }
  expect(DOCS.filter(page => !reached.has(page) && page !== "docs/README.md")).toEqual([]);
});

describe("links between pages", () => {
  const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...DOCS];
  it.each(pages)("lead somewhere: %s", page => {
    const text = readFileSync(join(ROOT, page), "utf8").replace(/```[\s\S]*?```/g, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? join(ROOT, page) : join(ROOT, dirname(page), file);
      expect(existsSync(path), `${page} links to ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(path, "utf8"))).toContain(anchor);
    }
  });
});

/** As forges make them from headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
