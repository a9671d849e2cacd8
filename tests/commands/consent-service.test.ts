import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  BROKER,
  SERVICE_FILES,
  SERVICE_UNIT,
  SOCKET_UNIT,
} from "../../src/commands/consent-service/broker.ts";
import { askService } from "../../src/commands/consent-service/client.ts";
import {
  findSystemPrompt,
  requireSystemPrompt,
  withTextAgent,
} from "../../src/commands/guard/system-prompt.ts";
import { loadConfig } from "../../src/config/index.ts";
import { grantOnce, type RefusedCommand } from "../../src/hooks/program/grants.ts";
import { preToolUse } from "../../src/hooks/stock/pre-tool-use.ts";
import type { MemorySystem } from "../../src/system/memory.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { ROOT as PROJECT, runHook } from "../hooks/run-hook.ts";
import { systemIn } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { newUserInside } from "./run-command.ts";

const IS_ROOT = process.getuid?.() === 0;
const STATE = "/home/user/.amplihack";
const COMMAND = "git push --force origin main";

describe("the setting consent", () => {
  const loaded = (machine: string, user: string) => {
    const system = createMemorySystem({
      files: { "/etc/amplihack/config.jsonc": { content: machine, uid: 0 }, [`${STATE}/config.jsonc`]: user },
    });
    const places = { home: "/home/user", stateHome: STATE, projectRoot: undefined };
    return loadConfig(system, places).config.consent;
  };

  it.each([
    ["{}", "{}", "terminal"],
    ["{}", '{"consent":"desktop"}', "desktop"],
    ['{"consent":"service"}', "{}", "service"],
    ['{"consent":"service"}', '{"consent":"terminal"}', "service"],
    ['{"consent":"desktop"}', '{"consent":"service"}', "service"],
    ['{"managed":true,"consent":"desktop"}', '{"consent":"terminal"}', "desktop"],
    ["{}", '{"consent":"never"}', "terminal"],
  ])("is the strictest of the layers: %s under %s is %s", (machine, user, expected) => {
    expect(loaded(machine, user)).toBe(expected);
  });

  it("is not lowered without a person, and shown with what it is worth", async () => {
    const user = newUserInside();
    const { stdout } = await user.type(["consent-service"]);
    expect(stdout).toMatch(/^Consent: terminal\. What permits a call is a phrase/);
    expect((await user.type(["config", "set", "consent", "desktop"])).code).toBe(0);
    for (const words of [
      ["config", "set", "consent", "terminal"],
      ["config", "unset", "consent"],
    ])
      expect((await user.type(words)).stderr).toContain("only a person can do this");
    const { consent, service } = await user.json("consent-service", "--json");
    expect({ consent, service }).toEqual({ consent: "desktop", service: "not installed" });
  });
});

describe.skipIf(!IS_ROOT)("the system's own prompt", () => {
  const promptOf = (script: string, mode: number) => {
    const program = join(temporaryDirectory(), "pkexec");
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, mode);
    return { program, isSetUserId: true, argumentsFor: () => ["/bin/true"] };
  };
  const system = systemIn("/", {});

  it("has to be answered", () => {
    expect(() => requireSystemPrompt(system, "x", promptOf('[ "$1" = /bin/true ]', 0o4755))).not.toThrow();
    expect(() => requireSystemPrompt(system, "x", promptOf("exit 126", 0o4755))).toThrow("not permitted");
    expect(() => requireSystemPrompt(system, "x", { ...promptOf("", 0o4755), program: "/none" })).toThrow();
  });

  it("is no program that somebody else could have put there", () => {
    expect(findSystemPrompt(system, [promptOf("", 0o4755)])).toBeDefined();
    for (const mode of [0o755, 0o4775, 0o4757])
      expect(findSystemPrompt(system, [promptOf("", mode)])).toBe(undefined);
    const foreign = promptOf("", 0o755);
    chownSync(foreign.program, 1000, 1000);
    chmodSync(foreign.program, 0o4755);
    expect(findSystemPrompt(system, [foreign])).toBeUndefined();
  });
});

