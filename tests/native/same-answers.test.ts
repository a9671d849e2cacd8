import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { STOCK_SUBCOMMANDS } from "../../src/hosts/subcommands.ts";
import { runs } from "../generated-inputs.ts";
import { readCorpus } from "../guard/scene.ts";
import { runProgram } from "../hooks/executable.ts";
import { payloads } from "../property/payloads.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { answerOnNode } from "./answer-on-node.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

const RUNS = Math.ceil(runs(800, 100_000) / STOCK_SUBCOMMANDS.length);
/** Of the corpora, one command in so many; the long run takes them all. */
const CORPUS_STEP = runs(6, 1);
const TIMEOUT_MS = 900_000 + RUNS * 500;
const BRIDGE = JSON.stringify(["/bin/sh", "-c", "cat > /dev/null; echo '{}'"]);

/** Two places whose paths differ in one letter, so that what the runs leave behind grows alike. */
function twins() {
  const place = temporaryDirectory();
  return ["twin-1", "twin-2"].map(name => {
    const home = join(place, name);
    const cwd = join(home, "project");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TZ: "UTC",
      AMPLIHACK_TESTING: "1",
      AMPLIHACK_TEST_BRIDGE_COMMAND: BRIDGE,
    };
    // Paths of the place, what the clock makes up and what each home's own key makes differ between any two runs.
    const plain = (text: string) =>
      text
        .replaceAll(home, "HOME")
        // A long path is told without its middle.
        .replace(/[^\s"\\]*…[^\s"\\]*?n-\d/g, "HOME")
        .replace(/[^\s"\\]*…\d(?=\/project)/g, "HOME")
        .replace(/\d{8}_\d{6}(_\d{6})?|\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "TIME")
        .replace(/\/proc\/\d+/g, "/proc/PID")
        .replace(/allow-once [\w-]+/g, "allow-once CODE");
    return { home, cwd, env, plain };
  });
}

async function expectSame(
  [native, node]: ReturnType<typeof twins>,
  words: readonly string[],
  input: Uint8Array,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (native === undefined || node === undefined) throw new Error("two places are needed");
  const [ran, answered] = await Promise.all([
    runProgram([NATIVE_FILE], words, { ...native, env: { ...native.env, ...extra }, input }),
    answerOnNode(words, { cwd: node.cwd, env: { ...node.env, ...extra }, input }),
  ]);
  const here = { code: ran.code, stdout: native.plain(ran.stdout) };
  expect(here).toEqual({ code: answered.code, stdout: node.plain(answered.stdout) });
}

const words = ["ordinary.txt", "dangerous.txt"].flatMap(readCorpus).flatMap(line => line.split(" "));

/** Words of real commands in any order, as a host sends them to be judged. */
const commandPayloads = fc
  .tuple(
    fc.constantFrom("Bash", "Bash", "Bash", "powershell", "Write"),
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 14 }).map(some => some.join(" ")),
  )
  .map(([tool_name, text]) => {
    const tool_input = tool_name === "Write" ? { file_path: text, content: text } : { command: text };
    return JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name, tool_input });
  });

const encode = (text: string) => new TextEncoder().encode(text);

describeNative("native and Node answer alike", () => {
  it.each(STOCK_SUBCOMMANDS.map(one => one.name))(
    `%s, given ${RUNS} generated payloads`,
    async subcommand => {
      const places = twins();
      const policy = fc.constantFrom("open", "ask", "closed");
      const inputs = subcommand === "pre-tool-use" ? fc.oneof(payloads, commandPayloads) : payloads;
      await fc.assert(
        fc.asyncProperty(inputs, policy, async (payload, failure) => {
          const input = typeof payload === "string" ? encode(payload) : payload;
          await expectSame(places, [subcommand], input, { AMPLIHACK_FAILURE_POLICY: failure });
        }),
        // What came before is part of the input, so a smaller case need not fail.
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );

  it.each(["dangerous.txt", "dangerous-more.txt", "ordinary.txt", "ordinary-more.txt"])(
    `on every ${CORPUS_STEP}. command of %s`,
    async name => {
      const places = twins();
      const commands = readCorpus(name).filter((_, index) => index % CORPUS_STEP === 0);
      expect(commands).not.toEqual([]);
      for (const command of commands) {
        const payload = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
        await expectSame(places, ["pre-tool-use"], encode(JSON.stringify(payload)));
      }
    },
    TIMEOUT_MS,
  );

  it.each(["$'\\x72m' -rf ~", "$'\\162\\155' -rf /", "r$'m' -rf $HOME", "echo $'\\xc3\\xa9\\xff'"])(
    "on the quoted word in %s",
    async command => {
      const payload = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
      await expectSame(twins(), ["pre-tool-use"], encode(JSON.stringify(payload)));
    },
  );
});
