import { join } from "node:path";
import type { HookMain } from "./hook-start.ts";
import { findCommand, loadEntry, startRecording } from "./load-entry.ts";

// `node record-code.cjs ENTRY SUBCOMMAND < payload`: one ordinary run of a hook or a command, whose compiled code is kept.
const [entry = "", ...argv] = process.argv.slice(2);
startRecording();
const command = entry.startsWith("command-") ? findCommand(__dirname, entry.slice(8)) : undefined;
if (command === undefined) {
  const { main } = loadEntry(join(__dirname, "hook-entries", `${entry}.cjs`)) as { readonly main: HookMain };
  main(argv);
} else
  command(argv, join(__dirname, "..", "commands")).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
