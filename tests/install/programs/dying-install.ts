/** An install on the real disk by a process that ends itself without a word at its n-th change of a file. */
import { install } from "../../../src/install/install.ts";
import { PLAIN_INSTALL } from "../../../src/install/install-report.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import type { Files } from "../../../src/system/system.ts";
import { version } from "../../../src/version.ts";

const [root = "", when = "0", at = "before"] = process.argv.slice(2);
const CHANGING: readonly (keyof Files)[] = [
  "createExclusive",
  "append",
  "rename",
  "link",
  "remove",
  "removeDirectory",
  "makeDirectory",
  "changeMode",
];

const system = createNodeSystem();
let count = 0;
const files = Object.create(system.files) as Files;
for (const name of CHANGING) {
  const original = system.files[name] as (...words: readonly unknown[]) => unknown;
  Reflect.set(files, name, (...words: readonly unknown[]) => {
    const isLast = ++count === Number(when);
    if (isLast && at === "before") process.kill(process.pid, "SIGKILL");
    try {
      return original.apply(system.files, [...words]);
    } finally {
      if (isLast) process.kill(process.pid, "SIGKILL");
    }
  });
}

void install(
  { ...system, files, processes: system.processes },
  { root, version, node: process.execPath, isEphemeral: false },
  { ...PLAIN_INSTALL, hosts: ["claude-code", "codex"], isTrustAgreed: true },
).then(report => system.stdio.writeOutput(`${JSON.stringify({ success: report.success, count })}\n`));
