import { assistant, bash, user } from "../../recorded.ts";
import { code, type Session } from "./pieces.ts";

/** A command, what it prints when all is well, what it prints when not; it prints nothing that tells, where the host knows. */
const PROGRAMS: readonly (readonly [command: string, passed: string, failed: string, hostKnows?: true])[] = [
  ["npm test", "  12 passing (8ms)\n", "  11 passing (8ms)\n  1 failing\n"],
  ["bundle exec rspec", "10 examples, 0 failures\n", "10 examples, 2 failures\n"],
  [
    "mvn -q test",
    "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
    "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
  ],
  ["./gradlew test", "BUILD SUCCESSFUL in 3s", "BUILD FAILED in 3s"],
  ["dotnet test", "Passed!  - Failed:     0, Passed:     5", "Failed!  - Failed:     2, Passed:     3"],
  ["node --test", "ℹ tests 2\nℹ pass 2\nℹ fail 0", "ℹ tests 2\nℹ pass 1\nℹ fail 1"],
  [
    "go test -v .",
    "=== RUN TestX\n--- PASS: TestX (0.00s)\nPASS\n",
    "--- FAIL: TestX (0.00s)\n--- PASS: TestY\nFAIL\n",
  ],
  ["npx tape tests && npm test", "1..2\nok 1 - a\nok 2 - b", "1..2\nok 1 - a\nnot ok 2 - b"],
  ["bun test", " 3 pass\n 0 fail\n", " 3 pass\n 1 fail\n"],
  ["bats tests", "1..2\nok 1 a\nok 2 b", "1..2\nok 1 a\nnot ok 2 b"],
  ["vendor/bin/phpunit", "OK (5 tests, 9 assertions)", "FAILURES!\nTests: 5, Assertions: 9, Failures: 1."],
  ["mix test", "5 tests, 0 failures", "5 tests, 2 failures"],
  ["make test", "bash checks.sh", "make: *** [Makefile:2: test] Error 1", true],
  ["npm run test", "", "sh: 1: vitest: not found", true],
];

function ended(which: "passed" | "failed"): Readonly<Record<string, Session>> {
  return Object.fromEntries(
    PROGRAMS.map(([command, passed, failed, hostKnows]) => [
      `${command} ${which}`,
      [
        user("fix the date in the header"),
        code("src/header.ts"),
        bash(
          command,
          which === "passed" ? passed : failed,
          hostKnows === true ? which === "failed" : undefined,
        ),
        assistant("Done: the date is formatted in UTC now."),
      ],
    ]),
  );
}

export const PASSED_TESTS: Readonly<Record<string, Session>> = ended("passed");
export const FAILED_TESTS: Readonly<Record<string, Session>> = ended("failed");
