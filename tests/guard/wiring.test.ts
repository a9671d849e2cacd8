import { describe, expect, it } from "vitest";
import { createMemorySystem } from "../../src/system/memory.ts";
import { findHostFolders } from "../../src/workspace/workspace.ts";
import { HOME, judge, machine, PROJECT } from "./scene.ts";
import { formsOf, namingsOf, placeOf, READERS, REGISTERED, WIRING, type WiringFile } from "./wiring-forms.ts";

/** A machine on which all of it is there, with another name for one of the files. */
function wiredMachine(file: WiringFile) {
  const system = machine(Object.fromEntries(WIRING.map(one => [placeOf(one), "{}\n"])));
  system.files.link(placeOf(file), `${PROJECT}/hard-link.json`);
  return system;
}

const rulesOf = (command: string, system = machine()) =>
  judge(command, { system }).all.map(({ rule }) => rule);

/** Every n-th of a list, the same ones in every run. */
function every<T>(step: number, items: readonly T[]): readonly T[] {
  return items.filter((_, index) => index % step === 0);
}

describe("wiring is found", () => {
  const [sample = WIRING[0] as WiringFile] = WIRING.filter(
    ({ root, path }) => root === "project" && path === ".claude/settings.json",
  );

  it("whoever writes it, and however it is named", () => {
    const system = wiredMachine(sample);
    const forms = every(4, formsOf(sample));
    const missed = forms.filter(({ command }) => judge(command, { system }).verdict === "allow");
    expect(forms.length).toBeGreaterThan(800);
    expect(missed.length / forms.length, missed.map(({ command }) => command).join("\n")).toBeLessThan(0.01);
  });

  it("whichever host it belongs to", () => {
    const system = wiredMachine(sample);
    const forms = WIRING.flatMap((file, index) =>
      every(17, formsOf(file, ["plain", "star", "hard"]).slice(index % 17)),
    );
    const missed = forms.filter(({ command }) => judge(command, { system }).verdict === "allow");
    expect(forms.length).toBeGreaterThan(1000);
    expect(missed.length / forms.length, missed.map(({ command }) => command).join("\n")).toBeLessThan(0.01);
  });

  it("for every file that an installation writes", () => {
    for (const { id, scope, path } of REGISTERED) {
      const place = `${scope === "user" ? HOME : PROJECT}/${path}`;
      expect(rulesOf(`unknown-editor ${place}`), `${id} ${place}`).toContain("agent.bypass");
    }
  });

  it("and may be read", () => {
    const system = wiredMachine(sample);
    const names = Object.entries(namingsOf(sample)).filter(([name]) => !/brace|copied|hardCopy/.test(name));
    const asked = names.flatMap(([, { before, word }]) =>
      every(2, READERS)
        .filter(reader => !(/['"]%/.test(reader) && /["$*?{~]/.test(word)))
        .map(reader => before + reader.replaceAll("%", () => word))
        .filter(command => judge(command, { system }).verdict !== "allow"),
    );
    expect(asked).toEqual([]);
  });
});

describe("a place of wiring", () => {
  it.each([
    "rm -rf .github",
    "rm -rf ~/.config/opencode",
    "mv .agents ../elsewhere",
    "rm .claude/*",
    "rm -rf .cl*",
    "rm .CLAUDE/Settings.json",
    'echo x > "$DIR/.claude/settings.json"',
    "echo x > .claude/$NAME",
    "git clone https://example.com/x .claude/hooks/mine",
    "git config -f .codex/config.toml features.hooks false",
    "exec 3< .claude; echo x > /proc/self/fd/3/settings.json",
  ])("%s is asked about", command => {
    expect(rulesOf(command, wiredMachine(WIRING[0] as WiringFile))).toContain("agent.bypass");
  });

  it.each([
    "rm -rf .github/workflows",
    "rm .claude/*.log",
    "rm -rf **/__pycache__",
    "mkdir -p .claude/hooks",
    "prettier --write src/*.json",
    "node .claude/hooks/check.js < payload.json",
    "bash .claude/hooks/check.sh",
    "shellcheck .claude/hooks/check.sh",
    "git commit -m 'settings' .claude/settings.json",
    "gh pr create --title x --body 'changes .claude/settings.json'",
    "echo '.claude/settings.json' >> notes.txt",
    "npm run build -- --config app.json",
    "rm hard-link.json",
  ])("%s is not", command => {
    expect(rulesOf(command, wiredMachine(WIRING[0] as WiringFile))).not.toContain("agent.bypass");
  });

  it("may be moved by a variable of the host", () => {
    const env = { HOME, CODEX_HOME: "/data/codex", CLAUDE_CONFIG_DIR: "relative" };
    const hostFolders = findHostFolders(createMemorySystem({ env }).env);
    expect(hostFolders).toEqual([{ path: "/data/codex", folder: ".codex" }]);
    const command = "echo x > /data/codex/config.toml; unknown-editor /data/codex/hoo*";
    const system = machine({ "/data/codex/hooks.json": "{}" });
    const targets = judge(command, { system, hostFolders }).all.map(({ target }) => target);
    expect([...targets].sort()).toEqual(["/data/codex/config.toml", "/data/codex/hoo*"]);
    expect(judge(command, { system }).verdict).toBe("allow");
  });
});
