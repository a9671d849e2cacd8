import { wordPattern } from "../../../../text/index.ts";

/** What a shell command does, as far as the checks at the end of a session care. */
const TEST_COMMAND = wordPattern(`
  pytest | python3? -m unittest | tox | (?:npm|pnpm|yarn|bun)(?: run)? test(?::[\\w:-]+)?
  (?:npx |pnpm |yarn )?(?:vitest|jest|mocha|playwright test) | node --test | deno test
  cargo (?:nextest|test) | go test | ctest | make (?:test|check) | mvn (?:\\S+ ){0,9}(?:test|verify)
  gradlew? (?:\\S+ ){0,9}test | dotnet test | rspec | phpunit | swift test | uvx --from
  bats | mix test | (?:rake|rails) (?:test|spec) | (?:dart|flutter) test | sbt (?:\\S+ ){0,9}test | bazel test
  manage\\.py test | (?:just|task) test | npm t | (?:run[_-])?tests?\\.sh
`);
export const LINT_COMMAND = wordPattern(`
  ruff(?: check)? | mypy | flake8 | pylint | pyright | eslint | biome (?:check|ci|lint) | tsc
  cargo (?:clippy|check) | go vet | golangci-lint | pre-commit run | shellcheck
  (?:npm|pnpm|yarn|bun) run (?:lint|check|types|typecheck)
`);
/** The checks that count as local testing by themselves. */
export const STATIC_CHECK = wordPattern(`
  ruff check | mypy | flake8 | pyright | tsc | eslint | biome (?:check|ci|lint) | cargo (?:clippy|check) | go vet
  node --check | py_compile
`);
export const BUILD_COMMAND = wordPattern(`
  (?:npm|pnpm|yarn|bun) run build | (?:cargo|go|swift|dotnet) build | gradlew? (?:\\S+ ){0,9}build | mvn (?:\\S+ ){0,9}package
`);
const INLINE_CODE = /\b(?:python3?\s+-c|node\s+(?:-e|--eval))\s+(["'])([\s\S]*?)\1/g;
const MEANINGFUL_CODE = /\b(?:import|require|assert|await)\b/;

export function isTestCommand(command: string): boolean {
  return TEST_COMMAND.test(command);
}

/** `python -c` or `node -e` that loads or asserts something, not one that prints a word. */
export function isInlineValidation(command: string): boolean {
  return [...command.matchAll(INLINE_CODE)].some(match => MEANINGFUL_CODE.test(match[2] ?? ""));
}

const RUNNER = /(?:^|[\s;&|])(?:(?:python3?|node|bash|sh|ruby|perl|php|tsx|bun|deno run|go run) |\.\/)/;

/** A script that was just written is tried by running it. */
export function runsFile(command: string, name: string): boolean {
  return RUNNER.test(command) && command.includes(name);
}

const PASSED =
  /\bpassed\b|\bPASSED\b|\bPassed!|\bOK\b|^ok\b|^(?:#|ℹ) pass [1-9]|\b[1-9]\d* pass(?:ing)?\b|^(?:--- )?PASS\b|\bBUILD SUCCESS|\b[1-9]\d* (?:examples?|tests?|runs?),[^\n]{0,80} 0 failures|\bTests run: [1-9]/m;
const FAILED =
  /\bFAILED\b|\b[1-9]\d*\s+(?:failed|failing|fail|failures?|errors?)\b|^(?:#|ℹ) fail [1-9]|^not ok\b|\b(?:Failures|Errors|Failed):\s*[1-9]|\bBUILD FAIL|^(?:--- )?FAIL\b/m;

/** The output of a test run that ended well. */
export function isPassingResult(text: string): boolean {
  return PASSED.test(text) && !FAILED.test(text);
}

/** The output of a test run that ended badly. */
export function isFailingResult(text: string): boolean {
  return FAILED.test(text);
}

/** What pre-commit prints for a hook that passed, or another program's line about it. */
export function isPreCommitPass(text: string): boolean {
  return text.split("\n").some(line => {
    const at = line.search(/\bpre-commit\b/i);
    return /\.{5}Passed$/i.test(line) || (at >= 0 && /\bpassed\b/i.test(line.slice(at)));
  });
}

/** One call of git in a command line: its subcommand and the words after it. */
interface GitCall {
  readonly subcommand: string;
  readonly words: readonly string[];
}

const TAKE_A_VALUE: ReadonlySet<string> = new Set(["-c", "-C"]);

/** Read word by word, because a pattern with options in it can be made to try every way of dividing them. */
function gitCalls(command: string): readonly GitCall[] {
  return command.split(/[;&|\n]/).flatMap(part => {
    const words = part.split(/[\s"'`()]+/);
    const start = words.findIndex(word => word === "git" || word.endsWith("/git"));
    if (start < 0) return [];
    let at = start + 1;
    while (words[at]?.startsWith("-") === true) at += TAKE_A_VALUE.has(words[at] ?? "") ? 2 : 1;
    return [{ subcommand: words[at] ?? "", words: words.slice(at + 1).filter(word => word !== "") }];
  });
}

function pushes(command: string): readonly GitCall[] {
  return gitCalls(command).filter(call => call.subcommand === "push");
}

export function isCommit(command: string): boolean {
  return gitCalls(command).some(call => call.subcommand === "commit");
}

export function isPush(command: string): boolean {
  return pushes(command).length > 0;
}

const MAIN = /^(?:[^:]*:|\+)?(?:refs\/heads\/)?(?:main|master)$/;

/** `git push origin main`, also as `HEAD:main`. */
export function isPushToMain(command: string): boolean {
  return pushes(command).some(({ words }) => words.includes("origin") && words.some(word => MAIN.test(word)));
}

/** A push that names no branch and so pushes the current one. */
export function isBarePush(command: string): boolean {
  return pushes(command).some(({ words }) => words.filter(word => !word.startsWith("-")).length <= 1);
}

/** The branch that a command's output names; undefined when it names none. */
export function branchIn(output: string): string | undefined {
  for (const pattern of BRANCH_LINES) {
    const branch = pattern.exec(output)?.[1];
    if (branch !== undefined) return branch;
  }
  return undefined;
}

const BRANCH_LINES = [
  /^On branch (\S+)/m,
  /^## ([^\s.]+)(?:\.\.\.|$)/m,
  /^\* ([^\s(]+)/m,
  /^\[([^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,40}\]/m,
  /^Switched to (?:a new )?branch '([^']+)'/m,
  /^\s*(main|master)\s*$/,
];
