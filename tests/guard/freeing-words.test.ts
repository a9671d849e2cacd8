import { describe, expect, it } from "vitest";
import { freeingForms } from "./freeing-forms.ts";
import { judge, machine, PROJECT } from "./scene.ts";

const forms = freeingForms();
const verdictOf = (command: string): string => judge(command).verdict;

describe("words that make a command harmless", () => {
  it("are drawn in thousands of forms", () => {
    expect(forms.filter(form => form.isDone).length).toBeGreaterThan(2000);
    expect(forms.filter(form => !form.isDone).length).toBeGreaterThan(1400);
  });

  it("do not count as the value of another option, behind --, taken back, or where the program has no such option", () => {
    const missed = forms.filter(({ command, isDone }) => isDone && verdictOf(command) === "allow");
    expect(missed.map(form => form.command)).toEqual([]);
  });

  it("count wherever the program takes them", () => {
    const bothered = forms.filter(({ command, isDone }) => !isDone && verdictOf(command) !== "allow");
    expect(bothered.map(form => form.command)).toEqual([]);
  });

  it.each([
    "npm publish --dry-run --access public",
    "aws s3 rm s3://b --recursive --exclude '*' --dryrun",
    "bash -n deploy.sh",
    "bash -n -c 'rm -rf ~'",
    "kind delete cluster",
    "kind delete cluster --name ci",
    "pnpm run build publish",
    "pnpm --filter a run publish",
    "terraform apply -auto-approve=false",
    "git push --force --no-force origin feature/x",
    "git rm -f src/gone.ts",
    "git gc --prune=2.weeks.ago",
  ])("%s passes", command => {
    expect(verdictOf(command)).toBe("allow");
  });

  it.each(["pnpm publish", "pnpm -r publish", "pnpm recursive publish", "pnpm --filter a publish"])(
    "%s is asked about",
    command => {
      expect(verdictOf(command)).toBe("ask");
    },
  );
});

describe("git checkout --ours", () => {
  const inMerge = machine({ [`${PROJECT}/.git/MERGE_HEAD`]: "1234567890123456789012345678901234567890\n" });

  it.each(["git checkout --ours file.txt", "git checkout --theirs -- src/index.ts", "git checkout --the ."])(
    "settles conflicts while a merge is under way: %s",
    command => {
      expect(judge(command, { system: inMerge }).verdict).toBe("allow");
      expect(judge(command).verdict).toBe("ask");
    },
  );
});
