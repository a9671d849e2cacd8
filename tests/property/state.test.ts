import fc from "fast-check";
import * as activeAgent from "../../src/hosts/active-agent.ts";
import * as state from "../../src/state/index.ts";
import {
  copyMachine,
  createMemorySystem,
  type MemorySystem,
  type SeedEntry,
} from "../../src/system/memory.ts";
import { isInside, normalise } from "../../src/system/paths.ts";
import { SystemError } from "../../src/system/system.ts";
import { describeDoor, errorOf, forAll, forBoth } from "./public-functions.ts";
import { environments, json, keys, paths, texts } from "./values.ts";

const STATE_FILE = "/home/user/project/state.json";
const LOG = "/home/user/project/run.log";

/** A disk with a project, links that lead away and in circles, and a file where a directory is looked for. */
const seeds: Readonly<Record<string, SeedEntry>> = {
  "/home/user/.claude/settings.json": "{}",
  "/home/user/project/.git/HEAD": "ref: refs/heads/main\n",
  "/home/user/project/.claude/x": "",
  "/home/user/project/link": { kind: "symlink", target: "/a" },
  "/a/b/deep/x": "",
  "/a/link": { kind: "symlink", target: "../home/user" },
  "/b": "a file",
  "/link": { kind: "symlink", target: "/link" },
};
// Made once and copied, because making takes longer than what is tried on them.
const { machine: seeded } = createMemorySystem({ files: seeds });
const { machine: empty } = createMemorySystem();

function machineWith(files: Readonly<Record<string, SeedEntry>> = {}): MemorySystem {
  return createMemorySystem({ machine: copyMachine(empty), files });
}

const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const VARIABLES = [
  "HOME",
  "AMPLIHACK_HOME",
  "AMPLIHACK_ROOT",
  "CLAUDE_PROJECT_DIR",
  "AMPLIHACK_AGENT_BINARY",
];
const machines = fc
  .tuple(
    environments([...VARIABLES, "AMPLIHACK_RUNTIME_ROOT", "AMPLIHACK_SESSION_ID"]),
    fc.constantFrom("/", "/home/user", "/home/user/project", "/a/b/deep"),
  )
  .map(([env, cwd]) =>
    Object.assign(createMemorySystem({ env, cwd, machine: copyMachine(seeded) }), {
      [fc.toStringMethod]: () => JSON.stringify({ env, cwd }),
    }),
  );
const emptyMachines = fc.constant(undefined).map(() => machineWith());
const directories = fc.option(fc.oneof(paths, texts), { nil: undefined });
const times = fc.integer({ min: 0, max: 4e12 });
const bytes = fc.uint8Array({ maxLength: 80 });
const lines = texts.map(text => text.replaceAll("\n", ""));

const isAbsoluteOrNothing = (path: string | undefined) => path === undefined || path.startsWith("/");
const isOwnError = (error: unknown) =>
  error === undefined || error instanceof SystemError || state.isStateError(error);
const sizeOf = (system: MemorySystem, path: string) => system.files.inspect(path)?.size;

