import { defineCommand } from "../cli/command.ts";
import { CommandError, usageError } from "../cli/errors.ts";
import { option } from "../cli/option.ts";
import { errorText } from "../protocol/error-text.ts";

const MAX_PORT = 65_535;
const FIX = "amplihack dashboard, without --port and --address";

export const command = defineCommand({
  name: "dashboard",
  summary: "a local page that shows what the hooks did, live",
  group: "Look",
  details:
    "Served on this machine alone, under an address with a secret in it, until Ctrl-C. It reads logs and changes nothing.",
  options: {
    port: option.number("N", "a certain port (any free one by default)", { minimum: 0 }),
    address: option.string("ADDRESS", "127.0.0.1 (default) or ::1"),
  },
  examples: {
    "amplihack dashboard": "prints the address to open in a browser",
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
    const dashboard = await startDashboard(system, findDataFiles(system, warn), {
      warn,
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
      terminal.note("Open this address in a browser. Ctrl-C ends it.\n");
      await new Promise<void>(resolve => interruption.onInterrupt(resolve));
    } finally {
      await dashboard.close();
      listening.dispose();
    }
    return interruption.signal === undefined ? 0 : SIGNAL_EXIT_CODES[interruption.signal];
  },
});
