import { describe, expect, it } from "vitest";
import { openTerminal } from "../../src/cli/terminal.ts";
import { printJudgement } from "../../src/commands/guard/judged.ts";
import { ALLOWED } from "../../src/guard/judgement.ts";
import { readAgentStatus } from "../../src/launcher/agent-status.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const FLAGS = { isQuiet: false, noColor: true, isJson: false };

describe("commands that people type all day do no work that nobody sees", () => {
  it("guard test analyses a harmless command only for a program that asks what is known of it", () => {
    const system = createMemorySystem();
    let analysed = 0;
    const judgement = {
      ...ALLOWED,
      hasGaps: () => {
        analysed++;
        return false;
      },
    };
    printJudgement(judgement, openTerminal(system, FLAGS), "text");
    expect(system.stdout()).toBe("ALLOW\n");
    expect(analysed).toBe(0);
    printJudgement(judgement, openTerminal(system, FLAGS), "json");
    expect(analysed).toBe(1);
  });

  it("status looks at each folder of PATH once, however many agents it looks for", () => {
    const folders = ["/opt/one/bin", "/opt/two/bin"];
    const system = createMemorySystem({
      env: { HOME: "/home/ada", PATH: folders.join(":") },
      files: Object.fromEntries(folders.map(folder => [`${folder}/other`, ""])),
    });
    const seen: string[] = [];
    const files = Object.create(system.files, {
      follow: {
        value: (path: string) => {
          seen.push(path);
          return system.files.follow(path);
        },
      },
    }) as typeof system.files;
    expect(readAgentStatus({ ...system, files }, "/opt/amplihack").length).toBeGreaterThan(3);
    expect(seen.filter(path => folders.includes(path))).toEqual(folders);
  });
});
