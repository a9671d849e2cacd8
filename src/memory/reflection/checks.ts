import { isTestCommand } from "../../hooks/index.ts";
import { type Json, listAt, stringAt } from "../../protocol/index.ts";
import { clip, findStatement, oneLine, redact, wordPattern } from "../../text/index.ts";
import { shortHash } from "../short-hash.ts";
import type { SessionCheck, SessionFinding, SessionStep } from "./finding.ts";

/** What a check remembers of a session is bounded, however long that was. */
const MAX_REMEMBERED = 5_000;
const MAX_QUOTE_LENGTH = 120;

export const CHECKS: readonly (() => SessionCheck)[] = [
  checkRepeatedFailures,
  checkTestFailures,
  checkLoops,
  checkRevertedEdits,
  checkUnansweredQuestions,
  checkCorrections,
];

const EDITING = new Set(["Edit", "Write", "NotebookEdit"]);
const BLIND_RETRIES = 3;
const STUBBORN_RETRIES = 8;

/** The same command failing again: soon when nothing was changed in between, late when something was. */
function checkRepeatedFailures(): SessionCheck {
  const runs = new Map<string, { blind: number; total: number; mostBlind: number; mostTotal: number }>();
  return {
    see(step) {
      if (step.kind !== "call") return;
      if (EDITING.has(step.tool)) for (const run of runs.values()) run.blind = 0;
      if (step.command === undefined) return;
      const command = oneLine(step.command);
      const run = runs.get(command) ?? { blind: 0, total: 0, mostBlind: 0, mostTotal: 0 };
      if (!runs.has(command) && runs.size < MAX_REMEMBERED) runs.set(command, run);
      run.blind = step.hasFailed ? run.blind + 1 : 0;
      run.total = step.hasFailed ? run.total + 1 : 0;
      run.mostBlind = Math.max(run.mostBlind, run.blind);
      run.mostTotal = Math.max(run.mostTotal, run.total);
    },
    findings: () =>
      [...runs].flatMap(([command, { mostBlind, mostTotal }]) => {
        if (mostBlind >= BLIND_RETRIES)
          return finding(
            "medium",
            `${quote(command)} failed ${mostBlind} times in a row with no file changed in between`,
            "Read the first failure and change something before running a command again.",
          );
        if (mostTotal < STUBBORN_RETRIES) return [];
        return finding(
          "medium",
          `${quote(command)} failed ${mostTotal} times in a row in spite of changes`,
          "After a few failed attempts, find the cause before trying another change.",
        );
      }),
  };
}

const FAILED_TESTS = /\bFAILED\b|\b[1-9]\d*\s+(?:failed|failing|failures?)\b|^# fail [1-9]/m;

/** The last run of each test command counts; what was red and then green is no finding. */
function checkTestFailures(): SessionCheck {
  let last: { readonly command: string; readonly hasFailed: boolean } | undefined;
  return {
    see(step) {
      if (step.kind !== "call" || step.command === undefined || !isTestCommand(step.command)) return;
      last = { command: oneLine(step.command), hasFailed: step.hasFailed || FAILED_TESTS.test(step.output) };
    },
    findings() {
      if (last?.hasFailed !== true) return [];
      const text = `the last test run, ${quote(last.command)}, failed and was not repeated`;
      return [finding("high", text, "Fix the failing tests, or say plainly that they fail and why.")];
    },
  };
}

const LOOP = 5;
const LONG_LOOP = 15;

/** The same call with the same result, with no change by the agent in between. */
function checkLoops(): SessionCheck {
  const calls = new Map<string, { readonly name: string; count: number; most: number }>();
  return {
    see(step) {
      if (step.kind !== "call") return;
      if (EDITING.has(step.tool)) for (const call of calls.values()) call.count = 0;
      const key = shortHash(JSON.stringify([step.tool, step.input, step.output]));
      const call = calls.get(key) ?? { name: describeCall(step), count: 0, most: 0 };
      if (!calls.has(key) && calls.size < MAX_REMEMBERED) calls.set(key, call);
      call.most = Math.max(call.most, ++call.count);
    },
    findings: () =>
      [...calls.values()]
        .filter(({ most }) => most >= LOOP)
        .map(({ name, most }) =>
          finding(
            most >= LONG_LOOP ? "high" : "medium",
            `${name} was called ${most} times with the same result`,
            "Keep what a call told; ask again only after something has changed.",
          ),
        ),
  };
}

