import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const NATIVE_FOLDER = join(PROJECT, "dist", "native");
const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const HOOKS = fileURLToPath(new URL("../../dist/bin/amplihack-hooks.cjs", import.meta.url));
const STOP = JSON.stringify({ hook_event_name: "Stop", session_id: "s" });

function amplihack(words: readonly string[], cwd: string, input = "") {
  const run = spawnSync(process.execPath, [AMPLIHACK, "hooks", ...words], {
    cwd,
    input,
    env: { PATH: process.env["PATH"], HOME: cwd },
    encoding: "utf8",
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** A program that prints what it is told and ends with the code it is told. */
function program(folder: string, name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\ncat > /dev/null\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function goldenFolder(
  folder: string,
  cases: Readonly<Record<string, { readonly expected: string; readonly meta?: string }>>,
): string {
  const golden = join(folder, "golden");
  mkdirSync(join(golden, "stop"), { recursive: true });
  for (const [name, { expected, meta }] of Object.entries(cases)) {
    writeFileSync(join(golden, "stop", `${name}.input.json`), STOP);
    writeFileSync(join(golden, "stop", `${name}.expected.json`), expected);
    if (meta !== undefined) writeFileSync(join(golden, "stop", `${name}.meta.json`), meta);
  }
  return golden;
}

describe("hooks compare on golden files", () => {
  it.each([
    ["a decision", `echo '{"decision":"block","reason":"x"}'`, "/decision"],
    ["an exit code", `echo '{"decision":"approve","n":9007199254740993}'; exit 2`, "exit_code"],
    ["an extra key", `echo '{"decision":"approve","n":9007199254740993,"more":1}'`, "/more"],
    ["a number beyond 2^53", `echo '{"decision":"approve","n":9007199254740992}'`, "/n"],
  ])("finds a planted difference in %s", (_, body, where) => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { one: { expected: '{"decision":"approve","n":9007199254740993}' } });
    const candidate = program(folder, "candidate", body);
    const { code, stdout } = amplihack(
      ["compare", "--all", "--golden-dir", golden, "--candidate", candidate],
      folder,
    );
    expect(code).toBe(1);
    expect(stdout).toContain("MISMATCH");
    expect(stdout).toContain(where);
  });

  it("does not report key order, white space or null against absent", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { one: { expected: '{"decision":"approve","a":{"b":1,"c":2}}' } });
    const candidate = program(
      folder,
      "candidate",
      `echo '{ "a": {"c":2, "b":1.0, "d":null}, "decision":"approve" }'`,
    );
    const { code, stdout } = amplihack(
      ["compare", "--all", "--golden-dir", golden, "--candidate", candidate],
      folder,
    );
    expect([code, stdout.includes("MATCH ✅")]).toEqual([0, true]);
  });

  it.each([
    ["says no JSON", "echo 'oops'"],
    ["repeats a key", `echo '{"a":1,"a":1}'`],
  ])("is exit 3, not a mismatch, when a program %s", (_, body) => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { one: { expected: '{"a":1}' } });
    const candidate = program(folder, "candidate", body);
    const words = ["compare", "--all", "--golden-dir", golden, "--candidate", candidate];
    const { code, stdout } = amplihack([...words, "--format", "json"], folder);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      errors: 1,
      mismatched: 0,
      cases: [{ status: "error", differences: [{ kind: "protocol" }] }],
    });
  });

  it("shows numbers beyond 2^53 with all their digits, in text and JSON", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { one: { expected: '{"n":9007199254740993}' } });
    const candidate = program(folder, "candidate", `echo '{"n":9007199254740992}'`);
    const words = ["compare", "--all", "--golden-dir", golden, "--candidate", candidate];
    expect(amplihack(words, folder).stdout).toContain(
      '/n: reference "9007199254740993" candidate "9007199254740992"',
    );
    const [first] = JSON.parse(amplihack([...words, "--format", "json"], folder).stdout).cases;
    expect(first.reference.output).toEqual({ n: "9007199254740993" });
  });

  it("prints the matrix: event, case, hashes of both canonical answers", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, {
      same: { expected: '{"b":1.0,"a":null}' },
      other: { expected: '{"b":2}' },
    });
    const candidate = program(folder, "candidate", `echo '{"b":1}'`);
    const words = ["compare", "--all", "--golden-dir", golden, "--candidate", candidate, "--matrix"];
    const { code, stdout } = amplihack(words, folder);
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    expect(code).toBe(1);
    expect(stdout.trimEnd().split("\n").slice(1)).toEqual([
      `Stop | other | ${hash('{"b":2}')} | ${hash('{"b":1}')} | ❌`,
      `Stop | same | ${hash('{"b":1}')} | ${hash('{"b":1}')} | ✅`,
    ]);
  });

  it("ends with a table by event and the share that matched", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { good: { expected: "{}" }, bad: { expected: '{"a":1}' } });
    const candidate = program(folder, "candidate", "echo '{}'");
    const { stdout } = amplihack(
      ["compare", "--all", "--golden-dir", golden, "--candidate", candidate],
      folder,
    );
    expect(stdout).toMatch(/^event +total +match +mismatch +error\nStop +2 +1 +1 +0\n/);
    expect(stdout).toContain("Stop bad: MISMATCH ❌\n  /a: reference 1 candidate absent\n");
    expect(stdout).toMatch(/\n1\/2 matched\n$/);
  });

  it("is exit 3 when there are no cases or a program cannot be run", () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, "empty"));
    expect(amplihack(["compare", "--all", "--golden-dir", join(folder, "empty")], folder).code).toBe(3);
    expect(amplihack(["compare", "--all", "--golden-dir", join(folder, "absent")], folder).code).toBe(3);
    const golden = goldenFolder(folder, { one: { expected: "{}" } });
    const missing = amplihack(
      ["compare", "--all", "--golden-dir", golden, "--candidate", "/no/such/program"],
      folder,
    );
    expect([missing.code, missing.stdout.includes("could not be started")]).toEqual([3, true]);
  });

  it("refuses an input without its expectation", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, {});
    writeFileSync(join(golden, "stop", "lonely.input.json"), "{}");
    const { code, stderr } = amplihack(["compare", "--all", "--golden-dir", golden], folder);
    expect([code, stderr.includes("lonely.expected.json is missing")]).toEqual([3, true]);
  });

  it("prints one JSON document with every case", () => {
    const folder = temporaryDirectory();
    const golden = goldenFolder(folder, { good: { expected: "{}" }, bad: { expected: '{"a":1}' } });
    const candidate = program(folder, "candidate", "echo '{}'");
    const { stdout } = amplihack(
      ["compare", "--all", "--golden-dir", golden, "--candidate", candidate, "--format", "json"],
      folder,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      total: 2,
      matched: 1,
      mismatched: 1,
      errors: 0,
      cases: [
        {
          name: "bad",
          event: "Stop",
          status: "mismatch",
          differences: [{ path: "/a", kind: "missing", reference: 1 }],
        },
        { name: "good", status: "match" },
      ],
    });
  });
});

