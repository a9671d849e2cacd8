import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HOST_LIST } from "../../src/hosts/index.ts";

const PAGE = fileURLToPath(new URL("../../docs/hosts.md", import.meta.url));
const VERSIONS = JSON.parse(readFileSync(new URL("./versions.json", import.meta.url), "utf8")) as Readonly<
  Record<string, { readonly package: string; readonly version: string }>
>;

/** Hosts that cannot be installed here: what is known, what was seen, and what not. */
const NOT_DRIVEN = readFileSync(new URL("./not-driven.md", import.meta.url), "utf8");

/** What a row of the table says about one host. */
export type Mark = "✓" | "–" | "✗";

const rows = new Map<string, Map<string, Mark>>();
const skipped = new Map<string, string>();

export function record(row: string, host: string, mark: Mark): void {
  const marks = rows.get(row) ?? new Map<string, Mark>();
  rows.set(row, marks.set(host, mark));
}

/** Whose questions are answered, as the descriptors say; `autonomy.test.ts` holds the driven ones to it. */
export function answeringLines(): string {
  return HOST_LIST.map(({ id, answering }) => {
    if (typeof answering === "string") return `- ${id}: no, it ${answering}\n`;
    const rules = answering.overrides === undefined ? "" : ", unless a rule of its person's asks";
    return `- ${id}: yes, ${answering.event === "PreToolUse" ? "before it asks" : "when it asks"}${rules}\n`;
  }).join("");
}

export function recordSkipped(host: string, why: string): void {
  skipped.set(host, why);
}

/** Writes the page, unless only some hosts or some tests were tried. */
export function writePage(hosts: readonly string[], date: string): void {
  if (skipped.size > 0 || process.env["AMPLIHACK_TEST_PAGE"] !== "1") return;
  const cells = [
    ["", ...hosts],
    ["version", ...hosts.map(host => VERSIONS[host]?.version ?? "")],
    ...[...rows].map(([row, marks]) => [row, ...hosts.map(host => marks.get(host) ?? "")]),
  ];
  const widths = ["", ...hosts].map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  const [heading = [], ...others] = cells;
  const table = [line(heading), line(widths.map(width => "-".repeat(width))), ...others.map(line)].join("");
  const packages = hosts.map(
    host => `- ${host}: \`${VERSIONS[host]?.package}\` ${VERSIONS[host]?.version}\n`,
  );
  writeFileSync(
    PAGE,
    `# What real hosts do with our hooks

Written by \`npm run test:hosts\` on ${date}. Every mark was seen in the real host, started without a screen and
without a network, against a scripted model that asked for known things; the hooks were registered by
\`amplihack install\`. In the long session it writes, reads, edits and searches files, runs harmless, refused and failing
commands and starts an agent, as far as the host has tools for that; every hook call is kept with its answer, made
again in the same order, and compared.

✓ it does; – it does not, and our descriptor of the host says so; ✗ it should and does not.

${table}
${packages.join("")}
A hook that takes longer than its limit is passed over by most hosts, whatever it would have said. Hosts that need an
editor or an account (VS Code, Cursor, Windsurf, Cline, Kiro, Augment, Factory) are not driven here; what is known
about them comes from their documentation and source.

## Questions that are answered for you

What [\`autonomy\`](autonomy.md) can answer. Of the driven hosts \`node tests/hosts/run.mjs HOST tests/hosts/autonomy.test.ts\`
shows it with their prompts on: 40 calls that are understood, two that are not, and the person's own rules.

${answeringLines()}
${NOT_DRIVEN}`,
  );
}
