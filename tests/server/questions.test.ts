import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { definition, openProgram, openRun, readCommandLine } from "../../src/hooks/index.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { joinedFile } from "../../src/ship/joined-server.ts";
import { type AskedQuestion, askTeam, sendSpooled } from "../../src/ship/questions.ts";
import { type System, writeAtomically } from "../../src/system/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { NODE_PROGRAM, runProgram } from "../hooks/executable.ts";
import { hasPostgres } from "../postgres-server.ts";
import { makeScene, removeScene } from "../sandbox/scene.ts";
import { canTry } from "../sandbox/try-scene.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Scene, serverScene } from "./scene.ts";

const QUESTION: AskedQuestion = {
  digest: "a".repeat(64),
  command: "git push --force origin main\n# now",
  cwd: "/home/max/pay",
  rules: ["git.push"],
  found: ["It would overwrite main."],
  session: "s-1",
  host: "claude",
  project: "/home/max/pay",
  diff: "",
};

/** A machine that joined: what asks is the same code as behind the hook. */
function machineWith(
  url: string,
  key: string,
  serverKey: string | null,
  home = temporaryDirectory(),
): { system: System; stateHome: string } {
  const node = createNodeSystem();
  const variables: Record<string, string> = { HOME: home };
  const system: System = {
    ...node,
    env: { get: name => variables[name], names: () => Object.keys(variables) },
  };
  const stateHome = `${home}/.amplihack`;
  joinedFile(system, stateHome).write({ url, team: "acme", person: "max", key, anchor: null, serverKey });
  return { system, stateHome };
}

/** One request: when it is answered, a minute is over. */
function askOnce(system: System, question: AskedQuestion = QUESTION) {
  let looks = 0;
  const monotonicMs = () => (looks++ < 2 ? 0 : 60_000);
  return askTeam({ ...system, clock: { ...system.clock, monotonicMs } }, question, 60_000);
}

async function joined(scene: Scene, home?: string) {
  const olga = await scene.visit("acme", "olga", "owner");
  const max = await scene.visit("acme", "max", "member");
  const key = await scene.join(max, "acme", "laptop");
  const { body } = await scene.post("/api/v1/seen", key, {});
  const machine = machineWith(scene.url, key, String(body["serverKey"]), home);
  const ask = (question: Partial<AskedQuestion> = {}) =>
    askOnce(machine.system, { ...QUESTION, ...question });
  const idOf = async () => {
    const [row] = await scene.owner.run(
      `SELECT id FROM ${SCHEMA}.server_questions ORDER BY asked DESC LIMIT 1`,
    );
    return String(row?.["id"]);
  };
  return { olga, max, key, ask, idOf, machine };
}