describe("hooks compare on two programs", () => {
  it("runs both on the same bytes, each in a sandbox of its own", () => {
    const folder = temporaryDirectory();
    const one = join(folder, "one");
    writeFileSync(
      one,
      `#!/bin/sh\nprintf '{"home":"%s","in":"%s","left":"%s"}' "$HOME" "$(cat | wc -c)" "$(ls "$HOME" | wc -l)"; touch "$HOME/seen"\n`,
    );
    chmodSync(one, 0o755);
    const { code, stdout } = amplihack(
      ["compare", "--event", "stop", "--input", "-", "--reference", one, "--candidate", one],
      folder,
      STOP,
    );
    expect([code, stdout.includes("{{SANDBOX}}")]).toEqual([0, true]);
  });

  it("finds a program equal to itself where answers hold codes that every home makes for itself", () => {
    const input = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: "{{SANDBOX}}",
      tool_name: "Write",
      tool_input: { file_path: "{{SANDBOX}}/.env", content: "NAME=value" },
    });
    const reference = `${process.execPath} ${HOOKS}`;
    const words = ["compare", "--input", "-", "--reference", reference, "--format", "json"];
    const { code, stdout } = amplihack(words, temporaryDirectory(), input);
    expect(stdout).toContain("amplihack guard allow-once AAAAAA");
    expect(code, stdout).toBe(0);
  });

  it("times more runs, each in a sandbox of its own, and never lets them decide", () => {
    const folder = temporaryDirectory();
    const counted = join(folder, "counted");
    const one = program(folder, "one", `echo "$HOME" >> ${counted}; echo '{}'`);
    const words = ["compare", "--event", "stop", "--input", "-", "--reference", one, "--candidate", one];
    expect(amplihack([...words, "--timing", "--runs", "3"], folder, STOP).code).toBe(0);
    const sandboxes = readFileSync(counted, "utf8").trimEnd().split("\n");
    expect([sandboxes.length, new Set(sandboxes).size]).toEqual([8, 8]);
  });

  it("takes a reference for each event from a table", () => {
    const folder = temporaryDirectory();
    const one = program(folder, "one", `echo '{"a":1}'`);
    writeFileSync(join(folder, "map.json"), JSON.stringify({ Stop: one }));
    writeFileSync(join(folder, "broken.json"), "[");
    const words = ["compare", "--event", "stop", "--input", "-", "--candidate", one, "--reference-map"];
    expect(amplihack([...words, "map.json"], folder, STOP).code).toBe(0);
    expect(amplihack([...words, "broken.json"], folder, STOP).code).toBe(2);
    expect(amplihack([...words, "absent.json"], folder, STOP).code).toBe(2);
  });

  it("takes our own program on Node for the reference when none is named", () => {
    const folder = temporaryDirectory();
    const silent = program(folder, "silent", "echo '{}'");
    const loud = program(folder, "loud", `echo '{"decision":"block","reason":"no"}'`);
    const words = ["compare", "--event", "Notification", "--input", "-", "--candidate"];
    expect(amplihack([...words, silent], folder, STOP).code).toBe(0);
    expect(amplihack([...words, loud], folder, STOP).code).toBe(1);
  });

  it("says what is missing where there is no native program to compare with Node", () => {
    const folder = temporaryDirectory();
    const isWanted = (path: string) => path !== NATIVE_FOLDER;
    cpSync(join(PROJECT, "dist"), join(folder, "dist"), { recursive: true, filter: isWanted });
    cpSync(join(PROJECT, "package.json"), join(folder, "package.json"));
    const copy = join(folder, "dist", "bin", "amplihack.cjs");
    const { status, stderr } = spawnSync(process.execPath, [copy, "hooks", "compare"], {
      env: { PATH: process.env["PATH"], HOME: folder },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([3, expect.stringContaining("there is no native program")]);
    expect(stderr).toContain("npm run build:native");
  });

  it("takes one kind of input at a time", () => {
    const { code, stderr } = amplihack(["compare", "--all", "--input", "-"], temporaryDirectory());
    expect([code, stderr]).toEqual([2, expect.stringContaining("only one of")]);
  });

  it("names the known events for an unknown one", () => {
    const { code, stderr } = amplihack(
      ["compare", "--event", "nonsense", "--input", "-", "--reference", "x"],
      temporaryDirectory(),
      "{}",
    );
    expect([code, stderr.includes("PreToolUse (pre-tool-use)")]).toEqual([2, true]);
  });
});

