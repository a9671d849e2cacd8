import { join } from "node:path";
import type { HookMain } from "./hook-start.ts";
import { loadEntry, startRecording } from "./load-entry.ts";

// `node record-code.cjs ENTRY SUBCOMMAND < payload`: one ordinary run of a hook, whose compiled code is kept.
const [entry = "", ...argv] = process.argv.slice(2);
startRecording();
const loaded = loadEntry(join(__dirname, "hook-entries", `${entry}.cjs`)) as { main: HookMain };
loaded.main(argv);
