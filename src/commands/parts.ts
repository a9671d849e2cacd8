import {
  type CommandInvocation,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  tellProblems,
  usageError,
} from "../cli/index.ts";
import {
  loadConfig,
  MAX_CONFIG_BYTES,
  PARTS,
  type Part,
  PROFILE_RULES,
  PROFILES,
  type Profile,
  readJsonc,
  userConfigFile,
} from "../config/index.ts";
import { loadConfigSetting, loadFileEdit } from "../install/index.ts";
import type { Json } from "../protocol/index.ts";
import { readText, requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";

export const PROFILE_NAMES = Object.keys(PROFILES) as readonly Profile[] as readonly [
  "guard",
  "standard",
  "full",
  "container",
];

export const PROFILE_NOTE =
  "the guard alone, all that changes no way of working, all, or what fits a container that is only this project's";

/** Whoever names only these parts adds them to the parts that are already on. */
const ADDITIONS: readonly Part[] = ["workflow", "mcp"];

/** What `--profile` or `--parts` asks for; undefined when neither is given. */
export function chosenParts(
  system: System,
  profile: Profile | undefined,
  list: string | undefined,
): readonly Part[] | undefined {
  if (profile !== undefined && list !== undefined)
    throw usageError("--profile and --parts are two ways to say the same: give one of them");
  if (list === undefined) return profile && PROFILES[profile];
  const parts = readParts(list.split(","));
  const isAdded = parts.length > 0 && parts.every(part => ADDITIONS.includes(part));
  return isAdded ? readParts([...configuredParts(system), ...parts]) : parts;
}

/** Names of parts, in the order in which they are always told. */
function readParts(names: readonly string[]): readonly Part[] {
  const wanted = names.map(name => name.trim()).filter(name => name !== "");
  const unknown = wanted.find(name => !PARTS.some(part => part === name));
  if (unknown !== undefined) throw usageError(`there is no part '${unknown}'; there are ${PARTS.join(", ")}`);
  return PARTS.filter(part => wanted.includes(part));
}

function configuredParts(system: System): readonly Part[] {
  return loadConfig(system, { ...requireDirectories(system), projectRoot: undefined }).config.parts;
}

/** The user's configuration file, parsed; undefined when it is missing or unreadable. */
export function readUserConfig(system: System): Json | undefined {
  const text = readText(system, userConfigFile(requireDirectories(system).stateHome), MAX_CONFIG_BYTES);
  const read = text === undefined ? undefined : readJsonc(text);
  return read?.ok === true ? read.value : undefined;
}

const MEANINGS: Readonly<Record<Part, string>> = {
  guard: "stops what would lose work, leak secrets or harm the system",
  history: "keeps what agents change, for amplihack undo",
  memory: "brings back what earlier sessions learnt",
  transcripts: "keeps conversations before a host shortens them",
  workflow: "reminders, preferences, and checks when the agent stops",
  mcp: "memory, history, guard and recipes as tools of an MCP server",
};

interface Choice {
  readonly on?: readonly string[];
  readonly off?: readonly string[];
  readonly profile?: Profile | undefined;
}

const PART = { name: "PART", summary: PARTS.join(", "), isVariadic: true, completes: "part" } as const;

/** Changes what is on as the choice says, and prints what is on then. */
async function switchParts(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  format: string,
  { on: wantedOn = [], off: wantedOff = [], profile }: Choice,
): Promise<number> {
  const places = requireDirectories(system);
  const current = configuredParts(system);
  const [added, removed] = [readParts(wantedOn), readParts(wantedOff)];
  const base = profile === undefined ? current : PROFILES[profile];
  const wanted = readParts([...base, ...added]).filter(part => !removed.includes(part));
  const isChange = profile !== undefined || added.length + removed.length > 0;
  return tellProblems("parts", async () => {
    if (isChange) {
      const { applyEdit } = await loadFileEdit();
      const { settingsEdit } = await loadConfigSetting();
      const rules = Object.entries((profile && PROFILE_RULES[profile]) ?? {});
      const settings = [
        { path: ["parts"] as const, value: wanted },
        ...rules.map(([id, value]) => ({ path: ["guard", "rules", id] as const, value })),
      ];
      applyEdit(system, settingsEdit(places, settings), { isBackedUp: false });
    }
    // A managed machine may require a part that was switched off.
    const after = isChange ? loadConfig(system, { ...places, projectRoot: undefined }) : undefined;
    const parts = after?.config.parts ?? wanted;
    for (const { message } of after?.notices ?? []) terminal.warn(`Warning: ${message}\n`);
    const lines = PARTS.map(part => {
      const state = parts.includes(part) ? terminal.paint("green", "on ") : terminal.paint("dim", "off");
      return `${state}  ${part.padEnd(12)} ${MEANINGS[part]}\n`;
    });
    const hint = "\nChange it: amplihack parts off PART, amplihack parts on PART\n";
    terminal.printResult(format, { parts }, lines.join(""));
    if (format === "text" && !isChange) terminal.note(hint);
    const hasSwitched = (part: Part) => wanted.includes(part) !== current.includes(part);
    if (hasSwitched("mcp")) terminal.note("Hosts are told about the MCP server by: amplihack install\n");
    if (hasSwitched("workflow"))
      terminal.note("Subagents and commands of the workflow come and go with: amplihack install\n");
    return 0;
  });
}

const listCommand = defineCommand({
  name: "list",
  summary: "show which parts are on",
  options: {
    on: option.string("PART", "switch this part on", { isRepeatable: true }),
    off: option.string("PART", "switch this part off", { isRepeatable: true }),
    profile: option.choice(PROFILE_NAMES, PROFILE_NOTE),
    format: FORMAT_OPTION,
  },
  forAgents: {
    use: "passes",
    asksWith: ["off", "on", "profile"],
    loosensWith: ["off=guard", "off=history", "profile=container", "profile=guard"],
  },
  examples: { "amplihack parts list": "shows what is on; `amplihack parts` does the same" },
  run: ({ options, ...invocation }) => switchParts(invocation, options.format, options),
});

const onCommand = defineCommand({
  name: "on",
  summary: "switch parts on",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack parts on memory transcripts": "both count from the next call of a hook on" },
  run: ({ options, positionals, ...invocation }) =>
    switchParts(invocation, options.format, { on: positionals }),
});

const offCommand = defineCommand({
  name: "off",
  summary: "switch parts off",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  forAgents: "loosens",
  examples: { "amplihack parts off workflow": "switches reminders and checks off" },
  run: ({ options, positionals, ...invocation }) =>
    switchParts(invocation, options.format, { off: positionals }),
});

export const command = defineFamily({
  name: "parts",
  summary: "show or choose what amplihack does: guard, history, memory, transcripts, workflow, mcp",
  group: "Set up",
  details: `
The choice is the member parts of ~/.amplihack/config.jsonc and counts from the next call of a hook on. Without it every
part is on but mcp, which also needs amplihack install: hosts start the server by themselves.`,
  subcommands: [listCommand, onCommand, offCommand],
  initial: listCommand,
  examples: {
    "amplihack parts": "shows what is on",
    "amplihack parts off workflow": "switches reminders and checks off",
    "amplihack parts --profile guard": "leaves only the guard on",
  },
});
