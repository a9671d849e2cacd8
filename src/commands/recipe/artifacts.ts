import { CommandError, defineCommand, FORMAT_OPTION, option, usageError } from "../../cli/index.ts";
import { loadKeptFiles } from "../../recipes/index.ts";
import { dirname, isInside, join, resolve, writeAtomically } from "../../system/index.ts";
import { escapeControls, sizeText } from "../../text/index.ts";
import { DATABASE_OPTIONS, findRunId, urlWords, withRuns } from "./database.ts";
import { NOT_FOUND_EXIT_CODE, QUEUED_RUN } from "./options.ts";

export const artifactsCommand = defineCommand({
  name: "artifacts",
  summary: "list or fetch the files that steps of a submitted run kept",
  details: `
A step with artifacts keeps those files with its run, in the database, whether it
succeeds or fails. Without --to they are listed.`,
  positionals: [QUEUED_RUN, { name: "FILE", summary: "one file of the list", isOptional: true }],
  options: {
    ...DATABASE_OPTIONS,
    step: option.string("STEP", "only those of this step"),
    to: option.string("FOLDER", "write them there, each below the name of its step"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", asksAbroad: "url", writes: ["to"] },
  examples: {
    "amplihack recipe artifacts last --url": "lists them",
    "amplihack recipe artifacts 3f2a report.xml --to out --url postgres://ann@db/agents": "fetches one",
  },
  async run({ options, positionals, system, terminal }) {
    const [word = "", wanted] = positionals;
    const { listKeptFiles, readKeptFile } = await loadKeptFiles();
    return withRuns(system, options, async connection => {
      const { database } = connection;
      const runId = await findRunId(connection, word, options.url);
      const found = (await listKeptFiles(database, runId)).filter(
        ({ step, name }) =>
          (wanted === undefined || wanted === name) && (options.step === undefined || options.step === step),
      );
      if (found.length === 0 && wanted !== undefined)
        throw new CommandError(`run ${runId} kept no ${wanted}`, {
          kind: "not-found",
          exitCode: NOT_FOUND_EXIT_CODE,
          fix: `amplihack recipe artifacts ${runId} ${urlWords(options.url)}`,
        });
      const { to } = options;
      const folder = to === undefined ? undefined : resolve(system.files.workingDirectory() ?? "/", to);
      for (const file of folder === undefined ? [] : found) {
        const path = join(folder ?? "", file.step, file.name);
        // Names are untrusted: anybody who can write to the database chose them.
        if (!isInside(folder ?? "", path)) throw usageError(`${file.name} would lie outside of ${folder}`);
        const bytes = (await readKeptFile(database, runId, file)) ?? new Uint8Array();
        system.files.makeDirectory(dirname(path), 0o755);
        writeAtomically(system, path, bytes, { mode: 0o644 });
      }
      const lines = found.map(
        ({ step, name, size }) => `${escapeControls(step)}  ${escapeControls(name)}  ${sizeText(size)}\n`,
      );
      terminal.printResult(
        options.format,
        { success: true, run_id: runId, files: found.map(file => ({ ...file })), folder: folder ?? null },
        lines.join("") || "No step of this run kept a file.\n",
      );
      return 0;
    });
  },
});
