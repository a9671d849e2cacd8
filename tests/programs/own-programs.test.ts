import { describe, expect, it } from "vitest";
import type { OwnProgram } from "../../src/config/sections.ts";
import { judge, settings } from "../guard/scene.ts";

const ACME: OwnProgram = {
  names: "acme acmectl",
  options: { flags: "-f force prod", values: "-o|output region" },
  effects: [{ delete: "operands", recursive: "always", when: "f force" }, { write: "o" }],
  operations: [
    { command: "env destroy", rule: "cloud.infra", what: "destroy the environment", safer: "acme env list" },
    { command: "deploy", rule: "cloud.platform", what: "deploy for everybody", needs: "prod" },
  ],
};
const own = { settings: settings({ programs: [ACME] }) };

describe("a program that the configuration describes", () => {
  it.each([
    ["acme env destroy staging", "ask", "cloud.infra"],
    ["acmectl env destroy staging", "ask", "cloud.infra"],
    ["sudo acme deploy --prod", "ask", "cloud.platform"],
    ["acme --force ~", "deny", "fs.home"],
    ["acme --output /etc/passwd build", "deny", "fs.system-write"],
  ])("%s: %s", (command, verdict, rule) => {
    const judged = judge(command, own);
    expect([judged.verdict, judged.findings.map(finding => finding.rule)]).toEqual([
      verdict,
      expect.arrayContaining([rule]),
    ]);
  });

  it.each(["acme deploy", "acme env list", "acme env destroy --help", "acme status"])(
    "%s: allow",
    command => {
      expect(judge(command, own).verdict).toBe("allow");
    },
  );

  it("is unknown without the configuration", () => {
    // Its words still say that it deploys, and where to.
    expect(judge("acme deploy --prod").findings.map(({ rule }) => rule)).toEqual(["deploy.production"]);
    expect(judge("acme deploy").verdict).toBe("allow");
    expect(judge("acme env destroy staging").findings.map(({ rule }) => rule)).toEqual(["cloud.other"]);
  });

  it("may have the name of a program that is otherwise passed without a look", () => {
    const tree: OwnProgram = { names: "tree", effects: [{ delete: "operands", recursive: "always" }] };
    expect(judge("tree /etc", { settings: settings({ programs: [tree] }) }).verdict).toBe("deny");
  });
});