describe("polkit's question where there is no desktop", () => {
  it("is asked at the terminal by polkit's own program, from before the question to its end", async () => {
    const top = temporaryDirectory();
    const program = join(top, "agent");
    writeFileSync(program, `#!/bin/sh\necho "$$ $*" > ${top}/words\nexec 3>&-\nexec sleep 300\n`, {
      mode: 0o755,
    });
    const [pid = "", ...words] = await withTextAgent(
      async () => readFileSync(join(top, "words"), "utf8").trim().split(" "),
      program,
    );
    expect(words.slice(0, 4)).toEqual(["--notify-fd", "3", "--process", String(process.pid)]);
    await expect.poll(() => existsSync(`/proc/${pid}/cmdline`)).toBe(false);
  });

  it("is left to the system where that program is not there or ends at once", async () => {
    expect(await withTextAgent(async () => "asked", "/none/pkttyagent")).toBe("asked");
    expect(await withTextAgent(async () => "asked", "/bin/false")).toBe("asked");
  });
});

const REFUSED: RefusedCommand = {
  code: "ABCDEF",
  digest: "0".repeat(64),
  command: COMMAND,
  cwd: "/p",
  rules: [],
  refusedMs: 0,
  session: "s1",
  host: "claude-code",
};

/** The service with folders of the test's, and somebody who answers in polkit's place. */
function serviceFiles(answer: string) {
  const top = temporaryDirectory();
  const [program, folder, pkcheck] = [join(top, "service"), join(top, "run"), join(top, "pkcheck")];
  writeFileSync(pkcheck, `#!/bin/sh\nprintf '%s\\n' "$@" > ${top}/asked\n${answer}\n`, { mode: 0o755 });
  const text = BROKER.replace(/^FOLDER=.*$/m, `FOLDER=${folder}`).replace(
    /^PKCHECK=.*$/m,
    `PKCHECK=${pkcheck}`,
  );
  writeFileSync(program, text, { mode: 0o755 });
  return { top, program, folder };
}

/** The service as systemd runs it: one process for each connection, named after who connected. */
function startService(answer: string) {
  const { top, program, folder } = serviceFiles(answer);
  const children: ChildProcess[] = [];
  let peer = `1-${process.pid}-1000`;
  const server = createServer({ pauseOnConnect: true }, socket => {
    const child = spawn(program, [peer], { stdio: [socket, socket, "inherit"] });
    children.push(child);
    child.on("close", () => socket.destroy());
  });
  const path = join(top, "s.sock");
  onTestFinished(() => void server.close());
  return new Promise<{
    readonly ask: (change?: Partial<RefusedCommand>) => Promise<number>;
    readonly as: (name: string) => void;
    readonly grant: string;
    readonly asked: () => string;
    /** what it answers to somebody who writes another text */
    readonly say: (shown: string) => string;
  }>(resolve => {
    server.listen(path, () =>
      resolve({
        ask: (change = {}) => askService({ ...REFUSED, ...change }, path),
        as: name => {
          peer = name;
        },
        grant: join(folder, "1000", "ABCDEF.json"),
        say: shown => {
          const words = ["amplihack-consent 1", "ABCDEF", "0".repeat(64), "s1", "claude-code"];
          const input = `${[...words, Buffer.from(shown).toString("base64")].join("\n")}\n`;
          return spawnSync(program, [peer], { input, encoding: "utf8" }).stdout;
        },
        asked: () => (existsSync(join(top, "asked")) ? readFileSync(join(top, "asked"), "utf8") : ""),
      }),
    );
  });
}

