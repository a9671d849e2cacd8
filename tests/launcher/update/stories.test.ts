import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../../src/version.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import type { ProgramEnd } from "../launch-machine.ts";
import { PUBLIC_KEY, type PublishedFiles, ReleaseServer, signRelease } from "./release-server.ts";
import { makeReleases, OLD, packQuickly, type WholeRelease } from "./whole-release.ts";

const { now, old } = await makeReleases();

/** A person's home, with Claude Code in it, hooks on Node, and folders that last. */
class Person {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly staged: string;
  readonly settings: string;

  constructor() {
    const base = temporaryDirectory();
    this.home = join(base, "home");
    for (const name of ["home/.claude", "home/project/.claude", "tmp", "bin"])
      mkdirSync(join(base, name), { recursive: true });
    this.env = {
      HOME: this.home,
      TMPDIR: join(base, "tmp"),
      AMPLIHACK_NO_UPDATE_CHECK: "1",
      AMPLIHACK_HOOK_ENGINE: "node",
      PATH: [join(base, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    };
    this.staged = join(this.home, ".amplihack/.claude/bin");
    this.settings = join(this.home, ".claude/settings.json");
    this.script(join(base, "bin/claude"), 'echo "claude 2.1.400"');
  }

  script(path: string, body: string): void {
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
  }

  configure(update: object): void {
    mkdirSync(join(this.home, ".amplihack"), { recursive: true });
    writeFileSync(join(this.home, ".amplihack/config.jsonc"), JSON.stringify({ update }));
  }

  /** Without blocking, because a server of this process may have to answer. */
  async run(argv: readonly string[], input = ""): Promise<ProgramEnd> {
    const [program = "", ...words] = argv;
    const child = spawn(program, words, { cwd: join(this.home, "project"), env: this.env });
    const texts = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        texts[stream] += text;
      });
    // A program that answers without reading may be gone before its input comes.
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
    child.stdin.end(input);
    const code = await new Promise<number | null>(resolve => child.once("close", resolve));
    return { code, ...texts };
  }

  async expect(argv: readonly string[], input = ""): Promise<string> {
    const { code, stdout, stderr } = await this.run(argv, input);
    if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  async stagedVersions(): Promise<readonly string[]> {
    const texts = ["amplihack", "amplihack-hooks"].map(name =>
      this.expect([join(this.staged, name), "--version"]),
    );
    return (await Promise.all(texts)).map(text => text.trim().split(" ")[1] ?? "");
  }

  /** The answer of the program that Claude Code starts, by its settings. */
  async judge(command: string): Promise<string> {
    const { hooks } = JSON.parse(readFileSync(this.settings, "utf8")) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: join(this.home, "project"),
      tool_name: "Bash",
      tool_input: { command },
    };
    return this.expect(
      ["/bin/sh", "-c", hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? "exit 9"],
      JSON.stringify(payload),
    );
  }
}

function unpackTo(folder: string, release: WholeRelease): string {
  rmSync(folder, { recursive: true, force: true });
  copyFolder(release.folder, folder);
  return join(folder, "dist/bin/amplihack.cjs");
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  execFileSync("cp", ["-R", `${from}/.`, to]);
}

async function serve(...releases: readonly WholeRelease[]): Promise<ReleaseServer> {
  const server = await ReleaseServer.start();
  for (const release of releases) server.offer(release.version, release.files);
  return server;
}

async function expectWhole(person: Person, amplihack: string): Promise<void> {
  const versionJson = await person.expect([amplihack, "version", "--format", "json"]);
  expect(JSON.parse(versionJson)).toMatchObject({ name: "amplihack", version, hooks_version: version });
  await person.expect([amplihack, "memory", "store", "--agent", "a", "key", "a value"]);
  expect(await person.expect([amplihack, "memory", "get", "--agent", "a", "key"])).toContain("a value");
  expect(await person.expect([amplihack, "recipe", "list"])).toContain("hello");
  expect(await person.expect([amplihack, "recipe", "validate", "hello"])).toContain("Recipe is valid");
  expect(await person.expect([amplihack, "guard", "why", "git.main"])).toContain("git.main");
}

