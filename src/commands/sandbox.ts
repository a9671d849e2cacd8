import {
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  type Terminal,
  usageError,
} from "../cli/index.ts";
import { loadConfig } from "../config/index.ts";
import { type LayerReport, loadSandbox, OPEN_WITH_BWRAP, OPEN_WITHOUT } from "../sandbox/index.ts";
import { requireDirectories } from "../state/index.ts";
import { allowCommand } from "./sandbox/allow.ts";
import { callCommand } from "./sandbox/call.ts";
import { proxyWords, sandboxPlaces } from "./sandbox/places.ts";
import { NETWORK_OPTION, parsePorts, resolveSettings } from "./sandbox/settings.ts";

const runCommand = defineCommand({
  name: "run",
  summary: "run a command that can change this project and nothing else",
  details: `
It may write to the project, temporary folders and caches of package managers. It cannot read keys and credentials, change
hooks and configuration of git, see other processes, or reach hosts other than the registries of package managers. Where
that cannot be enforced, it is not started: exit code 126.`,
  options: {
    network: NETWORK_OPTION,
    host: option.string("NAME", "a host that is allowed as well; *.NAME, NAME:PORT", { isRepeatable: true }),
    port: option.string("N", "a port of this machine that may be reached, with network hosts", {
      isRepeatable: true,
    }),
    write: option.string("DIR", "a folder that may be changed as well", { isRepeatable: true }),
    read: option.string("PATH", "shown although it would be hidden", { isRepeatable: true }),
    env: option.string("NAME", "a variable that is handed on although it looks like a secret", {
      isRepeatable: true,
    }),
  },
  wordsBehind: "-- COMMAND [ARGUMENT...]",
  forAgents: { use: "asks", writes: ["write"], runs: "words" },
  ownsTerminal: true,
  examples: {
    "amplihack sandbox run -- npm test": "runs the tests, which cannot touch your home or send anything",
    "amplihack sandbox run --host api.example.com -- ./sync.sh": "lets a script reach one more host",
  },
  async run({ options, rest, system }) {
    if (rest.length === 0) throw usageError("the command is missing; write it after --");
    const directories = requireDirectories(system);
    const { config } = loadConfig(system, directories);
    const { runCommand: start } = await loadSandbox();
    return start(system, sandboxPlaces(system), {
      words: rest,
      directory: system.files.workingDirectory() ?? directories.projectRoot,
      settings: resolveSettings(system, config, {
        network: options.network,
        hosts: options.host,
        ports: parsePorts(options.port),
        write: options.write,
        read: options.read,
        env: options.env,
      }),
      guard: config.guard,
      proxyCommand: proxyWords(),
    });
  },
});

const checkCommand = defineCommand({
  name: "check",
  summary: "show which layers of the sandbox work here, and what is open without the others",
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: { "amplihack sandbox check": "tries every layer for real" },
  async run({ options, system, terminal }) {
    const { checkSandbox, findOpenHere, surveyAround, usableLayers } = await loadSandbox();
    const places = sandboxPlaces(system);
    const { program, report } = checkSandbox(system, places);
    const layers = report === undefined ? undefined : usableLayers(report);
    const lacking = Object.entries(OPEN_WITHOUT).flatMap(([layer, what]) =>
      layers?.some(each => each === layer) === true ? [] : what,
    );
    const open = [...new Set([...lacking, ...(report?.by === "bwrap" ? OPEN_WITH_BWRAP : [])])];
    const directories = requireDirectories(system);
    const { config } = loadConfig(system, directories);
    const directory = system.files.workingDirectory() ?? directories.projectRoot;
    const workspace = surveyAround(system, places, { directory, guard: config.guard });
    const openHere =
      layers === undefined ? [] : findOpenHere(system, workspace, resolveSettings(system, config, {}));
    const document = {
      available: layers !== undefined,
      program: program ?? null,
      layers: report ?? null,
      open,
      openHere,
    };
    const lines =
      report === undefined
        ? ["The sandbox is unavailable: neither amplihack-sandbox nor bwrap is installed."]
        : [
            layers === undefined
              ? "The sandbox is unavailable: what works here holds too little back."
              : report.by === "bwrap"
                ? "The sandbox works in part, with bwrap: amplihack-sandbox is not installed."
                : "The sandbox works.",
            ...layerLines(report, terminal),
            ...listOf("Open on this machine:", open),
            ...listOf("Open here:", openHere),
          ];
    terminal.printResult(options.format, document, `${lines.join("\n")}\n`);
    return layers === undefined ? 1 : 0;
  },
});

function listOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map(line => `  ${line}`)];
}

const LAYER_TITLES = {
  namespaces: "own view of files and processes",
  network: "own network",
  landlock: "Landlock",
  seccomp: "filter of system calls",
  overlay: "catching changes, for try",
} as const;

function layerLines(report: LayerReport, terminal: Terminal): readonly string[] {
  return (Object.keys(LAYER_TITLES) as (keyof typeof LAYER_TITLES)[]).map(name => {
    const { works, reason } = report[name];
    const version = name === "landlock" && works ? ` ${report.landlockVersion}` : "";
    const mark = works ? terminal.paint("green", "✓") : terminal.paint("yellow", "✗");
    return `  ${mark} ${LAYER_TITLES[name]}${version}${reason === undefined ? "" : `: ${reason}`}`;
  });
}

const proxyCommand = defineCommand({
  name: "proxy",
  summary: "serve the network of one sandbox; started by the sandbox itself",
  options: {
    allow: option.string("HOST", "a host that may be reached", { isRepeatable: true }),
    port: option.string("N", "a port of this machine that may be reached", { isRepeatable: true }),
  },
  forAgents: "asks",
  ownsTerminal: true,
  examples: {
    "amplihack sandbox proxy --allow registry.npmjs.org": "what the sandbox starts; nothing to type",
  },
  async run({ options, terminal }) {
    const { serveProxy } = await loadSandbox();
    const request = { allowed: options.allow, ports: parsePorts(options.port) };
    await serveProxy(request, line => terminal.print(line));
    return 0;
  },
});

export const command = defineFamily({
  name: "sandbox",
  summary: "run a command that can change this project and nothing else",
  group: "Protect",
  subcommands: [runCommand, checkCommand, allowCommand, callCommand, proxyCommand],
  examples: {
    "amplihack sandbox run -- npm test": "runs the tests, which cannot touch your home or send anything",
    "amplihack sandbox check": "tries every layer for real",
  },
});
