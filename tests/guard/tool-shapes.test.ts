import { describe, expect, it } from "vitest";
import { judgeTool } from "../../src/guard/index.ts";
import { HOSTS } from "../../src/hosts/descriptors.ts";
import { deriveFacts } from "../../src/hosts/facts.ts";
import type { Json } from "../../src/protocol/index.ts";
import { contextFor, readCorpus } from "./scene.ts";

/** The call as a host with no tools of its own hands it over. */
function judgeCall(name: string, input: Json) {
  const tool = { name, canonicalName: name, input };
  return judgeTool({ tool, facts: deriveFacts(HOSTS["claude-code"], name, name, input) }, contextFor());
}

function callsOf(file: string): readonly (readonly [string, Json, string])[] {
  return readCorpus(file).map(line => {
    const [, name = "", input = ""] = /^(\S+) (.*)$/s.exec(line) ?? [];
    return [name, JSON.parse(input), line];
  });
}

describe("tools of any name", () => {
  it("are stopped where their arguments are dangerous", () => {
    const calls = callsOf("tool-calls-dangerous.txt");
    expect(calls.length).toBeGreaterThanOrEqual(120);
    const passed = calls.filter(([name, input]) => judgeCall(name, input).verdict === "allow");
    expect(passed.map(([, , line]) => line)).toEqual([]);
  });

  it("are left alone where they are not", () => {
    const calls = callsOf("tool-calls-ordinary.txt");
    expect(calls.length).toBeGreaterThanOrEqual(120);
    const bothered = calls.flatMap(([name, input, line]) => {
      const { verdict, findings } = judgeCall(name, input);
      return verdict === "allow"
        ? []
        : [`${line} → ${findings.map(({ rule, target }) => `${rule} ${target}`)}`];
    });
    expect(bothered).toEqual([]);
  });
});