describe.skipIf(!IS_ROOT)("the consent service", () => {
  it("shows what was sent, asks for the password, and writes a file of root's", async () => {
    const service = await startService("exit 0");
    const expires = await service.ask();
    expect(service.asked()).toContain(`--action-id\nio.amplihack.consent\n--process\n${process.pid},`);
    expect(service.asked()).toContain(`${COMMAND}\nin /p`);
    expect(JSON.parse(readFileSync(service.grant, "utf8"))).toEqual({
      code: "ABCDEF",
      digest: "0".repeat(64),
      session: "s1",
      host: "claude-code",
      shown: sha256Hex(new TextEncoder().encode(`${COMMAND}\nin /p`)),
      expiresMs: expires,
    });
    const { uid, mode } = statSync(service.grant);
    expect([uid, mode & 0o777]).toEqual([0, 0o644]);
    expect(statSync(join(service.grant, "..")).uid).toBe(1000);
  });

  it.each([
    ["the password is not given", "exit 1", {}, "the password was not given"],
    ["the code is none", "exit 0", { code: "../../x" }, "the code was not understood"],
    ["the digest is none", "exit 0", { digest: "x" }, "the digest was not understood"],
    ["the session is more than a name", "exit 0", { session: 'a","x":"' }, "the session was not understood"],
    ["a member holds a line", "exit 0", { host: "a\nb" }, "the text"],
    ["the text is too long to be shown", "exit 0", { command: "x".repeat(20_000) }, "too long"],
  ])("permits nothing if %s", async (_, answer, change, why) => {
    const service = await startService(answer);
    await expect(service.ask(change)).rejects.toThrow(why);
    expect(existsSync(service.grant)).toBe(false);
  });

  it.each([
    ["ls \u202e~ fr- mr", "ls \\u202e~ fr- mr"],
    ["rm\u200b -rf x", "rm\\u{200b} -rf x"],
    ["a\u001b[2Jb", "a\\u001b[2Jb"],
    [`ls${"\n".repeat(200)}rm -rf ~`, `ls${"\\n".repeat(200)}rm -rf ~`],
    ["ls\r\t\u2028rm", "ls\\r\\t\\u2028rm"],
  ])("shows what would be hidden, reordered or pushed out of sight: %j", async (command, shown) => {
    const service = await startService("exit 0");
    await service.ask({ command, cwd: "/p\n/q" });
    expect(service.asked()).toContain(`${shown}\nin /p\\n/q\n`);
  });

  it.each(["a\u001b[2Jb\nin /p", "a\tb\nin /p", "a\n\n\nin /p"])(
    "shows nothing of somebody who writes such a text themselves: %j",
    async shown => {
      const service = await startService("exit 0");
      expect(service.say(shown)).toMatch(/^no the text has/);
      expect([service.asked(), existsSync(service.grant)]).toEqual(["", false]);
    },
  );

  it.each(["1-1-0", "1", `1-${process.pid}-x`, "1-999999999-1000"])(
    "permits nothing to a peer that is not a user: %s",
    async name => {
      const service = await startService("exit 0");
      service.as(name);
      await expect(service.ask()).rejects.toThrow("not permitted");
      expect(existsSync(service.grant)).toBe(false);
    },
  );

  it("is installed and taken away as files of root's, with the setting", async () => {
    const user = newUserInside();
    const into = join(user.home, "machine");
    mkdirSync(join(into, "etc/amplihack"), { recursive: true });
    const config = join(into, "etc/amplihack/config.jsonc");
    writeFileSync(config, '{\n  // ours\n  "guard": { "level": "strict" }\n}\n');
    expect((await user.type(["consent-service", "install", "--into", into])).code).toBe(0);
    expect(readFileSync(config, "utf8")).toMatch(/\/\/ ours[\s\S]*"consent": "service"/);
    for (const path of Object.values(SERVICE_FILES)) expect(statSync(into + path).mode & 0o022).toBe(0);
    expect(statSync(into + SERVICE_FILES.program).mode & 0o777).toBe(0o755);
    expect((await user.type(["consent-service", "uninstall", "--into", into])).code).toBe(0);
    for (const path of Object.values(SERVICE_FILES)) expect(existsSync(into + path)).toBe(false);
    expect(readFileSync(config, "utf8")).not.toContain("consent");
  });
});

const ACTIVATE = "/usr/bin/systemd-socket-activate";
const ANALYZE = "/usr/bin/systemd-analyze";

