import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../src/exports/guard.ts";
import { showsOnlyNames } from "../../src/programs/index.ts";
import { type Invocation, joinOutputs, text } from "../../src/shell/index.ts";
import type { Piece } from "../../src/shell/value.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { componentCouldBe } from "../../src/workspace/index.ts";
import { callProgram } from "../hooks/call-program.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { HOME, judge, machine, PROJECT } from "./scene.ts";

// Every host gives up at some time and lets the call pass, so that no text may cost more than a little. Work is counted
// here, in looks at the disk and in what is told of the analysis: a clock would tell of the machine.

const DANGER = "rm -rf ~";
const names = (count: number, name = "f") => Array.from({ length: count }, (_, index) => `${name}${index}`);
const DEEP = "a/".repeat(100_000);

/** Too much to be read to its end, whatever it says. */
const TOO_MUCH: Readonly<Record<string, string>> = {
  "20 000 arms of a case": `case x in ${"a) true;; ".repeat(20_000)} esac; ${DANGER}`,
  "10 000 branches": `if a; then b; ${"elif a; then b; ".repeat(10_000)} fi; ${DANGER}`,
  "3 000 here-documents": `${"cat <<E\nx\nE\n".repeat(3_000)}${DANGER}`,
  "3 000 programs in documents": `${"python3 <<E\nprint(1)\nE\n".repeat(3_000)}${DANGER}`,
  "20 000 words": `rm ${names(20_000).join(" ")}`,
  "3 000 files": `rm ${names(3_000).join(" ")}`,
  "3 000 patterns": `rm ${names(3_000, "*.x").join(" ")}`,
  "400 patterns": `ls ${names(400, "*.x").join(" ")}`,
  "400 patterns for git": `git add ${names(400, "src/*.x").join(" ")}`,
  "400 patterns in a loop": `for f in ${names(400, "*.x").join(" ")}; do cat $f; done`,
  "3 900 copies": `cp ${names(3_900).join(" ")} d/`,
  "2 000 copies": `cp ${names(2_000).join(" ")} d/`,
  "2 000 redirections": `echo x ${names(2_000)
    .map(name => `> ${name}`)
    .join(" ")}`,
  "5 000 commands in a row": `${names(5_000)
    .map(name => `echo ${name}`)
    .join(" && ")} && ${DANGER}`,
  "3 000 functions": names(3_000)
    .map(name => `${name}() { echo; }`)
    .join("\n"),
  "5 000 items of an array": `a=(${names(5_000).join(" ")}); rm -rf \${a[@]}`,
  "500 starts": names(500)
    .map(name => `npm run ${name}`)
    .join(" && "),
  "510 writes": names(255)
    .map(name => `cp ${name} d/${name}`)
    .join("\n"),
  "a long text of PowerShell": `pwsh -c '${"Write-Host hello; ".repeat(5_000)}'`,
  "commands in eval": `eval '${"echo hello; ".repeat(2_000)}${DANGER}'`,
  "50 000 lines": `${"true\n".repeat(16_000)}${DANGER}`,
  "1 000 commands": Array.from({ length: 1_000 }, (_, index) => `rm -rf a/b/${index}`).join("; "),
  "3 000 substitutions": "`a` ".repeat(3_000),
  "6 000 statements of Python": `python3 -c '${"x=1\n".repeat(20_000)}'`,
  "10 000 statements of JavaScript": `node -e '${"let x=1;".repeat(10_000)}'`,
  "8 000 statements of Perl": `perl -e '${"unlink q(a);".repeat(7_000)}'`,
};

describe("what is too much to be looked at", () => {
  it.each(Object.entries(TOO_MUCH))("is asked about after little work: %s", (_, command) => {
    const system = machine();
    const judgement = judge(command, { system });
    expect([judgement.verdict, judgement.findings.map(({ rule }) => rule)]).toEqual([
      "ask",
      expect.arrayContaining(["guard.unexamined"]),
    ]);
    expect(system.calls.length).toBeLessThan(4_000);
    judgement.footprint();
    expect(system.calls.length).toBeLessThan(5_500);
    // A reason is told once, however many words lie behind it.
    expect(judgement.notes.length).toBeLessThan(6);
  });
});

