import { type Invocation, tellProblems } from "../../cli/index.ts";
import { loadConfig, PARTS, type Part, PROFILES, type Profile } from "../../config/index.ts";
import { loadConfigSetting, loadFileEdit } from "../../install/index.ts";
import { requireDirectories } from "../../state/index.ts";
import { configuredParts, readParts } from "./choice.ts";

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

export const PART = { name: "PART", summary: PARTS.join(", "), isVariadic: true, completes: "part" } as const;

/** Changes what is on as the choice says, and prints what is on then. */
export async function switchParts(
  { system, terminal }: Pick<Invocation, "system" | "terminal">,
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
      applyEdit(system, settingsEdit(places, [{ path: ["parts"], value: wanted }]), { isBackedUp: false });
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