describe.skipIf(!IS_ROOT || !existsSync(ACTIVATE))("systemd itself", () => {
  it("hands a connection to the service, one process for each", async () => {
    const { folder, program, top } = serviceFiles("exit 0");
    const path = join(top, "s.sock");
    const words = ["--accept", "--inetd", "-l", path, program, `1-${process.pid}-1000`];
    const systemd = spawn(ACTIVATE, words, { stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void systemd.kill());
    // It says so when it listens.
    await new Promise(resolve => systemd.stderr.once("data", resolve));
    for (const code of ["ABCDEF", "GHJKMN"]) {
      expect(await askService({ ...REFUSED, code }, path)).toBeGreaterThan(Date.now());
      expect(statSync(join(folder, "1000", `${code}.json`)).uid).toBe(0);
    }
  });

  it.skipIf(!existsSync(ANALYZE))("has nothing against the units", () => {
    const top = temporaryDirectory();
    const units = [
      ["amplihack-consent.socket", SOCKET_UNIT],
      // Whether the program is there is a matter of the installation.
      ["amplihack-consent@.service", SERVICE_UNIT.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true")],
    ] as const;
    for (const [name, text] of units) writeFileSync(join(top, name), text);
    const paths = [join(top, "amplihack-consent.socket"), join(top, "amplihack-consent@1.service")];
    const ran = spawnSync(ANALYZE, ["verify", "--man=no", ...paths], {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${top}:/usr/lib/systemd/system` },
    });
    expect(`${ran.stdout}${ran.stderr}`).not.toContain("amplihack");
    expect(ran.status).toBe(0);
  });
});

describe("a call that only the service can permit", () => {
  const call = (command = COMMAND, session = "s1") => ({
    tool_name: "Bash",
    tool_input: { command },
    cwd: PROJECT,
    session_id: session,
  });
  const FOLDER = "/run/amplihack/consent/1000";

  async function refused(uid = 1000): Promise<{ system: MemorySystem; refusal: RefusedCommand }> {
    const system = createMemorySystem({
      uid: 1000,
      files: {
        "/proc/self": { kind: "directory", uid },
        [`${PROJECT}/.claude`]: { kind: "directory" },
        "/etc/amplihack/config.jsonc": { content: '{"consent":"service"}', uid: 0 },
      },
    });
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
    const file = JSON.parse(system.peek(`${STATE}/guard/allow-once.json`) ?? "{}");
    return { system, refusal: file.refused[0] };
  }

  /** As the service writes it. */
  function sign(
    system: MemorySystem,
    { code, digest, session, host, command, cwd }: RefusedCommand,
    change: { readonly facts?: object; readonly members?: object } = {},
  ): string {
    const shown = sha256Hex(system.text.encode(`${command}\nin ${cwd}`));
    const expiresMs = system.clock.nowMs() + 60_000;
    const content = JSON.stringify({ code, digest, session, host, shown, expiresMs, ...change.members });
    const path = `${FOLDER}/${code}.json`;
    system.put(path, { content, uid: 0, mode: 0o644, ...change.facts });
    return path;
  }

  it("runs once", async () => {
    const { system, refusal } = await refused();
    const path = sign(system, refusal);
    expect((await runHook(preToolUse(), system, call()))?.decision).toBeUndefined();
    expect(system.peek(path)).toBeUndefined();
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
  });

  it.each([
    ["somebody else wrote it", { facts: { uid: 1000 } }],
    ["somebody else may write it", { facts: { mode: 0o666 } }],
    ["something else was shown", { members: { shown: "0".repeat(64) } }],
    ["it is for another call", { members: { digest: "1".repeat(64) } }],
    ["it is for another session", { members: { session: "s2" } }],
    ["it is for another host", { members: { host: "codex" } }],
    ["it is over", { members: { expiresMs: 1 } }],
    ["it would last for ever", { members: { expiresMs: 9e15 } }],
    ["it has no text", { members: { shown: undefined } }],
  ])("does not run if %s", async (_, change) => {
    const { system, refusal } = await refused();
    sign(system, refusal, change);
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
  });

  it("does not run by a grant that has a second name, under which it would outlive its use", async () => {
    const { system, refusal } = await refused();
    const path = sign(system, refusal);
    system.files.link(path, `${FOLDER}/kept`);
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
    system.files.remove(`${FOLDER}/kept`);
    expect((await runHook(preToolUse(), system, call()))?.decision).toBeUndefined();
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
  });

  it("does not run by a grant that cannot be used up", async () => {
    const { system, refusal } = await refused();
    sign(system, refusal);
    system.faults.failUnder(FOLDER, "EACCES", ["remove"]);
    for (let each = 0; each < 2; each += 1)
      expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
  });

  it("does not run by a link to a grant, or by one in the folder of another user", async () => {
    const { system, refusal } = await refused();
    const path = sign(system, refusal);
    system.files.rename(path, `${FOLDER}/moved`);
    system.files.symlink(`${FOLDER}/moved`, path);
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
    system.files.remove(path);
    system.put(path.replace("/1000/", "/1001/"), {
      content: system.peek(`${FOLDER}/moved`) ?? "",
      uid: 0,
      mode: 0o644,
    });
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
  });

  it("does not run by a grant that the user's own files hold, nor for root, from whom nothing is kept apart", async () => {
    const { system, refusal } = await refused();
    grantOnce(system, STATE, refusal);
    expect((await runHook(preToolUse(), system, call()))?.decision?.kind).toBe("deny");
    const root = await refused(0);
    sign(root.system, root.refusal);
    expect((await runHook(preToolUse(), root.system, call()))?.decision?.kind).toBe("deny");
  });
});
