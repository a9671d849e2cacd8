import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AMPLIHACK, newUser, newUserInside } from "../commands/run-command.ts";
import { newMachine } from "./machine.ts";

function userWithLogs() {
  const user = newUser();
  const stateHome = join(user.home, ".amplihack");
  mkdirSync(stateHome);
  return { user, machine: newMachine(stateHome) };
}

describe("amplihack dashboard", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("prints its address, serves until %s, and is gone afterwards", async (signal, code) => {
    const { user, machine } = userWithLogs();
    machine.run({ decision: "deny" });
    const [program = "", ...words] = AMPLIHACK;
    const child = spawn(program, [...words, "dashboard"], {
      cwd: user.project,
      env: { PATH: process.env["PATH"], HOME: user.home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    const address = printed.toString("utf8").trim();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{32}$/);
    const page = await fetch(address);
    expect(page.status).toBe(200);
    await page.text();
    // An open page must not keep the program alive.
    const live = await fetch(address.replace("/?", "/api/live?"));
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([code, null]);
    await expect(live.text()).rejects.toThrow();
    await expect(fetch(address)).rejects.toThrow();
  });

  it("is for this machine alone", async () => {
    const { code, stderr } = await newUser().type(["dashboard", "--address", "0.0.0.0"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the page is for this machine alone");
  });

  it.each(["65536", "80.5"])("refuses %s as a port", async port => {
    const { code, stderr } = await newUser().type(["dashboard", "--port", port]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--port must be a whole number up to 65535, not ${port}`);
  });
});

describe("amplihack dashboard --url", () => {
  it.each([
    [["--team", "acme"], 2, "--team is for --url URL"],
    [["--url"], 2, "no database is named"],
    [["--url", "http://x"], 2, "it must begin with postgres://"],
    [["--url", "postgres://me:secret@x/y"], 2, "it holds a password"],
    [["--url", "postgres://me@/y?host=/nowhere"], 1, "the database y on /nowhere does not answer"],
  ])("refuses %j", async (words, expected, message) => {
    const { code, stderr } = await newUserInside().type(["dashboard", ...words]);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
  });
});

describe("amplihack report", () => {
  it("writes one file that only its owner can read", async () => {
    const { user, machine } = userWithLogs();
    machine.judge({ command: "rm -rf ~/work" });
    await user.type(["memory", "store", "--agent", "ada", "tests", "Payments need the sandbox."]);
    const { code, stdout, stderr } = await user.type(["report", "--html", "out/report.html"]);
    const path = join(user.project, "out", "report.html");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path}\n` });
    expect(stderr).toBe(`${join(user.project, "out")} was not there and has been made\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const html = readFileSync(path, "utf8");
    const piped = await user.type(["report", "--html", "-"]);
    expect(piped.stdout).toContain("rm -rf ~/work");
    expect(existsSync(join(user.project, "-"))).toBe(false);
    expect(html).toContain("rm -rf ~/work");
    expect(html).not.toContain("Payments need the sandbox.");
    expect((await user.type(["report", "--html", path, "--memory"])).stderr).toBe("");
    expect(readFileSync(path, "utf8")).toContain("Payments need the sandbox.");
  });

  it("replaces nothing but a report", async () => {
    const { user } = userWithLogs();
    const page = join(user.project, "index.html");
    writeFileSync(page, "<!doctype html>\n<title>Ours</title>\n");
    const { code, stderr } = await user.type(["report", "--html", "index.html"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${page} is there and is not a report`);
    expect(readFileSync(page, "utf8")).toContain("Ours");
  });

  it("needs to be told the file", async () => {
    expect(await newUser().type(["report", "--memory"])).toMatchObject({ code: 2 });
  });
});
