import { describe, expect, it } from "vitest";
import { judge, machine, PROJECT, rulesOf } from "./scene.ts";

describe("a directory that may or may not be reached", () => {
  it("turns a denial that only the other one deserves into a question", () => {
    expect(judge("cd /tmp/nowhere; rm -rf *").verdict).toBe("ask");
    expect(judge("cd /tmp/nowhere && rm -rf *").verdict).toBe("allow");
    expect(judge("cd /tmp/scratch; rm -rf *").verdict).toBe("allow");
  });

  it("never softens the gravest", () => {
    expect(judge("cd /tmp/nowhere; rm -rf /").verdict).toBe("deny");
  });
});

describe("what the command itself has just made", () => {
  it("is not mourned", () => {
    expect(judge("git clone https://github.com/acme/app && rm -rf app").verdict).toBe("allow");
    expect(judge("git clone https://github.com/acme/app.git x && rm -rf x/.git").verdict).toBe("allow");
  });

  it("counts only when it was not there before", () => {
    const system = machine({ [`${PROJECT}/app/index.ts`]: "x" });
    expect(judge("git clone https://github.com/acme/app; rm -rf app", { system }).verdict).toBe("ask");
    expect(judge("rm -rf app; git clone https://github.com/acme/app", { system }).verdict).toBe("ask");
  });

  it("leads where it leads, when it is a link", () => {
    expect(rulesOf("ln -s /etc e && rm -rf e/nginx")).toContain("fs.root");
    expect(rulesOf("ln -s /etc e && rm -rf e")).toEqual([]);
    expect(rulesOf("ln -s ~/.ssh k; cat k/id_rsa")).toContain("sec.read");
  });
});

describe("a failure inside the guard", () => {
  const broken = { settings: {} as never };

  it("asks when the text names something dangerous, and is told", () => {
    const judgement = judge("rm -rf x", broken);
    expect(judgement.verdict).toBe("ask");
    expect(judgement.findings[0]?.rule).toBe("guard.unexamined");
    expect(judgement.failure).toBeDefined();
  });

  it("lets the rest pass, with a note", () => {
    const judgement = judge("foo && bar", broken);
    expect(judgement.verdict).toBe("allow");
    expect(judgement.notes).toHaveLength(1);
  });
});

describe("the explanation", () => {
  it("shows every program with its words, what it does and what was found", () => {
    const tree = judge("sudo bash -c 'D=/; rm -rf $D' && git status").explain();
    const rm = tree.find(node => node.argv[0] === "rm");
    expect(rm?.argv).toEqual(["rm", "-rf", "/"]);
    expect(rm?.effects).toEqual(["delete / with everything in it"]);
    expect(rm?.findings.map(finding => finding.rule)).toContain("fs.root");
    expect(tree.map(node => node.argv[0])).toEqual(expect.arrayContaining(["sudo", "bash", "rm", "git"]));
    expect(tree[rm?.parent ?? -1]?.argv[0]).toBe("bash");
  });
});
