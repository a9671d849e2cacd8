import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, in that order: begun last, it would keep one core at work while the other waits. */
const LONG: readonly string[] = [
  "launcher/update/stories",
  "native/same-answers",
  "native/golden",
  "launcher/launch",
  "install/doctor",
  "install/crash",
  "install/commands",
  "docs/commands",
  "recipes/cli",
  "guard/corpus",
  "golden/golden",
  "shell/code/every-model",
  "property/hook-payloads",
  "commands/completions",
  "recipes/render-shell",
  "scripts/release",
];

/** Begins with the files that take longest, also on a machine that has not run the tests before. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONG.findIndex(name => moduleId.endsWith(`/tests/${name}.test.ts`));
      return rank < 0 ? LONG.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
