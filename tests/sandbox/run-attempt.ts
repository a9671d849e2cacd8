import { spawn, spawnSync } from "node:child_process";
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { BUILT_IN, type SandboxSettings } from "../../src/config/index.ts";
import {
  type Layer,
  type Plan,
  type PlanRequest,
  planPolicy,
  policyPath,
  writePolicy,
} from "../../src/sandbox/index.ts";
import { prepareBwrap } from "../../src/sandbox/start.ts";
import { type TryRecord, writeTry } from "../../src/sandbox/try-store.ts";
import { ancestors, type System } from "../../src/system/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { survey } from "../../src/workspace/index.ts";
import { type Attempt, SETS } from "./attempts/attempt.ts";
import { PRELUDE } from "./attempts/prelude.ts";
import type { OutsideWorld } from "./outside-world.ts";
import { CAUGHT, CLI, MARK, PROGRAM, type Scene } from "./scene.ts";

export const PYTHON = ["/usr/bin/python3", "/usr/local/bin/python3"].find(path => existsSync(path));

/** Somebody with few rights, where the tests run as root. */
export const ORDINARY = { uid: 61_234, gid: 61_234 };
export type Account = { readonly uid: number; readonly gid: number } | undefined;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function systemWith(env: Readonly<Record<string, string>>): System {
  return { ...createNodeSystem(), env: { get: name => env[name], names: () => Object.keys(env) } };
}

export function environmentOf(scene: Scene, world: OutsideWorld): Readonly<Record<string, string>> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    HOME: scene.home,
    PROJECT: scene.project,
    OUT: scene.outside,
    PROGRAM,
    NODE: process.execPath,
    CLI,
    LANG: "C.UTF-8",
    DEPLOY_TOKEN: MARK,
    DEPLOY: `ghp_${MARK.replaceAll("-", "")}0123456789`,
    ...SECRET_VARIABLES,
    ...world.variables,
  };
}

const PLAIN = MARK.replaceAll("-", "");
/** Variables with which programs log in. */
export const SECRET_VARIABLES: Readonly<Record<string, string>> = {
  PGPASSWORD: MARK,
  MYSQL_PWD: MARK,
  SSHPASS: MARK,
  REDISCLI_AUTH: MARK,
  GPG_PASSPHRASE: MARK,
  LDAP_BIND_PW: MARK,
  SMTP_PASS: MARK,
  NUGETAPIKEY: MARK,
  RAILS_MASTER_KEY: MARK,
  SESSION_COOKIE: MARK,
  BUNDLE_GEMS__EXAMPLE__COM: `user:${MARK}`,
  "npm_config_//registry.example.org/:_authToken": MARK,
  GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${PLAIN}`,
  PIP_INDEX_URL: `https://user:${PLAIN}@pypi.example.org/simple`,
  JDBC: `jdbc:mysql://db/x?user=a&password=${PLAIN}`,
  DEPLOY_IDENTITY: `-----BEGIN OPENSSH PRIVATE KEY-----\n${PLAIN}\n-----END OPENSSH PRIVATE KEY-----`,
};

/** The policy that amplihack itself would write for a command in the scene's project. */
export function planFor(
  scene: Scene,
  env: Readonly<Record<string, string>>,
  layers: readonly Layer[],
  more: Partial<PlanRequest> & { readonly sandbox?: Partial<SandboxSettings> } = {},
): Plan {
  const system = systemWith(env);
  const { sandbox, ...request } = more;
  writeTry(system, scene.stateHome, heldTry(scene));
  const workspace = survey({
    cwd: scene.project,
    home: scene.home,
    system,
    settings: BUILT_IN.guard,
    stateHome: scene.stateHome,
  });
  return planPolicy(system, workspace, {
    settings: { ...BUILT_IN.sandbox, network: "off", ...sandbox },
    layers,
    leftovers: "kill",
    ...request,
  });
}

/** A try of a project below a cache, on another file system than the state home. */
function heldTry({ home }: Scene): TryRecord {
  const project = join(home, ".npm/project");
  const layer = join(home, CAUGHT);
  return {
    ...{
      id: "5f0c",
      timeMs: 0,
      project,
      directory: project,
      command: ["make"],
      host: "none",
      session: undefined,
    },
    caught: [{ path: project, upper: join(layer, "upper"), work: join(layer, "work") }],
    ...{
      startNs: "0",
      runner: createNodeSystem().processes.self,
      status: "held",
      exit: 0,
      reason: undefined,
    },
    ...{ replaced: [], folders: [], indexes: [] },
  };
}

