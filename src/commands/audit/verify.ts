import { defineCommand } from "../../cli/command.ts";
import { usageError } from "../../cli/errors.ts";
import { FORMAT_OPTION, option } from "../../cli/option.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { fitLines } from "../../cli/wrap.ts";
import { count } from "../../protocol/quantity.ts";
import type { ChainReport } from "../../state/verify-chain.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "check every line of the audit log and name the first break",
  details: `
Exit code 1 when a line was changed, removed, put in or moved. A log that was cut
off at its end, or rewritten with new hashes, is found with --head only: a head
that was noted elsewhere (amplihack audit head, amplihack ship).`,
  options: {
    format: FORMAT_OPTION,
    head: option.string("HEAD", "NUMBER:HASH, or HASH, that must be in the log"),
  },
  positionals: [
    {
      name: "FILE",
      summary: "another audit log (the one of this user by default)",
      isOptional: true,
      completes: "file",
    },
  ],
  examples: {
    "amplihack audit verify": "says whether the log is whole",
    "amplihack audit verify --head 12:3b0c… --json": "also whether it still has line 12 and all before it",
  },
  async run({ options, positionals, system, terminal }) {
    const { parseHead, verifyChain } = await import("../../state/verify-chain.ts");
    const { KEPT_FILES } = await import("../../hooks/audit.ts");
    const { auditPath } = await import("./audit-path.ts");
    const head = options.head === undefined ? undefined : parseHead(options.head);
    if (options.head !== undefined && head === undefined)
      throw usageError(
        "--head must be NUMBER:HASH or a hash of 64 hexadecimal digits",
        "amplihack audit head",
      );
    const [given] = positionals;
    const path = given === undefined ? auditPath(system, terminal) : await existing(system, given);
    const report = verifyChain(system, path, { keep: KEPT_FILES, head });
    const { broken = null, head: found = null, ...rest } = report;
    const document = { ok: broken === null, path, ...rest, head: found, broken };
    terminal.printResult(options.format, document, fitLines(describe(report, path, terminal), terminal));
    return broken === null ? 0 : 1;
  },
});

async function existing(
  system: Parameters<typeof verifyCommand.run>[0]["system"],
  given: string,
): Promise<string> {
  const { resolve } = await import("../../system/paths.ts");
  const path = resolve(system.files.workingDirectory() ?? "/", given);
  if (system.files.follow(path)?.kind === "file") return path;
  throw usageError(`${path} is not a file`);
}

function describe(
  { files, lines, chained, head, broken, notes, unknown }: ChainReport,
  path: string,
  terminal: Terminal,
): string {
  const told = notes.map(note => `  note: ${note}`);
  if (broken !== undefined) {
    const where = broken.line === 0 ? broken.file : `${broken.file}, line ${broken.line}`;
    const first = `${terminal.paint("red", "✗")} ${broken.kind}: ${where}: ${broken.message}`;
    return `${[first, ...told].join("\n")}\n`;
  }
  if (files.length === 0) return `There is no audit log yet (${path}).\n`;
  if (lines === 0)
    return `• The audit log is empty (${path}).\n${unknown.map(what => `  not known: ${what}\n`).join("")}`;
  const amount = `${count(lines, "line")} in ${count(files.length, "file")}`;
  const verdict =
    chained === 0
      ? `${amount}, none with a hash: of an older version`
      : `${amount}: all as they were written`;
  return `${[
    `${chained === 0 ? "•" : terminal.paint("green", "✓")} ${verdict}`,
    ...(head === undefined ? [] : [`  head: ${head.seq}:${head.hash}`]),
    ...told,
    ...(chained === 0 ? [] : unknown.map(what => `  not known: ${what}`)),
  ].join("\n")}\n`;
}
