import { describe, expect, it } from "vitest";
import {
  applyHeuristic,
  type ProjectFacts,
  SHIPPED_CONSIDERATIONS,
} from "../../../src/hooks/stock/stop/power-steering/heuristics.ts";
import {
  assistant,
  bash,
  claudeSession,
  codexSession,
  copilotSession,
  meta,
  result,
  type Said,
  todos,
  use,
  user,
  write,
} from "../recorded.ts";
import { factsOf } from "./session.ts";

const NOTHING_AROUND: ProjectFacts = { forbidsMerge: false, readme: "" };

type Session = readonly (Said | readonly Said[])[];

/** A table per check: sessions it must complain about, and sessions it must let pass. */
interface Case {
  readonly id: string;
  readonly fails: Readonly<Record<string, Session>>;
  readonly passes: Readonly<Record<string, Session>>;
  readonly around?: Partial<ProjectFacts>;
}

const edit = (path: string, text: string) =>
  use("Edit", { file_path: path, old_string: "a", new_string: text });
const many = (count: number) => Array.from({ length: count }, (_, index) => write(`src/f${index}.py`));

const CASES: readonly Case[] = [
  {
    id: "todos_complete",
    fails: {
      "a pending entry": [todos("completed", "pending")],
      "an entry in progress": [todos("in_progress")],
      "an entry without a status": [use("TodoWrite", { todos: [{ content: "x" }] })],
    },
    passes: {
      "no list": [assistant("hi")],
      "all completed": [todos("completed", "completed")],
      "an older open list followed by a completed one": [todos("pending"), todos("completed")],
    },
  },
  {
    id: "objective_completion",
    fails: {
      "no completion word": [user("go"), assistant("I looked at it")],
      "only part of a word": [assistant("This was undone and is incomplete")],
      "a negated word": [assistant("The work is not done")],
      "a completion word too long ago": [
        assistant("All done"),
        ...Array.from({ length: 10 }, () => assistant("hm")),
      ],
      "the user's word": [user("are you done")],
    },
    passes: {
      "a completion word": [assistant("Everything is done.")],
      completed: [assistant("I completed the change")],
      "tests pass": [assistant("All tests passed")],
      "nothing to do": [assistant("This works as expected, no changes needed")],
      "a push": [bash("git push -u origin feature"), assistant("hm")],
      "a pull request": [bash("gh pr create --fill"), assistant("hm")],
    },
  },
  {
    id: "next_steps",
    fails: {
      "next steps": [assistant("Next steps: write the docs")],
      "a follow-up": [assistant("I leave that for a follow-up.")],
      "remaining tasks": [assistant("Remaining tasks are the tests")],
      "still needs": [assistant("It still needs to be deployed")],
      "a to do list": [assistant("To do: the parser")],
      pending: [assistant("The migration is pending")],
    },
    passes: {
      "nothing left": [assistant("There is nothing left to do.")],
      "no next steps": [assistant("No next steps remain")],
      "steps that were all taken": [
        assistant("All todos are completed. All of the remaining tasks are done."),
      ],
      "part of another word": [assistant("I went on to document and to download it")],
      "an ordinary use of to do": [assistant("I was able to do this with one query")],
      "the user's words": [user("what are the next steps")],
      "words of long ago": [
        assistant("Next step: build"),
        ...Array.from({ length: 10 }, () => assistant("built")),
      ],
      "spending, appending": [assistant("Appending rows reduces spending")],
    },
  },
  {
    id: "skill_invocation",
    fails: { "a typed skill that was never called": [user("<command-name>/review-it</command-name>")] },
    passes: {
      "a called skill": [
        user("<command-name>/review-it</command-name>"),
        use("Skill", { skill: "review-it" }),
      ],
      "a command of the host itself": [user("<command-name>/clear</command-name>")],
      "no command": [user("go")],
    },
  },
  {
    id: "no_direct_main_commit",
    fails: {
      "a push to main": [bash("git push origin main")],
      "a push of HEAD to master": [bash("cd x && git push -f origin HEAD:master")],
      "a commit after a status on main": [
        bash("git status", "On branch main\nnothing"),
        bash("git commit -m x"),
      ],
      "a bare push on master": [bash("git branch", "* master\n  other"), bash("git push")],
    },
    passes: {
      "a push of a branch": [bash("git push origin feature/main")],
      "a branch whose name starts with main": [bash("git push origin main-menu")],
      "a commit on a branch": [bash("git status", "On branch fix-it"), bash("git commit -m x")],
      "a branch made in between": [
        bash("git status", "On branch main"),
        bash("git switch -c x", "Switched to a new branch 'x'"),
        bash("git commit -m x", "[x 1234567] x"),
      ],
      "a status of main more than ten results ago": [
        bash("git status", "On branch main"),
        ...Array.from({ length: 10 }, () => bash("ls", "a")),
        bash("git commit -m x"),
      ],
      "prose about main": [assistant("never git push origin main")],
    },
  },
  {
    id: "dev_workflow_complete",
    fails: {
      "writes without validation": [write("a.py"), bash("ls")],
      "an inline command that only prints": [write("a.py"), bash('python -c "print(1)"')],
    },
    passes: {
      "no writes": [bash("ls")],
      tests: [write("a.py"), bash("pytest")],
      "a linter": [write("a.ts"), bash("npx eslint .")],
      "a meaningful inline check": [write("a.py"), bash('python3 -c "import a; assert a.f() == 1"')],
    },
  },
  {
    id: "philosophy_compliance",
    fails: {
      "a marker": [write("a.py", "x = 1  # TODO later")],
      "FIXME in an edit": [edit("b.ts", "// FIXME")],
      "an unimplemented function": [write("a.py", "def f():\n    raise NotImplementedError")],
      "a body of pass": [write("a.py", "def f(x):\n    pass\n")],
      "a body of dots": [write("a.py", "def f(x) -> int:\n    ...\n\ndef g():\n    return 1\n")],
      "a MultiEdit": [use("MultiEdit", { file_path: "a.go", edits: [{ new_string: "// XXX" }] })],
      "a patch": [use("Edit", "*** Begin Patch\n*** Update File: a.rs\n+// TODO\n*** End Patch")],
      "Copilot's create": [use("create", { path: "a.js", file_text: "// TODO" })],
    },
    passes: {
      "a test file": [write("tests/test_a.py", "# TODO"), write("a.test.ts", "// FIXME")],
      "a document": [write("notes.md", "TODO"), write("a.toml", "# TODO"), write("a.json", "TODO")],
      "a word that contains a marker": [write("a.py", "TODOS = 1\nmastodon = XXXL")],
      "an abstract method": [
        write("a.py", "class A(ABC):\n    @abstractmethod\n    def f(self):\n        pass\n"),
      ],
      "pass inside a longer body": [
        write("a.py", "def f():\n    try:\n        g()\n    except E:\n        pass\n"),
      ],
      "removed lines of a patch": [
        use("Edit", "*** Begin Patch\n*** Update File: a.rs\n-// TODO\n*** End Patch"),
      ],
    },
  },
  {
    id: "local_testing",
    fails: {
      "no tests": [write("a.py")],
      "failing tests": [bash("pytest", "FAILED test_a.py\n1 failed, 3 passed")],
      "failing vitest": [bash("npm test", "Tests  1 failed | 3 passed")],
      "a passing word from another command": [bash("cat log", "3 passed")],
      "a build that failed": [bash("pytest", "2 passed"), bash("npm run build", "error TS2322", true)],
    },
    passes: {
      "a build that was repaired": [
        bash("npm run build", "error TS2322", true),
        bash("npm run build", "", false),
        bash("pytest", "2 passed"),
      ],
      "a script that was run": [write("tools/rename.py"), bash("python tools/rename.py --dry-run", "a -> b")],
      "passing tests in a block of a user entry": [bash("pytest -q", "3 passed in 0.1s")],
      "unittest's OK": [bash("python -m unittest", "Ran 3 tests\n\nOK")],
      "go's ok": [bash("go test ./...", "ok  \texample.com/x\t0.01s")],
      "no failures among the numbers": [bash("cargo test", "test result: ok. 3 passed; 0 failed")],
      "a run that was fixed": [bash("pytest", "1 failed"), bash("pytest", "2 passed")],
      "ruff check": [bash("ruff check .")],
      mypy: [bash("mypy src")],
      "a meaningful node -e": [bash("node -e 'require(\"./a\").run()'")],
    },
  },
  {
    id: "review_responses",
    fails: {
      "feedback without an answer": [user("please look at the review comments"), assistant("I read them")],
    },
    passes: {
      "feedback that was addressed": [user("there is feedback"), assistant("I addressed it all")],
      "no feedback": [user("go"), assistant("hm")],
      "part of a word": [user("show a preview of the commentary"), assistant("hm")],
    },
  },
  {
    id: "ci_status",
    fails: {
      "a failing build": [assistant("The build is failing")],
      "an error": [assistant("There is an error in the job")],
      "CI without mergeable": [assistant("I pushed and CI is running")],
      "GitHub Actions without mergeable": [assistant("GitHub Actions will run")],
    },
    passes: {
      nothing: [assistant("I renamed the field")],
      "part of a word": [assistant("The specific decision suffices, a terrorist was not unfailed")],
      mergeable: [assistant("CI is green and the PR is mergeable")],
      "CI as a place": [assistant("The variable was missing in CI"), assistant("I changed the CI workflow")],
      "no failure": [assistant("12 passed, 0 failed, without error")],
      "error handling as a subject": [assistant("I added error handling and clear error messages")],
      "a failure that was put right": [
        assistant("One test failed."),
        assistant("Fixed, all tests pass now."),
      ],
    },
  },
  {
    id: "ci_status",
    around: { forbidsMerge: true },
    fails: {
      "a draft": [assistant("CI passes, the PR is a draft")],
      "CI running": [assistant("CI is running")],
    },
    passes: {
      "passing CI": [assistant("CI is passing")],
      "ready for review": [assistant("The PR is ready for review")],
      nothing: [assistant("hm")],
    },
  },
  {
    id: "agent_unnecessary_questions",
    fails: { "four questions": [assistant("A? B?"), assistant("C? D?")] },
    passes: { "three questions": [assistant("A? B? C?"), user("D? E?")] },
  },
  {
    id: "documentation_updates",
    fails: { "code alone": [write("a.py")] },
    passes: { "code and a document": [write("a.py"), write("README.md")], "no code": [write("a.yml")] },
  },
  {
    id: "tutorial_needed",
    fails: { "a feature without an example": [user("add a new feature"), write("a.py")] },
    passes: {
      "a feature with an example": [user("add a new feature"), write("examples/run.py")],
      "no feature": [user("go")],
    },
  },
  {
    id: "feature_docs_discoverable",
    around: { readme: "see docs/deploy.md and again docs/deploy.md" },
    fails: { "a command without a page": [write(".claude/commands/ship.md")] },
    passes: {
      "a command with a linked page": [write(".claude/commands/deploy.md"), write("docs/deploy.md")],
      "no new command": [write("a.py")],
    },
  },
  { id: "presentation_needed", fails: {}, passes: { "anything at all": [write("a.py")] } },
  {
    id: "docs_organization",
    fails: { "notes in the project": [write("docs/INVESTIGATION_notes.md")] },
    passes: {
      "notes below .claude": [write(".claude/docs/investigation.md")],
      "a catalogue": [write("docs/catalog.md")],
    },
  },
  {
    id: "investigation_docs",
    fails: { "nothing written down": [user("investigate the crash"), assistant("The root cause is x")] },
    passes: {
      "a document": [user("investigate the crash"), write("notes.md")],
      "no investigation": [user("go")],
    },
  },
  {
    id: "shortcuts",
    fails: {
      "a hack": [write("a.py", "x = 1  # hack around the cache")],
      "fix it later": [write("a.ts", "// fix this later")],
    },
    passes: {
      hackathon: [write("a.py", "# hackathon entry")],
      "outside a comment": [write("a.py", "temporary = 1")],
    },
  },
  {
    id: "interactive_testing",
    fails: { "few tests": [bash("pytest", "9 passed")] },
    passes: {
      "ten tests": [bash("pytest", "10 passed")],
      "a manual test": [assistant("I tested it manually")],
    },
  },
  { id: "unrelated_changes", fails: { "21 writes": many(21) }, passes: { "20 writes": many(20) } },
  {
    id: "root_pollution",
    fails: { "a stray script": [write("try_it.py")] },
    passes: {
      "a usual file": [write("README.md"), write("package.json"), write(".editorconfig")],
      "a folder": [write("src/a.py")],
    },
  },
  {
    id: "pr_description",
    fails: { "no test plan": [bash('gh pr create --body "## Summary"')] },
    passes: {
      "all parts": [bash('gh pr create --body "## Summary ## Test plan"')],
      "no pull request": [bash("ls")],
    },
  },
  {
    id: "branch_rebase",
    fails: {
      behind: [bash("git status", "Your branch is behind 'origin/main' by 2 commits")],
      diverged: [bash("git status", "have diverged")],
    },
    passes: {
      "up to date": [bash("git status", "Your branch is up to date")],
      prose: [assistant("it is behind")],
    },
  },
  {
    id: "ci_precommit_mismatch",
    fails: {
      both: [bash("pre-commit run", "ruff.....................Passed"), assistant("but CI failed on lint")],
    },
    passes: {
      "pre-commit alone": [bash("pre-commit run", "ruff.....................Passed"), assistant("CI passed")],
    },
  },
];

