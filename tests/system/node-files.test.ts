import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { bundleProgram } from "../bundle-program.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const probe = bundleProgram(new URL("./programs/probe.ts", import.meta.url));

const system = createNodeSystem();
const { files } = system;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("reading a file", () => {
  it("stops at the limit, also where the size is not known beforehand", () => {
    const path = `${temporaryDirectory()}/f`;
    writeFileSync(path, "12345");
    expect(textOf(files.read(path, 5))).toBe("12345");
    expect(() => files.read(path, 4)).toThrow("EFBIG");
    expect(textOf(files.read("/proc/self/stat", 10_000))).toContain(String(process.pid));
    expect(() => files.read("/proc/self/stat", 10)).toThrow("EFBIG");
    expect(() => files.read("/dev/zero", 1000)).toThrow("EFBIG");
    expect(files.read("/dev/null", 0)).toHaveLength(0);
  });

  it("returns plain bytes, not a Buffer, whose slice would share memory", () => {
    const path = `${temporaryDirectory()}/f`;
    writeFileSync(path, "12345");
    expect(Object.getPrototypeOf(files.read(path, 5))).toBe(Uint8Array.prototype);
    expect(Object.getPrototypeOf(system.text.encode("x"))).toBe(Uint8Array.prototype);
  });

  it("does not hang on a named pipe that nobody writes to", () => {
    const path = `${temporaryDirectory()}/pipe`;
    execFileSync("mkfifo", [path]);
    expect(files.read(path, 100)).toHaveLength(0);
    expect(() => files.append(path, bytesOf("x"), 0o600)).toThrow("ENXIO");
    expect(files.inspect(path)?.kind).toBe("other");
  });

  it("waits for the writer of a named pipe", async () => {
    const path = `${temporaryDirectory()}/pipe`;
    execFileSync("mkfifo", [path]);
    const writer = spawn("sh", ["-c", 'exec 3<>"$0"; echo ready; sleep 0.1; echo hello >&3', path]);
    await once(writer.stdout, "data");
    expect(textOf(files.read(path, 100))).toBe("hello\n");
    await once(writer, "exit");
  });
});

describe("making files and directories", () => {
  it("leaves nothing behind when the content cannot be written", () => {
    const path = `${temporaryDirectory()}/f`;
    const script = 'ulimit -f 8; exec "$0" "$1" create-large "$2"';
    const said = execFileSync("sh", ["-c", script, process.execPath, probe, path], { encoding: "utf8" });
    expect(JSON.parse(said)).toEqual({ code: "EFBIG", exists: false });
  });

  it("does not change the mode of directories that exist", () => {
    const directory = temporaryDirectory();
    mkdirSync(`${directory}/a`, { mode: 0o755 });
    files.makeDirectory(`${directory}/a/b/c`, 0o700);
    expect(statSync(`${directory}/a`).mode & 0o777).toBe(0o755);
    expect(statSync(`${directory}/a/b`).mode & 0o777).toBe(0o700);
    expect(statSync(`${directory}/a/b/c`).mode & 0o777).toBe(0o700);
  });

  it("appends, and gives the mode to a file it makes only", () => {
    const path = `${temporaryDirectory()}/log`;
    files.append(path, bytesOf("first\n"), 0o600);
    files.append(path, bytesOf("second\n"), 0o644);
    expect(readFileSync(path, "utf8")).toBe("first\nsecond\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("swallows the failure to sync a directory, as promised", () => {
    expect(files.syncDirectory(`${temporaryDirectory()}/missing`)).toBeUndefined();
  });
});

describe("the working directory", () => {
  it("is unknown once it was removed", () => {
    const cwd = `${temporaryDirectory()}/gone`;
    mkdirSync(cwd);
    const script = 'rmdir ../gone; exec "$0" "$1" working-directory';
    const said = execFileSync("sh", ["-c", script, process.execPath, probe], { cwd, encoding: "utf8" });
    expect(JSON.parse(said)).toBeNull();
  });
});

describe("names that lead nowhere", () => {
  it.each(["missing", "file/below"])("are absent and not an error: %s", name => {
    const directory = temporaryDirectory();
    writeFileSync(`${directory}/file`, "");
    expect(files.inspect(`${directory}/${name}`)).toBeUndefined();
    expect(files.follow(`${directory}/${name}`)).toBeUndefined();
  });

  it("are an error with operation, path and code everywhere else", () => {
    expect(() => files.list("/nowhere")).toThrow("cannot list /nowhere: ENOENT");
    expect(() => files.read("/bad\0name", 1)).toThrow(/EINVAL/);
  });
});
