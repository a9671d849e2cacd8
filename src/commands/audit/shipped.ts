import type { Invocation } from "../../cli/index.ts";
import { loadTeams } from "../../postgres/index.ts";
import { loadCompareLog, loadPostgresTarget } from "../../ship/index.ts";
import type { ChainHead, ChainReport } from "../../state/index.ts";
import { escapeControls } from "../../text/index.ts";
import { type DATABASE_OPTIONS, withRecords } from "./database.ts";

/** What of a log is in a database. */
export interface ShippedFacts {
  readonly database: string;
  readonly team: string;
  readonly person: string;
  readonly machine: string;
  /** the head that came last */
  readonly head: (ChainHead & { readonly received: string }) | null;
}

export function compareWithShipped(
  { options, system, terminal }: Pick<Invocation<typeof DATABASE_OPTIONS>, "options" | "system" | "terminal">,
  log: { readonly path: string; readonly verify: () => ChainReport },
): Promise<{ readonly report: ChainReport; readonly shipped: ShippedFacts }> {
  return withRecords(system, terminal, options, async (database, choice) => {
    const { compareLog } = await loadCompareLog();
    const { machineName } = await loadPostgresTarget();
    const { connectedUser } = await loadTeams();
    const person = choice.person ?? (await connectedUser(database));
    const machine = choice.machine ?? machineName(system);
    const whose = { team: choice.team, person, machine };
    const { report, head } = await compareLog(system, database, whose, log);
    return { report, shipped: { database: database.place, ...whose, head: headDocument(head) } };
  });
}

export function headDocument(
  head: (ChainHead & { readonly receivedMs: number }) | undefined,
): ShippedFacts["head"] {
  if (head === undefined) return null;
  const { seq, hash, receivedMs } = head;
  return { seq, hash, received: new Date(receivedMs).toISOString() };
}

export function shippedText({ database, team, person, machine, head }: ShippedFacts): string {
  const what = head === null ? "nothing yet" : `${head.seq}:${head.hash}, received ${head.received}`;
  return escapeControls(`${what}, by ${person} from ${machine}, to ${database}, team ${team}`);
}
