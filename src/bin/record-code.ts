import { join } from "node:path";
import type { HookMain } from "./hook-start.ts";
import { loadEntry, startRecording } from "./load-entry.ts";

// `node record-code.cjs ENTRY SUBCOMMAND < payload`: one ordinary run of a hook or a command, whose compiled code is kept.
const [entry = "", ...argv] = process.argv.slice(2);
startRecording();
const loaded = loadEntry(join(__dirname, "hook-entries", `${entry}.cjs`)) as {
  readonly main?: HookMain;
  readonly run?: (argv: readonly string[], commandsFolder: string) => Promise<number>;
};
if (loaded.main !== undefined) loaded.main(argv);
else
  loaded.run?.(argv, join(__dirname, "..", "commands")).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