const LINES = [
  { type: "user", sessionId: "s", cwd: "/work", message: { role: "user", content: "clean up" } },
  {
    type: "assistant",
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }],
    },
  },
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "a" }] },
  },
  {
    type: "assistant",
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id: "t2", name: "Bash", input: { command: "rm -rf ~" } }],
    },
  },
];

describe("hooks replay", () => {
  it("runs every hook call of a transcript and tells what the guard would have done", () => {
    const folder = temporaryDirectory();
    const file = join(folder, "session.jsonl");
    writeFileSync(file, `${LINES.map(line => JSON.stringify(line)).join("\n")}\nnot json\n`);
    const { code, stdout, stderr } = amplihack(["replay", "--transcript", file, "--format", "json"], folder);
    const result = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(result.runs.map((run: { event: string }) => run.event)).toEqual([
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PreToolUse",
      "Stop",
    ]);
    expect(result.runs[3].output).toContain('"deny"');
    expect(result.guard).toMatchObject({ judged: 2, allowed: 1, denied: 1, byRule: { "fs.home": 1 } });
    expect(stderr).toContain("1 of 5 lines cannot be read");
  });

  it("leaves the directory alone that the recorded session worked in", () => {
    const folder = temporaryDirectory();
    const project = join(folder, "project");
    mkdirSync(join(project, ".claude"), { recursive: true });
    const file = join(folder, "session.jsonl");
    const call = {
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: `ls ${project}/src` },
    };
    writeFileSync(file, `${JSON.stringify({ ...call, cwd: project, session_id: "s" })}\n`);
    expect(amplihack(["replay", "--transcript", file], folder).code).toBe(0);
    expect(readdirSync(join(project, ".claude"))).toEqual([]);
  });

  it("only sums up a folder of transcripts", () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, "logs", "deep"), { recursive: true });
    for (const name of ["a.jsonl", "deep/b.jsonl"]) {
      writeFileSync(join(folder, "logs", name), LINES.map(line => JSON.stringify(line)).join("\n"));
    }
    const { code, stdout } = amplihack(["replay", "--transcript", join(folder, "logs")], folder);
    expect(code).toBe(0);
    expect(stdout).toContain("4 tool calls in 2 files");
    expect(stdout).toContain("2 denied");
  });

  it(
    "needs no more memory for more of them",
    () => {
      const folder = temporaryDirectory();
      const file = join(folder, "long.jsonl");
      const said = {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "text", text: "x".repeat(60_000) }] },
      };
      const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: `echo ${id}` } });
      const mebibyte = Array.from({ length: 17 }, () => JSON.stringify(said)).join("\n");
      const mebibytes = runs(96, 1024);
      for (let index = 0; index < mebibytes; index++) {
        const asked = { type: "assistant", message: { role: "assistant", content: [call(`t${index}`)] } };
        appendFileSync(file, `${mebibyte}\n${JSON.stringify(asked)}\n`);
      }
      // A heap smaller than the file: whoever keeps what was read does not reach the end.
      const argv = ["--max-old-space-size=64", AMPLIHACK, "hooks", "replay", "--transcript", folder];
      const env = { PATH: process.env["PATH"], HOME: folder };
      const run = spawnSync(process.execPath, argv, { cwd: folder, env, encoding: "utf8" });
      expect([run.status, run.stderr]).toEqual([0, ""]);
      expect(run.stdout).toContain(`${mebibytes} tool calls in 1 file, ${18 * mebibytes} lines`);
    },
    runs(900_000, 3_600_000),
  );

  it.each([
    ["is not JSON", "echo hello"],
    ["ends with another code", "exit 3"],
  ])("is exit 1 when a program %s", (_, body) => {
    const folder = temporaryDirectory();
    const candidate = program(folder, "candidate", body);
    expect(
      amplihack(["replay", "--event", "stop", "--input", "-", "--candidate", candidate], folder, STOP).code,
    ).toBe(1);
  });
});

