import { describe, expect, it } from "vitest";
import { type Autonomy, effectiveAutonomy, loadConfig } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;

interface Layers {
  readonly machine?: object;
  readonly user?: object;
  readonly project?: object;
  readonly trusts?: true;
  readonly env?: Readonly<Record<string, string>>;
}

function load({ machine, user, project, trusts, env = {} }: Layers) {
  const projectText = JSON.stringify(project ?? {});
  const trustedProjects = [{ path: PROJECT, sha256: sha256Hex(utf8.encode(projectText)) }];
  const trusting = trusts === true ? { ...user, guard: { trustedProjects } } : user;
  const seed = (value: object | undefined, path: string, uid: number) =>
    value === undefined ? {} : { [path]: { content: JSON.stringify(value), mode: 0o600, uid } };
  const system = createMemorySystem({
    files: {
      ...seed(machine, "/etc/amplihack/config.jsonc", 0),
      ...seed(trusting, `${HOME}/.amplihack/config.jsonc`, 1000),
      ...seed(project, `${PROJECT}/.amplihack/config.jsonc`, 1000),
    },
    env: { HOME, ...env },
    uid: 1000,
  });
  return loadConfig(system, { home: HOME, stateHome: `${HOME}/.amplihack`, projectRoot: PROJECT });
}

describe("autonomy in the layers of configuration", () => {
  it("is off unless somebody sets it", () => {
    expect(load({}).config.autonomy).toBe("off");
    expect(load({ user: { autonomy: "understood" } }).config.autonomy).toBe("understood");
    expect(load({ machine: { autonomy: "sandbox" } }).config.autonomy).toBe("sandbox");
  });

  it.each<[Autonomy, Autonomy, Autonomy, boolean]>([
    ["off", "understood", "off", true],
    ["off", "sandbox", "off", true],
    ["understood", "sandbox", "understood", true],
    ["sandbox", "understood", "understood", false],
    ["understood", "off", "off", false],
    ["understood", "understood", "understood", false],
  ])("set to %s by the person and %s by a project it is %s", (user, project, expected, isTold) => {
    for (const trusts of [undefined, true] as const) {
      const { config, notices } = load({
        user: { autonomy: user },
        project: { autonomy: project },
        ...(trusts === undefined ? {} : { trusts }),
      });
      expect(config.autonomy).toBe(expected);
      expect(notices.map(({ code }) => code)).toEqual(isTold ? ["loosening"] : []);
    }
  });

  it("is not raised above what a managed machine sets, nor by the environment", () => {
    const machine = { managed: true, autonomy: "understood" };
    const raised = load({ machine, user: { autonomy: "sandbox" } });
    expect(raised.config.autonomy).toBe("understood");
    expect(raised.notices.map(({ message }) => message)).toEqual([expect.stringContaining("autonomy")]);
    expect(load({ machine, user: { autonomy: "off" } }).config.autonomy).toBe("off");
    const free = { managed: true, guard: { level: "standard" } };
    expect(load({ machine: free, user: { autonomy: "understood" } }).config.autonomy).toBe("understood");
    const env = { AMPLIHACK_AUTONOMY: "sandbox", AUTONOMY: "sandbox" };
    expect(load({ env }).config.autonomy).toBe("off");
  });

  it("stays as it is below where a policy of the machine is missing", () => {
    const machine = { managed: true, extends: ["/etc/amplihack/absent.jsonc"] };
    expect(load({ machine, user: { autonomy: "understood" } }).config.autonomy).toBe("off");
  });

  it("does not take a word that it does not know", () => {
    const { config, notices } = load({ user: { autonomy: "everything" } });
    expect(config.autonomy).toBe("off");
    expect(notices.map(({ code }) => code)).toEqual(["bad-value"]);
  });
});

describe("the autonomy that counts", () => {
  it("is off under strict, by whichever layer, and without the guard, and says so", () => {
    const user = { autonomy: "sandbox", guard: { level: "strict" } };
    expect(effectiveAutonomy(load({ user }).config)).toEqual({ level: "off", why: "guard.level is strict" });
    const env = { AMPLIHACK_GUARD_LEVEL: "strict" };
    expect(effectiveAutonomy(load({ user: { autonomy: "understood" }, env }).config).level).toBe("off");
    const parts = ["history"];
    expect(effectiveAutonomy(load({ user: { autonomy: "understood", parts } }).config)).toEqual({
      level: "off",
      why: "the part guard is off",
    });
    expect(effectiveAutonomy(load({ user: { autonomy: "understood" } }).config)).toEqual({
      level: "understood",
      why: undefined,
    });
  });
});
