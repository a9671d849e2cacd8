import { CommandError, defineCommand, FORMAT_OPTION, option, tellProblems } from "../../cli/index.ts";
import {
  MAX_CONFIG_BYTES,
  MAX_POLICIES,
  readJsonc,
  SYSTEM_CONFIG_FILE,
  userConfigFile,
} from "../../config/index.ts";
import { loadConfigSetting, loadFileEdit, loadPullPolicies } from "../../install/index.ts";
import { isSameJson, memberAt, stringsAt } from "../../protocol/index.ts";
import { readText, requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

export const pullCommand = defineCommand({
  name: "pull",
  summary: "fetch and check the policies that your configuration extends",
  details: `
Hooks never fetch anything: they read what this command kept. A policy that is not
what was pinned, or whose signature does not fit, is refused, and the last good one
stays. Exit code 1 when one of them could not be had.`,
  options: {
    pin: option.boolean("pin entries that have no pin to what they are now, in your configuration"),
    system: option.boolean("those of the machine's configuration, /etc/amplihack/config.jsonc"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "asks", loosensWith: ["pin"] },
  examples: {
    "amplihack config pull": "brings the policies up to date",
    "amplihack config pull --pin": "also pins new entries to what they hold today",
    "sudo amplihack config pull --system": "the machine's policies, for all its users",
  },
  async run({ options, system, terminal }) {
    const { pullPolicies } = await loadPullPolicies();
    const places = requireDirectories(system);
    const configFile = options.system ? SYSTEM_CONFIG_FILE : userConfigFile(places.stateHome);
    const entries = entriesOf(system, configFile);
    const modes = options.system
      ? { mode: 0o644, directoryMode: 0o755 }
      : { mode: 0o600, directoryMode: 0o700 };
    let pulled = await pullPolicies(system, entries, { configFile, ...modes });
    const pinned = pulled.map(each => each.pinned);
    if (options.pin && !options.system && pinned.some((each, index) => each !== entries[index])) {
      const { applyEdit } = await loadFileEdit();
      const { settingsEdit } = await loadConfigSetting();
      await tellProblems("config", async () =>
        applyEdit(system, settingsEdit(places, [{ path: ["extends"], value: pinned }]), {
          isBackedUp: false,
        }),
      );
      pulled = await pullPolicies(system, pinned, { configFile, ...modes });
    }
    if (entries.length > MAX_POLICIES)
      terminal.warn(
        `Warning: hooks read the first ${MAX_POLICIES} policies only; there are ${entries.length}\n`,
      );
    for (const { entry, warnings } of pulled)
      for (const warning of warnings) terminal.warn(`Warning: ${entry}: ${warning}\n`);
    const lines = pulled.map(({ entry, pinned: wanted, sha256, problem }) => {
      if (problem !== null) return `${terminal.paint("red", "✗")} ${entry}: ${problem}\n`;
      return entry === wanted
        ? `${terminal.paint("green", "✓")} ${entry} (sha256-${sha256})\n`
        : `• ${entry} is not pinned and does not count; write it as ${wanted}\n`;
    });
    const ok = pulled.every(({ entry, pinned: wanted, problem }) => problem === null && entry === wanted);
    const none = `${configFile} extends no policy.\n`;
    terminal.printResult(options.format, { ok, policies: pulled }, lines.join("") || none);
    return ok ? 0 : 1;
  },
});

function entriesOf(system: System, configFile: string): readonly string[] {
  const text = readText(system, configFile, MAX_CONFIG_BYTES) ?? "";
  const read = readJsonc(text);
  if (read.ok) {
    const entries = memberAt(read.value, "extends");
    const texts = stringsAt(read.value, "extends");
    if (entries === undefined || isSameJson(entries, [...texts])) return texts;
    throw new CommandError(`extends in ${configFile} must be a list of texts`, {
      kind: "config",
      fix: `repair ${configFile}`,
    });
  }
  if (read.problem === "empty") return [];
  throw new CommandError(`${configFile} is not valid JSON with comments`, {
    kind: "config",
    fix: `repair ${configFile}`,
  });
}
