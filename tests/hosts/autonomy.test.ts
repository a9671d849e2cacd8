import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Autonomy } from "../../src/config/index.ts";
import { HOSTS, type TrialEnvironment } from "../../src/hosts/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import {
  DRIVERS,
  type HostDriver,
  makePlace,
  registerHooks,
  type TemporaryUser,
  type UserPlace,
  withTrial,
} from "../../src/verify/live/live.ts";
import type { ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { placeForScenes } from "../sandbox/scene.ts";
import { canTry } from "../sandbox/try-scene.ts";
import { command, type DrivenHost, FILE_TOOLS } from "./file-tools.ts";
import { hook, onPath, PROGRAMS, play as playOnce, registerProgram, TIMEOUT_MS } from "./harness.ts";

const YES = { effect: { decision: { kind: "allow", reason: "known" } } } as const;
const CODEX_ASKS = fileURLToPath(new URL("./programs/codex-asks.mjs", import.meta.url));
const GEMINI_ASKS = fileURLToPath(new URL("./programs/gemini-asks.mjs", import.meta.url));

/** How a host is started so that it asks; nobody answers, so that a call it asks about does not run. */
interface Prompting {
  /** the host itself when absent */
  readonly program?: string;
  /** the program tells on stdout what it was asked */
  readonly isTold?: true;
  /** it has no questions of its own: every call runs */
  readonly asksNothing?: true;
  readonly args: (
    prompt: string,
    driver: HostDriver,
    trial: TrialEnvironment,
    program: string,
  ) => readonly string[];
  /** of a person who denies `touch denied` and wants to be asked about `touch asked` */
  readonly rules: (user: TemporaryUser) => void;
}

const PROMPTING: Readonly<Record<string, Prompting>> = {
  "claude-code": {
    args: prompt => ["-p", prompt, "--permission-mode", "default"],
    rules: user =>
      user.write(".claude/settings.json", {
        permissions: { deny: ["Bash(touch denied)"], ask: ["Bash(touch asked)"] },
      }),
  },
  codex: {
    program: process.execPath,
    args: (prompt, driver, trial, program) => {
      const [, , , ...options] = driver.args(prompt, trial);
      return [CODEX_ASKS, program, prompt, trial.project, ...options.slice(0, -1)];
    },
    rules: user =>
      user.write(
        ".codex/rules/default.rules",
        'prefix_rule(pattern=["touch", "denied"], decision="forbidden")\nprefix_rule(pattern=["touch", "asked"], decision="prompt")\n',
      ),
  },
  "gemini-cli": {
    program: process.execPath,
    isTold: true,
    args: (prompt, _driver, _trial, program) => [
      GEMINI_ASKS,
      program,
      ...["-i", prompt, "--approval-mode", "default", "--model", "gemini-2.5-flash"],
    ],
    rules: () => {},
  },
  "copilot-cli": {
    args: prompt => ["-p", prompt, "--deny-tool", "shell(touch denied)"],
    rules: () => {},
  },
  opencode: {
    args: (prompt, driver, trial) => driver.args(prompt, trial),
    rules: user =>
      user.write(".config/opencode/opencode.json", {
        permission: { bash: { "*": "ask", "touch denied": "deny" } },
      }),
  },
  pi: {
    asksNothing: true,
    args: (prompt, driver, trial) => driver.args(prompt, trial),
    rules: () => {},
  },
};

interface PlayOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** as its person starts it who does not want to be asked */
  readonly isUnasked?: boolean;
}

/**
 * Runs the host with its prompts on; the names of those files that are there afterwards. On a disk: Codex's own sandbox has
 * another memory folder, in which neither its program nor the project is.
 */
