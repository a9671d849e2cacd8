import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOSTS, planRegistrations, renderFailure } from "../../src/exports/hosts.ts";
import { repairCommand } from "../../src/install/package.ts";
import { INSTALLABLE_HOSTS } from "../../src/install/targets.ts";
import { hookWrapper, programWrapper } from "../../src/install/user-commands.ts";
import { isWrapper } from "../../src/programs/records/own-wrapper.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

function write(text: string): string {
  const path = join(temporaryDirectory(), "amplihack-hooks");
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

function run(path: string, words: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(path, [...words], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
  });
  return { stdout, stderr, status };
}

describe("the staged hook program", () => {
  it("starts Node with the script and passes everything on, whatever stands in the paths", () => {
    const folder = temporaryDirectory();
    const script = join(folder, 'it\'s $HOME `x` "y".cjs');
    writeFileSync(
      script,
      "process.stdin.pipe(process.stdout); console.log(JSON.stringify(process.argv.slice(2)))",
    );
    const path = write(
      hookWrapper({ version: "1", command: [process.execPath, script], policyOf: () => "open" }),
    );
    const ran = spawnSync(path, ["stop", "a b", "$c", ""], { input: "payload", encoding: "utf8" });
    expect(ran.stdout).toBe('["stop","a b","$c",""]\npayload');
    expect(ran.status).toBe(0);
  });

  it("is recognised as ours", () => {
    expect(isWrapper(hookWrapper({ version: "1\nx", command: ["/a"], policyOf: () => "open" }))).toBe(true);
    expect(isWrapper("#!/bin/sh\nexec amplihack\n")).toBe(false);
  });

  it.each(["open", "ask", "closed"] as const)(
    "answers every host in its own words when a part is missing and the policy is %s",
    policy => {
      const path = write(
        hookWrapper({ version: "1", command: ["/nowhere/node", "/x"], policyOf: () => policy }),
      );
      for (const host of INSTALLABLE_HOSTS) {
        const { registration } = HOSTS[host];
        if (registration === undefined || registration.isShared === true) continue;
        for (const { subcommand, event, nativeEvent } of planRegistrations(host).registrations) {
          const ran = run(path, [subcommand, "--host", host, "--event", nativeEvent]);
          const reason = "could not check this: a part of amplihack is missing; run: amplihack install";
          const expected = renderFailure(host, { event, nativeEvent, policy, reason });
          const call = `${host} ${nativeEvent} ${subcommand}`;
          expect({ call, stdout: ran.stdout, status: ran.status }).toEqual({
            call,
            stdout: expected.stdout,
            status: expected.exitCode,
          });
        }
      }
    },
  );

  it("answers a host that it cannot tell so that each takes its own part", () => {
    const closed = write(hookWrapper({ version: "1", command: ["/nowhere"], policyOf: () => "closed" }));
    const denied = run(closed, ["pre-tool-use"]);
    expect(denied.status).toBe(2);
    expect(JSON.parse(denied.stdout)).toMatchObject({ permissionDecision: "deny" });
    expect(denied.stderr).toMatch(
      /^could not check this: .*\n\(\/nowhere\)\n\{"hook":"pre_tool_use",.*"panic".*\}\n$/,
    );
    expect(run(closed, ["stop"])).toMatchObject({ stdout: "{}\n", status: 0 });
    const asking = write(hookWrapper({ version: "1", command: ["/nowhere"], policyOf: () => "ask" }));
    expect(JSON.parse(run(asking, ["pre-tool-use"]).stdout)).toMatchObject({
      permissionDecision: "ask",
      hookSpecificOutput: { permissionDecision: "ask" },
    });
    const open = write(hookWrapper({ version: "1", command: ["/nowhere"], policyOf: () => "open" }));
    expect(run(open, ["pre-tool-use"])).toMatchObject({ stdout: "{}\n", status: 0 });
  });
});

describe("a hook that cannot be loaded", () => {
  /** The built program with `code` in the place of its hook. */
  function withHook(code: string | undefined, policy: "open" | "ask" | "closed") {
    const stateHome = temporaryDirectory();
    const script = join(stateHome, "program", "amplihack-hooks.cjs");
    mkdirSync(join(stateHome, "program", "hook-entries"), { recursive: true });
    copyFileSync(new URL("../../dist/bin/amplihack-hooks.cjs", import.meta.url), script);
    if (code !== undefined)
      writeFileSync(join(stateHome, "program", "hook-entries", "pre-tool-use.cjs"), code);
    const wrapper = join(stateHome, ".claude", "bin", "amplihack-hooks");
    mkdirSync(dirname(wrapper), { recursive: true });
    const command = [process.execPath, script];
    writeFileSync(wrapper, hookWrapper({ version: "1", command, stateHome, policyOf: () => policy }));
    chmodSync(wrapper, 0o755);
    return run(wrapper, ["pre-tool-use"]);
  }

  it.each([
    ["missing", undefined],
    ["half-written", "(function(exports,require,module,__filename,__dirname){ const a = "],
    ["broken", "(function(){ throw new Error('broken') })"],
  ])("%s, is refused under the policy closed and let pass under open, and says so", (_, code) => {
    const closed = withHook(code, "closed");
    expect({ ...closed, stdout: JSON.parse(closed.stdout) as unknown }).toMatchObject({
      status: 2,
      stdout: { permissionDecision: "deny" },
      stderr: expect.stringContaining("pre-tool-use could not be loaded"),
    });
    const open = withHook(code, "open");
    expect(open).toMatchObject({ status: 0, stdout: "{}\n" });
    expect(open.stderr).toContain("pre-tool-use could not be loaded");
    expect(open.stderr.trimEnd().split("\n").at(-1)).toContain('"panic"');
  });

  it("is asked about under the policy ask", () => {
    expect(JSON.parse(withHook(undefined, "ask").stdout)).toMatchObject({ permissionDecision: "ask" });
  });
});