/** Writes the plan's policy for the account that will run it. */
export function keepPolicy(scene: Scene, { policy }: Plan, account: Account): string {
  const id = writePolicy(createNodeSystem(), scene.stateHome, policy);
  if (account !== undefined)
    for (const path of [
      join(scene.stateHome, "sandbox"),
      join(scene.stateHome, "sandbox/policies"),
      policyPath(scene.stateHome, id),
    ])
      chownSync(path, account.uid, account.gid);
  return id;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly account?: Account;
  readonly input?: string;
  /** opened for reading, in place of a pipe with the input */
  readonly inputFile?: string | undefined;
  /** what the descriptor 3 gives */
  readonly filter?: Uint8Array;
}

/** Runs words with one more descriptor open than they should see, and reads all that they print. */
export async function runWords(words: readonly string[], scene: Scene, options: RunOptions): Promise<Ended> {
  const secret = openSync(join(scene.home, ".ssh/id_rsa"), "r");
  const input = options.inputFile === undefined ? undefined : openSync(options.inputFile, "r");
  const closed = Array.from({ length: 4 }, () => "ignore" as const);
  const third = options.filter === undefined ? ("ignore" as const) : ("pipe" as const);
  const [program = "", ...rest] = words;
  const child = spawn(program, rest, {
    cwd: scene.project,
    env: options.env,
    stdio: [
      input ?? "pipe",
      "pipe",
      "pipe",
      third,
      third,
      ...closed,
      ...(options.filter === undefined ? [secret] : []),
    ],
    ...options.account,
  });
  child.stdin?.end(options.input ?? "");
  const filtered = child.stdio[3];
  if (filtered instanceof Writable) filtered.on("error", () => {}).end(options.filter);
  child.stdin?.on("error", () => {});
  const read = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      read[name] += text;
    });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    return { code, ...read };
  } finally {
    closeSync(secret);
    if (input !== undefined) closeSync(input);
  }
}

/** What lies in folders that others closed is not there for the account, as it would find itself. */
function seenBy(account: Account, system: System): System {
  if (account === undefined) return system;
  const isClosed = (folder: string) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    return found !== undefined && found.uid !== account.uid && (found.mode & 0o001) === 0;
  };
  const follow = (path: string) =>
    ancestors(path).slice(1).some(isClosed) ? undefined : system.files.follow(path);
  return { ...system, files: { ...system.files, follow } };
}

/** As `amplihack sandbox run` starts it where its own program is not installed. */
export async function runInBwrap(
  program: string,
  scene: Scene,
  words: readonly string[],
  { env, account, inputFile }: RunOptions,
): Promise<Ended> {
  const { policy } = planFor(scene, env, SETS.bwrap);
  mkdirSync(join(scene.stateHome, "sandbox"), { recursive: true, mode: 0o700 });
  const places = { policy, words, directory: scene.project, stateHome: scene.stateHome };
  const prepared = prepareBwrap(seenBy(account, systemWith(env)), places);
  if (prepared === undefined) throw new Error("no filter of calls is known for this machine");
  giveFolder(join(scene.stateHome, "sandbox"), account);
  try {
    return await runWords([program, ...prepared.words], scene, {
      env: prepared.env,
      account,
      filter: prepared.filter,
      // A file is handed on as what it holds.
      ...(inputFile === undefined ? {} : { input: readFileSync(inputFile, "utf8") }),
    });
  } finally {
    prepared.remove();
  }
}

export function wordsOf(attempt: Attempt): readonly string[] {
  return attempt.language === "sh"
    ? ["/bin/sh", "-c", attempt.script]
    : [PYTHON ?? "python3", "-c", PRELUDE + attempt.script];
}

export function gotOut({ stdout }: Ended): boolean {
  return stdout.includes("ESCAPED") || stdout.includes(MARK) || stdout.includes(MARK.replaceAll("-", ""));
}

/** Gives everything in a scene to the account. */
export function giveScene({ root }: Scene, account: Account): void {
  giveFolder(root, account);
}

function giveFolder(folder: string, account: Account): void {
  if (account !== undefined) spawnSync("chown", ["-R", `${account.uid}:${account.gid}`, folder]);
}