describe("hooks capture", () => {
  it("writes the golden files that compare then accepts, and does not replace them unasked", () => {
    const folder = temporaryDirectory();
    const words = [
      "capture",
      "--event",
      "stop",
      "--input",
      "-",
      "--name",
      "plain",
      "--golden-dir",
      join(folder, "golden"),
    ];
    expect(amplihack(words, folder, STOP).code).toBe(0);
    const path = (part: string) => join(folder, "golden", "stop", `plain.${part}.json`);
    expect(readFileSync(path("input"), "utf8")).toBe(STOP);
    expect(JSON.parse(readFileSync(path("expected"), "utf8"))).toEqual({ decision: "approve" });
    expect(amplihack(["compare", "--all", "--golden-dir", join(folder, "golden")], folder).code).toBe(0);
    const again = amplihack(words, folder, STOP);
    expect([again.code, again.stderr.includes("--force")]).toEqual([1, true]);
    expect(amplihack([...words, "--force"], folder, STOP).code).toBe(0);
  });

  it("keeps every digit of a number", () => {
    const folder = temporaryDirectory();
    const candidate = program(folder, "candidate", `echo '{"n":9007199254740993}'`);
    const words = ["capture", "--event", "stop", "--input", "-", "--name", "big", "--golden-dir", folder];
    expect(amplihack([...words, "--candidate", candidate], folder, STOP).code).toBe(0);
    expect(readFileSync(join(folder, "stop", "big.expected.json"), "utf8")).toBe('{"n":9007199254740993}\n');
  });

  it("records nothing of a program that breaks the protocol", () => {
    const folder = temporaryDirectory();
    const candidate = program(folder, "candidate", "echo oops");
    const words = ["capture", "--event", "stop", "--input", "-", "--name", "bad", "--golden-dir", folder];
    const { code, stderr } = amplihack([...words, "--candidate", candidate], folder, STOP);
    expect([code, stderr.includes("not JSON")]).toEqual([1, true]);
    expect(existsSync(join(folder, "stop"))).toBe(false);
  });

  it.each(["../escape", "a/b", ".hidden", "with space"])("takes %s for no name of a case", name => {
    const folder = temporaryDirectory();
    const words = ["capture", "--event", "stop", "--input", "-", "--name", name, "--golden-dir", folder];
    const { code, stderr } = amplihack(words, folder, STOP);
    expect([code, stderr.includes("is not a name for a case")]).toEqual([2, true]);
    expect(existsSync(join(folder, "stop"))).toBe(false);
  });

  it("refuses to record what looks like a secret", () => {
    const folder = temporaryDirectory();
    const secret = JSON.stringify({
      hook_event_name: "Stop",
      note: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    });
    const run = amplihack(
      ["capture", "--event", "stop", "--input", "-", "--name", "x", "--golden-dir", folder],
      folder,
      secret,
    );
    expect([run.code, run.stderr.includes("secret")]).toEqual([1, true]);
    expect(existsSync(join(folder, "stop"))).toBe(false);
  });
});
