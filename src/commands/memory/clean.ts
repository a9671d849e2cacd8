import { defineCommand, option } from "../../cli/index.ts";
import type { Memory } from "../../memory/index.ts";
import { compileGlob, matchesGlob } from "../../system/index.ts";
import {
  confirmDeletion,
  renderLine,
  STORE_OPTIONS,
  withoutValue,
  withReader,
  withStore,
} from "./store-access.ts";

const PATTERN = "test_*";

export const cleanCommand = defineCommand({
  name: "clean",
  summary: "forget memories whose session or key matches a pattern",
  details: "Only shows what it would delete unless --no-dry-run is given; then it asks, or needs --confirm.",
  options: {
    pattern: option.string("GLOB", `* is anything, ? one character ('${PATTERN}' by default)`),
    "no-dry-run": option.boolean("really delete"),
    confirm: option.boolean("do not ask"),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "passes", asksWith: ["no-dry-run"], writes: ["db-path"] },
  examples: {
    "amplihack memory clean": `shows what matches '${PATTERN}'`,
    "amplihack memory clean --pattern 'learned/*' --no-dry-run":
      "forgets what sessions left behind, after a question",
  },
  async run(invocation) {
    const { options, terminal } = invocation;
    const pattern = options.pattern ?? PATTERN;
    const isDryRun = !options["no-dry-run"];
    const found = await withReader(invocation, async reader =>
      (await reader.list({}, "name")).filter(memory => fits(memory, pattern)),
    );
    const matched = found.length;
    const isDeleting =
      !isDryRun && matched > 0 && (options.confirm || confirmDeletion(invocation, matched, "--confirm"));
    const deleted = isDeleting ? await withStore(invocation, store => store.remove(found)) : 0;
    const memories = found.map(withoutValue);
    const listed = isDryRun ? found.map(renderLine).join("") : "";
    terminal.printResult(
      options.format,
      { pattern, dry_run: isDryRun, matched, deleted, memories },
      listed + summarise(matched, deleted, isDryRun),
    );
    return 0;
  },
});

function fits({ session, key }: Memory, pattern: string): boolean {
  const glob = compileGlob(pattern, "text");
  return matchesGlob(glob, key) || (session !== "" && matchesGlob(glob, session));
}

function summarise(matched: number, deleted: number, isDryRun: boolean): string {
  if (matched === 0) return "No memory matches.\n";
  if (isDryRun) return `${matched} would be deleted; add --no-dry-run to do it.\n`;
  return deleted === 0 ? "Nothing was deleted.\n" : `Deleted ${deleted}.\n`;
}
