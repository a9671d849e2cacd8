/** An install on the real disk by a process that ends itself without a word at its n-th change of a file. */
import { install } from "../../../src/install/install.ts";
import { PLAIN_INSTALL } from "../../../src/install/install-report.ts";
import { version } from "../../../src/version.ts";
import { createDyingSystem } from "../../dying-files.ts";

const [root = "", when = "0", at = "before"] = process.argv.slice(2);
const { system, changes } = createDyingSystem(Number(when), at);

void install(
  system,
  { root, version, node: process.execPath, isEphemeral: false },
  { ...PLAIN_INSTALL, hosts: ["claude-code", "codex"], isTrustAgreed: true },
).then(report =>
  system.stdio.writeOutput(`${JSON.stringify({ success: report.success, count: changes() })}\n`),
);