describeDoor("state", state, {
  appendJsonLine: forBoth(emptyMachines, json, (system, value) => {
    state.appendJsonLine(system, LOG, value);
    state.appendJsonLine(system, LOG, value);
    const written = (system.peek(LOG) ?? "").split("\n");
    return written.length === 3 && written[0] === JSON.stringify(value) && written[0] === written[1];
  }),
  appendLine: forBoth(emptyMachines, lines, (system, line) => {
    state.appendLine(system, LOG, line);
    return system.files.inspect(LOG)?.mode === 0o600 && (system.peek(LOG) ?? "").split("\n").length === 2;
  }),
  AtomicFlag: forBoth(emptyMachines, texts, (system, content) => {
    const flag = new state.AtomicFlag(STATE_FILE, { system });
    const first = flag.set(content);
    const second = flag.set("other");
    const kept = flag.content();
    flag.clear();
    return first && !second && kept === system.text.decode(system.text.encode(content)).text && !flag.isSet();
  }),
  AtomicJsonFile: forBoth(
    fc.oneof(
      texts,
      json.map(value => JSON.stringify(value)),
    ),
    json,
    (before, next) => {
      const system = machineWith({ [STATE_FILE]: before });
      const file = new state.AtomicJsonFile(STATE_FILE, { system });
      const problem = errorOf(() => file.read());
      if (problem !== undefined)
        return state.isStateError(problem, "malformed") && system.peek(STATE_FILE) !== undefined;
      // Keys of that name are never read back.
      if (JSON.stringify(next).includes("__proto__")) return true;
      file.write(next);
      return (
        system.peek(STATE_FILE)?.trimEnd() !== "" && JSON.stringify(file.read()) === JSON.stringify(next)
      );
    },
  ),
  backUp: forBoth(emptyMachines, bytes, (system, content) => {
    system.put(STATE_FILE, content);
    const [one, other] = [
      state.backUp(system, STATE_FILE, content),
      state.backUp(system, STATE_FILE, content),
    ];
    return (
      one !== other && sizeOf(system, one) === content.length && sizeOf(system, other) === content.length
    );
  }),
  Counter: forAll(
    fc.oneof(
      texts,
      fc.nat().map(String),
      fc.nat().map(value => JSON.stringify({ value })),
    ),
    content => {
      const system = machineWith({ [STATE_FILE]: content });
      const counter = new state.Counter(STATE_FILE, { system });
      const problem = errorOf(() => counter.read());
      if (problem !== undefined)
        return state.isStateError(problem, "malformed") && system.peek(STATE_FILE) !== undefined;
      const before = counter.read();
      return counter.increment() === before + 1 && counter.read() === before + 1;
    },
  ),
  EnvVar: forBoth(
    fc.option(texts, { nil: undefined }),
    fc.constantFrom(...Object.values(state.envParsers)),
    (raw, parser) => {
      const made =
        typeof parser === "function"
          ? (parser as (...words: string[]) => state.EnvParser<unknown>)("on", "off")
          : parser;
      const variable = new state.EnvVar<unknown>("SOME_NAME", made as state.EnvParser<unknown>, "fallback");
      const system = createMemorySystem({ env: raw === undefined ? {} : { SOME_NAME: raw } });
      const value = variable.get(system);
      const problem = errorOf(() => variable.getOrError(system));
      if (raw === undefined) return value === "fallback" && problem === undefined;
      const isQuiet = made.isShown || raw.length < 4 || !system.stderr().includes(raw);
      return (problem === undefined ? value === variable.tryGet(system) : value === "fallback") && isQuiet;
    },
  ),
  FileLock: forAll(
    fc.oneof(
      texts,
      json.map(value => JSON.stringify(value)),
    ),
    content => {
      const system = machineWith({ "/home/user/x.lock": content });
      const lock = new state.FileLock("/home/user/x.lock", { system, timeoutMs: 50 });
      const began = system.clock.nowMs();
      const isTaken = lock.tryAcquire();
      if (isTaken) lock.release();
      return (
        system.clock.nowMs() - began < 10_000 && isTaken === (system.peek("/home/user/x.lock") === undefined)
      );
    },
  ),
  findHome: forAll(machines, system => isAbsoluteOrNothing(state.findHome(system))),
  findAssetHome: forAll(machines, system => isAbsoluteOrNothing(state.findAssetHome(system))),
  findStateHome: forBoth(machines, paths, (system, project) => {
    const home = state.findStateHome(system);
    const standard = `${state.findHome(system)}/.amplihack`.replace("//", "/");
    return home === undefined || home === standard || (!isInside(project, home) && !isInside(home, project));
  }),
  LogFile: forBoth(emptyMachines, texts, (system, message) => {
    new state.LogFile(LOG, { system }).write("INFO", message);
    return /^\[[^\]]+\] INFO: [^\n]*\n$/.test(system.peek(LOG) ?? "");
  }),
  resolvePath: forBoth(machines, fc.oneof(paths, texts), (system, path) => {
    const error = errorOf(() => state.resolvePath(system.files, path));
    if (error !== undefined) return error instanceof SystemError;
    const resolved = state.resolvePath(system.files, path);
    return !/(^|\/)\.\.?(\/|$)/.test(resolved) && state.resolvePath(system.files, resolved) === resolved;
  }),
  containPath: forBoth(machines, paths, (system, path) => {
    const error = errorOf(() => state.containPath(system.files, "/home/user/project", path));
    if (error !== undefined) return isOwnError(error);
    return isInside("/home/user/project", state.containPath(system.files, "/home/user/project", path));
  }),
  checkFileName: forAll(fc.oneof(texts, keys), name => {
    const error = errorOf(() => state.checkFileName(name));
    return error === undefined ? !/\.\.|[/\\]/.test(name) : state.isStateError(error, "unsafe-name");
  }),
  findSessionDirectory: forBoth(machines, directories, (system, cwd) => {
    const found = state.findSessionDirectory(system, cwd);
    return found === undefined || system.files.follow(found)?.kind === "directory";
  }),
  findProjectRoot: forBoth(machines, directories, (system, cwd) => {
    const root = state.findProjectRoot(system, cwd);
    const home = state.findHome(system);
    const session = state.findSessionDirectory(system, cwd);
    return root.startsWith("/") && (root !== home || session !== undefined);
  }),
  unseenPlaces: forBoth(machines, directories, (system, cwd) => {
    const found = state.unseenPlaces(system, cwd);
    system.faults.failUnder("/", "EACCES", ["follow", "inspect"]);
    const blind = state.unseenPlaces(system, "/home/user/project");
    return (
      new Set(found).size === found.length && blind.length > 0 && blind.every(line => line.includes("EACCES"))
    );
  }),
  unusablePlaces: forAll(texts, value => {
    const system = createMemorySystem({ env: { AMPLIHACK_ROOT: value } });
    const isUsable = state.VARIABLES.AMPLIHACK_ROOT.tryGet(system) !== undefined;
    const said = state.unusablePlaces(system);
    return isUsable ? said.length === 0 : said.length === 1 && said.join("").includes("AMPLIHACK_ROOT");
  }),
  findLocksRoot: forBoth(machines, directories, (system, cwd) => {
    const root = state.findLocksRoot(system, cwd);
    const announced = system.env.get("CLAUDE_PROJECT_DIR");
    return root === state.findProjectRoot(system, cwd) || root === normalise(announced ?? "");
  }),
  readText: forBoth(bytes, fc.nat(90), (content, limit) => {
    const system = machineWith({ "/x": content });
    const isTooLong = content.length > limit;
    if (isTooLong) return errorOf(() => state.readText(system, "/x", limit)) instanceof SystemError;
    return (
      state.readText(system, "/x", limit) === new TextDecoder("utf-8", { ignoreBOM: true }).decode(content)
    );
  }),
  readExactText: forAll(bytes, content => {
    const system = machineWith({ "/x": content });
    const read = state.readExactText(system, "/x", 1000);
    const back = new TextEncoder().encode(read?.text ?? "");
    return read !== undefined && read.replaced !== (Buffer.compare(back, content) === 0);
  }),
  isTooLarge: forBoth(fc.nat(40), fc.boolean(), (size, isFile) => {
    const system = machineWith({ [LOG]: "x".repeat(size) });
    const facts = system.files.follow(isFile ? LOG : "/home");
    return state.isTooLarge(facts, { limitBytes: 10, keep: 1 }) === (isFile && size > 10);
  }),
  rotate: forBoth(fc.nat(40), fc.integer({ min: 1, max: 4 }), (size, keep) => {
    const system = machineWith({ [LOG]: "x".repeat(size) });
    const rotation = { limitBytes: 10, keep };
    for (let round = 0; round < 6; round++) {
      state.rotate(system, LOG, rotation);
      if (size > 10) system.put(LOG, "x".repeat(size));
    }
    return state.listRotations(system, LOG).length === (size > 10 ? Math.min(6, keep) : 0);
  }),
  putAway: forBoth(texts, fc.integer({ min: 1, max: 4 }), (text, keep) => {
    const system = machineWith({ [LOG]: text });
    state.putAway(system, LOG, { limitBytes: 10, keep });
    const [newest = ""] = state.listRotations(system, LOG);
    return sizeOf(system, LOG) === undefined && sizeOf(system, newest) !== undefined;
  }),
  belongsToLog: forBoth(texts, fc.integer({ min: 1, max: 4 }), (text, keep) => {
    const system = machineWith({ [LOG]: text });
    state.putAway(system, LOG, { limitBytes: 10, keep });
    const own = [LOG, `${LOG}.lock`, ...state.listRotations(system, LOG)];
    const others = [`${LOG}x`, "/home/user/run.log", "/home/user/project/run.md", "/home/user/project"];
    return (
      own.every(path => state.belongsToLog(LOG, path)) && !others.some(path => state.belongsToLog(LOG, path))
    );
  }),
  listRotations: forBoth(emptyMachines, fc.array(keys, { maxLength: 4 }), (system, names) => {
    for (const name of names) if (/^\w+$/.test(name)) system.put(`/home/user/project/run.${name}.log`, "");
    return state.listRotations(system, LOG).every(path => /run\.\d{8}_\d{6}(_\d{3})?\.log$/.test(path));
  }),
  runtimePath: forBoth(machines, fc.tuple(paths, keys), (system, [root, name]) =>
    state.runtimePath(system, root, name.replaceAll(/[/.]/g, "")).startsWith(state.runtimePath(system, root)),
  ),
  makeRuntimeDirectory: forBoth(machines, paths, (system, root) => {
    const error = errorOf(() => state.makeRuntimeDirectory(system, root, "logs"));
    if (error !== undefined) return error instanceof SystemError;
    return system.files.follow(state.makeRuntimeDirectory(system, root, "logs"))?.kind === "directory";
  }),
  serialise: forAll(fc.oneof(json, fc.anything()), value => {
    const error = errorOf(() => state.serialise(value, "x", 0));
    if (error !== undefined) return state.isStateError(error, "not-serialisable");
    const again = state.serialise(JSON.parse(state.serialise(value, "x", 2)), "x", 0);
    return again === state.serialise(value, "x", 0);
  }),
  sanitiseSessionId: forAll(texts, raw => {
    const id = state.sanitiseSessionId(raw);
    return SAFE_ID.test(id) && state.sanitiseSessionId(id) === id;
  }),
  findSessionId: forBoth(machines, fc.option(texts, { nil: undefined }), (system, given) => {
    const id = state.findSessionId(system, given);
    if (id === undefined) return (given ?? "") === "";
    return SAFE_ID.test(id) && ((given ?? "") === "" || id === state.sanitiseSessionId(given ?? ""));
  }),
  generateSessionId: forAll(times, nowMs =>
    /^\d{8,}_\d{6}_\d{6}$/.test(state.generateSessionId(createMemorySystem({ nowMs }))),
  ),
  hasEnded: forBoth(emptyMachines, texts, ({ processes }, host) => {
    const { self } = processes;
    const isElsewhere = host !== self.host;
    return (
      !state.hasEnded(processes, self) &&
      state.hasEnded(processes, { ...self, pid: 4_000_001 }) &&
      !(isElsewhere && state.hasEnded(processes, { ...self, host, pid: 4_000_001 }))
    );
  }),
  setAsideCorrupt: forBoth(emptyMachines, fc.nat(6), (system, times) => {
    for (let round = 0; round < times; round++) {
      system.put(STATE_FILE, `broken ${round}`);
      state.setAsideCorrupt(system, STATE_FILE);
    }
    const kept =
      times === 0 ? [] : system.files.list("/home/user/project").filter(name => name.includes(".corrupt-"));
    return kept.length === Math.min(times, 3) && system.peek(STATE_FILE) === undefined;
  }),
  StateError: forBoth(texts, texts, (subject, message) => {
    const error = new state.StateError("malformed", subject, message);
    return error instanceof Error && error.subject === subject && error.message === message;
  }),
  isStateError: forBoth(fc.anything(), texts, (other, subject) => {
    const error = new state.StateError("malformed", subject, "");
    return (
      !state.isStateError(other) &&
      state.isStateError(error, "malformed") &&
      !state.isStateError(error, "unsafe-name")
    );
  }),
  localTimestamp: forAll(times, ms => Date.parse(state.localTimestamp(ms).slice(0, 23)) === ms),
  compactTimestamp: forAll(times, ms => {
    const stamp = state.localTimestamp(ms).slice(0, 19);
    return state.compactTimestamp(ms) === stamp.replaceAll(/[-:]/g, "").replace("T", "_");
  }),
  compactTimestampWithMicroseconds: forAll(times, ms => {
    const stamp = state.compactTimestampWithMicroseconds(ms);
    return (
      stamp.startsWith(`${state.compactTimestamp(ms)}_`) && stamp.endsWith(`${ms % 1000}000`.padStart(6, "0"))
    );
  }),
});

describeDoor("the active agent", activeAgent, {
  parseAgentName: forAll(
    fc.oneof(texts, fc.constantFrom(...activeAgent.AGENTS, " Claude ", "CODEX")),
    raw => {
      const name = activeAgent.parseAgentName(raw);
      return name === undefined
        ? !activeAgent.AGENTS.some(agent => agent === raw)
        : raw.trim().toLowerCase() === name;
    },
  ),
  findActiveAgent: forBoth(machines, paths, (system, project) => {
    const agent = activeAgent.findActiveAgent(system, project, () => {});
    return agent === activeAgent.locateActiveAgent(system, project, () => {}).agent;
  }),
  locateActiveAgent: forBoth(machines, paths, (system, project) => {
    const warnings: string[] = [];
    const { agent, by } = activeAgent.locateActiveAgent(system, project, warning => warnings.push(warning));
    const announced = system.env.get("AMPLIHACK_AGENT_BINARY") ?? "";
    const isTaken = by === "AMPLIHACK_AGENT_BINARY";
    return activeAgent.AGENTS.includes(agent) && (announced === "" || isTaken || warnings.length > 0);
  }),
});
