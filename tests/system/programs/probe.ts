/** Does one thing with the Node adapter in a process of its own and tells how it went on stdout or stderr. */
import { existsSync } from "node:fs";
import { createNodeSystem } from "../../../src/system/node.ts";
import { SystemError } from "../../../src/system/system.ts";

const system = createNodeSystem();
const [action = "", argument = ""] = process.argv.slice(2);

const actions: Record<string, () => void> = {
  "create-large"() {
    try {
      system.files.createExclusive(argument, new Uint8Array(1 << 20), 0o600);
      report({ created: true });
    } catch (error) {
      report({
        code: error instanceof SystemError ? error.code : String(error),
        exists: existsSync(argument),
      });
    }
  },
  "working-directory"() {
    report(system.files.workingDirectory() ?? null);
  },
  "read-input"() {
    const read = system.stdio.readInput(Number(argument));
    report(read.kind === "bytes" ? { kind: "bytes", text: system.text.decode(read.bytes).text } : read);
  },
  "write-output"() {
    process.stderr.write(`${JSON.stringify(system.stdio.writeOutput("x".repeat(Number(argument))))}\n`);
  },
  "write-error"() {
    system.stdio.writeError("x".repeat(Number(argument)));
    report("carried on");
  },
  terminals() {
    report([system.stdio.isTerminal("stdin"), system.stdio.isTerminal("stdout")]);
  },
  identity() {
    report(system.processes.self);
  },
  loaded() {
    // What a hook that reads, decides and answers has paid for.
    system.stdio.readInput(1000);
    system.files.inspect("/");
    system.random.hex(8);
    system.clock.sleepMs(1);
    const all: readonly string[] = Reflect.get(process, "moduleLoadList");
    report(all.filter(name => /^NativeModule (child_process|crypto|net|tty|stream|os)$/.test(name)));
  },
};

function report(facts: unknown): void {
  system.stdio.writeOutput(`${JSON.stringify(facts)}\n`);
}

actions[action]?.();
