import { describe, expect, it } from "vitest";
import { dialectForms } from "./dialect-forms.ts";
import { judge, rulesOf } from "./scene.ts";

const forms = dialectForms();

describe("text of fish and zsh, and first halves of commands", () => {
  const missed = forms.filter(({ command, isDone }) => isDone && judge(command).verdict === "allow");
  const bothered = forms.filter(({ command, isDone }) => !isDone && judge(command).verdict !== "allow");
  const half = forms.length / 2;

  it("is judged by what it would run", () => {
    expect(half).toBeGreaterThan(1800);
    expect(missed.length / half, missed.map(form => form.command).join("\n")).toBeLessThan(0.01);
  });

  it("passes when that is harmless", () => {
    expect(bothered.length / half, bothered.map(form => form.command).join("\n")).toBeLessThan(0.01);
  });

  it.each([
    ['rm -rf "', "fs.unresolved"],
    ['"; rm -rf ~', "fs.home"],
    ["'\nrm -rf ~\n", "fs.home"],
    ["EOF\n'; git push --force origin main", "git.push"],
    ["echo a; - rm -rf ~", "fs.home"],
    ["fish -c 'set d ~; rm -rf $d'", "fs.home"],
    ["fish -c 'set -l d ~ /etc; rm -rf $d'", "fs.home"],
    ["fish -c 'function f; rm -rf $argv; end; f ~'", "fs.home"],
    ["fish -c 'for d in ~ x; rm -rf $d; end'", "fs.home"],
    ["zsh -c 'for d (~ x) rm -rf $d'", "fs.home"],
    ["rm -rf (echo ~)", "fs.home"],
  ])("%j is about %s", (command, rule) => {
    expect(rulesOf(command)).toContain(rule);
  });

  it.each([
    "git commit -m \"it's a test",
    "echo 'don't'",
    "fish -c 'set -q x; or set x 1'",
    "fish -c 'set -e PATH'",
    "for f in *.ts; do",
    "case x in",
    "[[ -d x",
    "(( 1",
    "for x in",
    "for ((;;",
    "select x",
    "function",
    "switch",
    "echo a # it's",
  ])("%j passes", command => {
    expect(judge(command).verdict).toBe("allow");
  });
});
