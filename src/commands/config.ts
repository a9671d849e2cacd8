import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  loadEditor,
  option,
  tellProblems,
} from "../cli/index.ts";
import {
  CONSENT,
  findMisplacedConfig,
  loadConfig,
  MAX_CONFIG_BYTES,
  MAX_POLICIES,
  readJsonc,
  SYSTEM_CONFIG_FILE,
  starterConfig,
  userConfigFile,
} from "../config/index.ts";
import { loadRules } from "../guard/index.ts";
import { loadConfigSetting, loadFileEdit, loadPullPolicies } from "../install/index.ts";
import { isSameJson, memberAt, stringsAt } from "../protocol/index.ts";
import { loadJoinedServer, loadServerPolicy } from "../ship/index.ts";
import { readText, requireDirectories } from "../state/index.ts";
import { type System, writeAtomically } from "../system/index.ts";
import { SETTING_OR_SECTION } from "./config/setting.ts";

/** Lowering `consent` requires the consent that is in force. */
async function requirePersonFor(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  key: string,
  wanted: string,
): Promise<void> {
  const places = requireDirectories(system);
  const { consent } = loadConfig(system, { ...places, projectRoot: undefined }).config;
  const isLowered = (CONSENT as readonly string[]).indexOf(wanted) < CONSENT.indexOf(consent);
  if (key !== "consent" || !isLowered) return;
  const { confirmByPhrase, requirePerson } = await import("./guard/allow-once.ts");
  await requirePerson(system, places.stateHome);
  await confirmByPhrase(system, terminal, places.stateHome, {
    shown: [`consent: ${wanted} instead of ${consent}`],
    question: "to require less proof of your consent from now on",
  });
}

const LAYER_WIDTH = "environment".length;

const listCommand = defineCommand({
  name: "list",
  summary: "show the settings that you, the project or the machine changed",
  options: {
    all: option.boolean("also those with their built-in value"),
    format: FORMAT_OPTION,
  },
  forAgents: "passes",
  examples: {
    "amplihack config list": "every setting that is not as built in, and where it comes from",
    "amplihack config list --all": "every setting there is",
  },
  async run({ options, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./config/setting.ts");
    const { loaded, settings } = effectiveConfig(system);
    for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
    const shown = settings.filter(({ value, builtIn }) => options.all || !isSameJson(value, builtIn));
    const layerWidth = Math.max(LAYER_WIDTH, ...shown.map(({ layer }) => layer.length));
    const width = Math.max(0, ...shown.map(({ key }) => key.length));
    const lines = shown.map(({ key, layer, value }) => {
      const line = `${key.padEnd(width)}  ${layer.padEnd(layerWidth)}  ${value === null ? "(not set)" : shownValue(value)}`;
      const { columns } = terminal;
      return columns !== undefined && line.length > columns
        ? `${line.slice(0, columns - 1)}…\n`
        : `${line}\n`;
    });
    const none = "Every setting has its built-in value. All of them: amplihack config list --all\n";
    terminal.printResult(options.format, { settings: shown }, lines.length === 0 ? none : lines.join(""));
    return 0;
  },
});

const getCommand = defineCommand({
  name: "get",
  summary: "print the value of one setting as it counts here",
  details: "A section, a list or an object is printed as JSON, and null is what has no value.",
  options: { format: FORMAT_OPTION },
  positionals: [SETTING_OR_SECTION],
  forAgents: "passes",
  examples: {
    "amplihack config get guard.level": "prints relaxed, standard or strict",
    "amplihack config get history": "prints the whole section",
  },
  async run({ options, positionals, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./config/setting.ts");
    const { findSetting } = await import("./config/setting.ts");
    const { loaded, file, settings } = effectiveConfig(system);
    const [key = ""] = positionals;
    const { path } = findSetting(
      key,
      loaded.config.guard.custom.map(({ id }) => id),
    );
    for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
    const value = memberAt(file, ...path) ?? null;
    const layer = settings.find(setting => setting.key === key)?.layer ?? null;
    terminal.printResult(options.format, { key, value, layer }, `${shownValue(value)}\n`);
    return 0;
  },
});

const setCommand = defineCommand({
  name: "set",
  summary: "change one setting in your configuration",
  details: `
The value is checked, then written to ~/.amplihack/config.jsonc, whose comments
stay. A list of texts is written with commas, everything larger as JSON.`,
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "KEY", summary: "a setting: guard.level, guard.rules.git.push", completes: "setting" },
    { name: "VALUE", summary: "the new value", mayBeEmpty: true },
  ],
  forAgents: "loosens",
  examples: {
    "amplihack config set guard.level strict": "asks about more",
    "amplihack config set guard.rules.git.stash deny": "one rule, whatever the level",
    "amplihack config set guard.protectedBranches 'main,release/*'": "a list",
  },
  async run(invocation) {
    const { changeSetting } = await import("./config/setting.ts");
    const { shownValue } = await import("./config/setting.ts");
    const { readSettingValue } = await import("./config/setting.ts");
    const { options, positionals, terminal } = invocation;
    const [key = "", text = ""] = positionals;
    if (key === "autonomy") {
      const { refuseRaise } = await import("./autonomy.ts");
      refuseRaise(invocation.system, text);
    }
    await requirePersonFor(invocation, key, text);
    const change = await changeSetting(invocation, key, (setting, customIds) =>
      readSettingValue(key, setting, text, customIds),
    );
    const { value = null, effective, layer, path, isChanged, isIgnored } = change;
    if (isIgnored) {
      const line = `${key} is ${shownValue(value)} in ${path} but has no effect: it stays ${shownValue(effective)}\n`;
      const document = { success: false, key, value, effective, path, changed: isChanged };
      terminal.printResult(options.format, document, line);
      return 1;
    }
    if (!isSameJson(effective, value)) {
      const source = layer === undefined || layer === "user" ? "" : ` (${layer})`;
      terminal.note(`Note: together with the other layers it is ${shownValue(effective)} here${source}\n`);
    }
    if (key === "team.waitMs") terminal.note("Hosts wait that long from the next amplihack install on.\n");
    const line = `${key} is ${isChanged ? "now" : "already"} ${shownValue(value)} in ${path}\n`;
    terminal.printResult(
      options.format,
      { success: true, key, value, effective, path, changed: isChanged },
      line,
    );
    return 0;
  },
});

