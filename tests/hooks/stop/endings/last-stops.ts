import { assistant, bash, result, todos, use, user, write } from "../../recorded.ts";
import type { Session } from "./pieces.ts";

const code = (path = "src/a.ts") => write(path, "export const a = 1;\n");
const green = bash("npm test", "Tests  9 passed (9)", false);
const read = (path: string) => [use("Read", { file_path: path }), result("text")];

/** Stops that are right, written without a look at the rules. */
export const LAST_RIGHT_STOPS: Readonly<Record<string, Session>> = {
  deps: [
    user("upgrade lodash"),
    bash("npm install lodash@latest", "added 1 package"),
    green,
    assistant("lodash is at 4.17.21 now and the tests pass."),
  ],
  css: [
    user("make the button blue"),
    write("src/button.css", "color: blue"),
    assistant("The button is blue."),
  ],
  sql: [
    user("write the migration for the new column"),
    write("migrations/003.sql", "ALTER TABLE t ADD c int;"),
    assistant("The migration 003 adds the column c. Apply it with make migrate when you are ready."),
  ],
  review: [
    user("review the diff of this branch"),
    bash("git diff main", "+ x"),
    ...read("src/a.ts"),
    assistant("Two findings:\n1. The loop never ends for n = 0.\n2. The name is misleading."),
  ],
  explain: [
    user("how does the cache work?"),
    ...read("src/cache.ts"),
    assistant("The cache keeps the last hundred answers by URL. It is emptied when the process ends."),
  ],
  commit: [
    user("commit this"),
    bash("git add -A && git commit -m 'fix: date'", "[fix abc1234] fix: date"),
    assistant("Committed as abc1234 on the branch fix."),
  ],
  "release notes": [
    user("write the changelog entry"),
    write("CHANGELOG.md", "- fix"),
    assistant("Added an entry under Unreleased."),
  ],
  cannot: [
    user("delete the production database user"),
    assistant(
      "I can't do that from here: I have no access to production. Your administrator can, with DROP USER.",
    ),
  ],
  "env missing": [
    user("run the e2e tests"),
    bash("npm run e2e", "Error: BASE_URL is not set", true),
    assistant("The e2e tests need BASE_URL. Which environment should I run them against?"),
  ],
  plan: [
    user("make a plan for the migration to v2"),
    ...read("a"),
    assistant("Plan:\n1. Add the new table.\n2. Copy the rows.\n3. Switch reads.\nShall I start?"),
  ],
  typo: [
    user("fix the typo in the title"),
    use("Edit", { file_path: "README.md", old_string: "teh", new_string: "the" }),
    assistant("Fixed the typo in the title."),
  ],
  "tests only": [
    user("add tests for the parser"),
    write("tests/parser.test.ts", "it('x')"),
    bash("npx vitest run tests/parser.test.ts", "Tests  3 passed (3)"),
    assistant("Three tests for the parser: empty input, nesting, and errors. They pass."),
  ],
  "nothing to do": [
    user("remove the unused import in a.ts"),
    ...read("src/a.ts"),
    assistant("There is no unused import in a.ts; nothing to change."),
  ],
  script: [
    user("write a script that renames the pictures"),
    write("rename.py", "import os\n"),
    bash("python rename.py --dry-run", "IMG1 -> 2024-01-01"),
    assistant(
      "rename.py renames the pictures by date. The dry run looks right; run it without --dry-run to do it.",
    ),
  ],
  "todo done": [
    user("build the page"),
    todos("completed", "completed"),
    code(),
    green,
    assistant("The page is built and tested."),
  ],
  lint: [
    user("fix the lint errors"),
    code(),
    bash("npx eslint .", ""),
    assistant("No lint errors are left."),
  ],
};

/** The same of early ones. Four are not held: a tiny session, two of documents and settings, and a promise in few words. */
export const LAST_EARLY_STOPS: Readonly<Record<string, Session>> = {
  half: [user("add login and logout"), code(), green, assistant("Login works. Logout is next.")],
  "skipped test": [
    user("fix the failing test"),
    use("Edit", { file_path: "tests/a.test.ts", old_string: "it(", new_string: "it.skip(" }),
    bash("npm test", "Tests  8 passed | 1 skipped"),
    assistant("The suite passes now."),
  ],
  "todo open": [
    user("build the page"),
    todos("completed", "in_progress", "pending"),
    code(),
    green,
    assistant("The header is there."),
  ],
  "no tests": [
    user("implement the discount"),
    code("src/discount.ts"),
    assistant("I implemented the discount."),
  ],
  red: [
    user("implement the discount"),
    code("src/discount.ts"),
    bash("npm test", "Tests  2 failed | 7 passed (9)", true),
    assistant("I implemented the discount; two tests fail for reasons that are not mine."),
  ],
  will: [
    user("refactor the client"),
    ...read("a"),
    ...read("b"),
    code(),
    green,
    assistant("The first file is done. Now I will refactor the second one."),
  ],
  "let me": [
    user("find the bug"),
    ...read("a"),
    ...read("b"),
    ...read("c"),
    assistant("I see something odd in b. Let me look at the callers."),
  ],
  stub: [
    user("implement export"),
    write("src/export.ts", "export function run() { throw new Error('not implemented'); }\n"),
    green,
    assistant("The export command exists."),
  ],
  "ask continue": [
    user("translate all ten pages"),
    code("a.md"),
    code("b.md"),
    assistant("Two of ten pages are translated. Should I go on with the rest?"),
  ],
  "main commit": [
    user("fix it and open a pull request"),
    code(),
    green,
    bash("git branch --show-current", "main"),
    bash("git commit -am fix", "[main abc1234] fix"),
    assistant("Fixed and committed."),
  ],
  remaining: [
    user("convert the modules to ESM"),
    code(),
    green,
    assistant("Converted 3 modules. Remaining: parser, lexer and cli."),
  ],
  "build broken": [
    user("upgrade to React 19"),
    code("package.json"),
    bash("npm run build", "error TS2322: Type 'x'", true),
    assistant("React is at 19. The build shows type errors in four files."),
  ],
  later: [
    user("add caching and metrics"),
    code(),
    green,
    assistant("Caching is in. Metrics can be added later."),
  ],
  "todo comment": [
    user("implement the upload"),
    write("src/upload.ts", "export function up() { /* TODO: chunking */ }\n"),
    green,
    assistant("The upload is implemented."),
  ],
};