describe("a text that a tool is given", () => {
  it("is not read either where it is longer than a command may be", async () => {
    const query = "select 1 from a where b = 'c';\n".repeat(20_000);
    const { stdout } = await callProgram(["pre-tool-use"], {
      stdin: JSON.stringify({
        hook_event_name: "PreToolUse",
        cwd: PROJECT,
        session_id: "s",
        tool_name: "mcp__postgres__query",
        tool_input: { sql: query },
      }),
      env: { HOME },
      cwd: PROJECT,
      files: { [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n" },
    });
    expect(stdout).toContain("longer than 98304 characters");
  });
});

describe("what is looked at again and again", () => {
  /** A value that counts how often it is read. */
  function counted<T extends object>(value: T, count: () => void): T {
    return new Proxy(value, {
      get(target, key, receiver) {
        count();
        return Reflect.get(target, key, receiver);
      },
    });
  }

  it("is the words of a command, once for all files that it names", () => {
    let reads = 0;
    const argv = names(1_000).map(name => counted(text(name), () => reads++));
    const invocation = { program: "cp", argv } as unknown as Invocation;
    showsOnlyNames(invocation);
    const once = reads;
    for (const _ of argv) showsOnlyNames(invocation);
    expect(reads).toBe(once);
  });

  it("is a pattern, once for all names that it is compared with", () => {
    let reads = 0;
    const piece: Piece = counted({ kind: "glob", pattern: "a*b?" }, () => reads++);
    const component = [piece];
    const all = names(1_000, "ab");
    expect(all.filter(name => componentCouldBe(component, name))).toHaveLength(10);
    // The first piece of each comparison tells whether a leading dot matters.
    expect(reads).toBeLessThan(3 * all.length);
  });

  const looksAt = (command: string, files: Readonly<Record<string, string>> = {}) => {
    const system = createMemorySystem({
      cwd: PROJECT,
      files: { [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n", [`${PROJECT}/src/a.ts`]: "x", ...files },
    });
    judgeCommand(command, { cwd: PROJECT, home: HOME, system });
    return system.calls;
  };

  it.each([
    "cat src/a.ts README.md | head -20",
    "git diff HEAD -- . | head -200",
    "grep -rn TODO src | sort | uniq -c",
    "cat tsconfig*.json",
    "npm run build && git add -A && git commit -m x",
    "tar xf release.tar.gz",
  ])("is no secret of the home where a call stays in the project: %s", command => {
    const looks = looksAt(command).map(({ path }) => path);
    expect(looks).toContain(HOME);
    expect(looks.filter(path => path.startsWith(`${HOME}/.ssh`) || path.startsWith(`${HOME}/.aws`))).toEqual(
      [],
    );
  });

  it("are the folders above the project, few times in a run of the hook program", async () => {
    const payload = { hook_event_name: "PreToolUse", cwd: PROJECT, session_id: "s", tool_name: "Bash" };
    const { system } = await callProgram(["pre-tool-use"], {
      stdin: JSON.stringify({ ...payload, tool_input: { command: "git status" } }),
      env: { HOME },
      cwd: PROJECT,
      files: { [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n" },
    });
    const looks = system.calls.filter(({ operation, path }) => operation === "inspect" && path === HOME);
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThan(6);
  });

  it("is no mark of a tool below what is no folder", () => {
    const files = Object.fromEntries(names(5, `${PROJECT}/src/f`).map(path => [path, "x"]));
    const looks = looksAt(`rm -rf ${[...names(5, "src/f"), ...names(5, "src/gone")].join(" ")}`, files);
    expect(looks.map(({ path }) => path)).toContain(`${PROJECT}/src/f0`);
    expect(looks.filter(({ path }) => path.endsWith("/pyvenv.cfg"))).toEqual([]);
  });

  it("is a manifest, once for all scripts that are started", () => {
    const manifest = `${PROJECT}/package.json`;
    const files = { [manifest]: JSON.stringify({ scripts: { lint: "eslint ." } }) };
    const reads = looksAt(Array(50).fill("npm run lint").join("; "), files).filter(
      ({ operation, path }) => operation === "read" && path === manifest,
    );
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.length).toBeLessThan(5);
  });

  it("is where the texts come from that are read one after the other", () => {
    let reads = 0;
    const outputs = names(1_000).map(name => {
      const origin = counted({ kind: "environment", name } as const, () => reads++);
      return [text("x", [origin])];
    });
    const [joined] = joinOutputs(outputs);
    expect(joined?.origins).toHaveLength(outputs.length);
    expect(reads).toBeLessThan(5 * outputs.length);
  });

  it("is a tracked file, once for all files that are named", () => {
    const project = temporaryDirectory();
    const git = (words: string, input = "") => execFileSync("git", words.split(" "), { cwd: project, input });
    git("init -q");
    const blob = git("hash-object -w --stdin").toString().trim();
    const system = createNodeSystem();
    const spentOn = (count: number): number => {
      const files = names(count, "src/f");
      git("update-index --add --index-info", files.map(file => `100644 ${blob}\t${file}\n`).join(""));
      const command = `git checkout -- ${files.join(" ")}`;
      const judgement = judgeCommand(command, { cwd: project, home: project, system });
      const before = process.cpuUsage();
      judgement.gaps();
      const { user } = process.cpuUsage(before);
      return user;
    };
    spentOn(100);
    // Nine times as many of both: eighty-one times the work if each were compared with each.
    const few = spentOn(300);
    expect(spentOn(2_700)).toBeLessThan(20 * Math.max(few, 2_000));
  });
});

describe("a path that is longer than any file's", () => {
  const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
  it.each<[string, object]>([
    ["rm", bash(`rm ${DEEP}`)],
    ["a redirection", bash(`echo x > ${DEEP}f`)],
    ["cp", bash(`cp x ${DEEP}f`)],
    ["mv", bash(`mv ${DEEP} y`)],
    ["mkdir", bash(`mkdir -p ${DEEP}`)],
    ["a link", bash(`ln -s ${DEEP} x && rm x/y`)],
    ["code", bash(`python3 -c "import os; os.remove('${DEEP}')"`)],
    ["the program", bash(`./${DEEP}x`)],
    ["a file tool", { tool_name: "Write", tool_input: { file_path: `${PROJECT}/${DEEP}f`, content: "x" } }],
    ["a reader", { tool_name: "Read", tool_input: { file_path: `${PROJECT}/${DEEP}f` } }],
    ["the working directory", { ...bash("rm x"), cwd: `/${DEEP}` }],
    ["a real path of 2 000 levels", bash(`echo x > ${"a/".repeat(2_000)}f`)],
  ])("costs no look at each of its folders: %s", async (_, call) => {
    const payload = { hook_event_name: "PreToolUse", cwd: PROJECT, session_id: "s", ...call };
    const { system } = await callProgram(["pre-tool-use"], {
      stdin: JSON.stringify(payload),
      env: { HOME },
      cwd: PROJECT,
      files: { [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n" },
    });
    expect(system.calls.length).toBeLessThan(5_000);
    const written = system.calls.filter(({ operation }) => operation === "append").length;
    expect(written).toBeLessThan(50);
  });

  it("is not taken for the part of it that was read", () => {
    expect(judge(`rm -rf ${"x/../".repeat(4_000)}../../../../..`).verdict).not.toBe("allow");
    expect(
      judge(`node -e 'fs.rmSync(path.resolve("${"x/../".repeat(4_000)}../.."), { recursive: true })'`)
        .verdict,
    ).not.toBe("allow");
  });
});

describe("what is long and ordinary", () => {
  const prose = "One word and another, and a/b. ".repeat(700);
  it.each([
    `git commit -m "${prose}"`,
    `mytool --data '${JSON.stringify({ prose })}'`,
    `python3 tools/report.py '${prose}'`,
    `curl -d '${prose}' http://localhost:3000/x`,
    `cat > notes.md <<'E'\n${`${prose}\n`.repeat(3)}E`,
    `npx eslint ${names(300, "src/f").join(".ts ")}.ts`,
    `for i in ${names(60).join(" ")}; do echo $i; grep -c x $i.txt; done`,
    names(150)
      .map(name => `echo ${name} >> out.log`)
      .join("\n"),
  ])("is free", command => expect(judge(command).findings.map(({ rule }) => rule)).toEqual([]));
});

describe("a text on which a pattern could go back over and over", () => {
  const RANKS = ["allow", "ask", "deny"];
  const quote = (text: string) => `'${text.replaceAll("'", "")}'`;
  // Each took seconds to hours, and is read in its length now.
  it.each<[string, (count: number) => string]>([
    ["blanks behind import", count => `node -e ${quote(`import${" ".repeat(count)}.`)}`],
    ["blanks behind include", count => `php -r ${quote(`include${" ".repeat(count)}.`)}`],
    ["empty lines", count => `mytool ${quote(`${"\n".repeat(count)}x`)}`],
    ["a variable of cmd", count => `cmd /c ${quote(`%~${"_".repeat(count)}`)}`],
    ["the end of base64", count => `echo ${quote(`${"=".repeat(count)}x`)} | base64 -d | sh`],
    ["backslashes of vim", count => `vim -c ${quote(`g/${"\\".repeat(count)}x`)} f`],
    ["parts of a name", count => `mytool delete ${quote(`${"a_".repeat(count / 2)}!`)}`],
    ["a scheme", count => `echo ${quote(`${"a.".repeat(count / 2)}://x`)}`],
    ["zeros of printf", count => `printf ${quote(`% ${"0".repeat(count)} `)} x`],
    ["ranges", count => `pkill -f ${quote(`[${"D-".repeat(count / 2)}`)}`],
  ])("is read once, and is judged no looser for its length: %s", (_, commandOf) => {
    const [short, long] = [60, 90_000].map(count => RANKS.indexOf(judge(commandOf(count)).verdict));
    expect(long).toBeGreaterThanOrEqual(short ?? 0);
  });
});

describe("what a person may say yes to although it is too much to be looked at", () => {
  it("is named whole, so that all of it is kept first", () => {
    const files = Array.from({ length: 900 }, (_, at) => `/home/user/Documents/f${at}.pdf`);
    const system = machine(Object.fromEntries(files.map(path => [path, "work\n"])));
    const command = `rm ${files.join(" ")}`;
    const judgement = judge(command, { system });
    expect(judgement.verdict).not.toBe("allow");
    const named = new Set(judgement.footprint().targets.map(({ path }) => path));
    expect(files.filter(path => !named.has(path))).toEqual([]);
  });
});
