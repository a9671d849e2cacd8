// Writes the parts of docs/ that come from the source: the rules table from the rules, the list of programs from
// their records, the settings from the configuration schema, what is known of a host from its descriptor. With --check it changes nothing and fails when a page is out of date. Another folder of
// pages can be named (the tests do).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LAYERS } from "./check-layers.mjs";
import { collectTexts } from "./collect-texts.mjs";
import { hostFacts, hostList } from "./host-facts.mjs";
import { loadSource } from "./load-source.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const isCheck = words.includes("--check");
const folder = words.find(word => !word.startsWith("--")) ?? join(root, "docs");

const { PACKS, actionAt, CONFIG_SCHEMA, BUILT_IN, PROJECT_SECTIONS, programNames, allOperations, HOST_LIST } =
  await loadSource({
    "guard/rules.ts": ["PACKS"],
    "guard/rule.ts": ["actionAt"],
    "config/load.ts": ["PROJECT_SECTIONS"],
    "config/sections.ts": ["CONFIG_SCHEMA"],
    "config/settings.ts": ["BUILT_IN"],
    "programs/model/registry.ts": ["programNames", "allOperations"],
    "hosts/descriptors.ts": ["HOST_LIST"],
  });
/** Hosts that an installation registers with. */
const HOSTS = HOST_LIST.filter(({ setup }) => setup !== undefined);
const PAGES = {
  "guard.md": { rules: rulesTable(), programs: programsList() },
  "texts.md": { texts: textsTable(), operations: operationsList(), all: allTexts() },
  "configuration.md": { settings: settingsTable() },
  "history.md": { settings: sectionTable("history") },
  "maintainers/architecture.md": { rooms: roomsTable() },
  "hosts/README.md": { hosts: table(...hostList(HOSTS)) },
  ...Object.fromEntries(HOSTS.map(host => [`hosts/${host.id}.md`, { facts: table(...hostFacts(host)) }])),
};

let stale = 0;
for (const [page, sections] of Object.entries(PAGES)) {
  const path = join(folder, page);
  const before = existsSync(path) ? readFileSync(path, "utf8") : newPage(page);
  const after = Object.entries(sections).reduce(
    (text, [name, body]) => putIn(text, name, body, page),
    before,
  );
  if (after === before) continue;
  stale++;
  if (isCheck) process.stderr.write(`${page} is out of date; run: node scripts/write-docs.mjs\n`);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  }
}
process.exitCode = isCheck && stale > 0 ? 1 : 0;

/** A host that nobody wrote about yet gets a page with what its descriptor says. */
function newPage(page) {
  const host = HOSTS.find(({ id }) => page === `hosts/${id}.md`);
  if (host === undefined) throw new Error(`${page} is missing`);
  return `# ${host.setup().title}

The real program was not driven here. What follows comes from its documentation and source, as the hooks use it; \`amplihack
doctor\` says whether they have fired on your machine.

<!-- generated: facts -->
<!-- end: facts -->
`;
}

function putIn(text, name, body, page) {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page} must hold ${begin} and, after it, ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${body}\n${text.slice(to)}`;
}

function rulesTable() {
  const names = [...new Set(PACKS.filter(pack => pack.rules.length > 0).map(pack => pack.name))];
  return names
    .map(name => {
      const rows = PACKS.filter(pack => pack.name === name)
        .flatMap(pack => pack.rules)
        .map(ruleRow);
      return `### ${name}

${table(["rule", "verdict", "what it stops", "when"], rows)}`;
    })
    .join("\n");
}

/** Everything that a rule says, for people who read all of it in one go. */
function textsTable() {
  const rows = PACKS.flatMap(pack => pack.rules).map(({ id, lost, person, model, safer }) => [
    `\`${id}\``,
    ...[lost, person, model].map(text => text.replaceAll("|", "\\|")),
    safer === "" ? "" : `\`${safer.replaceAll("|", "\\|")}\``,
  ]);
  return table(["rule", "what would happen", "to the person", "to the model", "safer"], rows);
}

/** What operations of programs say behind "It would". */
function operationsList() {
  const told = [...new Set(allOperations().map(({ what }) => what))].sort();
  return `${told.map(what => `- ${what}`).join("\n")}\n`;
}

/** Every other text, by the file it stands in; those of the rules are in the table. */
function allTexts() {
  const byFile = new Map();
  for (const { file, text } of collectTexts(join(root, "src"))) {
    if (file.startsWith("guard/rules/")) continue;
    const lines = byFile.get(file) ?? [];
    lines.push(`- ${asPlainMarkdown(text)}`);
    byFile.set(file, lines);
  }
  return [...byFile].map(([file, lines]) => `### ${file}\n\n${[...new Set(lines)].join("\n")}\n`).join("\n");
}