describe("a hook program that is not whole", () => {
  const CODE = readFileSync(new URL("../../dist/bin/amplihack-hooks.cjs", import.meta.url), "utf8");
  const [SHEBANG = ""] = CODE.split("\n");

  function started(code: string, policy: "open" | "ask" | "closed", words: readonly string[]) {
    const script = join(temporaryDirectory(), "amplihack-hooks.cjs");
    writeFileSync(script, code);
    const wrapper = hookWrapper({
      version: "1",
      command: [process.execPath, script],
      policyOf: () => policy,
    });
    return run(write(wrapper), words);
  }

  it.each([
    ["cut off", CODE.slice(0, CODE.length / 2)],
    ["cut off before its last letter", CODE.slice(0, -2)],
    ["cut off behind its first line", `${SHEBANG}\n`],
    ["empty", ""],
  ])("%s, is answered for by the policy", (_, code) => {
    const denied = started(code, "closed", ["pre-tool-use"]);
    expect(denied.status).toBe(2);
    expect(JSON.parse(denied.stdout)).toMatchObject({ permissionDecision: "deny" });
    expect(denied.stderr).toContain("amplihack-hooks.cjs)");
    expect(JSON.parse(started(code, "ask", ["pre-tool-use"]).stdout)).toMatchObject({
      permissionDecision: "ask",
    });
  });

  it("is started as it is where the policy lets pass, which is what hosts do then", () => {
    // Cut behind an open brace: elsewhere half a word could be left, which is another error.
    const half = CODE.slice(0, CODE.lastIndexOf("{", CODE.length / 2) + 1);
    const ran = started(half, "open", ["pre-tool-use"]);
    expect([ran.status, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain("SyntaxError");
    expect(hookWrapper({ version: "1", command: ["/a", "/b"], policyOf: () => "open" })).not.toContain(
      "whole",
    );
  });

  it("is told from one that is", () => {
    expect(started(CODE, "closed", ["--version"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^amplihack-hooks /),
    });
  });
});

describe("the way to mend it", () => {
  it("is named by the wrappers: a build in a checkout", () => {
    const command = ["/nowhere/node", "/nowhere/x.cjs"];
    const repair = "npm --prefix '/it is/here' run build";
    const hooks = write(hookWrapper({ version: "1", command, repair, policyOf: () => "ask" }));
    const asked = run(hooks, ["pre-tool-use"]);
    expect(asked.stdout).toContain(`run: ${repair}`);
    expect(asked.stderr).toContain(`run: ${repair}`);
    expect(run(write(programWrapper({ version: "1", command, repair })), []).stderr).toBe(
      `amplihack: /nowhere/node is missing; run: ${repair}\n`,
    );
  });

  it("depends on what put the package there", () => {
    const place = temporaryDirectory();
    const program = (folder: string) => join(place, folder, "dist/bin/amplihack-hooks.cjs");
    mkdirSync(join(place, "checkout/.git"), { recursive: true });
    mkdirSync(join(place, "app"));
    writeFileSync(join(place, "app/package.json"), '{"devDependencies":{"amplihack":"1"}}');
    const of = (folder: string) => repairCommand(program(folder), "1.2.3", join(place, "state"));
    expect(of("checkout")).toBe(`npm --prefix ${place}/checkout run build`);
    expect(of("lib/node_modules/amplihack")).toBe("npm install -g amplihack@1.2.3");
    expect(of("app/node_modules/amplihack")).toBe(
      `npm --prefix ${place}/app install --save-dev amplihack@1.2.3`,
    );
    expect(of("state/versions/1")).toBeUndefined();
  });
});

describe("the staged command line program", () => {
  it("says which part is missing", () => {
    const path = write(
      programWrapper({ version: "1", command: [process.execPath, "/nowhere/amplihack.cjs"] }),
    );
    expect(run(path, ["--version"])).toEqual({
      stdout: "",
      stderr: "amplihack: /nowhere/amplihack.cjs is missing; install amplihack again\n",
      status: 127,
    });
  });
});
