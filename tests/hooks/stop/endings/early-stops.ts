import { assistant, bash, todos, user, write } from "../../recorded.ts";
import { code, edit, green, grep, looked, type Session } from "./pieces.ts";

/** Stops that come too early. */
export const EARLY_STOPS: Readonly<Record<string, Session>> = {
  "an open entry": [
    user("implement the parser"),
    code(),
    green,
    todos("completed", "pending"),
    assistant("Everything is done."),
  ],
  "an entry in progress": [
    user("implement the parser"),
    code(),
    green,
    todos("completed", "in_progress"),
    assistant("I implemented the reading of lists."),
  ],
  "tests that fail": [
    user("implement the parser"),
    code(),
    bash("pytest -q", "3 failed, 9 passed"),
    assistant("I implemented the parser, but 3 tests are still failing."),
  ],
  "tests that fail, not told": [
    user("implement the parser"),
    code(),
    bash("pytest -q", "3 failed, 9 passed"),
    assistant("The parser is implemented."),
  ],
  "green, then red": [
    user("refactor the cache"),
    code("src/cache.py"),
    green,
    edit("src/cache.py", "x = 2"),
    bash("pytest -q", "1 failed, 11 passed"),
    assistant("I refactored the cache. Done."),
  ],
  "red in another directory": [
    user("add the handler to ../orders"),
    write("/home/user/orders/handler.go", "package main\n"),
    bash("cd ../orders && go test ./...", "--- FAIL: TestList\nFAIL\torders\t0.1s"),
    assistant("The handler is done."),
  ],
  "only a promise": [
    user("implement the parser"),
    assistant("I'll start with the lexer and then wire the parser into the command line."),
  ],
  "a promise after reading": [
    user("add a cache to the client"),
    ...looked,
    assistant("I see how it works. Now I will add the cache to the client."),
  ],
  "a promise after work": [
    user("implement the parser and its command"),
    code(),
    green,
    assistant("The parser is implemented. Next, I'll wire it into the command line."),
  ],
  "a promise of documents": [
    user("implement the parser and document it"),
    code(),
    green,
    assistant("All tests passed. Now let me update the documentation."),
  ],
  "cut off": [
    user("rename the class everywhere"),
    code(),
    green,
    ...grep("Parser"),
    assistant("Let me check the other usages:"),
  ],
  "no check at all": [
    user("add a function that sums"),
    code("src/sum.py"),
    assistant("I added the function `total`."),
  ],
  "a test program that is missing": [
    user("implement the parser"),
    code(),
    bash("pytest", "bash: pytest: command not found"),
    assistant("The implementation is complete."),
  ],
  "a stub": [
    user("implement export to CSV and JSON"),
    write("src/export.py", "def csv(): return 1\n\ndef json():\n    raise NotImplementedError\n"),
    green,
    assistant("Export is implemented."),
  ],
  "a marker in the code": [
    user("implement the upload"),
    write("src/upload.ts", "export const up = () => 1; // TODO retry\n"),
    bash("npx vitest run", "Tests  4 passed (4)"),
    assistant("The upload is done."),
  ],
  "work that remains": [
    user("convert the modules to the new API"),
    code(),
    green,
    assistant("Module a is converted. Remaining work: modules b and c."),
  ],
  "some of many": [
    user("convert the 8 files to the new API"),
    code(),
    green,
    assistant("So far 3 of 8 files are converted."),
  ],
  "another time": [
    user("convert the modules to the new API"),
    code(),
    green,
    assistant("Module a works. I'll continue with the other modules in the next session."),
  ],
  "too long": [
    user("convert the modules to the new API"),
    code(),
    green,
    assistant("Because of the length I stopped here; the other five files still need to be converted."),
  ],
  "leave to go on": [
    user("convert the modules to the new API"),
    code(),
    green,
    todos("completed", "pending", "pending"),
    assistant("The first module is converted. Shall I continue with the others?"),
  ],
  "straight to main": [
    user("implement the parser"),
    code(),
    green,
    bash("git commit -am x && git push origin main", ""),
    assistant("Done and pushed to main."),
  ],
  "a review that nobody answered": [
    user("here is the review feedback: rename f, drop g"),
    code(),
    green,
    assistant("Done, the tests pass."),
  ],
  "a pipeline that fails": [
    user("implement the parser and get it merged"),
    code(),
    green,
    bash("git push -u origin parser && gh pr create --fill", "https://forge.example/pull/7"),
    assistant("The pull request is open, but CI is failing in the lint step."),
  ],
  "a skill that was not used": [
    user("<command-name>/release</command-name> make a release"),
    code(),
    green,
    assistant("Done, the release is prepared."),
  ],
  "a build that fails": [
    user("switch the build to ESM"),
    edit("build.config.ts", "format: 'esm'"),
    bash("npm run build", "error TS2307: cannot find module"),
    assistant("I changed the configuration; the build still stops with an error about a module."),
  ],
  "a step that was put off": [
    user("implement the parser with error messages"),
    code(),
    green,
    assistant("The parser works for good input. Error messages are deferred for now."),
  ],
  "an investigation that goes on": [
    user("investigate why logins are slow"),
    ...looked,
    assistant("The session lookup is one cause. I still need to check the database layer."),
  ],
  "an intention in German": [
    user("Bitte füge eine Option für die Farbe hinzu"),
    code("src/farbe.py"),
    assistant("Die Option ist angelegt. Als Nächstes schreibe ich die Tests."),
  ],
  "a test that was switched off": [
    user("repair the parser"),
    code(),
    bash("pytest -q", "11 passed, 1 skipped"),
    assistant("I skipped the failing test for now, the others pass. Making it pass is left to do."),
  ],
  "a draft": [
    user("implement retry in the client"),
    code("src/client.py"),
    green,
    assistant("This is a first version; the retry on timeouts is not yet done."),
  ],
};