const unsetCommand = defineCommand({
  name: "unset",
  summary: "take one setting out of your configuration",
  details: `
Removes it from ~/.amplihack/config.jsonc, whose comments stay. Then the next layer
below counts, or the built-in value.`,
  options: { format: FORMAT_OPTION },
  positionals: [SETTING_OR_SECTION],
  forAgents: "loosens",
  examples: {
    "amplihack config unset guard.level": "the built-in level counts again",
    "amplihack config unset guard.rules.git.stash": "the rule is again as the level has it",
  },
  async run(invocation) {
    const { changeSetting } = await import("./config/setting.ts");
    const { shownValue } = await import("./config/setting.ts");
    const { options, positionals, terminal } = invocation;
    const [key = ""] = positionals;
    await requirePersonFor(invocation, key, "terminal");
    const { effective, path, isChanged } = await changeSetting(invocation, key, () => undefined);
    const now = effective === null ? "" : `; it is ${shownValue(effective)} now`;
    const line = isChanged
      ? `${key} was taken out of ${path}${now}\n`
      : `${key} is not set in ${path}${now}\n`;
    terminal.printResult(options.format, { success: true, key, effective, path, changed: isChanged }, line);
    return 0;
  },
});

const editCommand = defineCommand({
  name: "edit",
  summary: "open your configuration in $VISUAL or $EDITOR, and check it afterwards",
  options: {},
  ownsTerminal: true,
  forAgents: "loosens",
  examples: { "amplihack config edit": "writes a file to start from where there is none" },
  async run({ system, terminal }) {
    const { editFile } = await loadEditor();
    const path = userConfigFile(requireDirectories(system).stateHome);
    if (system.files.inspect(path) === undefined) {
      writeAtomically(system, path, system.text.encode(starterConfig("user")), { mode: 0o600 });
    }
    editFile(system, terminal, path);
    const problems = await listProblems(system);
    if (problems.length > 0)
      throw new CommandError(
        `${path} has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}`,
        {
          kind: "config",
          causes: problems,
          fix: "amplihack config edit",
        },
      );
    terminal.print(`${path} is valid\n`);
    return 0;
  },
});

/** What in the user's file does not count, and why; . */
async function listProblems(system: System): Promise<readonly string[]> {
  const { ruleSettingProblems } = await loadRules();
  const places = { ...requireDirectories(system), projectRoot: undefined };
  const { config, notices } = loadConfig(system, places);
  return [
    ...[...notices, ...findMisplacedConfig(system, places)]
      .filter(({ scope }) => scope === "user")
      .map(({ message }) => message),
    ...ruleSettingProblems(config.guard).map(({ message }) => message),
  ];
}

const pullCommand = defineCommand({
  name: "pull",
  summary: "fetch and check the policies that your configuration extends",
  details: `
Hooks never fetch anything: they read what this command kept. A policy that is not
what was pinned, or whose signature does not match, is refused, and the last good one
stays. Exit code 1 when one of them could not be fetched.`,
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
    const entries = listEntries(system, configFile);
    const modes = options.system
      ? { mode: 0o644, directoryMode: 0o755 }
      : { mode: 0o600, directoryMode: 0o700 };
    const fromServer = async () => {
      const { joinedFile } = await loadJoinedServer();
      const { fetchServerPolicy } = await loadServerPolicy();
      const joined = joinedFile(system, places.stateHome).read();
      if (joined === undefined) throw new Error("this machine has joined no server; run amplihack join");
      return fetchServerPolicy(system, joined);
    };
    let pulled = await pullPolicies(system, entries, { configFile, ...modes, fromServer });
    const pinned = pulled.map(each => each.pinned);
    if (options.pin && !options.system && pinned.some((each, index) => each !== entries[index])) {
      const { applyEdit } = await loadFileEdit();
      const { settingsEdit } = await loadConfigSetting();
      await tellProblems("config", async () =>
        applyEdit(system, settingsEdit(places, [{ path: ["extends"], value: pinned }]), {
          isBackedUp: false,
        }),
      );
      pulled = await pullPolicies(system, pinned, { configFile, ...modes, fromServer });
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
        : `• ${entry} is not pinned and is ignored; write it as ${wanted}\n`;
    });
    const ok = pulled.every(({ entry, pinned: wanted, problem }) => problem === null && entry === wanted);
    const none = `${configFile} extends no policy.\n`;
    terminal.printResult(options.format, { ok, policies: pulled }, lines.join("") || none);
    return ok ? 0 : 1;
  },
});

function listEntries(system: System, configFile: string): readonly string[] {
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

export const command = defineFamily({
  name: "config",
  summary: "see and change settings",
  group: "Set up",
  details: "Alone it lists what is not as built in. Every setting: docs/configuration.md.",
  subcommands: [listCommand, getCommand, setCommand, unsetCommand, editCommand, pullCommand],
  initial: listCommand,
  examples: {
    "amplihack config": "lists what is not as built in, and where it comes from",
    "amplihack config set guard.level strict": "changes one setting",
  },
});
