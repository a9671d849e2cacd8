import { assistant, bash, todos, user, write } from "../../recorded.ts";
import { code, edit, green, looked, read, type Session } from "./pieces.ts";

/** Stops that are right: the work is done, or it is the user's turn. */
export const RIGHT_STOPS: Readonly<Record<string, Session>> = {
  "done, said so": [
    user("implement the parser"),
    code(),
    green,
    assistant("I implemented the parser; all tests pass."),
  ],
  "done, in other words": [
    user("make the parser accept nested lists"),
    code(),
    bash("pytest -q", "14 passed in 0.3s"),
    assistant("The parser now accepts nested lists, and the suite is green (14 passed)."),
  ],
  "done with another test program": [
    user("fix the date in the header"),
    edit("src/header.ts", "utc()"),
    bash("npx vitest run", "Tests  8 passed (8)"),
    assistant("Fixed: the date is formatted in UTC now."),
  ],
  "a failing test repaired": [
    user("repair the failing test in cart"),
    edit("src/cart.py", "total = 1"),
    bash("pytest -q", "31 passed"),
    assistant("Fixed the failing test: the total was rounded twice. The suite passes (31 passed)."),
  ],
  "red, then green": [
    user("add a cache to the client"),
    code("src/client.py"),
    bash("pytest -q", "2 failed, 38 passed"),
    assistant("Two tests failed because the key lacks the host."),
    edit("src/client.py", "key = host + path"),
    bash("pytest -q", "40 passed"),
    assistant("The client caches by host and path. After the correction, 40 passed."),
  ],
  "work in another directory": [
    user("add the endpoint to the service in ../orders"),
    write("/home/user/orders/src/list.ts", "export const list = () => [];\n"),
    bash("cd ../orders && npm test", "Tests  5 passed (5)"),
    assistant("The orders service has the endpoint, with 5 passed tests over there."),
  ],
  "go tests": [
    user("handle empty bodies"),
    write("handler.go", "package main\n"),
    bash("go test ./...", "ok  \texample.com/x\t0.012s"),
    assistant("Done. Empty bodies get a 400."),
  ],
  "only documents": [
    user("describe the flags in the README"),
    edit("README.md", "## Flags"),
    assistant("The README now explains each flag, with an example."),
  ],
  "only configuration": [
    user("cache the dependencies in the pipeline"),
    edit(".github/workflows/build.yml", "cache: npm"),
    assistant("The pipeline caches the dependencies by the lock file."),
  ],
  "files renamed in the shell": [
    user("rename the images in assets to lower case"),
    bash("ls assets", "A.PNG"),
    bash("for f in assets/*; do mv $f ${f,,}; done", ""),
    assistant("Renamed 14 images; the links in index.html point to the new names."),
  ],
  "types checked": [
    user("remove the unused imports"),
    edit("src/a.ts", ""),
    bash("npx tsc --noEmit", ""),
    assistant("The unused imports are gone, and the type check is clean."),
  ],
  "no tests wanted": [
    user("write a quick script that counts lines, no tests needed"),
    write("count.py", "print(1)\n"),
    bash("python count.py", "120"),
    assistant("count.py prints 120 for this folder."),
  ],
  "a failing test wanted": [
    user("write a failing test for bug 12, do not fix the bug"),
    write("tests/test_bug12.py", "def test_bug():\n    assert f() == 2\n"),
    bash("pytest -q tests/test_bug12.py", "1 failed in 0.1s"),
    assistant("tests/test_bug12.py fails with the wrong total, as the report says."),
  ],
  "a report of failures wanted": [
    user("run the tests and tell me what fails"),
    bash("pytest -q", "2 failed, 10 passed"),
    assistant("Two tests failed: test_a because of the time zone, test_b because a fixture is missing."),
  ],
  "a decision needed after work": [
    user("add a cache to the client"),
    code("src/client.py"),
    green,
    assistant("The cache works. Should it be on by default, or behind a flag?"),
  ],
  "a decision needed before work": [
    user("add a login to the app"),
    ...looked,
    assistant("Two ways fit this code. Which provider do you want: OAuth or SAML?"),
  ],
  "a decision needed with open entries": [
    user("move the data to the new schema"),
    ...looked,
    todos("completed", "pending", "pending"),
    assistant("The column `owner` is empty in 300 rows. Do you want them dropped or given to admin?"),
  ],
  "something needed from the user": [
    user("deploy the branch to staging"),
    ...looked,
    bash("ls .env", "No such file"),
    assistant(
      "I need the token of the staging server before I can go on. Please add it to .env and tell me.",
    ),
  ],
  "a log needed": [
    user("fix the crash at start"),
    ...looked,
    bash("python app.py", "running"),
    assistant("I could not reproduce the crash here. Please send the log of a run that crashes."),
  ],
  "a refused command": [
    user("publish the package"),
    bash("npm pack", "pkg.tgz"),
    bash("npm publish", "The user doesn't want to proceed with this tool use."),
    assistant("You declined the publication, so nothing was published. Tell me how you want to proceed."),
  ],
  "a question in French": [
    user("ajoute une option pour le format"),
    ...looked,
    assistant("Deux formats sont possibles. Voulez-vous JSON ou YAML ?"),
  ],
  "done, in German": [
    user("Bitte füge eine Option für die Farbe hinzu"),
    code("src/farbe.py"),
    bash("pytest -q", "22 passed"),
    assistant("Die Option ist eingebaut, alle 22 Tests laufen durch."),
  ],
  "told to stop": [
    user("convert all modules to the new API"),
    code(),
    todos("completed", "in_progress", "pending"),
    assistant("One module is converted."),
    user("stop, leave it like that"),
    assistant("Stopped. src/parser.py is changed, the others are not, and no tests were run."),
  ],
  "enough for today": [
    user("convert all modules to the new API"),
    code(),
    green,
    user("that's enough for today"),
    assistant("All right. The remaining work is modules b and c."),
  ],
  "a plan wanted": [
    user("make a plan for the migration, don't change anything yet"),
    ...looked,
    assistant(
      "Plan: 1. a new table, 2. copy, 3. switch. The next step would be the table; it still needs to be named.",
    ),
  ],
  "an outline wanted": [
    user("how would you approach a plugin system here? just outline it"),
    ...looked,
    assistant(
      "I would define one interface, load the modules by name and test each alone. Follow-up: versioning.",
    ),
  ],
  "a cause wanted": [
    user("find out why the build is slow"),
    ...looked,
    bash("time make", "real 3m"),
    assistant(
      "The build is slow because each module compiles the headers again. A shared header would halve it.",
    ),
  ],
  "an explanation wanted": [
    user("explain how the scheduler works"),
    ...looked,
    assistant("Pending jobs wait in a queue; a worker takes one, and failed jobs go back with a delay."),
  ],
  "a review wanted": [
    user("look through src/a.py and src/b.py and tell me what is wrong with them"),
    ...looked,
    assistant(
      "Two findings: the error is swallowed in line 4, and the retry is incomplete. I suggest a follow-up for b.",
    ),
  ],
  "words of the subject": [
    user("show pending items first in the todo app"),
    edit("src/todo.ts", "sort()"),
    bash("npx vitest run", "Tests  9 passed (9)"),
    assistant("Done: the todo app shows pending items first, the rest by date."),
  ],
  "an offer": [
    user("add a --json flag"),
    code("src/cli.py"),
    green,
    assistant("Done, with tests. If you like, I can add a section to the manual as a follow-up."),
  ],
  "next steps of the user": [
    user("add the signing of releases"),
    code("src/sign.py"),
    green,
    assistant(
      "Signing is implemented and tested. Next steps for you: store the key as a secret and tag a release.",
    ),
  ],
  "nothing left": [
    user("implement the parser"),
    code(),
    green,
    todos("completed", "completed"),
    assistant("All todos are completed, there is no remaining work."),
  ],
  "thanks at the end": [
    user("implement the parser"),
    code(),
    green,
    assistant("The parser is implemented and tested."),
    user("thanks!"),
    assistant("You're welcome."),
  ],
  "a question answered": [
    user("what does the flag --strict do?"),
    ...read("src/cli.py"),
    assistant("It turns warnings into errors."),
  ],
  "a talk about design": [
    user("what do you think of event sourcing?"),
    assistant("It fits where the history matters. For a small shop it is more work than it saves."),
  ],
  "a message of a commit": [
    user("commit the changes on the feature branch with a good message"),
    bash("git status", "On branch feature"),
    bash("git add -A && git commit -m 'parser: accept lists'", "[feature 1a2b3c4] parser: accept lists"),
    assistant("Committed as 1a2b3c4 on feature."),
  ],
  "a pull request": [
    user("implement the parser and open a pull request"),
    code(),
    green,
    bash("git push -u origin parser && gh pr create --fill", "https://forge.example/pull/7"),
    assistant("The pull request is open: https://forge.example/pull/7. Its checks run now."),
  ],
  "figures wanted": [
    user("which of the endpoints is the slowest?"),
    bash("cat bench.txt", "list 30ms, get 4ms"),
    bash("wc -l bench.txt", "2"),
    assistant("`list` is the slowest with 30 ms, seven times `get`."),
  ],
  "a rust project": [
    user("return an error for empty input"),
    write("src/lib.rs", "pub fn f() {}\n"),
    bash("cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored"),
    assistant("Empty input gives `Error::Empty`, covered by a test."),
  ],
};

