import { describe, expect, it } from "vitest";
import { LEVELS } from "../../src/config/levels.ts";
import { BUILT_IN } from "../../src/config/settings.ts";
import { PACKS } from "../../src/exports/guard.ts";
import { toRule } from "../../src/guard/custom-rules.ts";
import { canBeAllowedForGood } from "../../src/guard/finding.ts";
import { explainRule } from "../../src/guard/rules.ts";
import { allOperations } from "../../src/programs/model/registry.ts";
import { HOME, judge, machine, PROJECT, settings } from "./scene.ts";

const RULES = PACKS.flatMap(pack => pack.rules);
const SENTENCE = /^[A-Z].*\.$/;
const KEY = { machineKey: () => "k".repeat(64) };

describe("the texts of a rule", () => {
  it.each(RULES.map(rule => [rule.id, rule] as const))("%s has one for each reader", (_, rule) => {
    const { lost, person, model, when } = rule;
    for (const text of [lost, person, model]) expect(text).toMatch(/[.]$/);
    expect(when).toMatch(/[.]$/);
    expect(person, "short").toHaveProperty("length", Math.min(person.length, 90));
    expect(model, "short").toHaveProperty("length", Math.min(model.length, 90));
    expect(`${lost} ${person}`).not.toMatch(/\b(your|the) user\b|\bask your\b|do not try/i);
    expect(`${lost} ${model}`).not.toMatch(/amplihack guard|allow-once|guard\.allow|your own terminal/i);
  });
});

describe("words of rules", () => {
  /** Turns of phrase that readers stumbled over. Add to it. */
  const STRANGE =
    /\b(shall|whilst|nobody can tell|all the same|be it|as it were|of its own accord|at last|hence|thereof|that which)\b/i;

  it.each(RULES.map(rule => [rule.id, rule] as const))(
    "%s are plain and few",
    (_, { lost, person, model }) => {
      for (const text of [lost, person, model]) expect(text).not.toMatch(STRANGE);
      expect(`${lost} ${person}`.split(" ").length).toBeLessThanOrEqual(40);
    },
  );
});

describe("an explained rule", () => {
  const configured = [
    BUILT_IN.guard,
    ...LEVELS.map(level => settings({ level })),
    settings({ rules: { "*": "deny" } }),
    settings({ rules: { "git.*": "allow" }, floors: { "git.push": "deny" } }),
  ];

  it.each(RULES.map(rule => [rule.id, rule] as const))("%s stands in sentences", (_, rule) => {
    for (const where of configured) {
      const told = explainRule(rule, where);
      expect(JSON.stringify(Object.values(told).filter(value => typeof value === "string"))).not.toMatch(
        /[{}]|undefined/,
      );
      for (const text of [told.lost, told.instead]) expect(text).toMatch(SENTENCE);
      expect(told.when).toMatch(/\.$/);
    }
  });

  it.each(LEVELS)("names the verdict that is in force at level %s", level => {
    // Commands of rules that say the same in all cases.
    const commands = {
      "git.stash": "git stash drop",
      "fs.unresolved": 'rm -rf "$DIR"/*',
      "sys.cron": "crontab -r",
      "disk.raw": "dd if=x.img of=/dev/sda",
      publish: "npm publish",
    };
    for (const [id, command] of Object.entries(commands)) {
      const rule = RULES.find(one => one.id === id);
      const where = settings({ level });
      expect(rule && explainRule(rule, where).here.verdict, id).toBe(
        judge(command, { settings: where }).verdict,
      );
    }
  });

  it("knows patterns and what a project tightens", () => {
    const [reset, push] = ["git.reset", "git.push"].map(id => RULES.find(rule => rule.id === id));
    const where = settings({ rules: { "git.*": "allow" }, floors: { "git.push": "deny" } });
    expect(reset && explainRule(reset, where).here).toMatchObject({ configured: "allow", verdict: "allow" });
    expect(push && explainRule(push, where).here.verdict).toBe("deny");
  });

  it.each(["No deploys today", "No deploys today."])(
    "of the configuration is told in its own words: %s",
    reason => {
      const rule = toRule({ id: "acme.x", when: { command: "acme" }, verdict: "ask", reason });
      expect(rule.lost).toBe("{target}: No deploys today.");
      expect(explainRule(rule, BUILT_IN.guard)).toMatchObject({
        lost: "No deploys today. A rule of the configuration says so.",
        instead: "",
        safer: "",
      });
    },
  );
});