async function play(
  driver: HostDriver,
  program: string,
  playsIn: readonly Play[] | ((project: string) => readonly Play[]),
  prepare: (user: TemporaryUser, prompting: Prompting) => Promise<void>,
  options: PlayOptions = {},
): ReturnType<typeof playIn> {
  const root = mkdtempSync(join(placeForScenes(), "live-"));
  try {
    return await playIn(makePlace(root), driver, program, playsIn, prepare, options);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function playIn(
  place: UserPlace,
  driver: HostDriver,
  program: string,
  playsIn: readonly Play[] | ((project: string) => readonly Play[]),
  prepare: (user: TemporaryUser, prompting: Prompting) => Promise<void>,
  { env = {}, isUnasked = false }: PlayOptions,
): Promise<{
  readonly made: readonly string[];
  readonly answered: number;
  readonly outside: boolean;
  /** calls that were sent to the sandbox */
  readonly sent: number;
  readonly end: string;
}> {
  const prompting = PROMPTING[driver.host];
  if (prompting === undefined) throw new Error(`nothing is known of how ${driver.host} asks`);
  // The model is asked for its steps when the project is there.
  const commands: Play[] = [];
  const steps: ScriptStep[] = [];
  const request = {
    driver: {
      ...driver,
      args: (prompt: string, trial: TrialEnvironment) =>
        isUnasked ? driver.args(prompt, trial) : prompting.args(prompt, driver, trial, program),
    },
    program: isUnasked ? program : (prompting.program ?? program),
    steps,
    timeoutMs: TIMEOUT_MS,
    env: { ...onPath(program), ...env },
    place,
    prepare: (user: TemporaryUser) => {
      commands.push(...(typeof playsIn === "function" ? playsIn(user.project) : playsIn));
      const told = commands.map(([step]) => (typeof step === "string" ? command(step) : step));
      steps.push(...told, { kind: "text", text: "done" });
      return prepare(user, prompting);
    },
  };
  return withTrial(createNodeSystem(), request, ({ user, end }) => {
    const audit = join(user.home, ".amplihack/logs/audit.jsonl");
    const lines = existsSync(audit) ? readFileSync(audit, "utf8").split("\n") : [];
    return {
      made: commands.map(([, makes]) => makes).filter(name => existsSync(join(user.project, name))),
      // A host may ask twice about one call: whether to run it, and whether to run it outside its own sandbox.
      answered: new Set(
        lines
          .filter(line => line.includes('"answered":"understood"'))
          .map(line => JSON.parse(line) as { readonly command?: string; readonly tool: string })
          .map(({ command: line, tool }) => line ?? tool),
      ).size,
      sent: lines.filter(line => line.includes('"answered":"sandbox"')).length,
      outside: existsSync(join(user.home, "outside")),
      end,
    };
  });
}

const TOUCHED = ["first", "denied", "asked"].map(name => [`touch ${name}`, name] as const);

/** With a hook that says yes to everything. */
function playYes(driver: HostDriver, program: string, on: "pre-tool-use" | "permission-request" | undefined) {
  return play(driver, program, TOUCHED, async (user, { rules }) => {
    rules(user);
    const folder = join(user.home, "trial");
    mkdirSync(folder);
    const [file, log] = [join(folder, "scenario.json"), join(folder, "log")];
    writeFileSync(file, "{}");
    writeFileSync(log, "");
    await registerProgram(user, driver, [process.execPath, hook, file, log], "open");
    writeFileSync(file, JSON.stringify(on === undefined ? {} : { [on]: YES }));
  });
}

/** A step of the model and the file that is there afterwards only if it ran. */
type Play = readonly [command: string | ScriptStep, makes: string];

/** What agents do all day and hosts ask about: commands of many kinds, then the host's own tools for files. */
const KNOWN_COMMANDS: readonly Play[] = [
  ["echo one > echoed.txt", "echoed.txt"],
  ["printf 'a\\nb\\n' > printed.txt", "printed.txt"],
  ["cat > written.txt <<'END'\nfirst\nEND", "written.txt"],
  ["cat seed.txt | tee teed.txt", "teed.txt"],
  ["cat seed.txt >> appended.txt", "appended.txt"],
  ["mkdir -p made/deep", "made/deep"],
  ["mkdir other && touch other/file", "other/file"],
  ["touch touched.txt", "touched.txt"],
  ["cp seed.txt copied.txt", "copied.txt"],
  ["cp -r folder folder-copy", "folder-copy/inside.txt"],
  ["mv moving.txt moved.txt", "moved.txt"],
  ["sed -i 's/one/two/' edited.txt && mv edited.txt edited.done", "edited.done"],
  ["sed -n '1,2p' seed.txt > lines.txt", "lines.txt"],
  ["awk '{print $1}' seed.txt > words.txt", "words.txt"],
  ["jq .name package.json > name.txt", "name.txt"],
  ["grep -n one seed.txt > found.txt", "found.txt"],
  ["sort -o sorted.txt seed.txt", "sorted.txt"],
  ["sort seed.txt | uniq -c > counted.txt", "counted.txt"],
  ["head -1 seed.txt > first.txt; tail -1 seed.txt > last.txt", "last.txt"],
  ["cut -d' ' -f1 seed.txt > cut.txt", "cut.txt"],
  ["tr a-z A-Z < seed.txt > upper.txt", "upper.txt"],
  ["wc -l seed.txt > size.txt", "size.txt"],
  ["diff seed.txt folder/inside.txt > changes.diff; true", "changes.diff"],
  ["find . -name '*.txt' -not -path './.git/*' > files.txt", "files.txt"],
  ["ls -la > listed.txt", "listed.txt"],
  ["date +%Y > year.txt", "year.txt"],
  ["for n in 1 2; do echo $n > loop-$n.txt; done", "loop-2.txt"],
  ["if [ -f seed.txt ]; then touch seen.txt; fi", "seen.txt"],
  ["rm doomed.txt && touch removed.txt", "removed.txt"],
  ["chmod +x script.sh && touch executable.txt", "executable.txt"],
  ["ln -s seed.txt linked.txt", "linked.txt"],
  ["tar czf packed.tgz folder", "packed.tgz"],
  ["gzip -k seed.txt", "seed.txt.gz"],
  ["base64 seed.txt > encoded.txt", "encoded.txt"],
  ["git add seed.txt package.json", ".git/index"],
  ["git commit -m 'first commit'", ".git/refs/heads/work"],
  ["git branch kept", ".git/refs/heads/kept"],
  ["git tag v1", ".git/refs/tags/v1"],
];

/** Reading comes first: hosts change no file that the model has not seen. */
function knownPlays(host: string, project: string): readonly Play[] {
  const { write, edit } = FILE_TOOLS[host as DrivenHost];
  return [
    ...KNOWN_COMMANDS,
    [write(join(project, "tool-written.txt"), "one\n"), "tool-written.txt"],
    [edit(join(project, "tool-written.txt"), "one", "two"), "tool-written.txt"],
  ];
}

/** A project with what the commands work on. */
function furnish(project: string, env: NodeJS.ProcessEnv): void {
  mkdirSync(join(project, "folder"), { recursive: true });
  for (const name of ["seed.txt", "moving.txt", "edited.txt", "doomed.txt", "script.sh", "folder/inside.txt"])
    writeFileSync(join(project, name), "one\ntwo\n");
  writeFileSync(join(project, "package.json"), '{"name":"trial"}\n');
  const git = (...argv: string[]) => spawnSync("git", argv, { cwd: project, env });
  git("init", "-q");
  git("config", "user.name", "trial");
  git("config", "user.email", "trial@example.com");
}

const UNKNOWN = [
  ["sh ./unread.sh > not-read", "not-read"],
  ["no-such-program-7c1f > not-known", "not-known"],
] as const;

/** With our own hooks, as a person installs them. */
function playOwn(driver: HostDriver, program: string, autonomy: Autonomy, hasRules = false) {
  return play(
    driver,
    program,
    project => (hasRules ? KNOWN_COMMANDS.slice(0, 3) : [...knownPlays(driver.host, project), ...UNKNOWN]),
    async (user, { rules }) => {
      furnish(user.project, { ...process.env, ...user.env });
      if (hasRules) rules(user);
      user.write(".amplihack/config.jsonc", { autonomy });
      await registerHooks(user, PACKAGE, driver.host);
    },
  );
}

/** Builds and tests, which nobody can read; the directory that one ends in is that of the next. */
const BUILDS = [
  ["make built", "built"],
  ["make failing", "failed-as-it-should"],
  ["mkdir -p sub && cd sub && make -C .. deep", "sub/deep"],
] as const;
const HERE = ["make -f ../Makefile here", "sub/here"] as const;
// What a file names is not known before it is read: nobody can tell that it writes outside.
const MAKEFILE = `WRITE := $(shell cat write)
built:
\t@echo x > built; $(WRITE)
deep:
\t@echo x > sub/deep
failing:
\t@echo x > failed-as-it-should; exit 3
here:
\t@pwd > here
`;

interface SandboxPlay {
  readonly hasRules?: boolean;
  /** a host that has a sandbox of its own is started without it */
  readonly isFree?: boolean;
}

/** Where commands that are not understood run in the sandbox. */
function playSandbox(
  driver: HostDriver,
  program: string,
  { hasRules = false, isFree = true }: SandboxPlay = {},
) {
  const keepsDirectory = driver.host === "claude-code";
  return play(
    driver,
    program,
    hasRules ? [["make denied", "denied"]] : [...BUILDS, ...(keepsDirectory ? [HERE] : [])],
    async user => {
      writeFileSync(
        join(user.project, "write"),
        "cp Makefile $(HOME)/outside\n".replace("$(HOME)", user.home),
      );
      writeFileSync(join(user.project, "Makefile"), `${MAKEFILE}denied:\n\t@echo x > denied\n`);
      if (hasRules) DENIES_MAKE[driver.host]?.(user);
      user.write(".amplihack/config.jsonc", { autonomy: "sandbox" });
      await registerHooks(user, PACKAGE, driver.host);
      const cli = join(PACKAGE.root, "dist/bin/amplihack.cjs");
      const checked = spawnSync(process.execPath, [cli, "sandbox", "check"], {
        env: user.env,
        encoding: "utf8",
      });
      expect(checked.stdout).toContain("The sandbox works.");
    },
    {
      env: isFree ? { TRIAL_SANDBOX: "danger-full-access" } : {},
      isUnasked: typeof HOSTS[driver.host].answering === "string",
    },
  );
}

const DENIES_MAKE: Readonly<Record<string, (user: TemporaryUser) => void>> = {
  "claude-code": user =>
    user.write(".claude/settings.json", { permissions: { deny: ["Bash(make denied)"] } }),
  codex: user =>
    user.write(
      ".codex/rules/default.rules",
      'prefix_rule(pattern=["make", "denied"], decision="forbidden")\n',
    ),
  "gemini-cli": user =>
    user.write(
      ".gemini/policies/own.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "make denied"\ndecision = "deny"\npriority = 100\n',
    ),
};

const GEMINI_EDITOR = fileURLToPath(new URL("./programs/gemini-editor.mjs", import.meta.url));

describe.skipIf(PROGRAMS["gemini-cli"] === undefined)("gemini-cli, driven by an editor", () => {
  it("starts no hook around tools, so that nothing can be refused there: its page says so", async () => {
    const driver = DRIVERS.find(({ host }) => host === "gemini-cli") as HostDriver;
    const args = (prompt: string, trial: TrialEnvironment) => [
      ...[GEMINI_EDITOR, PROGRAMS["gemini-cli"] ?? "", prompt, trial.project],
      ...["--model", "gemini-2.5-flash"],
    ];
    const deny = { effect: { decision: { kind: "deny", reason: "no" } } } as const;
    const scenario = { "pre-tool-use": deny };
    const { fired, has, end } = await playOnce({ ...driver, args }, process.execPath, scenario);
    expect([has("made"), fired.includes("user-prompt-submit"), fired.includes("pre-tool-use")], end).toEqual([
      true,
      true,
      false,
    ]);
    expect(HOSTS["gemini-cli"].setup?.().gaps?.join()).toContain("gemini --acp");
  });
});

for (const driver of DRIVERS) {
  const program = PROGRAMS[driver.host];
  const { answering } = HOSTS[driver.host];
  if (program === undefined || PROMPTING[driver.host] === undefined) continue;
  describe(driver.host, () => {
    const { isTold = false, asksNothing = false } = PROMPTING[driver.host] ?? {};
    if (asksNothing)
      it("asks nothing", async () => {
        const { made, end } = await playYes(driver, program, undefined);
        expect(made, end).toEqual(["first", "denied", "asked"]);
        expect(answering).toBe("asks nothing");
      });
    else
      it("asks about calls, and runs none of them while nobody answers", async () => {
        const { made, end } = await playYes(driver, program, undefined);
        expect(made, end).toEqual([]);
        if (isTold) expect(end).toContain("ASKED");
      });

    if (typeof answering === "string" && !asksNothing) {
      it("is not answered: a yes is not heard, or goes past what its person denies", async () => {
        const { made, end } = await playYes(driver, program, "pre-tool-use");
        expect(made, end).not.toEqual(["first"]);
        expect(made.length === 0 || made.includes("denied"), end).toBe(true);
        if (isTold) expect(end).toContain("ASKED");
      });

      it("shows its prompts about what is understood, because a yes is not given", async () => {
        const { made, answered, end } = await playOwn(driver, program, "understood", true);
        expect([made, answered], end).toEqual([[], 0]);
        if (isTold) expect(end).toContain("ASKED");
      });
    }
    if (typeof answering !== "string") {
      it("hears a yes, and what its person denies wins over it", async () => {
        const on = answering.event === "PreToolUse" ? "pre-tool-use" : "permission-request";
        const { made, end } = await playYes(driver, program, on);
        expect(made, end).toContain("first");
        expect(made, end).not.toContain("denied");
        if (answering.overrides === undefined) expect(made, end).not.toContain("asked");
      });

      if (answering.overrides !== undefined)
        it("is not answered while a rule of its person's asks, which a yes would override", async () => {
          const { made, answered, end } = await playOwn(driver, program, "understood", true);
          expect([made, answered], end).toEqual([[], 0]);
        });

      it("shows its prompts when autonomy is off", async () => {
        const { made, answered, end } = await playOwn(driver, program, "off");
        expect([made, answered], end).toEqual([[], 0]);
      });

      it("shows none about what is understood, and those about what is not", async () => {
        const { made, answered, end } = await playOwn(driver, program, "understood");
        const known = knownPlays(driver.host, "");
        expect(made, end).toEqual(known.map(([, name]) => name));
        // A host's own tool that asks only once for all is answered once.
        expect(answered, end).toBeGreaterThanOrEqual(KNOWN_COMMANDS.length);
      });
    }

    if (HOSTS[driver.host].sandboxing !== undefined) {
      it.skipIf(!canTry)("runs builds in the sandbox without a prompt", async () => {
        const { made, outside, end } = await playSandbox(driver, program);
        expect(made, end).toEqual([...BUILDS, HERE].slice(0, made.length).map(([, name]) => name));
        expect(made.length, end).toBeGreaterThanOrEqual(BUILDS.length);
        expect(outside).toBe(false);
      });

      if (HOSTS[driver.host].sandboxing?.ownSandbox !== undefined)
        it.skipIf(!canTry)("is sent nothing while it runs calls in a sandbox of its own", async () => {
          const { made, sent, end } = await playSandbox(driver, program, { isFree: false });
          expect([made, sent], end).toEqual([[], 0]);
        });

      if (DENIES_MAKE[driver.host] !== undefined)
        it.skipIf(!canTry)("keeps to what its person denies", async () => {
          const { made, end } = await playSandbox(driver, program, { hasRules: true });
          expect(made, end).toEqual([]);
        });
    }
  });
}