describe.skipIf(!hasPostgres)("a question that is answered elsewhere", () => {
  it("waits for an approver, counts once, and only for what was shown", async () => {
    const scene = await serverScene();
    const { olga, max, ask, idOf } = await joined(scene);
    expect(await ask()).toEqual({ answer: "waiting", by: "" });
    // Asked again, it is the same question.
    expect(await ask()).toEqual({ answer: "waiting", by: "" });
    const page = (await olga.get("/questions")).body;
    expect(page).toContain("git push --force origin main\n# now");
    expect(page.match(/value="once"/g)).toHaveLength(1);
    // A member looks, and answers nothing.
    expect((await max.get("/questions")).body).not.toContain('value="once"');
    const answer = { team: "acme", id: await idOf(), answer: "once" };
    expect((await max.send("/questions", answer)).status).toBe(403);
    expect((await olga.send("/questions", answer)).status).toBe(303);
    expect((await olga.send("/questions", { ...answer, answer: "no" })).status).toBe(409);
    // The same digest with another text is another question: nobody said yes to it.
    expect(await ask({ command: "rm -rf /" })).toMatchObject({ answer: "waiting" });
    expect(await ask({ session: "s-2" })).toMatchObject({ answer: "waiting" });
    expect(await ask()).toEqual({ answer: "yes", by: "olga" });
    expect(await ask()).toEqual({ answer: "waiting", by: "" });
    expect((await olga.get("/people")).body).toContain("answered yes, once");
  });

  it("is answered no, or always until a day, which can be taken back", async () => {
    const scene = await serverScene();
    const { olga, ask, idOf } = await joined(scene);
    await ask();
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "no" });
    expect(await ask()).toEqual({ answer: "no", by: "olga" });
    const other = { digest: "b".repeat(64) };
    await ask(other);
    const id = await idOf();
    const always = { team: "acme", id, answer: "always" };
    for (const until of ["", "2020-01-01", "9999-01-01", "tomorrow"])
      expect((await olga.send("/questions", { ...always, until })).status).toBe(400);
    const until = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    expect((await olga.send("/questions", { ...always, until })).status).toBe(303);
    for (const _ of [1, 2]) expect(await ask(other)).toEqual({ answer: "yes", by: "olga" });
    expect((await olga.send("/questions", { team: "acme", id, answer: "revoke" })).status).toBe(303);
    expect(await ask(other)).toEqual({ answer: "waiting", by: "" });
  });

  it("of one's own session needs a second pair of eyes where the team says so", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "desk");
    const { body } = await scene.post("/api/v1/seen", key, {});
    const { system } = machineWith(scene.url, key, String(body["serverKey"]));
    await olga.send("/settings", { team: "acme", four_eyes: "yes" });
    await askOnce(system);
    const [row] = await scene.owner.run(`SELECT id FROM ${SCHEMA}.server_questions`);
    const answer = { team: "acme", id: String(row?.["id"]), answer: "once" };
    expect((await olga.get("/questions")).body).not.toContain('value="once"');
    expect((await olga.send("/questions", answer)).status).toBe(403);
    const adam = await scene.visit("acme", "adam", "approver");
    expect((await adam.send("/questions", answer)).status).toBe(303);
    expect(await askOnce(system)).toEqual({ answer: "yes", by: "adam" });
  });

  it("cannot be answered with the machine's key, from another team, or by another site", async () => {
    const scene = await serverScene();
    const { olga, key, ask, idOf } = await joined(scene);
    await ask();
    const form = new URLSearchParams({ team: "acme", id: await idOf(), answer: "once" }).toString();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: scene.url,
      authorization: `Bearer ${key}`,
    };
    expect((await scene.ask("/questions", { method: "POST", headers, body: form })).status).toBe(401);
    const zoe = await scene.visit("zoo", "zoe", "owner");
    const answer = { id: await idOf(), answer: "once" };
    expect((await zoe.send("/questions", { team: "acme", ...answer })).status).toBe(403);
    expect((await zoe.send("/questions", { team: "zoo", ...answer })).status).toBe(404);
    expect((await zoe.get("/questions?team=zoo")).body).not.toContain("git push");
    const foreign = { origin: "https://evil.example" };
    expect((await olga.send("/questions", { team: "acme", ...answer }, foreign)).status).toBe(403);
    expect((await olga.send("/questions", { team: "acme", ...answer, csrf: "x" })).status).toBe(403);
    expect(await ask()).toMatchObject({ answer: "waiting" });
    for (const broken of [
      { command: "" },
      { command: "x".repeat(40_000) },
      { command: "a\0b" },
      { digest: "z" },
    ])
      expect(
        (await scene.post("/api/v1/questions", key, { ...QUESTION, nonce: "n".repeat(43), ...broken }))
          .status,
      ).toBe(400);
    expect(scene.log).toEqual([]);
  });

  it("takes no answer that was signed for another asking, or by another key", async () => {
    const scene = await serverScene();
    const { olga, key, ask, idOf } = await joined(scene);
    await ask();
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "once" });
    const recorded = await scene.post("/api/v1/questions", key, { ...QUESTION, nonce: "n".repeat(43) });
    expect(recorded.body).toMatchObject({ state: "answered" });
    const { body: seen } = await scene.post("/api/v1/seen", key, {});
    const other = generateKeyPairSync("ed25519").privateKey;
    const forge = (nonce: unknown) => {
      const statement = String(recorded.body["statement"]).replace("n".repeat(43), String(nonce));
      return { statement, signature: sign(null, Buffer.from(statement), other).toString("base64") };
    };
    // What stands in the server's place can play back and forge, and is believed neither.
    let answer: (nonce: unknown) => object = () => recorded.body;
    const fake = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { gunzipSync } = await import("node:zlib");
      const { nonce } = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as { nonce: string };
      response.end(JSON.stringify(answer(nonce)));
    });
    await new Promise<void>(resolve => fake.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void fake.close());
    const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
    const { system } = machineWith(url, key, String(seen["serverKey"]));
    expect(await askOnce(system)).toMatchObject({ answer: "waiting" });
    answer = forge;
    await expect(askOnce(system)).rejects.toThrow("does not match");
  });

  it("is asked by the hook of a session that has nobody, and its answer lets the call pass once", async () => {
    const scene = await serverScene();
    const { olga, machine, idOf } = await joined(scene);
    const { stateHome, system } = machine;
    const home = dirname(stateHome);
    const config = system.text.encode('{ "team": { "waitMs": 3000 } }\n');
    writeAtomically(system, `${stateHome}/config.jsonc`, config, { mode: 0o600 });
    const hook = async (command: string) => {
      const input = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: home };
      const env = { AMPLIHACK_NONINTERACTIVE: "1" };
      const payload = JSON.stringify({ ...input, session_id: "s-1" });
      const { stdout } = await runProgram(NODE_PROGRAM, ["pre-tool-use"], {
        home,
        cwd: home,
        input: payload,
        env,
      });
      return stdout;
    };
    const command = "git push --force origin feature";
    expect(await hook(command)).toMatch(/"deny".*Your team is asked/s);
    const page = (await olga.get("/questions")).body;
    expect(page).toContain(`<pre class="command">${command}</pre>`);
    expect(page).toContain("max on laptop");
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "once" });
    expect(await hook(command)).not.toMatch(/deny|ask/);
    const lines = readFileSync(`${stateHome}/logs/audit.jsonl`, "utf8").trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      verdict: "allow",
      granted: [expect.any(String)],
      notes: expect.arrayContaining(["olga answered yes on the team's server"]),
    });
    expect(await hook(command)).toContain('"deny"');
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "no" });
    expect(await hook(command)).toContain("olga of your team said no");
  });

  it("lets the very call pass that waits for it", async () => {
    const scene = await serverScene();
    const { olga, machine, idOf } = await joined(scene);
    const { stateHome, system } = machine;
    const home = dirname(stateHome);
    const config = system.text.encode('{ "team": { "waitMs": 600000 } }\n');
    writeAtomically(system, `${stateHome}/config.jsonc`, config, { mode: 0o600 });
    const command = "git push --force origin feature";
    const input = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: home };
    const ran = runProgram(NODE_PROGRAM, ["pre-tool-use", "--limit=610"], {
      home,
      cwd: home,
      input: JSON.stringify({ ...input, session_id: "s-1" }),
      env: { AMPLIHACK_NONINTERACTIVE: "1" },
    });
    await expect.poll(idOf, { timeout: 100_000 }).not.toBe("undefined");
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "once" });
    expect((await ran).stdout).not.toMatch(/deny|ask/);
  });

  it.each([
    ["as long as the configuration says, where the host waits long enough", ["--limit=70"], 60_000, 60_000],
    ["as long as its host waits", ["--limit=31"], 27_000, 28_500],
    ["a few seconds where the host was not told to wait", [], 6_000, 7_500],
    ["a few seconds where the limit cannot be read", ["--limit=7e9"], 6_000, 7_500],
  ])("waits %s", async (_, words, least, most) => {
    const home = temporaryDirectory();
    const request = `${home}/request.json`;
    const program = `${home}/amplihack`;
    writeFileSync(
      program,
      `#!/bin/sh\ncat > '${request}'\necho '{"version":1,"answer":"waiting","by":""}'\n`,
      {
        mode: 0o755,
      },
    );
    mkdirSync(`${home}/.amplihack`);
    writeFileSync(`${home}/.amplihack/config.jsonc`, '{ "team": { "waitMs": 60000 } }\n', { mode: 0o600 });
    const line = readCommandLine(["pre-tool-use", ...words]);
    if (!line.ok) throw new Error(line.notice);
    const node = createNodeSystem();
    const variables: Record<string, string> = {
      HOME: home,
      PATH: process.env["PATH"] ?? "",
      AMPLIHACK_NONINTERACTIVE: "1",
    };
    const payload = {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "git push --force origin feature" },
      cwd: home,
      session_id: "s-1",
    };
    const said: string[] = [];
    const system: System = {
      ...node,
      env: { get: name => variables[name], names: () => Object.keys(variables) },
      // Judging takes no time that this test would measure.
      clock: { ...node.clock, monotonicMs: () => 0 },
      stdio: {
        ...node.stdio,
        readInput: () => ({ kind: "bytes", bytes: node.text.encode(JSON.stringify(payload)) }),
        writeOutput: text => {
          said.push(text);
          return "written";
        },
        writeError: () => {},
      },
    };
    await openRun(openProgram(definition, line.subcommand, [program], system), line.call, system).run();
    expect(said.join("")).toMatch(/"deny".*Your team is asked/s);
    const { wait_ms: waited } = JSON.parse(readFileSync(request, "utf8")) as { wait_ms: number };
    expect(waited).toBeGreaterThanOrEqual(least);
    expect(waited).toBeLessThanOrEqual(most);
  });

  it.skipIf(!canTry)("shows what would become real of changes that are held", async () => {
    const scene = await serverScene();
    const place = makeScene();
    onTestFinished(() => removeScene(place));
    const { olga, machine, idOf } = await joined(scene, place.home);
    const { stateHome, system } = machine;
    const { home } = place;
    const project = `${home}/pay`;
    mkdirSync(project);
    writeFileSync(`${project}/rates.txt`, "one\n<b>two</b>\n");
    writeFileSync(`${project}/.env`, "PASSWORD=hunter2hunter2\n");
    const config = system.text.encode('{ "team": { "waitMs": 600000 } }\n');
    writeAtomically(system, `${stateHome}/config.jsonc`, config, { mode: 0o600 });
    const cli = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
    const change = "sed -i s/one/three/ rates.txt; echo PASSWORD=hunter3hunter3 > .env";
    const run = { cwd: project, input: "", home, env: {} };
    const tried = await runProgram(
      [process.execPath, cli],
      ["try", "--format", "json", "--", "sh", "-c", change],
      run,
    );
    expect(tried).toMatchObject({ code: 0 });
    const { try: held } = JSON.parse(tried.stdout) as { try: { id: string } };
    const ask = (command: string) =>
      runProgram(NODE_PROGRAM, ["pre-tool-use", "--limit=610"], {
        ...run,
        input: JSON.stringify({
          hook_event_name: "PreToolUse",
          tool_name: "Bash",
          tool_input: { command },
          cwd: project,
          session_id: "s-1",
        }),
        env: { AMPLIHACK_NONINTERACTIVE: "1" },
      });
    const asked = ask(`amplihack try apply ${held.id}`);
    await expect.poll(idOf, { timeout: 100_000 }).not.toBe("undefined");
    const page = (await olga.get("/questions")).body;
    expect(page).toContain('<span class="minus">-one\n</span><span class="plus">+three\n</span>');
    expect(page).toContain("&lt;b&gt;two");
    expect(page).not.toMatch(/hunter[23]/);
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "once" });
    expect((await asked).stdout).not.toMatch(/deny|ask/);
    expect((await runProgram([process.execPath, cli], ["try", "apply", held.id], run)).code).toBe(0);
    expect(readFileSync(`${project}/rates.txt`, "utf8")).toContain("three");
    // An id behind something else may not be the one that is applied: no diff is shown for it.
    const hidden = ask(`ID=other; amplihack try apply $ID # amplihack try apply ${held.id}`);
    await expect
      .poll(async () => (await olga.get("/questions")).body, { timeout: 100_000 })
      .toContain("ID=other");
    expect((await olga.get("/questions")).body).not.toContain('class="lines"');
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "no" });
    expect((await hidden).stdout).toContain("said no");
  });

  it("waits on the machine while nobody can be reached, and is sent by the next ship", async () => {
    const scene = await serverScene();
    const { olga, key, machine, ask, idOf } = await joined(scene);
    const file = joinedFile(machine.system, machine.stateHome);
    const there = file.read();
    if (there === undefined) throw new Error("it has joined");
    file.write({ ...there, url: "http://127.0.0.1:1" });
    expect(await ask()).toMatchObject({ answer: "waiting" });
    expect(machine.system.files.list(`${machine.stateHome}/questions`)).toHaveLength(1);
    file.write(there);
    await sendSpooled(machine.system, machine.stateHome, there);
    expect(machine.system.files.list(`${machine.stateHome}/questions`)).toEqual([]);
    await olga.send("/questions", { team: "acme", id: await idOf(), answer: "once" });
    // Sent once more, it does not use the answer up.
    await scene.post("/api/v1/questions", key, { ...QUESTION, nonce: "m".repeat(43), isSpooled: true });
    expect(await ask()).toEqual({ answer: "yes", by: "olga" });
  });
});
