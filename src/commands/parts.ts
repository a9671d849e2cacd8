import { defineCommand } from "../cli/command.ts";
import { tellProblems } from "../cli/install-problem.ts";
import { FORMAT_OPTION, option } from "../cli/option.ts";
import { PARTS, type Part, PROFILES } from "../config/levels.ts";
import { requireDirectories } from "../state/user-directories.ts";
import { PROFILE_NAMES, readParts } from "./parts/choice.ts";

const MEANINGS: Readonly<Record<Part, string>> = {
  guard: "stops commands that would lose work, leak secrets or harm the system",
  history: "keeps what agents change, for amplihack undo",
  memory: "brings back what earlier sessions learnt",
  transcripts: "keeps conversations before a host shortens them",
  workflow: "reminders, preferences, and checks when the agent stops",
};

export const command = defineCommand({
  name: "parts",
  summary: "show or choose what amplihack does: guard, history, memory, transcripts, workflow",
  group: "Set up",
  details: `
The choice is the member parts of ~/.amplihack/config.jsonc and counts from the next call of a hook on. Without it every
part is on.`,
  options: {
    on: option.string("PART", "switch this part on; may be repeated", { isRepeatable: true }),
    off: option.string("PART", "switch this part off; may be repeated", { isRepeatable: true }),
    profile: option.choice(PROFILE_NAMES, "the guard alone, all that changes no way of working, or all"),
    format: FORMAT_OPTION,
  },
  examples: {
    "amplihack parts": "shows what is on",
    "amplihack parts --off workflow": "switches reminders and checks off",
    "amplihack parts --profile guard": "leaves only the guard on",
  },
  async run({ options, system, terminal }) {
    const places = requireDirectories(system);
    const { loadConfig } = await import("../config/load.ts");
    const current = loadConfig(system, { ...places, projectRoot: undefined }).config.parts;
    const [added, removed] = [readParts(options.on), readParts(options.off)];
    const base = options.profile === undefined ? current : PROFILES[options.profile];
    const wanted = readParts([...base, ...added]).filter(part => !removed.includes(part));
    const isChange = options.profile !== undefined || added.length + removed.length > 0;
    return tellProblems("parts", async () => {
      if (isChange) {
        const { applyEdit } = await import("../install/file-edit.ts");
        const { settingsEdit } = await import("../install/config-setting.ts");
        applyEdit(system, settingsEdit(places, [{ path: ["parts"], value: wanted }]), { isBackedUp: false });
      }
      // A managed machine may require a part that was switched off.
      const { config, notices } = loadConfig(system, { ...places, projectRoot: undefined });
      const parts = isChange ? config.parts : wanted;
      for (const { message } of isChange ? notices : []) terminal.warn(`Warning: ${message}\n`);
      const lines = PARTS.map(
        part =>
          `${parts.includes(part) ? terminal.paint("green", "on ") : "off"}  ${part.padEnd(12)} ${MEANINGS[part]}\n`,
      );
      terminal.printResult(options.format, { parts }, lines.join(""));
      return 0;
    });
  },
});
