import { defineCommand } from "../cli/command.ts";
import { CommandError, usageError } from "../cli/errors.ts";
import { option } from "../cli/option.ts";
import { errorText } from "../protocol/error-text.ts";

const MAX_PORT = 65_535;
const FIX = "amplihack dashboard, without --port and --address";

export const command = defineCommand({
  name: "dashboard",
  summary: "a local page of what agents did, live, with diffs and undo",
  group: "Look",
  details: `
Served on this machine alone, under an address with a secret in it, until Ctrl-C. From a terminal of your own you can
undo there as well: it shows what would happen and asks, as amplihack undo does. Started by an agent, or without a
terminal, it only shows.`,
  options: {
    port: option.number("N", "a certain port (any free one by default)", { minimum: 0 }),
    address: option.string("ADDRESS", "127.0.0.1 (default) or ::1"),
    open: option.boolean("open it in your browser"),
  },
  examples: {
    "amplihack dashboard": "prints the address to open in a browser",
    "amplihack dashboard --open": "opens it at once",
    "amplihack dashboard --port 8123": "the same on a port you choose",
  },
  async run({ options, system, terminal }) {
    const { LOOPBACK_ADDRESSES } = await import("../dashboard/access.ts");
    const { port, address } = options;
    if (port !== undefined && !(Number.isInteger(port) && port <= MAX_PORT))
      throw usageError(`--port must be a whole number up to ${MAX_PORT}, not ${port}`, FIX);
    if (address !== undefined && !LOOPBACK_ADDRESSES.includes(address)) {
      throw usageError(
        `--address must be ${LOOPBACK_ADDRESSES.join(" or ")}, not '${address}': the page is for this machine alone`,
        FIX,
      );
    }
    const { findDataFiles } = await import("../dashboard/data-files.ts");
    const { startDashboard } = await import("../dashboard/server.ts");
    const { Interruption, listenForSignals, SIGNAL_EXIT_CODES } = await import(
      "../recipes/run/interruption.ts"
    );
    const warn = (message: string): void => terminal.warn(message);
    const files = findDataFiles(system, warn);
    const { agentAtPeer } = await import("../dashboard/peer.ts");
    const { openBrowser } = await import("../dashboard/open-browser.ts");
    const { whyNoHuman } = await import("../hooks/grants.ts");
    const obstacle = whyNoHuman(system, files.stateHome);
    const dashboard = await startDashboard(system, files, {
      warn,
      refusePeer: socket => agentAtPeer(system, files.stateHome, socket),
      whyReadOnly: obstacle && `Nothing can be undone from here: ${obstacle}.`,
      ...(port === undefined ? {} : { port }),
      ...(address === undefined ? {} : { address }),
    }).catch((error: unknown) => {
      throw new CommandError("the dashboard cannot be started", {
        kind: "failed",
        causes: [errorText(error)],
        fix: FIX,
      });
    });
    const interruption = new Interruption();
    const listening = listenForSignals(interruption);
    try {
      terminal.print(`${dashboard.url}\n`);
      const isOpened = options.open && (await openBrowser(dashboard.launchUrl));
      terminal.note(
        isOpened
          ? "It opens in your browser. Ctrl-C ends it.\n"
          : `${options.open ? "No browser could be started. " : ""}Open this address in a browser. Ctrl-C ends it.\n`,
      );
      if (obstacle !== undefined) terminal.note(`It only shows, and undoes nothing: ${obstacle}.\n`);
      await new Promise<void>(resolve => interruption.onInterrupt(resolve));
    } finally {
      await dashboard.close();
      listening.dispose();
    }
    return interruption.signal === undefined ? 0 : SIGNAL_EXIT_CODES[interruption.signal];
  },
});
