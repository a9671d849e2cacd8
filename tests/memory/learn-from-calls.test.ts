import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { createHookEngine, learnFromCalls } from "../../src/exports/engine.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const fails = (error: string) => () => {
  throw new Error(error);
};
const works = () => ({ exitCode: 0, stdout: "done" });

/** The notes of one engine's calls, by session. */
async function notesOf(
  calls: readonly (readonly [session: string, command: string, run: () => unknown])[],
): Promise<readonly string[]> {
  const notes: string[] = [];
  const engine = createHookEngine({ projectDir: temporaryDirectory() });
  learnFromCalls(engine, { remember: ({ text }, session) => void notes.push(`${session}: ${text}`) });
  for (const [sessionId, command, run] of calls)
    await engine.call("shell", { command }, run as never, { sessionId });
  await engine.close();
  // They are made beside the calls, by what the first of them loads.
  await vi.waitFor(() => expect(notes).not.toEqual([]), { timeout: 20_000 });
  return notes;
}

describe("an embedded agent's failed commands", () => {
  it("become notes with what worked afterwards, in the same session alone, and once", async () => {
    expect(
      await notesOf([
        ["a", "npm run biuld", fails('npm error Missing script: "biuld"')],
        ["b", "npm run build", works],
        ["a", "npm run build", works],
        ["a", "npm run biuld", fails('npm error Missing script: "biuld"')],
        ["a", "npm run build", works],
      ]),
    ).toEqual(['a: `npm run biuld` failed with: npm error Missing script: "biuld". `npm run build` worked.']);
  });

  it("are known by an exit code in the result, and never tell a secret", async () => {
    const [note] = await notesOf([
      [
        "a",
        "deploy site --key sk-proj-abcdefghijklmnopqrstuvwx",
        () => ({ exitCode: 2, stderr: "error: --region is required" }),
      ],
      ["a", "deploy site --key sk-proj-abcdefghijklmnopqrstuvwx --region eu", works],
    ]);
    expect(note).toContain("--region is required");
    expect(note).not.toContain("abcdefghijklmnop");
  });
});

const BUNDLE = new URL("../../dist/engine/index.js", import.meta.url).href;
const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const AGENT = `
import { createHookEngine, learnFromCalls } from ${JSON.stringify(BUNDLE)};
const engine = createHookEngine({ projectDir: process.cwd() });
learnFromCalls(engine, { onError: error => { throw error; } });
const call = (command, run) => engine.call("shell", { command }, run, { sessionId: "s" });
await call("npm run biuld", () => { throw new Error("Missing script: biuld"); });
await call("npm run build", () => "built");
await engine.close();
`;

it.each([
  [true, "npm run build"],
  [false, undefined],
])("recall finds the note by default, and memory.learn switches it: %s", (learn, worked) => {
  const home = temporaryDirectory();
  mkdirSync(join(home, ".amplihack"));
  writeFileSync(join(home, ".amplihack", "config.jsonc"), JSON.stringify({ memory: { learn } }));
  writeFileSync(join(home, "agent.mjs"), AGENT);
  const run = (...words: readonly string[]) =>
    execFileSync(process.execPath, words, {
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "", HOME: home },
      encoding: "utf8",
    });
  run("agent.mjs");
  const found = run(PROGRAM, "memory", "search", "npm run biuld fails");
  if (worked === undefined) expect(found).not.toContain("npm run");
  else expect(found).toContain(`\`${worked}\` worked`);
});
