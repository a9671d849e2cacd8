import { CommandError, defineCommand, defineFamily, FORMAT_OPTION, option } from "../cli/index.ts";
import { loadConfig, SYSTEM_CONFIG_FILE } from "../config/index.ts";
import { requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";

const MEANINGS = {
  terminal:
    "a phrase that you type at a terminal of your own; a program that plays a person at a terminal could type it",
  desktop:
    "the phrase, and the system's own prompt for an administrator's password; who can write your files could still forge it",
  service: "a root service, which has polkit ask for your password; no program of yours can forge it",
} as const;

const statusCommand = defineCommand({
  name: "status",
  summary: "say which kind of consent you have, and whether the root service is there",
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: { "amplihack consent-service": "terminal, desktop or service, and what that means" },
  async run({ options, system, terminal }) {
    const { consent } = loadConfig(system, requireDirectories(system)).config;
    const { SERVICE_FILES, SERVICE_SOCKET } = await import("./consent-service/broker.ts");
    const { findSystemPrompt } = await import("./guard/system-prompt.ts");
    const missing = Object.values(SERVICE_FILES).filter(path => !isRoots(system, path));
    const isListening = system.files.follow(SERVICE_SOCKET) !== undefined;
    const prompt = findSystemPrompt(system)?.program ?? null;
    const service =
      missing.length > 0 ? "not installed" : isListening ? "installed, listening" : "installed, not started";
    const lines = [
      `Consent: ${consent}. What permits a call is ${MEANINGS[consent]}.`,
      `The system's prompt: ${prompt ?? "none was found"}. The service: ${service}.`,
      ...(consent === "service" && service !== "installed, listening"
        ? ["Nothing can be permitted until it listens: sudo amplihack consent-service install"]
        : []),
    ];
    const value = { consent, prompt, service, missing };
    terminal.printResult(options.format, value, `${lines.join("\n")}\n`);
    return 0;
  },
});

/** The file belongs to root and only root can write it. */
function isRoots({ files }: System, path: string): boolean {
  const facts = files.inspect(path);
  return facts?.kind === "file" && facts.uid === 0 && (facts.mode & 0o022) === 0;
}

const installCommand = defineCommand({
  name: "install",
  summary: "install the root service, and let nothing else confirm",
  details: `
Run it as root. It writes one program, two units of systemd, one action of polkit and "consent": "service" into
${SYSTEM_CONFIG_FILE}, and starts the socket. From then on \`amplihack guard allow-once\` has polkit ask for your password, and
no file that a program of yours can write permits anything.`,
  options: {
    into: option.string("DIR", "write the files below another folder, and start nothing"),
    format: FORMAT_OPTION,
  },
  forAgents: "asks",
  examples: { "sudo amplihack consent-service install": "installs and starts it" },
  async run({ options, system, terminal }) {
    const { installService } = await import("./consent-service/install.ts");
    const { written, started } = installService(system, options.into ?? "");
    const text = `${written.map(path => `wrote ${path}`).join("\n")}\n${started}\n`;
    terminal.printResult(options.format, { success: true, written, started }, text);
    return 0;
  },
});

const uninstallCommand = defineCommand({
  name: "uninstall",
  summary: "remove the service; you confirm at a terminal again",
  options: { into: option.string("DIR", "the folder that install was given"), format: FORMAT_OPTION },
  forAgents: "loosens",
  examples: { "sudo amplihack consent-service uninstall": "removes what install wrote" },
  async run({ options, system, terminal }) {
    const { uninstallService } = await import("./consent-service/install.ts");
    const removed = uninstallService(system, options.into ?? "");
    if (removed.length === 0)
      throw new CommandError("the service is not installed here", { kind: "not-found" });
    const text = `${removed.map(path => `removed ${path}`).join("\n")}\n`;
    terminal.printResult(options.format, { success: true, removed }, text);
    return 0;
  },
});

export const command = defineFamily({
  name: "consent-service",
  summary: "choose how you confirm: at a terminal, on the desktop, or through a root service",
  group: "Protect",
  subcommands: [statusCommand, installCommand, uninstallCommand],
  initial: statusCommand,
  examples: {
    "amplihack consent-service": "which kind of consent you have, and what it is worth",
    "sudo amplihack consent-service install": "a boundary: only root writes what permits a call",
  },
});