/** On one line, with nothing in it that Markdown would read as its own. */
function asPlainMarkdown(text) {
  const escaped = text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[<>|*_`~[\]]/g, "\\$&");
  return escaped.replace(/^(?=[-+#])/, "\\").replace(/^(\d+)(?=[.)])/, "$1\\");
}

/** What each room's door says of it, in the order of the layers. */
function roomsTable() {
  const rows = LAYERS.flatMap(room => {
    const door = join(root, "src", room, "index.ts");
    const said = existsSync(door) ? /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(door, "utf8")) : null;
    const text = said?.[1].replace(/\s*\n\s*\*\s?/g, " ").trim();
    return text === undefined || room === "exports" ? [] : [[`\`${room}/\``, text]];
  });
  return table(["room", "what it knows, promises and never does"], rows);
}

function programsList() {
  const names = [...programNames()].sort();
  const lines = [""];
  for (const name of names.map(one => `\`${one}\``)) {
    if (lines.at(-1).length + name.length > 110) lines.push(name);
    else lines.push(`${lines.pop()} ${name}`.trim());
  }
  return `${lines.join("\n")}\n`;
}

function ruleRow(rule) {
  const levels = ["relaxed", "standard", "strict"].map(level => actionAt(rule, level));
  const verdicts = new Set(levels).size === 1 ? levels[0] : levels.join(" / ");
  const fixed = rule.isAllowable === false ? ", always" : "";
  return [`\`${rule.id}\``, `${verdicts}${fixed}`, rule.title, rule.when];
}

function settingsTable() {
  const rows = Object.entries(CONFIG_SCHEMA.fields).flatMap(([name, schema]) => describe(name, schema));
  const lines = rows.map(({ path, value, note }) => {
    const shown = builtIn(path);
    const scope = PROJECT_SECTIONS.includes(path.split(".")[0]) ? "all" : "system, user";
    return [`\`${path}\``, value, shown, scope, note];
  });
  return table(["setting", "value", "built in", "files", "meaning"], lines);
}

/** The settings of one section, for the page about it. */
function sectionTable(section) {
  const rows = describe(section, CONFIG_SCHEMA.fields[section]).filter(({ path }) => path !== section);
  const lines = rows.map(({ path, note }) => [`\`${path}\``, builtIn(path), note]);
  return table(["setting", "built in", "meaning"], lines);
}

function builtIn(path) {
  const preset = path.includes("[]") || path.includes("<") ? undefined : valueAt(BUILT_IN, path);
  const isNone = preset === undefined || (typeof preset === "object" && Object.keys(preset).length === 0);
  return isNone ? "" : `\`${JSON.stringify(preset)}\``;
}

/** What the keys of a map are. */
function keyOf(path) {
  return { "guard.rules": "rule", prices: "model" }[path] ?? "subcommand";
}

/** One row per leaf; lists and maps of records are walked into. */
function describe(path, schema, isRequired = false) {
  const note = [schema.note, isRequired ? "required" : undefined].filter(Boolean).join("; ");
  switch (schema.kind) {
    case "string":
      return [{ path, value: schema.oneOf?.map(one => `\`${one}\``).join(", ") ?? "text", note }];
    case "boolean":
      return [{ path, value: "`true`, `false`", note }];
    case "integer":
    case "number":
      return [{ path, value: `${schema.min} to ${schema.max}`, note }];
    case "record": {
      const fields = Object.entries(schema.fields).flatMap(([name, field]) =>
        describe(`${path}.${name}`, field, schema.required?.includes(name)),
      );
      return note === "" ? fields : [{ path, value: "object", note }, ...fields];
    }
    case "list":
      if (schema.of.kind === "record")
        return describe(`${path}[]`, { ...schema.of, note: schema.note ?? schema.of.note });
      return [{ path, value: "list of texts", note }];
    case "map":
      return describe(`${path}.<${keyOf(path)}>`, {
        ...schema.of,
        note: schema.note,
      });
    default:
      throw new Error(`a schema of kind ${schema.kind} is not known here`);
  }
}

function valueAt(value, path) {
  return path.split(".").reduce((found, name) => (Array.isArray(found) ? undefined : found?.[name]), value);
}

/** Aligned, as the formatter leaves it. */
function table(header, rows) {
  const cells = [header, ...rows].map(row =>
    row.map(text => text.replaceAll("|", "\\|").replaceAll("\n", " ").trim()),
  );
  const widths = header.map((_, column) => Math.max(3, ...cells.map(row => row[column].length)));
  const lines = cells.map(row => `| ${row.map((text, column) => text.padEnd(widths[column])).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map(width => "-".repeat(width)).join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}
