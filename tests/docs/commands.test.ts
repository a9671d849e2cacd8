import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runProgram } from "../hooks/executable.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = [
  "README.md",
  ...["docs", "docs/hosts", "docs/maintainers"].flatMap(folder =>
    readdirSync(join(ROOT, folder))
      .filter(name => name.endsWith(".md"))
      .map(name => `${folder}/${name}`),
  ),
];

interface Block {
  readonly line: number;
  readonly script: string;
  /** why it is not run; undefined when it is */
  readonly excuse: string | undefined;
  /** what a reader has done before */
  readonly before: string;
  /** what a person at a terminal waits for and types, in turn; undefined when no terminal is needed */
  readonly typing: readonly TypingStep[] | undefined;
}
type TypingStep = { readonly expect: string } | { readonly send: string } | { readonly sendShown: string };

/** Keys, or `shown: PATTERN` for what the group of the pattern was shown as. */
function typed(word: string): TypingStep {
  return word.startsWith("shown: ") ? { sendShown: word.slice("shown: ".length) } : { send: word };
}

const FENCED = /((?:<!-- (?:(?!-->)[\s\S])*-->\n\n?)*)^```sh\n([\s\S]*?)^```$/gm;
const FILE = /<!-- file: (\S+) -->\n\n^```\w+\n([\s\S]*?)^```$/gm;

/**
 * Comments above a block say how a test runs it: `not run: WHY`, `before: SCRIPT`, `typing: "SEEN" "KEYS" …`. Above a block
 * in another language `file: PATH` says that a reader has it there for the commands below.
 */
function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  let readTo = 0;
  return [...text.matchAll(FENCED)].map(({ index, 1: comments = "", 2: script = "" }) => {
    const files = [...text.slice(readTo, index).matchAll(FILE)].map(writingOf);
    readTo = index;
    const remark = (name: string): string | undefined =>
      new RegExp(`<!-- ${name}:\\s*([\\s\\S]*?) ?-->`).exec(comments)?.[1];
    return {
      line: text.slice(0, index).split("\n").length,
      script,
      excuse: remark("not run"),
      before: [...files, remark("before") ?? ""].join(""),
      typing: remark("typing")
        ?.match(/"(?:[^"\\]|\\.)*"/g)
        ?.map(word => JSON.parse(word) as string)
        .map((word, step) => (step % 2 === 0 ? { expect: word } : typed(word))),
    };
  });
}

function writingOf([, path = "", content = ""]: RegExpExecArray): string {
  return `mkdir -p ${dirname(path)}\ncat > ${path} <<'END OF FILE'\n${content}END OF FILE\nchmod 600 ${path}\n`;
}

/** A machine on which `amplihack` and `amplihack-hooks` are commands, and a project in an empty home. */
function newMachine() {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-test-"));
  const bin = join(home, "bin");
  const project = join(home, "project");
  mkdirSync(bin);
  mkdirSync(join(project, ".claude"), { recursive: true });
  for (const name of ["amplihack", "amplihack-hooks"]) {
    symlinkSync(join(ROOT, `dist/bin/${name}.cjs`), join(bin, name));
  }
  return { home, bin, project };
}

const TERMINAL_DRIVER = join(ROOT, "tests/launcher/terminal-driver.py");

/** Runs the script in a pseudo-terminal at which somebody types; a key may end it, as Ctrl-C does. */
async function runAtTerminal(
  script: string,
  typing: readonly TypingStep[],
  { home, cwd, PATH }: { readonly home: string; readonly cwd: string; readonly PATH: string },
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const isInterrupted = typing.some(step => "send" in step && step.send === "\u0003");
  const steps = [...typing, { expect: `ended with ${isInterrupted ? 130 : 0}` }];
  const shell = ["bash", "-c", 'bash --norc -euo pipefail -c "$1"; echo "ended with $?"', "bash", script];
  const ran = await runProgram(["python3", TERMINAL_DRIVER, ...shell], [], {
    home,
    cwd,
    input: JSON.stringify(steps),
    env: { PATH, TERM: "xterm" },
  });
  if (ran.code !== 0) return { code: ran.code ?? -1, stdout: ran.stdout, stderr: ran.stderr };
  const { failure, output } = JSON.parse(ran.stdout) as { failure: object | null; output: string };
  return { code: failure === null ? 0 : 1, stdout: output, stderr: JSON.stringify(failure) };
}

it("the documentation has commands to run", () => {
  const blocks = PAGES.flatMap(blocksOf);
  expect(blocks.filter(({ excuse }) => excuse === undefined).length).toBeGreaterThan(10);
});

describe.each(PAGES.filter(page => blocksOf(page).length > 0))("commands in %s, in their order", page => {
  const { home, bin, project } = newMachine();
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  for (const { line, script, excuse, before, typing } of blocksOf(page)) {
    const name = `line ${line}: ${script.split("\n")[0]}`;
    if (excuse !== undefined) it.skip(`${name} (not run: ${excuse})`, () => {});
    else
      it(name, async () => {
        const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
        // Paths in the README are those of a checkout.
        const runnable = (before + script).replaceAll("node dist/", `node ${join(ROOT, "dist")}/`);
        const ran = await (typing === undefined
          ? runProgram(["bash", "--norc", "-euo", "pipefail", "-c", runnable], [], {
              home,
              cwd: project,
              input: "",
              env: { PATH, AMPLIHACK_NONINTERACTIVE: "1" },
            })
          : runAtTerminal(runnable, typing, { home, cwd: project, PATH }));
        expect({ code: ran.code, said: ran.code === 0 ? "" : ran.stdout + ran.stderr }).toEqual({
          code: 0,
          said: "",
        });
      });
  }
});
