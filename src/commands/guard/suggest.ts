import { readdirSync } from "node:fs";
import { CommandError, defineCommand, FORMAT_OPTION, option, type Terminal } from "../../cli/index.ts";
import { loadAudit } from "../../hooks/index.ts";
import { memberAt, stringAt, stringsAt } from "../../protocol/index.ts";
import { join, resolve, type System } from "../../system/index.ts";
import { clip, escapeControls, escapeHidden } from "../../text/index.ts";
import {
  loadGuardSuggestions,
  loadTranscriptInputs,
  type PastCall,
  type Suggestion,
} from "../../verify/index.ts";
import { readAuditLog } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

const DEFAULT_MIN = 2;
const DEFAULT_COLUMNS = 80;
const INDENT = "        ";

export const suggestCommand = defineCommand({
  name: "suggest",
  summary: "suggest allow entries and rules from what was asked about so far; writes nothing",
  details:
    "Reads the audit log, and past sessions with --transcript. Every suggestion says how often it would have helped and what to put into " +
    "the configuration. It never suggests to loosen what was refused, rules that can never be loosened, or rules about secrets, code from the network, disks and the guard itself.",
  options: {
    format: FORMAT_OPTION,
    min: option.number("N", `how often it must have helped (${DEFAULT_MIN} by default)`, { minimum: 1 }),
    transcript: option.string("FILE|DIR", "also read this session transcript, or a folder of them", {
      isRepeatable: true,
    }),
  },
  forAgents: "passes",
  examples: {
    "amplihack guard suggest": "suggests from the audit log",
    "amplihack guard suggest --transcript ~/.claude/projects": "suggests from past sessions, too",
  },
  async run({ options, system, terminal }) {
    const { auditFile } = await loadAudit();
    const { suggest } = await loadGuardSuggestions();
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const { lines, broken } = readAuditLog(system, terminal, auditFile(config.guard, stateHome, home));
    const logged = lines.flatMap(({ command, cwd, ts, verdict, raw }): readonly PastCall[] => {
      const notes = stringsAt(raw, "notes");
      if (command === undefined || cwd === undefined || (verdict !== "ask" && notes.length === 0)) return [];
      return [{ command, cwd, ts, from: "audit", notes }];
    });
    const recorded = await readTranscripts(system, options.transcript);
    const suggestions = suggest(system, [...logged, ...recorded], options.min ?? DEFAULT_MIN);
    const read = { audit: lines.length, transcript: recorded.length, unreadable: broken };
    terminal.printResult(options.format, { read, suggestions }, render(suggestions, terminal));
    if (options.format === "text")
      terminal.note(closing(suggestions.length, join(stateHome, "config.jsonc")));
    return 0;
  },
});

async function readTranscripts(system: System, places: readonly string[]): Promise<readonly PastCall[]> {
  const { transcriptInputs } = await loadTranscriptInputs();
  const here = system.files.workingDirectory() ?? "/";
  const calls: PastCall[] = [];
  for (const place of places) {
    const path = resolve(here, place);
    const kind = system.files.follow(path)?.kind;
    if (kind === undefined) throw new CommandError(`there is no file ${path}`, { kind: "not-found" });
    const files =
      kind === "directory"
        ? readdirSync(path, { recursive: true, encoding: "utf8" }).map(name => join(path, name))
        : [path];
    for (const file of files.filter(name => name.endsWith(".jsonl")).sort())
      for (const { event, payload } of transcriptInputs(system, file, { lines: 0, bytes: 0, bad: 0 })) {
        const command = stringAt(memberAt(payload, "tool_input"), "command");
        const cwd = stringAt(payload, "cwd");
        if (event === "PreToolUse" && command !== undefined && cwd !== undefined)
          calls.push({ command, cwd, from: "transcript", ts: undefined, notes: [] });
      }
  }
  return calls;
}

function render(suggestions: readonly Suggestion[], terminal: Terminal): string {
  const columns = terminal.columns ?? DEFAULT_COLUMNS;
  return suggestions.map(one => renderOne(one, columns, terminal)).join("\n");
}

function renderOne(one: Suggestion, columns: number, terminal: Terminal): string {
  const { kind, count, rules, example, entry } = one;
  const named = rules.join(", ");
  const title =
    kind === "allow"
      ? `permit this command here (${named} asked), in "allow":`
      : one.effect === "spares"
        ? `let everything pass that ${named} asks about, in "rules":`
        : `ask where ${named} only took a note, in "rules":`;
  // Never cut: it is there to be copied.
  const lines = entryLines(entry).map(line => terminal.paint("cyan", escapeControls(line)));
  const shown = clip(escapeHidden(`for example: ${example.command}`), columns - INDENT.length - 1);
  return [
    `${terminal.paint("bold", `${count}×`.padStart(INDENT.length - 2))}  ${title}`,
    ...lines.map(line => `${INDENT}${line}`),
    ...(kind === "allow" ? [] : [`${INDENT}${terminal.paint("dim", shown)}`]),
    "",
  ].join("\n");
}

/** What goes into the list or the table, one member a line. */
function entryLines({ allow, rules = {} }: Suggestion["entry"]): readonly string[] {
  const memberLines = (value: object) =>
    Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${JSON.stringify(member)}`);
  if (allow === undefined) return memberLines(rules);
  return allow.flatMap(each => {
    const members = memberLines(each);
    return members.map((member, index) => {
      const isLast = index === members.length - 1;
      return `${index === 0 ? "{ " : "  "}${member}${isLast ? " }" : ","}`;
    });
  });
}

function closing(count: number, path: string): string {
  if (count === 0) return "Nothing was asked about often enough to suggest anything.\n";
  return `\nNothing was changed. Put what you agree with into "guard" of ${path}.\n`;
}
