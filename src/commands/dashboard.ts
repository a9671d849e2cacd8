import { CommandError, defineCommand, option, usageError } from "../cli/index.ts";
import { loadConfig } from "../config/index.ts";
import {
  type Dashboard,
  type DashboardOptions,
  loadAccess,
  loadDataFiles,
  loadLocalDashboard,
  loadOpenBrowser,
  loadPeer,
  loadTeamDashboard,
} from "../dashboard/index.ts";
import { loadGrants } from "../hooks/index.ts";
import { loadUrl } from "../postgres/index.ts";
import { errorText } from "../protocol/index.ts";
import { loadInterruption } from "../recipes/index.ts";
import { Problem, requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";

const MAX_PORT = 65_535;
const FIX = "amplihack dashboard, without --port and --address";

export const command = defineCommand({
  name: "dashboard",
  summary: "a local page of what agents did, live, with diffs and undo",
  group: "Look",
  details: `
Served on this machine alone, under an address with a secret in it, until
Ctrl-C. From a terminal of your own you can undo there as well: it shows what
would happen and asks, as amplihack undo does. Started by an agent, or without
a terminal, it only shows.

With --url it shows what a team shipped to its database (amplihack ship --to
postgres=URL), by team, person, machine, project and host. It also shows the runs
of recipes that were submitted there. It only shows. Without a URL
it is memory.url, else AMPLIHACK_DATABASE_URL. Passwords belong in ~/.pgpass or
PGPASSWORD.`,
  options: {
    port: option.number("N", "a certain port (any free one by default)", { minimum: 0 }),
    address: option.string("ADDRESS", "127.0.0.1 (default) or ::1"),
    open: option.boolean("open it in your browser"),
    url: option.string("URL", "the database of a team (memory.url by default)", { bare: "" }),
    team: option.string("NAME", "with --url: only this team (all of yours by default)"),
  },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack dashboard": "prints the address to open in a browser",
    "amplihack dashboard --open": "opens it at once",
    "amplihack dashboard --port 8123": "the same on a port you choose",
    "amplihack dashboard --url postgres://ann@db.example/agents": "what a team's agents did",
  },
  async run({ options, system, terminal }) {
    const { LOOPBACK_ADDRESSES } = await loadAccess();
    const { port, address } = options;
    if (port !== undefined && !(Number.isInteger(port) && port <= MAX_PORT))
      throw usageError(`--port must be a whole number up to ${MAX_PORT}, not ${port}`, FIX);
    if (address !== undefined && !LOOPBACK_ADDRESSES.includes(address)) {
      throw usageError(
        `--address must be ${LOOPBACK_ADDRESSES.join(" or ")}, not '${address}': the page is for this machine alone`,
        FIX,
      );
    }
    if (options.team !== undefined && options.url === undefined)
      throw usageError("--team is for --url URL", "amplihack dashboard --help");
    const { Interruption, listenForSignals, SIGNAL_EXIT_CODES } = await loadInterruption();
    const { openBrowser } = await loadOpenBrowser();
    const place = { ...(port === undefined ? {} : { port }), ...(address === undefined ? {} : { address }) };
    const warn = (message: string): void => terminal.warn(message);
    const { url, team } = options;
    const start =
      url === undefined ? startOwn(system, place, warn) : startTeams(system, { url, team }, place, warn);
    const { dashboard, note } = await start.catch((error: unknown) => {
      if (error instanceof Problem) throw error;
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
      const isOpened = options.open && (await openBrowser(system, dashboard.launchUrl));
      terminal.note(
        isOpened
          ? "It opens in your browser. Ctrl-C ends it.\n"
          : `${options.open ? "No browser could be started. " : ""}Open this address in a browser. Ctrl-C ends it.\n`,
      );
      if (note !== undefined) terminal.note(`${note}\n`);
      await new Promise<void>(resolve => interruption.onInterrupt(resolve));
    } finally {
      await dashboard.close();
      listening.dispose();
    }
    return interruption.signal === undefined ? 0 : SIGNAL_EXIT_CODES[interruption.signal];
  },
});

interface Started {
  readonly dashboard: Dashboard;
  /** what to tell beside the address */
  readonly note: string | undefined;
}

type Place = Pick<DashboardOptions, "port" | "address">;
type Warn = DashboardOptions["warn"];

async function startOwn(system: System, place: Place, warn: Warn): Promise<Started> {
  const { findDataFiles } = await loadDataFiles();
  const { startLocalDashboard } = await loadLocalDashboard();
  const { agentAtPeer } = await loadPeer();
  const { whyNoHuman } = await loadGrants();
  const files = findDataFiles(system, warn);
  const obstacle = whyNoHuman(system, files.stateHome);
  const dashboard = await startLocalDashboard(system, files, {
    ...place,
    warn,
    refusePeer: socket => agentAtPeer(system, files.stateHome, socket),
    whyReadOnly: obstacle && `Nothing can be undone from here: ${obstacle}.`,
  });
  return { dashboard, note: obstacle && `It only shows, and undoes nothing: ${obstacle}.` };
}

async function startTeams(
  system: System,
  { url, team }: { readonly url: string; readonly team: string | undefined },
  place: Place,
  warn: Warn,
): Promise<Started> {
  const { findDatabaseUrl, unencryptedNotice } = await loadUrl();
  const { startTeamDashboard } = await loadTeamDashboard();
  const { memory } = loadConfig(system, requireDirectories(system)).config;
  const address = findDatabaseUrl(system, { option: "--url URL", given: url, memory });
  const notice = unencryptedNotice(address);
  if (notice !== undefined) warn(`${notice}\n`);
  const dashboard = await startTeamDashboard(system, address, { ...place, warn, team });
  return { dashboard, note: undefined };
}
