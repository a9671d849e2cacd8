import { describe, expect, it } from "vitest";
import { PACKS } from "../../src/exports/guard.ts";
import { HOME, judge, PROJECT, rulesOf, settings } from "./scene.ts";

interface Case {
  readonly id: string;
  readonly command: string;
  readonly verdict: "ask" | "deny";
  /** what the reason must name */
  readonly target: string;
  readonly free: readonly string[];
  /** it passes at standard and is judged at strict, where other rules speak as well */
  readonly isStrict: boolean;
}

const RULES = PACKS.flatMap(pack => pack.rules);

/** Every example of every rule; every wrapper and data context is made from it. */
const CASES: readonly Case[] = RULES.flatMap(({ id, examples, verdict: atStandard }) => {
  const free = examples?.passes ?? [];
  const placed = (target: string) => target.replace("{home}", HOME).replace("{project}", PROJECT);
  const casesOf = (verdict: Case["verdict"], commands: Readonly<Record<string, string>> = {}) =>
    Object.entries(commands).map(([command, target]) => ({
      id,
      command,
      verdict,
      target: placed(target),
      free,
      isStrict: atStandard === "allow",
    }));
  return [...casesOf("ask", examples?.asks), ...casesOf("deny", examples?.denies)];
});

/** Rules that judge the text or the analysis itself, or speak at strict alone; they have tests of their own. */
const ELSEWHERE = [
  "sys.forkbomb",
  "text.deceptive",
  "guard.unexamined",
  "agent.policy",
  "fs.path",
  "exec.session",
  "exec.elsewhere",
  "fs.unkept",
  "fs.others",
  "net.sequence",
  ...["pkg.lookalike", "pkg.script"],
  ...["injection.override", "injection.hidden", "injection.encoded"],
  ...["injection.exfiltration", "injection.imitation", "injection.directive"],
];

/** A pipe is a command of its own, so words in front of it would only touch its first part. */
const asScript = (command: string) => `bash -c ${quote(command)}`;
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const PREFIXES = [
  "sudo ",
  "sudo -E -u root ",
  "env A=1 ",
  "env -i PATH=/bin ",
  "command ",
  "nohup ",
  "nice -n 5 ",
  "timeout 5 ",
  "timeout -k 1 5s ",
  "setsid ",
  "stdbuf -o0 ",
  "time ",
  "exec ",
  "A=1 ",
  "ionice -c 3 ",
  "doas ",
];
const FRAMES: readonly ((command: string) => string)[] = [
  asScript,
  command => `sh -ec ${quote(command)}`,
  command => `eval ${quote(command)}`,
  command => `( ${command} )`,
  command => `{ ${command}; }`,
  command => `true && ${command}`,
  command => `cd src && cd .. && ${command}`,
  command => `if true; then ${command}; fi`,
  command => `for i in 1; do ${command}; done`,
  command => `f() { ${command}; }; f`,
  command => `${command} &`,
  command => `${command} > /dev/null 2>&1`,
  command => `bash <<'X'\n${command}\nX`,
  command => `bash <<< ${quote(command)}`,
  command => `echo ${quote(command)} | sh`,
  command => `echo $(${command})`,
  command => `! ${command}`,
  command => `trap ${quote(command)} EXIT`,
  command => `while true; do ${command}; break; done`,
  command => asScript(asScript(asScript(command))),
];
const DATA: readonly ((command: string) => string)[] = [
  command => `echo ${quote(command)}`,
  command => `printf '%s\\n' ${quote(command)}`,
  command => `git commit -m ${quote(command)}`,
  command => `grep -rn ${quote(command)} docs`,
  command => `git log --grep=${quote(command)}`,
  command => `npx vitest run -t ${quote(command)}`,
  command => `gh issue create --title x --body ${quote(command)}`,
  command => `X=${quote(command)}`,
  command => `: ${quote(command)}`,
  command => `[[ ${quote(command)} == x ]]`,
  command => `cat <<'X'\n${command}\nX`,
  command => `cat > notes.txt <<'X'\n${command}\nX`,
  command => `jq . <<< ${quote(JSON.stringify(command))}`,
  command => `ls # ${command}`,
  command => `amplihack guard explain ${quote(command)}`,
];

describe("the table of rules", () => {
  const ids = RULES.map(rule => rule.id);

  it("has every id once, each with examples that stop and that pass", () => {
    expect(new Set(ids).size).toBe(ids.length);
    const withCases = new Set(CASES.filter(({ free }) => free.length > 0).map(({ id }) => id));
    expect([...withCases, ...ELSEWHERE].sort()).toEqual([...ids].sort());
  });

  it("says for every rule when it speaks, what is lost and what is safer", () => {
    for (const rule of RULES) {
      expect(rule.when.length, rule.id).toBeGreaterThan(20);
      expect(rule.lost.length, rule.id).toBeGreaterThan(20);
      expect(rule.safer, rule.id).not.toBe("");
    }
  });

  it("never allows the five gravest, nor what a policy of the machine is missing for", () => {
    const fixed = RULES.filter(rule => rule.isAllowable === false);
    expect(fixed.map(rule => rule.id).sort()).toEqual([
      "agent.policy",
      "disk.raw",
      "exec.netshell",
      "fs.home",
      "fs.root",
      "sec.exfil",
    ]);
  });
});

describe.each(CASES)("$id: $command", ({ id, command, verdict, target, free, isStrict }) => {
  const options = isStrict ? { settings: settings({ level: "strict" }) } : {};

  it("is found in its plain form, with target and a safer command", () => {
    const judgement = judge(command, options);
    expect(judgement.verdict).toBe(verdict);
    const finding = judgement.findings.find(found => found.rule === id);
    expect(finding, judgement.findings.map(found => found.rule).join()).toBeDefined();
    expect(`${finding?.target} ${finding?.lost}`).toContain(target);
    expect(finding?.safer).toMatch(/^[a-z][\w./-]* ?/);
    expect(judgement.reason).toContain(`[${judgement.findings[0]?.rule}]`);
    expect(judgement.reason).toContain("Safer: `");
    expect(judgement.reason?.length).toBeLessThanOrEqual(600);
  });

  it("is found behind every wrapper and in every frame", () => {
    const isPiped = command.includes("|");
    const forms = [
      ...(isPiped ? [] : PREFIXES.map(prefix => prefix + command)),
      ...FRAMES.map(frame => frame(command)),
    ];
    const missed = forms.filter(form => !rulesOf(form, options).includes(id));
    expect(missed).toEqual([]);
  });

  it("is not found in text", () => {
    const tripped = DATA.map(data => data(command)).filter(form =>
      isStrict ? rulesOf(form, options).includes(id) : judge(form).verdict !== "allow",
    );
    expect(tripped).toEqual([]);
  });

  it("is not found where nothing is lost", () => {
    expect(free.filter(form => rulesOf(form, options).includes(id))).toEqual([]);
  });
});
