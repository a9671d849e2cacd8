import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, in that order: begun last, it would keep one core at work while the other waits. */
const LONG: readonly string[] = [
  "property/hook-payloads",
  "launcher/update/stories",
  "native/same-answers",
  "property/state",
  "property/hosts",
  "recipes/render-shell",
  "hooks/executable",
  "golden/golden",
  "native/golden",
  "commands/memory",
  "install/doctor",
  "native/release",
  "install/crash",
  "launcher/launch",
  "property/guard",
  "install/commands",
  "guard/corpus",
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