for (const { id, fails, passes, around } of CASES) {
  const complaint = (session: Session, record = claudeSession) =>
    applyHeuristic(id, factsOf(session, record), { ...NOTHING_AROUND, ...around });

  describe(`${id}${around?.forbidsMerge ? " where the user merges" : ""}`, () => {
    for (const [name, session] of Object.entries(fails)) {
      it(`complains about ${name}`, () => expect(complaint(session)?.reason).toMatch(/\w/));
    }
    for (const [name, session] of Object.entries(passes)) {
      it(`lets pass ${name}`, () => expect(complaint(session)).toBeUndefined());
    }
  });
}

describe("every shipped consideration with a heuristic", () => {
  it("has cases above", () => {
    const tested = new Set(CASES.map(({ id }) => id));
    const untested = SHIPPED_CONSIDERATIONS.filter(
      ({ heuristic, id }) => heuristic !== undefined && !tested.has(id),
    );
    expect(untested.map(({ id }) => id)).toEqual([]);
  });

  it("is one of the twenty-five of the specification, eleven of them blockers", () => {
    expect(SHIPPED_CONSIDERATIONS).toHaveLength(25);
    expect(SHIPPED_CONSIDERATIONS.filter(({ severity }) => severity === "blocker")).toHaveLength(11);
    expect(
      SHIPPED_CONSIDERATIONS.filter(({ heuristic }) => heuristic === undefined).map(({ id }) => id),
    ).toEqual(["workflow_invocation"]);
  });
});

describe("the same session in another host's form", () => {
  const said = [
    user("make it"),
    use("create", { path: "a.py", file_text: "x = 1" }),
    use("bash", { command: "pytest" }),
    result("4 passed"),
    assistant("All done."),
  ];

  it.each([
    ["Claude Code", claudeSession],
    ["Copilot", copilotSession],
    ["Codex", codexSession],
  ])("has the same facts: %s", (_, record) => {
    const facts = factsOf(said, record);
    expect(facts.hasPassingTests).toBe(true);
    expect(facts.writes.map(({ path, isCode }) => [path, isCode])).toEqual([["a.py", true]]);
    expect(facts.counts).toMatchObject({ entries: 5, userMessages: 1, toolUses: 2 });
  });
});

describe("what the hook itself said earlier", () => {
  it("counts neither as the user's words nor as the agent's", () => {
    const facts = factsOf([
      meta("Stop hook feedback: review the next steps, tests failed"),
      user("go"),
      assistant("done"),
    ]);
    expect(facts.counts.userMessages).toBe(1);
    expect(facts.user.has("review")).toBe(false);
  });
});
