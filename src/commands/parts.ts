import { defineCommand, defineFamily, type Invocation } from "../cli/command.ts";
import { tellProblems } from "../cli/install-problem.ts";
import { FORMAT_OPTION, option } from "../cli/option.ts";
import { PARTS, type Part, PROFILES, type Profile } from "../config/levels.ts";
import { requireDirectories } from "../state/user-directories.ts";
import { PROFILE_NAMES, readParts } from "./parts/choice.ts";

const MEANINGS: Readonly<Record<Part, string>> = {
  guard: "stops what would lose work, leak secrets or harm the system",
  history: "keeps what agents change, for amplihack undo",
  memory: "brings back what earlier sessions learnt",
  transcripts: "keeps conversations before a host shortens them",
  workflow: "reminders, preferences, and checks when the agent stops",
};

interface Choice {
  readonly on?: readonly string[];
  readonly off?: readonly string[];
  readonly profile?: Profile | undefined;
}

const PART = { name: "PART", summary: PARTS.join(", "), isVariadic: true, completes: "part" } as const;

const list = defineCommand({
  name: "list",
  summary: "show which parts are on",
  options: {
    on: option.string("PART", "switch this part on", { isRepeatable: true }),
    off: option.string("PART", "switch this part off", { isRepeatable: true }),
    profile: option.choice(PROFILE_NAMES, "the guard alone, all that changes no way of working, or all"),
    format: FORMAT_OPTION,
  },
  examples: { "amplihack parts list": "shows what is on; `amplihack parts` does the same" },
  run: ({ options, ...invocation }) => choose(invocation, options.format, options),
});

const on = defineCommand({
  name: "on",
  summary: "switch parts on",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  examples: { "amplihack parts on memory transcripts": "both count from the next call of a hook on" },
  run: ({ options, positionals, ...invocation }) => choose(invocation, options.format, { on: positionals }),
});

const off = defineCommand({
  name: "off",
  summary: "switch parts off",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  examples: { "amplihack parts off workflow": "switches reminders and checks off" },
  run: ({ options, positionals, ...invocation }) => choose(invocation, options.format, { off: positionals }),
});

export const command = defineFamily({
  name: "parts",
  summary: "show or choose what amplihack does: guard, history, memory, transcripts, workflow",
  group: "Set up",
  details: `
The choice is the member parts of ~/.amplihack/config.jsonc and counts from the next call of a hook on. Without it every
part is on.`,
  subcommands: [list, on, off],
  initial: list,
  examples: {
    "amplihack parts": "shows what is on",
    "amplihack parts off workflow": "switches reminders and checks off",
    "amplihack parts --profile guard": "leaves only the guard on",
  },
});

async function choose(
  { system, terminal }: Pick<Invocation, "system" | "terminal">,
  format: string,
  { on: wantedOn = [], off: wantedOff = [], profile }: Choice,
): Promise<number> {
  const places = requireDirectories(system);
  const { loadConfig } = await import("../config/load.ts");
  const current = loadConfig(system, { ...places, projectRoot: undefined }).config.parts;
  const [added, removed] = [readParts(wantedOn), readParts(wantedOff)];
  const base = profile === undefined ? current : PROFILES[profile];
  const wanted = readParts([...base, ...added]).filter(part => !removed.includes(part));
  const isChange = profile !== undefined || added.length + removed.length > 0;
  return tellProblems("parts", async () => {
    if (isChange) {
      const { applyEdit } = await import("../install/file-edit.ts");
      const { settingsEdit } = await import("../install/config-setting.ts");
      applyEdit(system, settingsEdit(places, [{ path: ["parts"], value: wanted }]), { isBackedUp: false });
    }
    const lines = PARTS.map(part => {
      const state = wanted.includes(part) ? terminal.paint("green", "on ") : terminal.paint("dim", "off");
      return `${state}  ${part.padEnd(12)} ${MEANINGS[part]}\n`;
    });
    const hint = "\nChange it: amplihack parts off PART, amplihack parts on PART\n";
    terminal.printResult(format, { parts: wanted }, lines.join(""));
    if (format === "text" && !isChange) terminal.note(hint);
    return 0;
  });
}
