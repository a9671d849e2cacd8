import { applyEdits, modify, parse } from "jsonc-parser";
import { isJsonObject, type Json, type JsonObject, listAt, memberAt, stringAt } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { type System, sha256Hex, writeAtomically } from "../system/index.ts";
import { wrapWords } from "../text/index.ts";
import { openJson } from "./json-edit.ts";
import { MAX_CONFIG_BYTES } from "./read-file.ts";
import type { Schema } from "./schema.ts";
import { type AllowEntry, CONFIG_SCHEMA } from "./sections.ts";
import { BUILT_IN } from "./settings.ts";

/** Adds the project to \`guard.trustedProjects\` of the user's file. */
export function trustProject(system: System, userFile: string, project: string, content: Uint8Array): void {
  const entry = { path: project, sha256: sha256Hex(content) };
  changeList(system, userFile, ["guard", "trustedProjects"], entries => [
    ...entries.filter(other => stringAt(other, "path") !== project),
    entry,
  ]);
}

/** Adds an entry to `guard.allow` of the user's file. */
export function addAllowEntry(system: System, userFile: string, entry: AllowEntry): void {
  changeList(system, userFile, ["guard", "allow"], entries => [...entries, { ...entry }]);
}

/** Lets commands in the sandbox do one thing more. */
export function widenSandbox(
  system: System,
  userFile: string,
  list: "hosts" | "ports" | "read" | "write",
  entry: string | number,
): void {
  changeList(system, userFile, ["sandbox", list], entries =>
    entries.includes(entry) ? entries : [...entries, entry],
  );
}

