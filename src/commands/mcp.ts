import {
  CommandError,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  usageError,
} from "../cli/index.ts";
import { loadProcessTree } from "../hooks/index.ts";
import { loadPins, loadServe } from "../mcp/index.ts";
import { errorText } from "../protocol/index.ts";
import { loadInterruption } from "../recipes/index.ts";
import { requireDirectories } from "../state/index.ts";

const guardCommand = defineCommand({
  name: "guard",
  summary: "start an MCP server and judge every call of its tools",
  details: `
Write it into the host's list of servers in place of the server's own command. The guard's rules are those of
~/.amplihack/config.jsonc, and hooks of ~/.amplihack/hooks.jsonc run as in any host. What must be asked is asked through
the client where it can show questions, and is refused elsewhere.
The definitions of its tools are kept when they are first seen. A tool whose definition changed, came later or reads
like orders for the model is held until you accept it: \`amplihack mcp pins\` shows the difference.`,
  options: {
    name: option.string(
      "NAME",
      "what the server is called in rules and logs (the package or file it starts)",
    ),
    "no-pins": option.boolean("pass definitions on unchecked, for a server that changes them all the time"),
  },
  wordsBehind: "-- COMMAND [ARGUMENT...]",
  forAgents: { use: "asks", runs: "words" },
  examples: {
    "amplihack mcp guard --name files -- npx -y @acme/files-server ~/work":
      "judges each call as mcp__files__TOOL",
  },
  ownsTerminal: true,
  async run({ options, rest, system }) {
    const [program, ...args] = rest;
    if (program === undefined) throw usageError("the server's command is missing; write it after --");
    const { runGuardedServer } = await import("./mcp/run-server.ts");
    const { keepDefinitions, serverName } = await loadPins();
    const name = options.name ?? serverName(rest);
    const pins = options["no-pins"] ? undefined : keepDefinitions(system, name, rest);
    return runGuardedServer(system, { name, program, args, pins });
  },
});

const pinsCommand = defineCommand({
  name: "pins",
  summary: "the kept definitions of guarded servers' tools, and what is held",
  details: `
\`amplihack mcp guard\` keeps name, description, schema and annotations of every tool when it is first seen. What changed since
is not shown to the model and not run until you accept it here, or in the client where it can ask.`,
  options: {
    accept: option.boolean("accept what is held of SERVER, or of TOOL alone"),
    forget: option.boolean("forget SERVER: what it says at its next start is accepted"),
    format: FORMAT_OPTION,
  },
  positionals: [
    { name: "SERVER", summary: "one server; all when absent", isOptional: true },
    { name: "TOOL", summary: "one of its tools", isOptional: true },
  ],
  forAgents: { use: "passes", loosensWith: ["accept", "forget"] },
  examples: {
    "amplihack mcp pins": "lists servers, tools and what is held",
    "amplihack mcp pins files": "shows what changed, as a diff",
    "amplihack mcp pins files search --accept": "accepts the new definition of one tool",
  },
  async run({ options, positionals, system, terminal }) {
    const { printPins } = await import("./mcp/print-pins.ts");
    return printPins(system, terminal, positionals, options);
  },
});

const MAX_PORT = 65_535;

const serveCommand = defineCommand({
  name: "serve",
  summary: "an MCP server: memory, history, guard and recipes as tools",
  details: `
Speaks MCP on standard input and output, for hosts that start it; \`amplihack install --parts …,mcp\` registers it with
them. With --http it listens on 127.0.0.1 instead, for clients that send the token of ~/.amplihack/mcp/token.
A tool may do what its command may when an agent types it: what the guard asks about is asked through the client, or
refused where the client cannot ask. A client is trusted to ask a person only where it is a host that a person started;
with --http nothing is asked.`,
  options: {
    http: option.boolean("listen on 127.0.0.1 instead of standard input"),
    port: option.number("N", "with --http: a certain port (any free one by default)", { minimum: 0 }),
  },
  // A person who starts it answers its questions; hosts start it without one.
  forAgents: "asks",
  examples: {
    "amplihack mcp serve": "what a host starts; `amplihack mcp` does the same",
    "amplihack mcp serve --http --port 8124": "prints its address and where the token is",
  },
  async run({ options, system, terminal }) {
    const { port } = options;
    if (port !== undefined && !options.http) throw usageError("--port needs --http");
    if (port !== undefined && !(Number.isInteger(port) && port <= MAX_PORT))
      throw usageError(`--port must be a whole number up to ${MAX_PORT}, not ${port}`);
    const { Interruption, listenForSignals, SIGNAL_EXIT_CODES } = await loadInterruption();
    const { isStartedByHost } = await loadProcessTree();
    const { stateHome } = requireDirectories(system);
    const context = {
      system,
      launcher: [process.execPath, process.argv[1] ?? "amplihack"] as const,
      mayAsk: () => !options.http && isStartedByHost(system, stateHome),
      warn: (message: string) => terminal.warn(`amplihack mcp: ${message}\n`),
    };
    const interruption = new Interruption();
    const listening = listenForSignals(interruption);
    try {
      if (!options.http) {
        if (system.stdio.isTerminal("stdin"))
          terminal.note("Waiting for messages of an MCP client on standard input. Ctrl-C ends it.\n");
        const { serveStdio } = await loadServe();
        const onStop = (stop: () => void) => void interruption.onInterrupt(stop);
        return await serveStdio(context, { input: process.stdin, output: process.stdout, onStop });
      }
      const { serveHttp, readToken, tokenFile } = await loadServe();
      const token = readToken(system, stateHome);
      const server = await serveHttp(context, { port, token }).catch((error: unknown) => {
        throw new CommandError("the server cannot be started", {
          kind: "failed",
          causes: [errorText(error)],
          fix: "amplihack mcp serve --http, without --port",
        });
      });
      terminal.print(`${server.url}\n`);
      terminal.note(`The token is in ${tokenFile(stateHome)}. Ctrl-C ends the server.\n`);
      await new Promise<void>(resolve => interruption.onInterrupt(resolve));
      await server.close();
      return interruption.signal === undefined ? 0 : SIGNAL_EXIT_CODES[interruption.signal];
    } finally {
      listening.dispose();
    }
  },
});

export const command = defineFamily({
  name: "mcp",
  summary: "memory, history, guard and recipes as an MCP server; or the guard before another one",
  group: "Protect",
  subcommands: [serveCommand, guardCommand, pinsCommand],
  initial: serveCommand,
  examples: {
    "amplihack mcp": "starts the MCP server of amplihack on standard input and output",
    "amplihack mcp guard -- npx -y @acme/files-server": "starts the server with the guard before its tools",
  },
});
