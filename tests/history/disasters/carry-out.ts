import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { printGit } from "../commands/git-facts.ts";
import type { Projects, Scene } from "../commands/projects.ts";
import { runShell } from "../commands/run-shell.ts";
import { type OpenCall, onNode, perform, Session, type } from "../commands/session.ts";
import { readState, unlike } from "../commands/state.ts";
import { bash, type ToolCall } from "../commands/tool-calls.ts";
import { changedPaths, readTree } from "../commands/tree.ts";
import type { Disaster } from "./row.ts";

export interface Outcome {
  /**
   * `asked`: something was objected to and all is as before; `restored`; `conflict`: undo refused and changed nothing; `lost`: something
   * is not as before; `nothing`: the calls changed nothing, the row says nothing
   */
  readonly kind: "asked" | "restored" | "conflict" | "lost" | "nothing";
  /** undo said that it was done, and it was not */
  readonly isLie: boolean;
  readonly wrong: readonly string[];
}

const MARK = "AMPLIHACK_TEST_MARK";
const MAX_LOOKS = 600;
const LOOK_EVERY_MS = 50;

/** Runs the calls of a disaster between their hooks, takes them back and compares. */
export async function outcomeOf(projects: Projects, row: Disaster): Promise<Outcome> {
  const made = await projects.make(row.starts ?? "clean");
  const nested = (row.repositories ?? []).map(path => `work/project/${path}`);
  const scene: Scene = {
    ...made,
    env: { ...made.env, [MARK]: randomUUID() },
    repositories: [...made.repositories, ...nested],
  };
  if (row.setup !== undefined) await prepare(row.setup, scene);
  if (row.others !== undefined) {
    const other = new Session(scene, onNode, "session-2");
    await other.start();
    await other.prompt();
    for (const call of row.others) await makeCall(other, callOf(call), scene, row);
  }
  const before = await readState(scene);
  const session = new Session(scene, onNode, "session-1");
  await session.start();
  await session.prompt();
  const wasAsked = await makeAll(session, row, scene);
  await untilEnded(scene);
  await session.prompt();
  const after = readTree(scene.home);
  const printedAfter = await printGit(scene);
  if (changedPaths(before.tree, after).length === 0 && printedAfter === before.printed)
    return { kind: wasAsked ? "asked" : "nothing", isLie: false, wrong: [] };
  const words = row.calls.length === 1 ? [] : ["--session", "session-1"];
  const undo = await type(scene, ["undo", "--yes", ...words]);
  const undone = { printed: await printGit(scene), tree: readTree(scene.home) };
  const wrong = unlike(before, after, undone);
  if (wrong.length === 0) return { kind: "restored", isLie: false, wrong: [] };
  const hasChangedNothing = changedPaths(after, undone.tree).length === 0;
  const isConflict = undo.code === 3 && hasChangedNothing;
  const said = `undo ended with ${undo.code}: ${undo.stdout}${undo.stderr}`.slice(0, 400);
  return {
    kind: isConflict ? "conflict" : "lost",
    isLie: undo.code === 0,
    wrong: [said, ...wrong.slice(0, 6)],
  };
}

export function isGood(row: Disaster, { kind }: Outcome): boolean {
  return (
    kind === "asked" || kind === "restored" || (kind === "conflict" && row.expected.endsWith("conflict"))
  );
}

async function prepare(setup: string, { project, env, repositories, home }: Scene): Promise<void> {
  const { code, stderr } = await runShell(`set -e\n${setup}`, { cwd: project, env });
  if (code !== 0) throw new Error(`the scene cannot be made: ${stderr}`);
  // An index that knows the files, so that reading the state changes nothing.
  for (const name of repositories)
    await runShell("git update-index -q --refresh", { cwd: `${home}/${name}`, env });
}

const callOf = (call: string | ToolCall): ToolCall => (typeof call === "string" ? bash(call) : call);

async function makeAll(session: Session, row: Disaster, scene: Scene): Promise<boolean> {
  const calls = row.calls.map(callOf);
  if (row.atOnce === true) {
    const open: OpenCall[] = [];
    for (const call of calls) open.push(await session.begin(call));
    const free = open.filter(isFree);
    await Promise.all(free.map(one => runCall(one, scene, false)));
    for (const one of free) await one.end();
    return free.length < open.length;
  }
  let wasAsked = false;
  for (const [index, call] of calls.entries())
    wasAsked = (await makeCall(session, call, scene, row, index === 0)) || wasAsked;
  return wasAsked;
}

const isFree = ({ decision }: OpenCall) => decision === "none" || decision === "allow";

/** True when it was objected to. Of a row in the background only the first call is. */
async function makeCall(
  session: Session,
  call: ToolCall,
  scene: Scene,
  row: Disaster,
  isFirst = false,
): Promise<boolean> {
  const isBackground = row.background === true && isFirst;
  const input = typeof call.input === "string" ? call.input : { ...call.input, run_in_background: true };
  const open = await session.begin(isBackground ? { ...call, input } : call);
  if (!isFree(open)) return true;
  await runCall(open, scene, isBackground);
  await open.end();
  return false;
}

/** As hosts do it: the call ends when its shell does, whatever that left running; in the background it ends at once. */
async function runCall(open: OpenCall, scene: Scene, isBackground: boolean): Promise<void> {
  const { call, cwd } = open;
  if (!/bash/.test(call.as) || typeof call.input === "string") {
    await perform(open, scene);
    return;
  }
  const child = spawn("bash", ["-c", String(call.input["command"])], {
    cwd,
    env: scene.env,
    stdio: "ignore",
    detached: isBackground,
  });
  if (isBackground) child.unref();
  else await new Promise(resolve => child.once("exit", resolve));
}

/** Waits for every process that the scene's calls left behind. */
async function untilEnded({ env }: Scene): Promise<void> {
  const mark = `${MARK}=${env[MARK]}`;
  for (let look = 0; look < MAX_LOOKS; look++) {
    if (!readdirSync("/proc").some(name => /^\d+$/.test(name) && environmentOf(name).includes(mark))) return;
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("a process of the scene never ended");
}

function environmentOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/environ`, "latin1");
  } catch {
    // It has ended, or is another user's.
    return "";
  }
}
