import { describe, expect, it } from "vitest";
import { classifySession, isQuestionAndAnswer } from "../../../src/hooks/stock/stop/power-steering/facts.ts";
import { assistant, bash, meta, type Said, use, user, write } from "../recorded.ts";
import { factsOf } from "./session.ts";

const read = (path: string) => use("Read", { file_path: path });
const typeOf = (...said: (Said | readonly Said[])[]) => classifySession(factsOf(said));

describe("the type of a session", () => {
  it("is informational when nothing was said", () => {
    expect(typeOf()).toBe("INFORMATIONAL");
  });

  it.each([
    "please cleanup the temp folder",
    "clean up",
    "git fetch now",
    "pull latest",
    "sync the fork",
    "rebase onto main",
    "merge this PR",
    "merge it",
    "review and merge",
    "reset the branch",
    "what's changed",
    "what changed",
    "show status",
  ])("is simple for %j", text => {
    expect(typeOf(user(text), write("a.py"))).toBe("SIMPLE");
  });

  it("is simple only when one of the first three messages says so", () => {
    expect(typeOf(user("a"), user("b"), user("c"), user("git status"), write("a.py"))).toBe("DEVELOPMENT");
    expect(typeOf(user("a"), user("b"), user("git status"), write("a.py"))).toBe("SIMPLE");
  });

  it.each([
    "prioritise the backlog",
    "write an epic",
    "project management",
    "what should we work on",
    "survey the project",
  ])("is operations for %j", text => {
    expect(typeOf(user(text), write("a.py"))).toBe("OPERATIONS");
  });

  it.each([
    ["preset the form values", "reset"],
    ["make it async", "sync"],
    ["show the epicentre on the map", "epic"],
    ["add a sprinter class", "sprint"],
    ["support stashing of themes in workspaces", "workspace"],
    ["prefetch the pages", "fetch"],
  ])("is not taken from a part of a word: %j does not say %j", text => {
    expect(typeOf(user(text), write("a.py"))).toBe("DEVELOPMENT");
  });

  it("is development when code was written, tests were run or a pull request was made", () => {
    for (const path of ["a.py", "src/b.tsx", "/x/c.rs", "d.h"])
      expect(typeOf(user("go"), write(path))).toBe("DEVELOPMENT");
    for (const command of ["pytest -q", "npm test", "cargo test", "python -m unittest", "uvx --from . x"]) {
      expect(typeOf(user("go"), bash(command))).toBe("DEVELOPMENT");
    }
    expect(typeOf(user("go"), bash("gh pr create --title x"))).toBe("DEVELOPMENT");
  });

  it("is an investigation when the user asks for one and nothing was built", () => {
    expect(typeOf(user("investigate the crash"), write("notes.md"))).toBe("INVESTIGATION");
    expect(typeOf(user("please run diagnostics"))).toBe("INVESTIGATION");
    expect(typeOf(user("why does it fail"))).toBe("INVESTIGATION");
    expect(typeOf(user("investigate and fix"), write("a.py"))).toBe("DEVELOPMENT");
  });

  it("is informational for questions with at most one look around", () => {
    expect(typeOf(user("which port?"), read("a.txt"), assistant("80"))).toBe("INFORMATIONAL");
  });

  it("is an investigation when several files were looked at and none written", () => {
    expect(typeOf(user("which port?"), read("a.txt"), use("Grep", { pattern: "x" }))).toBe("INVESTIGATION");
  });

  it("is maintenance when only documents or configuration were written, or only commits made", () => {
    expect(typeOf(user("go"), write("README.md"), write("a.yml"))).toBe("MAINTENANCE");
    expect(typeOf(user("go"), bash("git commit -m x"))).toBe("MAINTENANCE");
    expect(typeOf(user("go"), write("README.md"), write("logo.svg"))).toBe("INFORMATIONAL");
  });

  it("does not depend on the name of a command the user typed", () => {
    const typed = "<command-name>/reset</command-name><command-message>reset</command-message>go";
    expect(typeOf(user(typed), write("a.py"))).toBe("DEVELOPMENT");
  });

  it("does not depend on what the host or a hook said in the user's place", () => {
    expect(typeOf(meta("git status"), user("go"), write("a.py"))).toBe("DEVELOPMENT");
  });
});

describe("a question-and-answer session", () => {
  const isChat = (...said: (Said | readonly Said[])[]) => isQuestionAndAnswer(factsOf(said));
  const long = [assistant("a"), assistant("b"), assistant("c"), assistant("d"), assistant("e")];

  it("has no user message at all", () => {
    expect(isChat(...long, write("a.py"), write("b.py"))).toBe(true);
  });

  it("has no tool use and mostly questions", () => {
    expect(isChat(user("why?"), user("how?"), user("ok"), ...long)).toBe(true);
    expect(isChat(user("why?"), user("ok"), ...long)).toBe(false);
  });

  it("is short, with fewer than two tool uses", () => {
    expect(isChat(user("go"), write("a.py"), assistant("x"), assistant("y"))).toBe(true);
    expect(isChat(user("go"), write("a.py"), write("b.py"), assistant("x"))).toBe(false);
    expect(isChat(user("go"), write("a.py"), assistant("x"), assistant("y"), assistant("z"))).toBe(false);
  });
});