describe("what is said of a call", () => {
  it("tells the person what is lost and how to allow it, and the model what to do", () => {
    const { reason = "", texts, code } = judge("git stash drop", KEY);
    expect(texts?.person).toMatch(
      /^\[git\.stash\] It would drop .*\nTo not be asked again in this folder, run in your terminal: /,
    );
    expect(texts?.person).toMatch(new RegExp(`amplihack guard allow-once ${code}$`));
    expect(texts?.model).toMatch(
      /^Needs your user's consent \[git\.stash\]: It would drop .* Safer: `git stash list`\./,
    );
    expect(texts?.model).toMatch(new RegExp(`ask the user to run: amplihack guard allow-once ${code}$`));
    expect(reason.split("\n")).toHaveLength(3);
    expect(reason.indexOf("It is hard to find again.")).toBeLessThan(reason.indexOf("Agent: "));
  });

  it("does not offer to allow for good what depends on a value that is not known", () => {
    expect(judge('rm -rf "$DIR"/*', KEY).texts?.person).toMatch(/\nTo allow it, in your terminal: /);
  });

  it.each([
    ["bash drop.sh", true],
    ["./drop.sh", true],
    [". ./drop.sh", true],
    ["cat drop.sh | sh", true],
    ["timeout 5 bash drop.sh", true],
    ["make drop", true],
    ["npm run drop", true],
    ["python3 drop.py", true],
    ["git wipe", true],
    ["git nuke", true],
    ["psql -f drop.sql", true],
    ["git -c alias.gone='stash drop' gone", false],
    ["git stash drop", false],
    ["bash -c 'git stash drop'", false],
    ["sudo git stash drop", false],
  ])("does not offer to allow for good what stands in a file: %s", (command, isOfFile) => {
    const system = machine({
      [`${PROJECT}/drop.sh`]: "git stash drop\n",
      [`${PROJECT}/drop.py`]: "import shutil\nshutil.rmtree('/home/user/Documents')\n",
      [`${PROJECT}/drop.sql`]: "drop table users;\n",
      [`${PROJECT}/Makefile`]: "drop:\n\tgit stash drop\n",
      [`${PROJECT}/package.json`]: '{ "scripts": { "drop": "git stash drop" } }',
    });
    const written = () => ({
      hasWritten: () => true,
      mayStillWrite: () => false,
      files: () => [],
      named: () => [],
      textBefore: () => undefined,
      movedInto: () => [],
      changedBy: () => [],
    });
    const { verdict, texts, all } = judge(command, { ...KEY, system, written });
    expect(verdict).not.toBe("allow");
    expect(all.every(canBeAllowedForGood)).toBe(!isOfFile);
    if (verdict === "ask") expect(/not be asked again/.test(texts?.person ?? "")).toBe(!isOfFile);
  });

  it("carries the model's text when it is denied", () => {
    const { reason, texts, code } = judge("git commit --no-verify -m x", KEY);
    expect(reason).toBe(texts?.model);
    expect(reason).toMatch(new RegExp(`ask the user to run: amplihack guard allow-once ${code}$`));
    expect(texts?.person).toMatch(new RegExp(`\\nTo allow it, .*: amplihack guard allow-once ${code}$`));
  });

  it("gives one reason for a refusal, the strongest, and all of them to a person who is asked", () => {
    const refused = judge("rm -rf /; git stash drop; npm publish", KEY);
    expect(refused.findings.length).toBeGreaterThan(1);
    for (const text of [refused.reason, refused.texts?.person])
      expect(text?.match(/\[[a-z.]+\]/g)).toEqual(["[fs.root]"]);
    const asked = judge("git stash drop; npm publish", KEY);
    expect(asked.verdict).toBe("ask");
    for (const { rule } of asked.findings) expect(asked.texts?.person).toContain(`[${rule}]`);
  });

  it("repeats no command that can be seen at a glance, and names the part of a long one", () => {
    expect(judge("cd /; rm -rf .", KEY).reason).not.toContain("rm -rf .");
    const long = `cd /; ${"echo one step after the other; ".repeat(4)} rm -rf .`;
    expect(judge(long, KEY).reason).toContain("(Via `rm -rf .`.)");
  });

  it.each([
    ["chmod -R 777 /", "/"],
    ["sudo chown -R ada /usr", "/usr"],
    ["find / -exec chmod 777 {} +", "/"],
    ["chmod -R 000 ~", "/home/user"],
  ])("says what is changed where nothing is destroyed: %s", (command, target) => {
    const { reason } = judge(command, KEY);
    expect(reason).toContain(`It would change who may use ${target} and everything in it.`);
    expect(reason).not.toContain("destroy");
  });

  it("does not advise to delete where nothing is deleted, nor says that a list of keys runs", () => {
    expect(judge("chmod -R 777 /", KEY).reason).not.toContain("Delete");
    expect(judge("tee -a ~/.ssh/authorized_keys", KEY).reason).not.toContain("runs");
  });

  it("says to both that nothing permits it", () => {
    const { texts } = judge("rm -rf /", KEY);
    expect(texts?.person).toContain("No setting allows it.");
    expect(texts?.model).toContain("ask the user to run it in their own terminal.");
  });

  it("says that nobody can be asked", () => {
    const { reason, texts } = judge("npm publish", { ...KEY, settings: settings({ unattended: "deny" }) });
    expect(reason).toMatch(/^Blocked \[publish\].*Nobody is there to ask/);
    expect(texts?.person).toContain("Nobody is there to ask");
  });

  it("leaves the advice out where there is no room for it", () => {
    const { reason = "", findings } = judge(
      `cat .env; cat ~/.ssh/id_rsa; git stash drop; rm -rf ${"a/".repeat(200)}b/src; npm publish; kubectl delete pod x`,
      KEY,
    );
    expect(findings).toHaveLength(5);
    for (const { rule } of findings) expect(reason).toContain(`[${rule}]`);
    expect(reason.length).toBeLessThanOrEqual(600);
  });
});

describe("safer ways", () => {
  const SAMPLE: Readonly<Record<string, string>> = {
    target: `${PROJECT}/src`,
    tool: "terraform",
    parent: HOME,
    held: PROJECT,
    preview: "ls -la src",
    url: "https://x.example/i.sh",
    decoder: "base64 -d payload",
    file: ".env",
    name: ".env",
    rest: "name",
  };
  const fill = (safer: string) => safer.replace(/\{([a-z]+)\}/g, (_, name: string) => SAMPLE[name] ?? "?");

  it("of every rule and every operation are neither asked about nor denied", () => {
    const ways = [
      ...RULES.map(rule => rule.safer),
      ...allOperations().flatMap(({ safer, command }) =>
        safer === undefined ? [] : safer.replaceAll("{tool}", command.split(/[ |]/, 1)[0] ?? ""),
      ),
    ].map(fill);
    expect(ways.length).toBeGreaterThan(200);
    const stopped = [...new Set(ways)].filter(way => way !== "" && judge(way).verdict !== "allow");
    expect(stopped).toEqual([]);
  });
});
