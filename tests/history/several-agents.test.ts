import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Store } from "../../src/history/index.ts";
import { type LiveSession, listLive, noteLive } from "../../src/history/live-sessions.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { answerOnNode } from "../native/answer-on-node.ts";
import { Projects, type Scene } from "./commands/projects.ts";
import { runShell } from "./commands/run-shell.ts";
import { onNode, Session, type } from "./commands/session.ts";
import type { ToolCall } from "./commands/tool-calls.ts";

const projects = new Projects();
const write = (path: string, content: string): ToolCall => ({
  as: "claude write",
  input: { file_path: `@/${path}`, content },
});

/** Two sessions that began; the second one wrote a tracked and a new file. */
async function twoAgents(): Promise<{ scene: Scene; one: Session; other: Session }> {
  const scene = await projects.make("clean");
  const [one, other] = ["first-agent", "other-agent"].map(id => new Session(scene, onNode, id));
  if (one === undefined || other === undefined) throw new Error("there are two");
  for (const session of [one, other]) {
    await session.start();
    await session.prompt();
  }
  await other.make(write("README.md", "theirs\n"));
  await other.make(write("theirs.txt", "theirs\n"));
  await other.make(write("local/theirs.txt", "git ignores it\n"));
  return { scene, one, other };
}

const TAKING = [
  "git stash",
  "git stash push -u",
  "git reset --hard",
  "git checkout .",
  "git checkout -- README.md",
  "git restore README.md",
  "git clean -fd",
  "git switch -c elsewhere",
  "git checkout v1",
  "rm theirs.txt",
  "rm -f *.txt",
  "mv theirs.txt mine.txt",
  "find . -name '*.txt' -delete",
  "git clean -fdx",
  "git clean -fdX",
  "git clean -fxq local",
  "git stash -a",
  "rm -r local",
  "git rm -fq README.md",
  "git rm -rf .",
  "git mv README.md about.md",
  "git mv -f src/a.ts README.md",
];
/** What only git ignores of theirs. */
const IGNORED = ["git clean -fdX", "git clean -fxq local", "rm -r local"];
const LEAVING = [
  "git status",
  "git stash list",
  "git stash push -- src/a.ts",
  "git checkout -- src/a.ts",
  "git restore --staged README.md",
  "git reset --soft HEAD",
  "git clean -n",
  "git commit -qm x --allow-empty",
  "rm src/a.ts",
  "git rm -f src/a.ts",
  "git rm --cached -f README.md",
  "git mv src/a.ts README.md",
  "echo more >> src/b.ts",
  "cat theirs.txt",
];

describe("several agents in one tree", () => {
  it("what git ignores of another's is named where it would go", async () => {
    const { scene, one } = await twoAgents();
    for (const command of IGNORED) {
      let answer = "";
      const listening = new Session(
        scene,
        async ({ words, payload, env }, { env: own }, cwd) => {
          const input = Buffer.from(JSON.stringify(payload));
          answer = JSON.stringify(await answerOnNode(words, { cwd, env: { ...own, ...env }, input }));
        },
        one.id,
      );
      await listening.begin({ as: "claude bash", input: { command } });
      expect([command, /has not committed ([^.]+\.txt)/.exec(answer)?.[1]]).toEqual([
        command,
        "local/theirs.txt",
      ]);
    }
  });

  it("what one would take of another's is asked about, with the session named", async () => {
    const { one } = await twoAgents();
    for (const command of TAKING) {
      const { decision, rules } = await one.begin({ as: "claude bash", input: { command } });
      expect([command, decision, rules.includes("fs.others")]).toEqual([command, "ask", true]);
    }
    for (const command of LEAVING) {
      const { rules } = await one.begin({ as: "claude bash", input: { command } });
      expect([command, rules.includes("fs.others")]).toEqual([command, false]);
    }
  });

  it("names the host, since when, and the files", async () => {
    const { scene, one } = await twoAgents();
    let answer = "";
    const listening = new Session(
      scene,
      async ({ words, payload, env }, { env: own }, cwd) => {
        const input = Buffer.from(JSON.stringify(payload));
        answer = JSON.stringify(await answerOnNode(words, { cwd, env: { ...own, ...env }, input }));
      },
      one.id,
    );
    await listening.begin({ as: "claude bash", input: { command: "git stash -u" } });
    expect(answer).toMatch(/another session of Claude Code \(other-ag\) .* since \d\d:\d\d UTC/);
    expect(answer).toContain("has not committed README.md, theirs.txt");
  });

  it("nothing is asked of its own work, of what is committed, or after the other session ended", async () => {
    const { scene, one, other } = await twoAgents();
    const asks = async (session: Session) =>
      (await session.begin({ as: "claude bash", input: { command: "git stash -u" } })).rules.includes(
        "fs.others",
      );
    expect(await asks(other)).toBe(false);
    expect(await asks(one)).toBe(true);
    await runShell("git add -A && git commit -qm theirs", { cwd: scene.project, env: scene.env });
    expect(await asks(one)).toBe(false);
    await other.make(write("again.txt", "theirs\n"));
    expect(await asks(one)).toBe(true);
    await other.end();
    expect(await asks(one)).toBe(false);
  });

  it("history --live and the status line say who is here", async () => {
    const { scene, other } = await twoAgents();
    const live = async () =>
      JSON.parse((await type(scene, ["history", "--live", "--format", "json"])).stdout) as {
        readonly session: string;
        readonly files: readonly string[];
      }[];
    expect((await live()).map(({ session, files }) => [session, files])).toEqual([
      ["first-agent", []],
      ["other-agent", ["README.md", "theirs.txt"].map(name => join(scene.project, name))],
    ]);
    const { stdout } = await type(scene, ["history", "--live"]);
    expect(stdout).toMatch(
      /Claude Code other-agent\n {2}began just now; 2 files not committed:\n {4}README.md\n/,
    );
    expect((await type(scene, ["statusline"])).stdout).toContain("2 agents here");
    await other.end();
    expect((await live()).map(({ session }) => session)).toEqual(["first-agent"]);
    expect((await type(scene, ["statusline"])).stdout).not.toContain("agents here");
  });

  it("a session whose host is gone is live no longer", async () => {
    const { home } = await projects.make("clean");
    const system = createNodeSystem();
    const store = new Store(system, join(home, ".amplihack"));
    const host = spawn("sleep", ["60"]);
    const { pid = 0 } = host;
    const identity = { pid, start: system.processes.look(pid)?.start, host: system.processes.self.host };
    const session = { session: "s", host: "codex", project: "/p" } satisfies Partial<LiveSession>;
    noteLive(store, session, identity);
    expect(listLive(store).map(one => one.session)).toEqual(["s"]);
    const gone = new Promise(resolve => host.once("exit", resolve));
    host.kill();
    await gone;
    expect(listLive(store)).toEqual([]);
  });
});
