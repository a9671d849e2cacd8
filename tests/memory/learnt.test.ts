import { describe, expect, it } from "vitest";
import { SessionNotes } from "../../src/memory/learnt.ts";
import { readSteps } from "../../src/memory/reflection.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { assistant, bash, claudeSession, result, type Said, user, write } from "../hooks/recorded.ts";

function notesOf(...said: readonly (Said | readonly Said[])[]): readonly string[] {
  const system = createMemorySystem({ files: { "/t.jsonl": claudeSession(said.flat()) } });
  const notes = new SessionNotes();
  for (const step of readSteps(readTranscript(system, "/t.jsonl", name => name))) notes.see(step);
  return notes.notes().map(({ category, text }) => `${category}: ${text}`);
}

const fails = (command: string, error = "Error: it broke") => bash(command, `Exit code 1\n${error}`);
const works = (command: string) => bash(command, "done");

describe("a failed command and the one that then worked", () => {
  it("are kept with the error", () => {
    expect(
      notesOf(
        fails("npm test", "> test\nError: PAYMENT_SANDBOX is not set.\n  at x"),
        works("PAYMENT_SANDBOX=1 npm test 2>&1 | tail -5"),
      ),
    ).toEqual([
      "learning: `npm test` failed with: Error: PAYMENT_SANDBOX is not set. `PAYMENT_SANDBOX=1 npm test` worked.",
    ]);
  });

  it.each([
    ["npm install left-pad", "pnpm install left-pad"],
    ["python script.py", "python3 script.py"],
    ["git push", "git push -u origin main"],
    ["npm test", "cd packages/shop && npm test"],
    ["npm test", "npm run test:unit"],
    ["kubectl get pod", "kubectl get pods"],
    ["terraform aply", "terraform apply"],
    ["sudo apt-get install jq", "sudo apt-get install -y jq"],
  ])("may be %j and %j", (failing, working) => {
    expect(notesOf(fails(failing), works(working))).toEqual([
      `learning: \`${failing}\` failed with: Error: it broke. \`${working}\` worked.`,
    ]);
  });

  it.each([
    ["the same again", "npm test", "npm test | head"],
    ["another task", "npm test", "npm run lint"],
    ["another target", "docker compose up", "docker compose down"],
    ["another file", "node a.js", "node b.js"],
    ["looking elsewhere", "ls src", "ls src lib"],
    ["another program without operands", "make", "ninja"],
    ["nothing", "", "PAYMENT=1"],
  ])("are not %s", (_, failing, working) => {
    expect(notesOf(fails(failing), works(working))).toEqual([]);
  });

  it("are not told when files were changed in between, or much else was done", () => {
    expect(notesOf(fails("npm test"), write("/a.ts"), result("written"), works("npm test -- a"))).toEqual([]);
    const others = Array.from({ length: 13 }, (_, index) => works(`make target${index}`));
    expect(notesOf(fails("npm test"), ...others, works("npm test -- a"))).toEqual([]);
  });

  it("hold no secrets, and are quoted in part", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const [note = ""] = notesOf(
      fails(`deploy app ${token}`, ""),
      works(`deploy app ${token} ${"x ".repeat(400)}`),
    );
    expect(note).toMatch(/^learning: `deploy app \[redacted\]` failed `deploy app/);
    expect(note.length).toBeLessThan(500);
  });
});

describe("a refused command", () => {
  const refusal =
    "Blocked [git.force-push]: main of origin would be rewritten. Safer: `git push`. Don't work around it.";
  it("is kept with what was done instead", () => {
    expect(
      notesOf(bash("git push --force", refusal), works("ls"), works("git push --force-with-lease")),
    ).toEqual([
      "learning: `git push --force` was refused (git.force-push: main of origin would be rewritten.). `git push --force-with-lease` was done instead.",
    ]);
  });

  it.each([
    "Needs your user's consent [git.force-push]: it is lost. Run it later. You cannot switch this off; wait.",
    "PreToolUse hook: [git.force-push] it is lost. Run it later.\nAgent: not run, because your user has to allow it.",
  ])("is known by the words of the guard: %j", told => {
    const [note] = notesOf(bash("git push --force", told), works("git push"));
    expect(note).toContain("was refused (git.force-push: it is lost. Run it later.)");
  });

  it("is nothing when it was given up, tried again or replaced in vain", () => {
    expect(notesOf(bash("git push --force", refusal))).toEqual([]);
    expect(notesOf(bash("git push --force", refusal), works("git push --force"))).toEqual([]);
    expect(notesOf(bash("git push --force", refusal), works("npm test"))).toEqual([]);
    expect(notesOf(bash("git push --force", refusal), fails("git push --force-with-lease"))).toEqual([]);
    const others = Array.from({ length: 7 }, (_, index) => works(`make target${index}`));
    expect(notesOf(bash("git push --force", refusal), ...others, works("git push"))).toEqual([]);
  });
});

describe("decisions", () => {
  it.each([
    [user("Let's use argon2 instead of bcrypt for passwords."), "The user decided"],
    [user("From now on amounts are integers in cents."), "The user decided"],
    [user("Never commit the generated schema file."), "The user decided"],
    [user("Use zod rather than handwritten checks."), "The user decided"],
    [assistant("We decided to page by cursor, not by offset."), "Decided"],
    [assistant("I chose SQLite over a JSON file for the queue."), "Decided"],
  ])("are kept with who made them: %j", (said, who) => {
    const text = Object.values(said)[0];
    expect(notesOf(said)).toEqual([`decision: ${who}: ${text}`]);
  });

  it.each([
    [user("Should we use argon2 instead of bcrypt here?")],
    [user("We have not decided on a database yet, wait.")],
    [assistant("Let's use the search tool to find the file.")],
    [assistant("I will read the file and run the tests.")],
  ])("are not made up: %j", said => {
    expect(notesOf(said)).toEqual([]);
  });

  it("are the latest two, each once", () => {
    const decide = (what: string) => user(`We decided to use ${what} for the queue.`);
    expect(notesOf(decide("Redis"), decide("Kafka"), decide("SQLite"), decide("Kafka"))).toEqual([
      "decision: The user decided: We decided to use SQLite for the queue.",
      "decision: The user decided: We decided to use Kafka for the queue.",
    ]);
  });
});
