import { CommandError, defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { userConfigFile, widenSandbox } from "../../config/index.ts";
import { requireDirectories } from "../../state/index.ts";
import { expandHome, isAbsolute, resolve } from "../../system/index.ts";
import { confirmByPhrase, requirePerson } from "../guard/allow-once.ts";
import { parsePorts } from "./settings.ts";

const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;

export const allowCommand = defineCommand({
  name: "allow",
  summary: "let commands in the sandbox reach a host or change a folder, from now on",
  details: `
It writes to your own configuration (sandbox.hosts, sandbox.ports, sandbox.write or sandbox.read), after you have typed a
phrase. A word with a slash or a leading dot is a path; localhost:5432 is a port of this machine.`,
  options: {
    read: option.boolean("only show a path that would be hidden"),
    format: FORMAT_OPTION,
  },
  positionals: [
    {
      name: "HOST|PATH",
      summary: "api.example.com, *.example.com, example.com:8443, localhost:5432, ~/folder",
    },
  ],
  forAgents: "loosens",
  examples: { "amplihack sandbox allow api.example.com": "asks for your consent" },
  async run({ options, positionals, system, terminal }) {
    const [word = ""] = positionals;
    const { home, stateHome } = requireDirectories(system);
    await requirePerson(system, stateHome);
    const isPath = options.read || /^[.~]|\//.test(word);
    const path = resolve(system.files.workingDirectory() ?? "/", expandHome(word, home));
    if (isPath && (!isAbsolute(path) || system.files.follow(path) === undefined))
      throw new CommandError(`there is nothing at ${path}`, { kind: "not-found" });
    if (!isPath && !HOST.test(word))
      throw new CommandError(`${word} is neither a host nor a path`, { kind: "usage", exitCode: 2 });
    const port = isPath ? undefined : /^(?:localhost|127\.0\.0\.1):(\d{1,5})$/i.exec(word)?.[1];
    const list = isPath ? (options.read ? "read" : "write") : port === undefined ? "hosts" : "ports";
    const [number] = parsePorts(port === undefined ? [] : [port]);
    const entry = number ?? (isPath ? system.files.realPath(path) : word.toLowerCase());
    const may = { hosts: "reach", ports: "reach this machine's port", read: "read", write: "change" }[list];
    await confirmByPhrase(system, terminal, stateHome, {
      shown: [`Commands in the sandbox may ${may}: ${entry}`],
      question: "to allow it from now on",
    });
    widenSandbox(system, userConfigFile(stateHome), list, entry);
    terminal.printResult(
      options.format,
      { list: `sandbox.${list}`, entry },
      `Allowed: ${entry} (sandbox.${list}).\n`,
    );
    return 0;
  },
});