/** Throws when the file cannot be read as a configuration. The rest of the file is kept byte for byte. */
function changeList(
  system: System,
  userFile: string,
  [section, name]: readonly [string, string],
  change: (entries: readonly Json[]) => readonly Json[],
): void {
  const text = readText(system, userFile, MAX_CONFIG_BYTES) ?? starterConfig("user");
  const opened = openJson(text);
  if (!opened.ok) throw new Error(`${userFile}:${opened.line}:${opened.column}: ${opened.problem}`);
  const entries = change(listAt(memberAt(parse(text) as Json, section), name));
  const edits = modify(text, [section, name], entries, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  writeAtomically(system, userFile, system.text.encode(applyEdits(text, edits)), {
    mode: 0o600,
    keepsNames: true,
  });
}

const SCHEMA_ADDRESS = "https://unpkg.com/amplihack/schemas/config.schema.json";
const WIDTH = 100;

/** For settings that are empty as built in: what one could look like. */
export const EXAMPLES: Readonly<Record<string, Json>> = {
  // An example would be missed on every machine: docs/teams.md has some.
  extends: [],
  "guard.rules": { "git.stash": "deny" },
  "guard.paths.deny": ["infra/prod/**"],
  "guard.paths.noRead": ["customers/**"],
  "guard.paths.noDelete": ["migrations/**"],
  "guard.paths.regenerable": ["generated/"],
  "guard.paths.temp": ["/scratch"],
  "guard.paths.secrets": ["*.keystore"],
  "guard.allow": [{ command: "git push --force origin preview", reason: "nobody else works there" }],
  "guard.custom": [
    {
      id: "acme.deploy",
      when: { command: "acme", args: ["deploy"] },
      verdict: "ask",
      reason: "It goes live at once.",
    },
  ],
  "guard.audit.file": "~/audit.jsonl",
  "guard.trustHooks": ["my-checks"],
  failure: { default: "ask", stop: "open" },
  "history.precious": ["*.key"],
  "history.exclude": ["videos/**"],
  "sandbox.hosts": ["api.example.com", "*.example.org", "example.com:8443"],
  "sandbox.ports": [5432],
  "sandbox.read": ["~/.netrc"],
  "sandbox.write": ["~/shared-output"],
  "sandbox.env": ["CI_JOB_TOKEN"],
  "budget.session": "$5",
  "budget.day": "$40",
  "budget.project": "20M tokens",
  prices: { "my-model": { input: 3, output: 15, cacheRead: 0.3 } },
  programs: [
    { names: "acme", operations: [{ command: "wipe", rule: "cloud.resource", what: "delete it all" }] },
  ],
  "hooks.packages": ["@acme/agent-hooks"],
  "bridge.command": ["acme-memory", "answer"],
  "reflect.agent": "claude",
  "memory.url": "postgres://ann@db.example/agents",
  "team.key": "nIt0WRfJbAgDlKrBZmg4YsoFIU0Sh3fwUkLkS/sAWIs=",
  "update.source": "https://releases.example.com/amplihack",
  "update.publicKey": "MCowBQYDK2VwAyEA…",
};

/** Settings that count in a project's file although it is not trusted. */
const OF_PROJECTS =
  /^(?:guard\.(?:level|unattended|rules|protectedBranches|prodNames|custom|paths\.(?:deny|noRead|noDelete|secrets))|autonomy|sandbox\.network|failure|history\.precious)$/;
/** Written by a command of its own. */
const NOT_BY_HAND = "guard.trustedProjects";

/** A configuration that changes nothing yet: every setting with what it means and its built-in value, commented out. */
export function starterConfig(scope: "user" | "project"): string {
  const about =
    scope === "user"
      ? ["Your settings for amplihack. Rules you set here have the last word."]
      : [
          "This project's settings for amplihack. They may only tighten, unless you trust them:",
          "amplihack guard init --trust",
        ];
  const counts = (key: string): boolean => key !== NOT_BY_HAND && (scope === "user" || OF_PROJECTS.test(key));
  const notes = [
    ...about,
    "Every setting is here with its built-in value, or with an example where it has none.",
    "To change one, remove the slashes in front of it, or type: amplihack config set KEY VALUE",
  ];
  const members = recordLines(CONFIG_SCHEMA, "", counts);
  const lines = [`"$schema": "${SCHEMA_ADDRESS}",`, ...notes.map(note => `// ${note}`), "", ...members];
  return `{\n${lines.map(line => (line === "" ? "" : `  ${line}`)).join("\n")}\n}\n`;
}

type Counts = (key: string) => boolean;

/** Leaves first: they are comments, so that the comma behind each object but the last is always right. */
function recordLines(schema: Schema & { kind: "record" }, prefix: string, counts: Counts): readonly string[] {
  const fields = Object.entries(schema.fields).map(([name, field]) => ({
    name,
    field,
    key: prefix === "" ? name : `${prefix}.${name}`,
  }));
  const leaves = fields
    .filter(({ field, key }) => field.kind !== "record" && counts(key))
    .flatMap(({ name, field, key }) => [...leafLines(name, field, key), ""]);
  const records = fields.flatMap(({ name, field, key }) => {
    if (field.kind !== "record") return [];
    const inner = recordLines(field, key, counts);
    return inner.length === 0 ? [] : [{ name, note: field.note, inner }];
  });
  return [
    ...leaves,
    ...records.flatMap(({ name, note, inner }, index) => [
      ...comment(note ?? ""),
      `"${name}": {`,
      ...withoutLastGap(inner).map(line => (line === "" ? "" : `  ${line}`)),
      ...(index === records.length - 1 ? ["}"] : ["},", ""]),
    ]),
  ];
}

function withoutLastGap(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function leafLines(name: string, schema: Schema, key: string): readonly string[] {
  const builtIn = memberAt(BUILT_IN_FILE, ...key.split("."));
  const hasValue = builtIn !== undefined && builtIn !== null && !isEmpty(builtIn);
  const value = hasValue ? builtIn : EXAMPLES[key];
  const note = schema.note ?? (schema.kind === "list" ? schema.of.note : undefined) ?? "";
  const words = `${note}${describeChoices(schema)}${hasValue ? "" : "; for example:"}`;
  return [...comment(words), `// "${name}": ${jsonText(value ?? null)},`];
}

function describeChoices(schema: Schema): string {
  const inner = schema.kind === "list" || schema.kind === "map" ? schema.of : schema;
  if (inner.kind === "integer" || inner.kind === "number") return ` (${inner.min} to ${inner.max})`;
  return inner.kind === "string" && inner.oneOf !== undefined && inner.oneOf.length < 10
    ? ` (${inner.oneOf.join(", ")})`
    : "";
}

function comment(text: string): readonly string[] {
  return text === "" ? [] : wrapWords(text, WIDTH).map(line => `// ${line}`);
}

/** On one line, with blanks as people write them. */
function jsonText(value: Json): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** The built-in settings in the form of a file, as far as they have values. */
const BUILT_IN_FILE = JSON.parse(JSON.stringify({ ...BUILT_IN, failure: {} })) as JsonObject;
