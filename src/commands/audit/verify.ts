import { defineCommand, FORMAT_OPTION, fitLines, option, usageError } from "../../cli/index.ts";
import { loadAudit } from "../../hooks/index.ts";
import { parseHead, verifyChain } from "../../state/index.ts";
import { resolve, type System } from "../../system/index.ts";
import { checkOptions, DATABASE_OPTIONS } from "./database.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "check every line of the audit log and name the first break",
  details: `
Exit code 1 when a line was changed, removed, put in or moved. A log that was cut
off at its end, or rewritten with new hashes, is found with --head, a head that
was noted elsewhere (amplihack audit head), or with --url, what this machine
shipped to the database of a team (amplihack ship --to postgres=URL).

--url compares line by line and names the first that is not what was shipped.
With --all no log is needed: the hashes of what was shipped are followed, for
every person and machine. Without a URL it is memory.url, else
AMPLIHACK_DATABASE_URL. Passwords belong in ~/.pgpass or PGPASSWORD. Nothing is
changed.`,
  options: {
    format: FORMAT_OPTION,
    head: option.string("HEAD", "NUMBER:HASH, or HASH, that must be in the log"),
    ...DATABASE_OPTIONS,
  },
  positionals: [
    {
      name: "FILE",
      summary: "another audit log (the one of this user by default)",
      isOptional: true,
      completes: "file",
    },
  ],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack audit verify": "says whether the log is whole",
    "amplihack audit verify --head 12:3b0c… --json": "also whether it still has line 12 and all before it",
    "amplihack audit verify --url postgres://ann@db.example/agents": "compares it with what was shipped",
    "amplihack audit verify --url --all": "checks what all machines of the team shipped",
  },
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const { KEPT_FILES } = await loadAudit();
    const { auditPath } = await import("./audit-path.ts");
    const { chainText } = await import("./chain-text.ts");
    const { compareWithShipped } = await import("./shipped.ts");
    checkOptions(options);
    const [given] = positionals;
    if (options.all) {
      if (given !== undefined || options.head !== undefined)
        throw usageError("--all checks the database alone, without FILE and --head");
      const { verifyAll } = await import("./verify-all.ts");
      return verifyAll(invocation);
    }
    const head = options.head === undefined ? undefined : parseHead(options.head);
    if (options.head !== undefined && head === undefined)
      throw usageError(
        "--head must be NUMBER:HASH or a hash of 64 hexadecimal digits",
        "amplihack audit head",
      );
    const path = given === undefined ? auditPath(system, terminal) : await existing(system, given);
    const verify = () => verifyChain(system, path, { keep: KEPT_FILES, head });
    const { report, shipped } =
      options.url === undefined
        ? { report: verify(), shipped: undefined }
        : await compareWithShipped(invocation, { path, verify });
    const { broken = null, head: found = null, ...rest } = report;
    const document = { ok: broken === null, path, ...rest, head: found, broken, ...(shipped && { shipped }) };
    const text = chainText(report, shipped, path, terminal);
    terminal.printResult(options.format, document, fitLines(text, terminal));
    return broken === null ? 0 : 1;
  },
});

async function existing(system: System, given: string): Promise<string> {
  const path = resolve(system.files.workingDirectory() ?? "/", given);
  if (system.files.follow(path)?.kind === "file") return path;
  throw usageError(`${path} is not a file`);
}
