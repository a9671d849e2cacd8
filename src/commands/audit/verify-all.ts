import { type FORMAT_OPTION, fitLines, type Invocation, type Terminal } from "../../cli/index.ts";
import { loadVerifyRecords, type RecordReport, type RecordsReport } from "../../ship/index.ts";
import { count, escapeControls } from "../../text/index.ts";
import { type DATABASE_OPTIONS, withRecords } from "./database.ts";
import { headDocument } from "./shipped.ts";

type Options = typeof DATABASE_OPTIONS & { readonly format: typeof FORMAT_OPTION };

/** `audit verify --url --all`: the audit logs that machines shipped to a database. */
export async function verifyAll({ options, system, terminal }: Invocation<Options>): Promise<number> {
  const { place, team, report } = await withRecords(system, terminal, options, async (database, choice) => {
    const { verifyRecords } = await loadVerifyRecords();
    return { place: database.place, team: choice.team, report: await verifyRecords(database, choice) };
  });
  const isWhole = report.logs.every(({ broken }) => broken === undefined);
  const document = {
    ok: isWhole,
    database: place,
    team,
    sees_all_projects: report.isComplete,
    logs: report.logs.map(({ head, broken = null, ...log }) => ({
      ok: broken === null,
      ...log,
      head: headDocument(head),
      broken,
    })),
  };
  const text = recordsText(report, `${place}, team ${team}`, terminal);
  terminal.printResult(options.format, document, fitLines(text, terminal));
  return isWhole ? 0 : 1;
}

function recordsText({ logs, isComplete }: RecordsReport, where: string, terminal: Terminal): string {
  if (logs.length === 0) return `No audit log was shipped yet (${escapeControls(where)}).\n`;
  const broken = logs.filter(log => log.broken !== undefined).length;
  const sum = `${count(logs.length, "log")} in ${escapeControls(where)}: ${broken === 0 ? "none" : broken} broken`;
  const hidden = isComplete
    ? []
    : ["  not known: whether lines were removed, because you see some projects of the team alone"];
  return `${[...logs.flatMap(log => logLines(log, terminal)), sum, ...hidden].join("\n")}\n`;
}

function logLines({ person, machine, lines, head, broken, notes }: RecordReport, terminal: Terminal) {
  const who = escapeControls(`${person} on ${machine}`);
  const newest = headDocument(head);
  const first =
    broken === undefined
      ? `${terminal.paint("green", "✓")} ${who}: ${count(lines, "line")}, each follows the one before`
      : `${terminal.paint("red", "✗")} ${who}: ${broken.kind}: ${broken.message}`;
  return [
    first,
    ...(newest === null
      ? []
      : [`  head: ${newest.seq}:${escapeControls(newest.hash)}, received ${newest.received}`]),
    ...notes.map(note => `  note: ${note}`),
  ];
}
