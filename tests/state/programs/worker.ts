/** One of many processes that use the same state at the same time. Tells on stdout what it did. */
import type { Json } from "../../../src/protocol/index.ts";
import { appendChainedLine } from "../../../src/state/chained-log.ts";
import { AtomicJsonFile, appendJsonLine, Counter, FileLock } from "../../../src/state/index.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { hasErrorCode } from "../../../src/system/system.ts";

const system = createNodeSystem();
const [action = "", directory = "", times = "0"] = process.argv.slice(2);
const PATIENCE_MS = 120_000;

const say = (text: string) => system.stdio.writeOutput(`${text}\n`);
const counter = new Counter(`${directory}/count`, { system, lockTimeoutMs: PATIENCE_MS });
const tally = new AtomicJsonFile(`${directory}/tally.json`, {
  system,
  lockTimeoutMs: PATIENCE_MS,
  parse: (value: Json) => ({ n: Number(JSON.stringify(value).match(/"n":(\d+)/)?.[1]), filler: "" }),
});

const actions: Record<string, () => void> = {
  increment() {
    const values: number[] = [];
    for (let round = 0; round < Number(times); round++) {
      values.push(counter.increment());
      tally.update(({ n }) => ({ n: n + 1, filler: "" }), { n: 0, filler: "" });
    }
    say(JSON.stringify(values));
  },
  churn() {
    for (;;) {
      // Of very different sizes, so that a torn file could not pass for a whole one.
      const { n } = tally.update(
        current => ({ n: current.n + 1, filler: "x".repeat((current.n * 7919) % 50_000) }),
        { n: 0, filler: "" },
      );
      say(String(n));
    }
  },
  hold() {
    new FileLock(`${directory}/lock`, { system }).acquire();
    say("held");
    setInterval(() => {}, 60_000);
  },
  compete() {
    const lock = new FileLock(`${directory}/lock`, { system, timeoutMs: PATIENCE_MS });
    const sentinel = `${directory}/inside`;
    const self = system.text.encode(String(system.processes.self.pid));
    for (let round = 0; round < Number(times); round++) {
      lock.run(() => {
        try {
          system.files.createExclusive(sentinel, self, 0o600);
        } catch (error) {
          if (!hasErrorCode(error, "EEXIST")) throw error;
          const other = Number(system.text.decode(system.files.read(sentinel, 100)).text);
          if (system.processes.look(other) !== undefined) say(`OVERLAP with ${other}`);
          system.files.remove(sentinel);
          system.files.createExclusive(sentinel, self, 0o600);
        }
        system.files.remove(sentinel);
      });
      say("round");
    }
  },
  chain() {
    const rotation = { limitBytes: 8_000, keep: 1_000 };
    for (let line = 0; line < Number(times); line++) {
      const members = { pid: process.pid, line };
      appendChainedLine(system, `${directory}/chain.jsonl`, members, {
        rotation,
        lockTimeoutMs: PATIENCE_MS,
      });
      say("line");
    }
  },
  append() {
    for (let line = 0; line < Number(times); line++) {
      const filler = "x".repeat(line % 3 === 0 ? 20_000 : 50);
      appendJsonLine(
        system,
        `${directory}/lines.jsonl`,
        { pid: process.pid, line, filler },
        {
          lockTimeoutMs: PATIENCE_MS,
        },
      );
    }
  },
};
actions[action]?.();
