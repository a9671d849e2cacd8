import { join } from "node:path";
import type { HookMain } from "./hook-start.ts";
import { loadRecording } from "./load-entry.ts";

// `node record-code.cjs ENTRY CACHE-FILE SUBCOMMAND < payload`: one ordinary run of a hook, whose compiled code is kept.
const [entry = "", cacheFile = "", ...argv] = process.argv.slice(2);
const loaded = loadRecording(join(__dirname, "hook-entries", `${entry}.cjs`), cacheFile) as {
  main: HookMain;
};
loaded.main(argv);