describe("an update from a server", () => {
  it("installs a whole version that works by itself, and the hooks run it", async () => {
    const person = new Person();
    const server = await serve(old, now);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const first = unpackTo(join(person.home, ".amplihack/versions", OLD), old);
    await person.expect([process.execPath, first, "install", "--host", "claude"]);
    expect(await person.stagedVersions()).toEqual([OLD, OLD]);

    const amplihack = join(person.staged, "amplihack");
    const { code, stdout, stderr } = await person.run([amplihack, "update", "--format", "json"]);
    expect([code, stderr.includes("Error")]).toEqual([0, false]);
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      from: OLD,
      to: version,
      installed_hosts: ["claude-code"],
    });
    expect(await person.stagedVersions()).toEqual([version, version]);
    rmSync(join(person.home, ".amplihack/versions", OLD), { recursive: true });
    await expectWhole(person, amplihack);
    expect(await person.judge("rm -rf ~")).toContain('"permissionDecision":"deny"');
    expect(await person.judge("ls")).toBe("{}\n");
    expect(existsSync(join(person.home, ".amplihack/versions", version, "dist/types"))).toBe(true);

    await person.expect([amplihack, "uninstall"]);
    expect(existsSync(join(person.home, ".amplihack/versions"))).toBe(false);
  });

  it("is checked with the key that the running release was shipped with", async () => {
    const person = new Person();
    const server = await serve(old, now);
    person.configure({ source: server.source });
    const running = unpackTo(join(person.home, ".amplihack/versions", OLD), old);
    expect(await person.expect([process.execPath, running, "update"])).toContain(`→ ${version}`);
    const spoilt: PublishedFiles = { ...now.files, "SHA256SUMS.sig": new Uint8Array(64) };
    const wrong = await ReleaseServer.start();
    wrong.offer(version, spoilt);
    person.configure({ source: wrong.source });
    expect((await person.run([process.execPath, running, "update"])).stderr).toContain("does not match");
  });

  it("takes the native hook program along", async () => {
    const person = new Person();
    delete person.env["AMPLIHACK_HOOK_ENGINE"];
    const program = unpackTo(join(person.home, ".amplihack/versions", version), now);
    const report = await person.expect([
      process.execPath,
      program,
      "install",
      "--format",
      "json",
      "--programs-only",
    ]);
    expect(JSON.parse(report)).toMatchObject({ engine: "native", hosts: [] });
    expect(existsSync(person.settings)).toBe(false);
    expect(await person.stagedVersions()).toEqual([version, version]);
  });

  it("changes the programs also where only projects are registered", async () => {
    const person = new Person();
    const server = await serve(now);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const first = unpackTo(join(person.home, ".amplihack/versions", OLD), old);
    await person.expect([process.execPath, first, "install", "--host", "claude", "--scope", "project"]);
    await person.expect([join(person.staged, "amplihack"), "update"]);
    expect(await person.stagedVersions()).toEqual([version, version]);
    expect(existsSync(person.settings)).toBe(false);
  });
});

describe("an upgrade by npm of a global installation", () => {
  const shared = mkdtempSync(join(tmpdir(), "amplihack-npm-"));
  beforeAll(() => npmInstall(shared, join(shared, "npm"), old));
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  function npmInstall(home: string, prefix: string, { archive }: WholeRelease): void {
    const words = ["--global", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, archive];
    const env = { HOME: home, PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":") };
    const { status, stderr } = spawnSync("npm", ["install", ...words], { env, encoding: "utf8", cwd: home });
    if (status !== 0) throw new Error(stderr);
  }

  /** A prefix into which npm has installed the old release. */
  function oldByNpm(person: Person): string {
    const prefix = join(person.home, "npm");
    copyFolder(join(shared, "npm"), prefix);
    return prefix;
  }

  it("reaches the hooks at once, and a launch names the one command that is left", async () => {
    const person = new Person();
    const prefix = oldByNpm(person);
    const amplihack = join(prefix, "bin/amplihack");
    await person.expect([amplihack, "install", "--host", "claude"]);
    expect(await person.stagedVersions()).toEqual([OLD, OLD]);

    npmInstall(person.home, prefix, now);
    expect(await person.expect([amplihack, "--version"])).toBe(`amplihack ${version}\n`);
    expect(await person.stagedVersions()).toEqual([version, version]);
    expect(await person.judge("rm -rf ~")).toContain('"permissionDecision":"deny"');
    const { stderr } = await person.run([amplihack, "claude"]);
    expect(stderr).toContain(`hooks were installed by amplihack ${OLD}, this is ${version}`);
    expect(stderr).toContain("amplihack install --host claude");
    await person.expect([amplihack, "install", "--host", "claude"]);
    expect((await person.run([amplihack, "claude"])).stderr).not.toContain("were installed by");
    await expectWhole(person, amplihack);
  });

  it("is what `update` advises, because npm's copy is npm's", async () => {
    const person = new Person();
    const server = await serve(now);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const amplihack = join(oldByNpm(person), "bin/amplihack");
    await person.expect([amplihack, "install", "--host", "claude"]);
    expect(await person.expect([amplihack, "update"])).toContain(`npm install -g amplihack@${version}`);
    expect(await person.expect([amplihack, "--version"])).toBe(`amplihack ${OLD}\n`);
    expect(await person.stagedVersions()).toEqual([version, version]);
  });
});

