import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { places } from "./reading.ts";

/** Ways to say a word so that the shell hears the same. Words here hold letters, digits and `-/._`. */
const SPELLINGS: Readonly<Record<string, (word: string) => string>> = {
  plain: word => word,
  single: word => `'${word}'`,
  double: word => `"${word}"`,
  split: word => `${word.slice(0, 1)}''${word.slice(1)}`,
  mixed: word => `"${word.slice(0, 1)}"'${word.slice(1)}'`,
  backslash: word => [...word].map(character => `\\${character}`).join(""),
  hexadecimal: word =>
    `$'${[...word].map(character => `\\x${character.charCodeAt(0).toString(16)}`).join("")}'`,
  octal: word =>
    `$'${[...word].map(character => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`).join("")}'`,
  unicode: word =>
    `$'${[...word].map(character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}'`,
  continued: word => `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  substitution: word => `$(echo ${word})`,
  backquote: word => `\`printf %s ${word}\``,
  default: word => `\${unset_name:-${word}}`,
  empty: word => `${word.slice(0, 1)}$unset_empty${word.slice(1)}`.replace("$unset_empty", "${e:+x}"),
};

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Ways to run a command so that the same program starts in the same directory. */
const FRAMES: Readonly<Record<string, (command: string) => string>> = {
  plain: command => command,
  group: command => `{ ${command}; }`,
  subshell: command => `( ${command} )`,
  condition: command => `if true; then ${command}; fi`,
  and: command => `true && ${command}`,
  or: command => `false || ${command}`,
  loop: command => `for i in 1; do ${command}; done`,
  while: command => `while :; do ${command}; break; done`,
  case: command => `case x in *) ${command};; esac`,
  function: command => `f() { ${command}; }; f`,
  background: command => `${command} & wait`,
  negated: command => `! ${command}`,
  timed: command => `time ${command}`,
  substitution: command => `x=$(${command})`,
  process: command => `cat <(${command})`,
  "bash -c": command => `bash -c ${quote(command)}`,
  "sh -ec": command => `sh -ec ${quote(command)}`,
  eval: command => `eval ${quote(command)}`,
  heredoc: command => `bash <<'END'\n${command}\nEND`,
  herestring: command => `bash <<< ${quote(command)}`,
  pipe: command => `echo ${quote(command)} | sh`,
  printf: command => `printf '%s\\n' ${quote(command)} | bash`,
  base64: command => `echo ${Buffer.from(command).toString("base64")} | base64 -d | bash`,
  variable: command => `code=${quote(command)}; eval "$code"`,
  array: command => `a=(bash -c ${quote(command)}); "\${a[@]}"`,
  file: command => `cat > /tmp/f.sh <<'END'\n${command}\nEND\nsh /tmp/f.sh`,
  source: command => `source <(echo ${quote(command)})`,
  trap: command => `trap ${quote(command)} EXIT`,
  env: command => `env -S ${quote(`bash -c ${JSON.stringify(command)}`)}`,
  sudo: command => `sudo -u root bash -c ${quote(command)}`,
  timeout: command => `timeout -s KILL 5 nice -n 3 sh -c ${quote(command)}`,
  xargs: command => `echo x | xargs -I@@ sh -c ${quote(command)}`,
  find: command => `find . -maxdepth 0 -exec sh -c ${quote(command)} \\;`,
  python: command => `python3 -c ${quote(`import os; os.system(${JSON.stringify(command)})`)}`,
};

/** Frames that quote what they hold, so they may be put around anything. */
const NESTING = [
  "group",
  "subshell",
  "condition",
  "and",
  "bash -c",
  "sh -ec",
  "eval",
  "herestring",
  "pipe",
  "base64",
  "variable",
  "sudo",
  "timeout",
  "function",
  "process",
] as const;

const TARGET = "/some/where";
const EXPECTED = `/home/me/project: rm -rf ${TARGET}`;

function spellAll(spelling: (word: string) => string): string {
  return ["rm", "-rf", TARGET].map(spelling).join(" ");
}

/** JSON quoting in these two frames does not carry backslashes and dollars through unchanged. */
function isUsable(frame: string, command: string): boolean {
  return (frame !== "env" && frame !== "python") || !/[\\$`'"]/.test(command);
}

describe("the same command however it is spelled", () => {
  const products = Object.entries(SPELLINGS).flatMap(([spelling, spell]) =>
    Object.entries(FRAMES)
      .filter(([frame]) => isUsable(frame, spellAll(spell)))
      .map(([frame, surround]) => [spelling, frame, surround(spellAll(spell))] as const),
  );

  it.each(products)("%s in %s", (_spelling, _frame, command) => {
    expect(places(command, "rm")).toContain(EXPECTED);
  });
});

describe("the same command however deep", () => {
  it("is found behind any five frames", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...NESTING), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("plain", "single", "split", "hexadecimal", "substitution"),
        (frames, spelling) => {
          const inner = spellAll(SPELLINGS[spelling] ?? (word => word));
          const command = frames.reduce((text, frame) => (FRAMES[frame] ?? (same => same))(text), inner);
          expect(places(command, "rm")).toContain(EXPECTED);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("keeps the directory through any frames", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NESTING), { maxLength: 4 }), frames => {
        const command = frames.reduce(
          (text, frame) => (FRAMES[frame] ?? (same => same))(text),
          "cd /a && cd b; rm x",
        );
        expect(places(command, "rm")).toContain("/a/b: rm x");
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("data stays data", () => {
  const DATA: Readonly<Record<string, (text: string) => string>> = {
    message: text => `git commit -m ${quote(text)}`,
    echo: text => `echo ${quote(text)}`,
    printf: text => `printf '%s\\n' ${quote(text)} > notes.md`,
    pattern: text => `grep -rn ${quote(text)} .`,
    comment: text => `ls # ${text}`,
    heredoc: text => `cat > doc.md <<'END'\n${text}\nEND`,
    herestring: text => `wc -c <<< ${quote(text)}`,
    jq: text => `jq --arg x ${quote(text)} '.y' f.json`,
    assignment: text => `X=${quote(text)}; ls`,
    test: text => `[[ $x == ${quote(text)} ]]`,
    colon: text => `: ${quote(text)}`,
    case: text => `case $x in ${quote(text)}) ls;; esac`,
    array: text => `a=(${quote(text)}); ls`,
    name: text => `npx vitest -t ${quote(text)}`,
  };

  it.each(Object.entries(DATA))("%s", (_, hold) => {
    expect(places(hold(`rm -rf ${TARGET}; $(rm -rf /)`), "rm")).toEqual([]);
  });
});