/** Written after the rules, and not used to make them. */
export const LATER_EARLY_STOPS: Readonly<Record<string, Session>> = {
  "goes on to the next file": [
    user("add types to the three modules"),
    edit("src/a.ts", "x: number"),
    bash("npx tsc --noEmit", ""),
    assistant("a.ts is typed. Moving on to b.ts now."),
  ],
  "begins to debug": [
    user("make the flaky test stable"),
    edit("tests/test_x.py", "time.sleep(1)"),
    bash("pytest -q", "1 failed, 20 passed"),
    assistant("Still red. Let me look at the fixture."),
  ],
  "half of the request": [
    user("add export and import"),
    code("src/export.py"),
    bash("pytest -q", "9 passed"),
    todos("completed", "pending"),
    assistant("Export works and is tested."),
  ],
  "nothing run": [
    user("implement retry with backoff in the client and use it everywhere"),
    code("src/client.py"),
    edit("src/a.py", "retry()"),
    edit("src/b.py", "retry()"),
    assistant("I added the retry and used it in both callers."),
  ],
  "compile error": [
    user("port the handler to the new framework"),
    write("src/handler.rs", "fn main() {}\n"),
    bash("cargo test", "error[E0432]: unresolved import\nerror: could not compile"),
    assistant("The handler is ported to the new framework."),
  ],
  "will do it tomorrow": [
    user("migrate the five services"),
    code("src/one.py"),
    bash("pytest -q", "5 passed"),
    assistant("Service one is migrated; services two to five are still to be done."),
  ],
  "asks for leave": [
    user("migrate the five services"),
    code("src/one.py"),
    bash("pytest -q", "5 passed"),
    todos("completed", "pending", "pending", "pending", "pending"),
    assistant("Service one is migrated. Would you like me to continue with service two?"),
  ],
  "a list of what is missing": [
    user("implement the settings page"),
    code("src/settings.tsx"),
    bash("npm test", "Tests  4 passed (4)"),
    assistant("The form is there.\n\nRemaining tasks:\n- saving\n- validation"),
  ],
  "a plan instead of work": [
    user("implement the settings page"),
    ...looked,
    assistant("I'll create a form, wire it to the store and add tests. I will begin with the form."),
  ],
  "a placeholder": [
    user("implement the price calculation"),
    write("src/price.ts", "export function price() { return 0; } // FIXME real formula\n"),
    bash("npm test", "Tests  2 passed (2)"),
    assistant("The price calculation is in place and tested."),
  ],
};
