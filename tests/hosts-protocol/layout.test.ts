import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOST_IDS, HOST_LIST, HOSTS, isHostId, printModeArguments } from "../../src/exports/hosts.ts";
import * as all from "../../src/hosts/all.ts";
import { AGENTS } from "../../src/hosts/index.ts";
import { hostSetup, INSTALLABLE_HOSTS } from "../../src/install/targets.ts";
import { DRIVERS } from "../../src/verify/live/live.ts";
import { wiringPart } from "../../src/workspace/wiring.ts";

// What CONTRIBUTING promises: a host is one file in src/hosts and one line in src/hosts/all.ts.

const LIST = "src/hosts/all.ts";

/** Where a host may be named outside of its own file, and why. A folder stands for all its files. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/verify/recorded-payloads.ts": "what real hosts sent, each with the host it came from",
  [LIST]: "the list itself",
  "src/hosts/active-agent.ts": "the launcher's agents, some of which are called as their host is",
  "src/commands/amplifier.ts": "a command that starts an agent",
  "src/commands/codex.ts": "a command that starts an agent",
  "src/commands/opencode.ts": "a command that starts an agent",
  "src/commands/pi.ts": "a command that starts an agent",
  "src/install/generated-modules.ts": "texts of modules, which the hook program must not carry",
  "src/install/doctor/hosts.ts": "checks of one host's own files, which the hook program must not carry",
  "src/engine": "atomcode is also a dialect of hook configuration",
  "src/handlers": "atomcode is also a dialect of hook configuration",
  "src/code": "augmented assignment",
};

/** Hosts that read another's files say so, and Copilot's dialect is shared with VS Code. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  "src/hosts/vscode-copilot.ts": ["claude-code"],
  "src/hosts/copilot-cli.ts": ["claude-code"],
  "src/hosts/cursor.ts": ["claude-code"],
  "src/hosts/amplifier-shell.ts": ["amplifier"],
};

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory()
      ? sourceFiles(join(folder, entry.name))
      : entry.name.endsWith(".ts")
        ? [join(folder, entry.name)]
        : [],
  );
}

/** Hosts that a file names: as a whole text, or as the name of a member. */
function namedIn(file: string): readonly string[] {
  const code = readFileSync(file, "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return HOST_IDS.filter(id => new RegExp(`["'\`]${id}["'\`]|^\\s*${id}: `, "m").test(code));
}

describe("a host", () => {
  it("is one file, named after it, and one line in the list", () => {
    const lines = readFileSync(LIST, "utf8")
      .split("\n")
      .filter(line => line.startsWith("export"));
    const listed = lines.map(line => /^export \{ \w+ \} from "\.\/(.+)\.ts";$/.exec(line)?.[1]);
    expect(listed.toSorted()).toEqual(
      Object.values(all)
        .map(({ id }) => id)
        .toSorted(),
    );
    const described = sourceFiles("src/hosts").filter(file =>
      /: HostDescriptor<"/.test(readFileSync(file, "utf8")),
    );
    expect(described.toSorted()).toEqual(listed.map(name => `src/hosts/${name}.ts`).toSorted());
  });

  it("is named in no other file", () => {
    const strangers = sourceFiles("src")
      .filter(file => !Object.keys(EXCEPTIONS).some(path => file === path || file.startsWith(`${path}/`)))
      .flatMap(file =>
        namedIn(file)
          .filter(id => file !== `src/hosts/${id}.ts` && !(NEIGHBOURS[file] ?? []).includes(id))
          .map(id => `${file} names ${id}`),
      );
    expect(strangers).toEqual([]);
  });

  it("needs every exception that is made", () => {
    const files = sourceFiles("src");
    for (const path of Object.keys(EXCEPTIONS)) {
      const named = files.filter(file => file === path || file.startsWith(`${path}/`)).flatMap(namedIn);
      expect([path, path === LIST || named.length > 0]).toEqual([path, true]);
    }
  });

  it("leads only to hosts that exist", () => {
    for (const { setup } of HOST_LIST) {
      const { registeredBy, alsoReads = [] } = setup?.() ?? {};
      for (const id of [registeredBy, ...alsoReads.map(({ host }) => host)])
        if (id !== undefined) expect(HOSTS[isHostId(id) ? id : "amp"].registration).toBeDefined();
    }
  });

  it("has short names that no other host has", () => {
    const names = HOST_LIST.flatMap(({ shortNames }) => shortNames ?? []);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("what is derived from hosts", () => {
  it("is who can be registered with, and each has a driver or says why not", () => {
    expect(INSTALLABLE_HOSTS.toSorted()).toEqual(
      HOST_LIST.filter(({ setup }) => setup !== undefined).map(({ id }) => id),
    );
    for (const host of INSTALLABLE_HOSTS) {
      const { live } = hostSetup(host);
      expect(DRIVERS.some(driver => driver.host === host)).toBe(typeof live === "object");
      if (typeof live === "string") expect(live).not.toBe("");
    }
  });

  it("is how every agent of the launcher is asked once", () => {
    for (const agent of AGENTS) expect(printModeArguments(agent, { prompt: "-" }).stdin).toBe("-");
  });

  it("is what the guard protects: every file that an installation writes", () => {
    const workspace = {
      home: "/home/ines",
      project: "/work/shop",
      cwd: "/work/shop",
      stateHomes: [],
      auditLogs: [],
      given: {},
    };
    const partOf = (path: string) =>
      wiringPart(workspace as unknown as Parameters<typeof wiringPart>[0], path);
    for (const { registration } of HOST_LIST) {
      const { user, project } = registration?.files ?? {};
      if (user !== undefined) expect(partOf(`/home/ines/${user}`)).toBe("hooks");
      if (project !== undefined) expect(partOf(`/work/shop/${project}`)).toBe("hooks");
    }
    expect(partOf("/work/shop/src/index.ts")).toBeUndefined();
  });
});
