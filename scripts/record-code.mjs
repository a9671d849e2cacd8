// Runs every hook once on an ordinary payload, in a home and a project of its own, and keeps the code that the
// run compiled beside the hook's bundle: the next start need not compile it again.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const COMMAND = 'cd src && for f in a b; do grep -n "$f" *.ts | head -5; done; rm -rf ./dist && git status';

/** @param {string} folder @param {readonly string[]} entries */
export function recordCode(folder, entries) {
  const binFolder = resolve(folder);
  const home = mkdtempSync(join(tmpdir(), "amplihack-record-"));
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const payload = JSON.stringify({
    session_id: "record",
    cwd: project,
    tool_name: "Bash",
    tool_input: { command: COMMAND },
    tool_response: { stdout: "" },
    prompt: "add a test",
  });
  try {
    for (const entry of entries) {
      const subcommand = entry === "no-opinion" ? "notification" : entry;
      const run = spawnSync(process.execPath, [join(binFolder, "record-code.cjs"), entry, subcommand], {
        input: payload,
        cwd: project,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          AMPLIHACK_TESTING: "1",
          AMPLIHACK_TEST_BRIDGE_COMMAND: "true",
        },
        encoding: "utf8",
      });
      if (run.status !== 0) throw new Error(`recording ${entry} failed:\n${run.stderr}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