/** Written after the rules, and not used to make them. */
export const LATER_RIGHT_STOPS: Readonly<Record<string, Session>> = {
  "a refused push, made to a branch instead": [
    user("publish the fix"),
    code(),
    green,
    bash("git push origin main", "Denied [git.main]: It would push to main.", true),
    bash("git push origin HEAD:refs/heads/fix", "new branch"),
    assistant("Done: the fix is on the branch fix."),
  ],
  "CI as the place of a failure": [
    user("find out why the tests fail on the build server, and repair it"),
    code(),
    green,
    assistant("Fixed. A variable was missing in CI; the CI workflow sets it now."),
  ],
  "a small repair": [
    user("the footer shows last year, please correct it"),
    edit("src/footer.tsx", "new Date().getFullYear()"),
    bash("npm test", "Tests  17 passed (17)"),
    assistant("The footer takes the year from the clock. The 17 tests are fine."),
  ],
  "a choice between two ways": [
    user("speed up the report"),
    ...looked,
    bash("python bench.py", "8.1 s"),
    assistant(
      "Most of the 8 seconds go into one query.\n\nA: an index, quick and safe.\nB: a summary table.\n\nWhich of the two do you prefer?",
    ),
  ],
  "rights are missing": [
    user("create the bucket for the backups"),
    bash("aws sts get-caller-identity", "AccessDenied"),
    bash("aws configure list", "none"),
    assistant("The account may not create buckets. Please grant s3:CreateBucket or give me another profile."),
  ],
  "interrupted by the user": [
    user("rewrite the importer"),
    code("src/importer.py"),
    user("wait, never mind, cancel that"),
    assistant("Cancelled. src/importer.py has half of the rewrite; `git checkout` brings the old one back."),
  ],
  "numbers wanted": [
    user("how many lines of code do we have per language?"),
    bash("cloc .", "Python 1200"),
    bash("ls", "src"),
    assistant("Python 1200, shell 80."),
  ],
  "a summary of changes wanted": [
    user("summarize what happened on this branch"),
    bash("git log --oneline main..", "a1 fix\nb2 add"),
    bash("git diff --stat main", "3 files"),
    assistant(
      "Two commits: one fixes the date, one adds the export. The export has no tests and an open TODO.",
    ),
  ],
  "a design document wanted": [
    user("write a design document for the sync engine"),
    ...looked,
    write("docs/sync.md", "# Sync"),
    assistant("docs/sync.md describes the protocol, the conflicts and what I would leave for later."),
  ],
  "done with a caveat": [
    user("add pagination to the list endpoint"),
    code("src/list.py"),
    bash("pytest -q", "26 passed"),
    assistant("Pagination works with `page` and `size`. Sizes above 100 are cut to 100."),
  ],
  "version raised": [
    user("raise the version to 2.4.0 and tag it"),
    edit("package.json", "2.4.0"),
    bash("git commit -am 'version 2.4.0' && git tag v2.4.0", "[release 9f8e7d6] version 2.4.0"),
    assistant("Version 2.4.0 is committed and tagged as v2.4.0."),
  ],
  "errors as a subject": [
    user("return problem details for every error"),
    edit("src/errors.ts", "type: 'about:blank'"),
    bash("npx vitest run", "Tests  33 passed (33)"),
    assistant("Every error response is now application/problem+json. All 33 tests pass."),
  ],
};