function describeCall(step: Extract<SessionStep, { kind: "call" }>): string {
  if (step.command !== undefined) return quote(oneLine(step.command));
  const target = stringAt(step.input, "file_path", "filePath", "path", "pattern", "url", "query");
  return target === undefined ? step.tool : `${step.tool} of ${quote(oneLine(target))}`;
}

const REVERTS = 2;

/** An edit that puts back exactly what an earlier edit of that file replaced. */
function checkRevertedEdits(): SessionCheck {
  const edits = new Set<string>();
  const reverts = new Map<string, number>();
  return {
    see(step) {
      if (step.kind !== "call" || step.tool !== "Edit" || step.hasFailed) return;
      for (const { path, before, after } of replacementsOf(step.input)) {
        if (edits.has(shortHash(JSON.stringify([path, after, before])))) {
          reverts.set(path, (reverts.get(path) ?? 0) + 1);
        }
        if (edits.size < MAX_REMEMBERED) edits.add(shortHash(JSON.stringify([path, before, after])));
      }
    },
    findings: () =>
      [...reverts]
        .filter(([, count]) => count >= REVERTS)
        .map(([path, count]) =>
          finding(
            "low",
            `edits of ${quote(path)} were taken back ${count} times`,
            "Decide on an approach before editing, and keep a note of what was ruled out.",
          ),
        ),
  };
}

function* replacementsOf(input: Json): Generator<{ path: string; before: string; after: string }> {
  const path = stringAt(input, "file_path", "filePath", "path");
  if (path === undefined) return;
  for (const edit of [input, ...listAt(input, "edits")]) {
    const before = stringAt(edit, "old_string", "old_str", "oldText");
    const after = stringAt(edit, "new_string", "new_str", "newText");
    if (before !== undefined && after !== undefined && before !== after) yield { path, before, after };
  }
}

/** A question of the user after which the agent wrote nothing before the next message or the end. */
function checkUnansweredQuestions(): SessionCheck {
  const unanswered: string[] = [];
  let open: string | undefined;
  const settle = (): void => {
    if (open !== undefined && unanswered.length < MAX_REMEMBERED) unanswered.push(open);
    open = undefined;
  };
  return {
    see(step) {
      if (step.kind === "agent-message") open = undefined;
      if (step.kind !== "user-message") return;
      settle();
      open = questionIn(step.text);
    },
    findings() {
      settle();
      const advice = "Answer every question in words, also when the work itself is the answer.";
      return unanswered.map(question =>
        finding("medium", `a question got no answer: ${quote(question)}`, advice),
      );
    },
  };
}

function questionIn(text: string): string | undefined {
  const prose = text.replace(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, " ").replace(/https?:\S+/g, " ");
  const mark = /[\p{L}\p{N})"'’]\?(?=\s|$)/u.exec(prose);
  if (mark === null) return undefined;
  const before = prose.slice(0, mark.index);
  const start = Math.max(...[".", "!", "?", "\n"].map(end => before.lastIndexOf(end))) + 1;
  return oneLine(prose.slice(start, mark.index + mark[0].length));
}

const CORRECTION = wordPattern(`
  (?:that|this|it)(?:['’]s| is) (?:still )?(?:wrong|incorrect|not (?:right|correct|what))
  not what i (?:asked|wanted|meant|said)
  i (?:already |just |clearly )?(?:said|told you|asked you|asked for)
  you (?:forgot|missed|ignored|misunderstood|did(?:n['’]t| not))
  (?:still|again) (?:broken|failing|fails|wrong|not working) | (?:undo|revert) (?:that|this|it)
`);
const LEADING_NO = /^\s*(?:no|nope|wrong|stop)\b[\s,.!:-]/i;
const CORRECTIONS = 2;

function checkCorrections(): SessionCheck {
  let count = 0;
  let isFirst = true;
  return {
    see(step) {
      if (step.kind !== "user-message") return;
      const isCorrection = LEADING_NO.test(step.text) || findStatement(step.text, CORRECTION) !== undefined;
      // The first message is no correction.
      if (!isFirst && isCorrection) count++;
      isFirst = false;
    },
    findings() {
      if (count < CORRECTIONS) return [];
      const text = `the user had to correct or repeat themselves ${count} times`;
      const advice =
        "Restate the request in your own words before starting, and check the result against it.";
      return [finding("medium", text, advice)];
    },
  };
}

function finding(severity: SessionFinding["severity"], text: string, advice: string): SessionFinding {
  return { severity, text, advice };
}

/** As part of a finding: one line, short, without secrets. */
function quote(text: string): string {
  return `\`${clip(redact(text), MAX_QUOTE_LENGTH).replaceAll("`", "'")}\``;
}
