import { askYesOrNo } from "../../cli/ask.ts";
import { defineCommand } from "../../cli/command.ts";
import { usageError } from "../../cli/errors.ts";
import type { Memory } from "../../memory/memory.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { compileGlob, matchesGlob } from "../../system/glob.ts";
import { renderLine, STORE_OPTIONS, withReader, withStore } from "./store-access.ts";

const PATTERN = "test_*";

export const cleanCommand = defineCommand({
  name: "clean",
  summary: "forget memories whose session or key fits a pattern",
  details: "Only shows what it would delete unless --no-dry-run is given; then it asks, or needs --confirm.",
  options: {
    pattern: {
      kind: "string",
      label: "GLOB",
      summary: `* is anything, ? one character ('${PATTERN}' by default)`,
    },
    "no-dry-run": { kind: "boolean", summary: "really delete" },
    confirm: { kind: "boolean", summary: "do not ask" },
    ...STORE_OPTIONS,
  },
  examples: [
    { command: "amplihack memory clean", does: `shows what '${PATTERN}' fits` },
    {
      command: "amplihack memory clean --pattern 'learned/*' --no-dry-run",
      does: "forgets what sessions left behind, after a question",
    },
  ],
  async run(invocation) {
    const { options, terminal } = invocation;
    const pattern = options.pattern ?? PATTERN;
    const isDryRun = !options["no-dry-run"];
    const found = await withReader(invocation, async reader =>
      (await reader.list({}, "name")).filter(memory => fits(memory, pattern)),
    );
    const isAgreed = isDryRun || found.length === 0 || options.confirm || agree(invocation, found.length);
    const deleted =
      isDryRun || !isAgreed || found.length === 0
        ? 0
        : await withStore(invocation, store => store.remove(found));
    if (options.format === "json") {
      const memories = found.map(memory => {
        const { value: _, ...rest } = toDocument(memory);
        return rest;
      });
      terminal.printJson({ pattern, dry_run: isDryRun, matched: found.length, deleted, memories });
    } else {
      if (isDryRun) terminal.print(found.map(renderLine).join(""));
      terminal.print(summarise(found.length, deleted, isDryRun));
    }
    return 0;
  },
});

function fits({ session, key }: Memory, pattern: string): boolean {
  const glob = compileGlob(pattern, "text");
  return matchesGlob(glob, key) || (session !== "" && matchesGlob(glob, session));
}

function agree({ terminal }: Parameters<typeof cleanCommand.run>[0], count: number): boolean {
  if (terminal.isInteractive) return askYesOrNo(terminal, `Delete ${count} memories for good?`);
  throw usageError("deleting needs a yes and there is no terminal to ask at", "add --confirm");
}

function summarise(matched: number, deleted: number, isDryRun: boolean): string {
  if (matched === 0) return "Nothing fits.\n";
  if (isDryRun) return `${matched} would be deleted; add --no-dry-run to do it.\n`;
  return deleted === 0 ? "Nothing was deleted.\n" : `Deleted ${deleted}.\n`;
}
