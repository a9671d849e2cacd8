import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { checkPlatform } from "../../../src/launcher/platform.ts";
import { unpack } from "../../../src/launcher/update/apply.ts";
import { canRestart, findOwner, latestRelease } from "../../../src/launcher/update/releases.ts";
import { version } from "../../../src/version.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { buildProgram, LaunchMachine, type ProgramEnd } from "../launch-machine.ts";
import { PUBLIC_KEY, type PublishedFiles, ReleaseServer } from "./release-server.ts";

const program = buildProgram();

interface World {
  readonly machine: LaunchMachine;
  readonly server: ReleaseServer;
  update(...words: readonly string[]): Promise<ProgramEnd>;
}

async function prepare(publicKey = PUBLIC_KEY, executable = program): Promise<World> {
  const machine = new LaunchMachine(executable);
  const server = await ReleaseServer.start();
  machine.write(
    join(machine.home, ".amplihack/config.jsonc"),
    JSON.stringify({ update: { source: server.source, publicKey } }),
  );
  return { machine, server, update: (...words) => machine.start("update", ...words).end() };
}

function versionsOf(machine: LaunchMachine): readonly string[] {
  const folder = join(machine.home, ".amplihack/versions");
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe("update", () => {
  it("fetches, checks and unpacks the newest release, and installs it where the old one was", async () => {
    const { machine, server, update } = await prepare();
    server.publish("9.0.0");
    server.publish("9.9.0-beta.1");
    server.publish("9.8.0", { prerelease: true });
    server.publish("9.7.0", { draft: true });
    machine.write(
      join(machine.home, ".amplihack/.claude/install/amplihack-manifest.json"),
      JSON.stringify({
        hosts: [
          { host: "claude-code", scope: "user" },
          { host: "codex", scope: "user" },
          { host: "cursor", scope: "project" },
        ],
      }),
    );
    const { code, stdout } = await update();
    expect(code).toBe(0);
    expect(stdout).toContain(`amplihack ${version} → 9.0.0`);
    expect(versionsOf(machine)).toEqual(["9.0.0"]);
    const deep = join(machine.home, ".amplihack/versions/9.0.0", "a-long-folder-name/".repeat(8), "file.txt");
    expect(readFileSync(deep, "utf8")).toBe("deep");
    expect(readFileSync(join(machine.home, "ran-9.0.0"), "utf8")).toBe(
      "install --yes --host claude-code --host codex\n",
    );
  });

  it("without an installation fetches the release and says how to install it", async () => {
    const { machine, server, update } = await prepare();
    server.publish("9.0.0");
    const { code, stdout } = await update();
    expect(code).toBe(0);
    expect(stdout).toContain("versions/9.0.0/dist/bin/amplihack.cjs install");
    expect(existsSync(join(machine.home, "ran-9.0.0"))).toBe(false);
  });

  it("says so when there is nothing newer", async () => {
    const { machine, server, update } = await prepare();
    server.publish("0.0.1");
    expect(await update()).toMatchObject({ code: 0, stdout: `amplihack ${version} is current\n` });
    expect(versionsOf(machine)).toEqual([]);
  });

  it("goes back to an older version when it is named", async () => {
    const { machine, server, update } = await prepare();
    server.publish("9.0.0");
    server.publish("0.0.1");
    const { code, stderr } = await update("--version", "v0.0.1");
    expect(code).toBe(0);
    expect(stderr).toContain("goes back");
    expect(versionsOf(machine)).toEqual(["0.0.1"]);
    expect((await update("--version", "0.0.2")).code).toBe(1);
  });

  it("takes the place of a damaged copy of the same version, and leaves nothing beside it", async () => {
    const { machine, server, update } = await prepare();
    server.publish("9.0.0");
    const program = join(machine.home, ".amplihack/versions/9.0.0/dist/bin/amplihack.cjs");
    machine.write(program, "damaged");
    machine.write(join(machine.home, ".amplihack/versions/9.0.0/left-over"), "");
    expect((await update()).code).toBe(0);
    expect(readFileSync(program, "utf8")).not.toBe("damaged");
    expect(existsSync(join(machine.home, ".amplihack/versions/9.0.0/left-over"))).toBe(false);
    expect(versionsOf(machine)).toEqual(["9.0.0"]);
  });

  it("--check ends with 10 for a newer version and 0 for none", async () => {
    const { server, update } = await prepare();
    expect((await update("--check")).code).toBe(0);
    server.publish("9.0.0");
    const { code, stdout } = await update("--check", "--format", "json");
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toEqual({ current: version, latest: "9.0.0", newer: true });
  });

  it.each<[string, (files: PublishedFiles) => void, string]>([
    ["no checksums", files => delete files["SHA256SUMS"], "could not fetch"],
    ["no signature", files => delete files["SHA256SUMS.sig"], "could not fetch"],
    [
      "a wrong signature",
      files => Object.assign(files, { "SHA256SUMS.sig": new Uint8Array(64) }),
      "does not match",
    ],
    [
      "sums changed after signing",
      files => Object.assign(files, { SHA256SUMS: `${files["SHA256SUMS"]}\n` }),
      "does not match",
    ],
    [
      "another archive",
      files => Object.assign(files, { "amplihack-9.0.0.tgz": gzipSync("something else") }),
      "is not the file",
    ],
  ])("refuses a release with %s and changes nothing", async (_, change, message) => {
    const { machine, server, update } = await prepare();
    server.publish("9.0.0", {}, change);
    const { code, stdout } = await update("--format", "json");
    expect(code).toBe(1);
    const { success, error } = JSON.parse(stdout) as { success: boolean; error: { message: string } };
    expect(success).toBe(false);
    expect(error.message).toContain(message);
    expect(versionsOf(machine)).toEqual([]);
  });

  it("refuses everything without a key, or with a key of another kind", async () => {
    const { server, update } = await prepare("bm90IGEga2V5");
    server.publish("9.0.0");
    expect((await update()).stderr).toContain("Ed25519");
  });

  it("says how to name a source when there is none, and that the source cannot be reached", async () => {
    const machine = new LaunchMachine(program);
    const { stderr: unset } = machine.run("update");
    expect(unset).toContain("no source of releases is configured, and this version has none of its own");
    expect(unset).toContain("no key to check releases with is shipped or configured either");
    expect(unset).toContain(`set "update": {"source": "https://…", "publicKey": "…"} in `);
    expect(unset).toContain("config.jsonc");
    const { server, update } = await prepare();
    server.stop();
    const { code, stderr } = await update();
    expect(code).toBe(1);
    expect(stderr).toContain("could not fetch");
  });

  it("leaves a copy that npm owns, and prints npm's command", async () => {
    const modules = join(temporaryDirectory(), "lib/node_modules");
    const copy = join(modules, "amplihack");
    mkdirSync(modules, { recursive: true });
    cpSync(dirname(dirname(dirname(program))), copy, { recursive: true });
    for (const name of readdirSync(join(import.meta.dirname, "../../../node_modules"))) {
      if (!name.startsWith(".") && name !== "amplihack")
        symlinkSync(join(import.meta.dirname, "../../../node_modules", name), join(modules, name));
    }
    const { server, update } = await prepare(PUBLIC_KEY, join(copy, "dist/bin/amplihack.cjs"));
    server.publish("9.0.0");
    const { code, stdout } = await update();
    expect(code).toBe(0);
    expect(stdout).toContain("npm install -g amplihack@9.0.0");
  });
});

describe("a copy of the program", () => {
  it("is known by where it lies", () => {
    const checkout = temporaryDirectory();
    mkdirSync(join(checkout, ".git"));
    const kind = (self: string): string => findOwner(self, "/home/u/.amplihack").kind;
    expect(kind(join(checkout, "dist/bin/amplihack.cjs"))).toBe("checkout");
    expect(kind("/usr/lib/node_modules/amplihack/dist/bin/amplihack.cjs")).toBe("npm");
    expect(kind("/home/u/.npm/_npx/1/node_modules/amplihack/dist/bin/amplihack.cjs")).toBe("runner");
    expect(kind("/home/u/.amplihack/versions/1.0.0/dist/bin/amplihack.cjs")).toBe("ours");
  });

  it("runs on Linux and macOS only", () => {
    expect(() => checkPlatform("win32")).toThrow("does not run on win32");
    expect(() => checkPlatform("darwin")).not.toThrow();
  });
});

describe("the newest release", () => {
  it("is found by the order of versions, not of letters", () => {
    const releases = ["1.9.0", "1.10.0", "1.2.0"].map(each => ({
      version: each,
      isPrerelease: false,
      addressOf: () => "",
    }));
    expect(latestRelease(releases)?.version).toBe("1.10.0");
    expect(latestRelease([])).toBeUndefined();
  });
});

describe("an archive", () => {
  function archive(name: string, type: string): Uint8Array {
    const header = Buffer.alloc(1024);
    header.write(name, 0);
    header.write("0000644\0", 100);
    header.write("00000000000\0", 124);
    header.write(type, 156);
    return gzipSync(header);
  }

  it.each([
    ["package/../../evil", "0"],
    ["/etc/evil", "0"],
    ["package/link", "2"],
    ["package/hard", "1"],
  ])("with %s of type %s is refused", (name, type) => {
    const target = join(temporaryDirectory(), "inside");
    expect(() => unpack(archive(name, type), target)).toThrow("not usable");
  });
});

describe("a restart after an update", () => {
  it.each<[readonly string[], boolean]>([
    [["claude"], true],
    [["claude", "--no-reflection", "-p", "any words"], true],
    [["claude", "--checkout-repo=a/b", "--", "--anything"], true],
    [["recipe", "run"], true],
    [["recipe", "run", "hello"], false],
    [["claude", "--path"], false],
    [["claude", "-path"], false],
    [["claude", "--max-turns"], false],
    [["claude", "--verbosely"], false],
    [["fleet"], false],
    [["constructor"], false],
    [[], false],
  ])("with %j: %s", (words, expected) => {
    expect(canRestart(words)).toBe(expected);
  });
});