describe("a run without an installation, by npx", () => {
  it("leaves hooks that outlive the copy, and the next version's run replaces them", async () => {
    const person = new Person();
    const cache = join(person.home, ".npm/_npx/1f/node_modules/amplihack");
    for (const release of [old, now]) {
      const program = unpackTo(cache, release);
      await person.expect([process.execPath, program, "install", "--host", "claude"]);
      rmSync(cache, { recursive: true });
      expect(await person.stagedVersions()).toEqual([release.version, release.version]);
      expect(await person.judge("rm -rf ~")).toContain('"permissionDecision":"deny"');
    }
    expect(readdirSync(join(person.home, ".amplihack/versions")).sort()).toEqual([OLD, version]);
    await expectWhole(person, join(person.staged, "amplihack"));
  });

  it("updates what is installed and advises nothing about the passing copy", async () => {
    const person = new Person();
    const server = await serve(now);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const program = unpackTo(join(person.home, ".npm/_npx/1f/node_modules/amplihack"), old);
    const result = JSON.parse(
      await person.expect([process.execPath, program, "update", "--format", "json"]),
    ) as object;
    expect(result).toMatchObject({ changed: true, installed_hosts: [] });
    expect(result).not.toHaveProperty("own_copy");
  });
});

describe("a git pull of a checkout", () => {
  it("reaches the hooks after the build, and `update` names pull and build", async () => {
    const person = new Person();
    const server = await serve(now);
    const checkout = join(person.home, "src/amplihack");
    const program = unpackTo(checkout, old);
    mkdirSync(join(checkout, ".git"));
    await person.expect([process.execPath, program, "install", "--host", "claude"]);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const said = await person.expect([process.execPath, program, "update", "--skip-install"]);
    expect(said).toContain(`git -C ${checkout} pull && npm --prefix ${checkout} run build`);
    expect(await person.stagedVersions()).toEqual([OLD, OLD]);

    unpackTo(checkout, now);
    mkdirSync(join(checkout, ".git"));
    expect(await person.stagedVersions()).toEqual([version, version]);
    const { stderr } = await person.run([process.execPath, program, "claude"]);
    expect(stderr).toContain(`hooks were installed by amplihack ${OLD}, this is ${version}`);
  });
});

describe("a platform that is not supported", () => {
  it.each(["update", "claude", "install"])("is refused by %s with what to use instead", async command => {
    const person = new Person();
    const program = unpackTo(join(person.home, "amplihack"), now);
    const pretend = join(person.home, "pretend.cjs");
    writeFileSync(pretend, 'Object.defineProperty(process, "platform", { value: "win32" });');
    const before = readdirSync(person.home);
    const { code, stderr } = await person.run([process.execPath, "-r", pretend, program, command]);
    expect(code).toBe(1);
    expect(stderr).toContain("WSL");
    expect(readdirSync(person.home)).toEqual(before);
  });

  it("keeps its version when a release is not made for it", async () => {
    const person = new Person();
    const folder = join(person.home, "package");
    const running = unpackTo(join(person.home, ".amplihack/versions", OLD), old);
    unpackTo(folder, now);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    const other = { ...manifest, amplihack: { platforms: ["plan9-mips"] } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(other));
    const packed = join(person.home, "other.tgz");
    packQuickly(packed, person.home);
    const server = await ReleaseServer.start();
    server.offer(version, signRelease(version, readFileSync(packed)));
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const { code, stderr } = await person.run([process.execPath, running, "update"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`it is made for plan9-mips, and this is ${process.platform}-${process.arch}`);
    expect(readdirSync(join(person.home, ".amplihack/versions"))).toEqual([OLD]);
  });
});

describe("a downgrade", () => {
  it("is never taken by itself, and done whole when its version is named", async () => {
    const person = new Person();
    const server = await serve(old);
    person.configure({ source: server.source, publicKey: PUBLIC_KEY });
    const program = unpackTo(join(person.home, ".amplihack/versions", version), now);
    await person.expect([process.execPath, program, "install", "--host", "claude"]);
    const amplihack = join(person.staged, "amplihack");
    await person.expect([amplihack, "memory", "store", "--agent", "a", "key", "kept"]);
    expect(await person.expect([amplihack, "update"])).toBe(`amplihack ${version} is current\n`);
    expect(await person.expect([amplihack, "update", "--check"])).toBe(`amplihack ${version} is current\n`);

    const { code, stderr } = await person.run([amplihack, "update", "--version", OLD]);
    expect(code).toBe(0);
    expect(stderr).toContain(`this goes back from ${version} to ${OLD}`);
    expect(await person.stagedVersions()).toEqual([OLD, OLD]);
    expect(await person.judge("rm -rf ~")).toContain('"permissionDecision":"deny"');
    expect(await person.expect([amplihack, "memory", "get", "--agent", "a", "key"])).toContain("kept");
  });
});
