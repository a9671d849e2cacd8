import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Invocation } from "../../src/shell/facts.ts";
import { createFileLookup } from "../../src/shell/facts.ts";
import { couldBe, type Value } from "../../src/shell/value.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { line, read } from "./reading.ts";

/**
 * The strongest check there is: run the text in a real bash with a harmless program called `probe` and see
 * whether every start of it, with its words and directory, is among the facts.
 */
let folder = "";
let home = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "shell-execution-")));
  home = join(folder, "home");
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(home, "work", "sub"), { recursive: true });
  for (const name of ["a.txt", "b.txt", "c.md"]) writeFileSync(join(home, "work", name), name);
  writeFileSync(
    join(folder, "bin", "probe"),
    '#!/bin/sh\n{ printf "%s\\0" "$PWD" "$@"; printf "\\001\\0"; } >> "$PROBE_LOG"\n',
  );
  chmodSync(join(folder, "bin", "probe"), 0o755);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Start {
  readonly cwd: string;
  readonly words: readonly string[];
}

/** Runs many commands in one bash, each in its own child with its own log. */
function runAll(commands: readonly string[]): readonly (readonly Start[])[] {
  const script = [
    'n=0; while IFS= read -r code; do n=$((n+1)); export PROBE_LOG="$LOGS/$n"; : > "$PROBE_LOG"',
    'cd "$HOME/work" && timeout 5 bash -O extglob -c "$(base64 -d <<< "$code"; printf x)" >/dev/null 2>&1 < /dev/null; done',
  ].join("; ");
  const logs = join(folder, "logs");
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs);
  // The trailing x keeps newlines; a comment swallows it.
  const input = commands.map(command => Buffer.from(`${command}\n#`).toString("base64")).join("\n");
  const env = {
    PATH: `${join(folder, "bin")}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LOGS: logs,
    USER: "me",
    TMPDIR: folder,
  };
  const { status, stderr } = spawnSync("bash", ["-c", script], {
    input: `${input}\n`,
    env,
    encoding: "utf8",
  });
  expect(`${status} ${stderr}`).toBe("0 ");
  return commands.map((_, index) => readLog(readFileSync(join(logs, String(index + 1)), "utf8")));
}

function readLog(content: string): readonly Start[] {
  return content
    .split("\u0001\u0000")
    .slice(0, -1)
    .map(record => {
      const [cwd = "", ...words] = record.split("\u0000").slice(0, -1).map(withoutNumber);
      return { cwd, words };
    });
}

/** Which descriptor a process substitution gets is the shell's own affair. */
function withoutNumber(word: string): string {
  return word.replace(/\/dev\/fd\/\d+/g, "/dev/fd/N");
}

/** Is this start one of those that the fact allows? A word that may be many matches any number of words. */
function allows(invocation: Invocation, { cwd, words }: Start): boolean {
  if (invocation.program !== "probe" && invocation.program !== undefined) return false;
  if (!couldBe(invocation.cwd, cwd)) return false;
  const values = invocation.argv.slice(1).map(value => ({
    ...value,
    pieces: value.pieces.map(piece =>
      piece.kind === "text" ? { ...piece, text: withoutNumber(piece.text) } : piece,
    ),
  }));
  const fits = (value: number, word: number): boolean => {
    const next = values[value];
    if (next === undefined) return invocation.isOpenEnded || word === words.length;
    if (isMany(next))
      return (
        words.slice(word).some((_, count) => fits(value + 1, word + count)) || fits(value + 1, words.length)
      );
    return word < words.length && couldBe(next, words[word] ?? "") && fits(value + 1, word + 1);
  };
  return fits(0, 0);
}

function isMany(value: Value): boolean {
  return value.pieces.some(piece => piece.kind === "glob" || (piece.kind === "unknown" && piece.mayBeMany));
}

const system = createNodeSystem();

function missed(commands: readonly string[]): readonly string[] {
  const starts = runAll(commands);
  return commands.flatMap((command, index) => {
    const facts = read(command, {
      cwd: join(home, "work"),
      home,
      tmpdir: folder,
      previousCwd: undefined,
      files: createFileLookup(system),
    });
    return (starts[index] ?? [])
      .filter(start => !facts.invocations.some(invocation => allows(invocation, start)))
      .map(
        start =>
          `${command}\n  ran in ${start.cwd}: ${JSON.stringify(start.words)}\n  facts: ${facts.invocations.map(line).join(" ; ")}`,
      );
  });
}

const WRITTEN: readonly string[] = [
  "probe a b",
  'x=a; probe $x "$x" ${x}b',
  "probe {a,b}{1..3} {x,y\\,z} {a} a{b,c{d,e}}f",
  "x='a b  c'; probe $x \"$x\"",
  "IFS=:; x=a:b::c; probe $x",
  "IFS=' :'; x=' a : b '; probe $x",
  'set -- a \'b c\' d; probe "$@" $* "$*" $# ${@:2} ${*:1:1} ${!#}',
  'a=(x \'y z\' w); probe "${a[@]}" ${a[1]} ${#a[@]} ${a[-1]} "${a[@]:1:1}" ${!a[@]} "${a[*]}"',
  "declare -A m=([k]=v [j]=w); probe ${m[k]} ${m[j]}",
  "x=hello.tar.gz; probe ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x/l/L} ${x//l/L} ${x:1:3} ${x: -2} ${x^} ${x^^} ${#x}",
  "probe ${u:-d} ${u-e} ${u:=f} $u ${u:+g}",
  "y=x; x=val; probe ${!y}",
  "declare -n r=x; x=1; probe $r; r=2; probe $x",
  "probe $((1+2*3)) $((7/2)) $((-7%3)) $((1<<4)) $((5>3)) $((2**10)) $(( 0x1f ))",
  "i=1; probe $((i++)) $i $((++i)) $((i+=5)) $i",
  'probe $(echo a b) "$(echo a b)" `echo c`',
  "probe $(printf '%s-%s\\n' a b c d)",
  "probe \"$(printf 'a\\n\\n\\n')\"b",
  "probe $'a\\tb' $'\\x41\\u0042\\103' 'it'\\''s' \"q\\\"r\"",
  'probe ~ ~/x ~+ "~"',
  'probe of=~ of=~/x of="~/x" "of=~/x" --of=~/x 1of=~/x of=x~/x',
  "probe *.txt '*.txt' ?.md [ab].txt",
  "cd sub; probe here; cd ..; probe back; cd sub && probe again; cd - >/dev/null; probe $OLDPWD",
  "(cd sub; probe in); probe out",
  "pushd sub >/dev/null; probe p; popd >/dev/null; probe q",
  "for i in a b 'c d'; do probe \"$i\"; done; probe $i",
  "for ((i=0;i<3;i++)); do probe $i; done",
  'while read -r x y; do probe "$x" "$y"; done <<< $\'1 2 3\\n4 5\'',
  "printf 'a\\nb\\n' | while read l; do probe $l; done",
  "if false; then probe no; elif true; then probe yes; else probe never; fi",
  "case abc in x*) probe 1;; a*) probe 2;& *) probe 3;; esac",
  "f() { probe \"$@\" $#; }; f a 'b c'; f",
  "f() { local x=in; probe $x; }; x=out; f; probe $x",
  "f() { x=changed; }; x=old; f; probe $x",
  'f() { g "$1"; }; g() { probe "g$1"; }; f z',
  "eval 'probe a'; eval probe b 'c d'; x='probe e'; eval \"$x\"; $x",
  'bash -c \'probe "$0" "$1" $#\' zero one two',
  "bash -c \"probe $HOME\" ; sh -c 'probe $HOME'",
  'export E=1; N=2; bash -c \'probe "${E:-x}" "${N:-x}"\'',
  "P=3 bash -c 'probe $P'; P=4 eval 'probe $P'",
  "bash <<'E'\nprobe heredoc $HOME\nE",
  "x=1; bash <<E\nprobe $x \\$HOME '$x'\nE",
  "bash -s a b <<< 'probe \"$@\"'",
  "echo 'probe piped' | bash",
  "echo 'probe $1' > s.sh; bash s.sh arg; . ./s.sh src; rm s.sh",
  "printf '#!/bin/sh\\nprobe \"$@\"\\n' > t.sh; chmod +x t.sh; ./t.sh a 'b c'; rm t.sh",
  "echo cHJvYmUgZGVjb2RlZA== | base64 -d | sh",
  "echo 'edoced eborp' | rev | sh",
  "echo 'PROBE UP' | tr A-Z a-z | sh",
  "echo 'prXbe sed' | sed 's/X/o/' | sh",
  "printf '\\x70robe hex' | sh; echo -e '\\0160robe oct' | bash; printf '%b' '\\160robe b' | sh",
  "echo a 'b c' | xargs probe; printf 'a b\\nc\\n' | xargs -I{} probe '{}'; printf 'a\\0b c\\0' | xargs -0 probe",
  "echo a b c | xargs -n1 probe",
  "find . -maxdepth 1 -name '*.md' -exec probe {} \\;",
  "find sub -maxdepth 0 -execdir probe {} +",
  'env A=1 probe a; env -i PATH="$PATH" PROBE_LOG="$PROBE_LOG" probe b; env -C sub probe c; env -S \'probe d "e f"\'',
  "nice probe n; timeout 5 probe t; nohup probe h; stdbuf -oL probe s; setsid -w probe w",
  "command probe c; builtin eval 'probe b'; (exec probe e)",
  "trap 'probe bye $x' EXIT; x=1",
  "alias q='probe'; shopt -s expand_aliases\nq alias",
  'probe $(cd sub && pwd) "$(basename /x/y.z .z)" "$(dirname /x/y)"',
  'a=probe; $a 1; "$a" 2; ${a} 3; b=(probe 4); "${b[@]}"; c=\'probe 5 6\'; $c',
  "p=pro; q=be; $p$q joined; pr''obe quoted; \\probe escaped; $'\\x70robe' ansi; \"pro\"'be' mixed",
  "{ probe group; } > /dev/null; ( probe subshell )",
  "! probe negated; time -p probe timed",
  "probe background & wait",
  "coproc probe co; wait",
  "cat <(probe psub) > /dev/null; probe x > >(cat > /dev/null)",
  'echo "${z:-$(probe default)}" ${z/$(probe pat/tern)/} $(( $(probe arith >/dev/null; echo 1) ))',
  "declare x=$(probe decl); arr[$(probe idx; echo 0)]=1; export y=`probe exp`",
  "[[ -n $(probe test) ]]; case $(probe case) in *) ;; esac",
  "exec 3<<< 'probe fd'; bash <&3",
  "exec 4> w.sh; echo 'probe wfd' >&4; exec 4>&-; sh w.sh; rm w.sh",
  "mapfile -t m <<< $'a\\nb c'; probe \"${m[@]}\"",
  "read -a r <<< 'x y z'; probe ${r[2]}; IFS=, read a b <<< 'p,q'; probe $a $b",
  "printf -v v '%s-%03d' n 7; probe $v",
  "set a b c; shift; probe $1; shift 2; probe ${1-none}",
  "x=abc; x+=def; probe $x; a=(1); a+=(2 3); probe ${a[@]}",
  'probe "$(< a.txt)"; probe $(cat a.txt b.txt)',
  "shopt -s nullglob; probe *.none end",
  "probe $(seq 1 3) $(seq 5 -2 1)",
  "probe $(echo a:b:c | cut -d: -f2) $(echo abcdef | cut -c2-3) $(printf '1\\n2\\n3\\n' | head -n 2) $(printf '1\\n2\\n3\\n' | tail -n 1)",
  "let a=5+3; probe $a; ((b=a*2)); probe $b",
  "until probe once; do :; done",
  "f() { return 1; }; f || probe after; f && probe never; true && probe and",
  "x=1 y=2; probe ${x:+${y:+both}}",
  'unset HOME; probe "${HOME-unset}"',
  "probe ${BASH_SOURCE[0]-none} x",
  'probe a\\\nb "c\\\nd"',
  "probe a#b #comment\nprobe 'x # y'",
  'python3 -c \'import os; os.system("probe py")\'; python3 -c \'import subprocess; subprocess.run(["probe", "a b"])\'',
  'perl -e \'system("probe perl")\'; perl -e \'system("probe", "p q")\'',
  "awk 'BEGIN { system(\"probe awk\") }'; echo x | sed '1e probe sed' > /dev/null",
];

describe("facts against a real bash", () => {
  it("hold every program start of written commands", () => {
    expect(missed(WRITTEN)).toEqual([]);
  });

  it("hold every program start of generated commands", () => {
    const word = fc.constantFrom(
      "a",
      "'b c'",
      '"$x"',
      "$x",
      "${x:-d}",
      "${y:-e f}",
      "$(echo g h)",
      '"$(echo i j)"',
      "{k,l}",
      "$((1+2))",
      "*.txt",
      "~",
      "${a[1]}",
      '"${a[@]}"',
      "$'m\\tn'",
      "${x%?}",
      "${x/v/w}",
      "o\\ p",
      "$1",
      '"$@"',
      "${#x}",
      "${x^^}",
      "case",
      "esac",
      "in",
      "}",
      "{",
      "!",
      "[[",
      "]]",
      "time",
      "coproc",
      "function",
      "select",
      "then",
      "')'",
      "'('",
      '")"',
      "$(echo esac)",
      "$(echo in case x)",
      "`echo case`",
      "$(echo '(')",
      '$(echo ")")',
      "${x:-)}",
      '"${x:-)}"',
      "${x:-\\}}",
      "$(case q in q) echo r;; esac)",
      "$(case q in (q) echo r;; esac)",
      "$( (echo s) )",
      "$((1 + (2)))",
      "$(echo $((3)))",
      "$(echo # c\n)",
      "$(cat <<Z\ndoc case )\nZ\n)",
      "\"$(cat <<'Z'\nit's\nZ\n)\"",
      '$(echo "a)b")',
      "$(if true; then echo u; fi)",
      "$(for i in 1; do echo $i; done)",
      "$(echo a | cat)",
      '${x//l/"/"}',
      "${x/\\//}",
      '"`echo "bq"`"',
      "$(echo '`')",
      "\\(",
      "'#'",
      "$'it\\'s'",
      "if",
      "$(echo case)",
      "done",
      "${x:1}",
      "${a[@]:1}",
      "${!x}",
      "\"$(printf '%s\\n' q r)\"",
      "$(echo '*.txt')",
      "<(echo)",
      "#no",
      "a#b",
      '"a\\$b"',
      "${u?}",
      "[ab].txt",
      "$((x=3))",
      "${x:-$(echo z)}",
      '"${a[*]}"',
      "${a[@]/e/E}",
      "{1..3}",
      "{x,y}$x",
      "~/q",
      "--f=~/q",
      "k=v",
    );
    const simple = fc.array(word, { maxLength: 4 }).map(words => ["probe", ...words].join(" "));
    const quote = (code: string) => `'${code.replaceAll("'", "'\\''")}'`;
    const frame = fc.constantFrom<(code: string) => string>(
      code => code,
      code => `{ ${code}; }`,
      code => `( ${code} )`,
      code => `if true; then ${code}; fi`,
      code => `for x in 1 2; do ${code}; done`,
      code => `while read -r x; do ${code}; done <<< $'r1\\nr2'`,
      code => `case z in z) ${code};; esac`,
      code => `f() { ${code}; }; f arg1 'arg 2'`,
      code => `eval ${quote(code)}`,
      code => `bash -c ${quote(code)} zero one`,
      code => `echo ${quote(code)} | bash`,
      code => `bash <<< ${quote(code)}`,
      code => `cd sub; ${code}; cd ..`,
      code => `x=changed; ${code}`,
      code => `set -- p 'q r'; ${code}`,
      code => `true && ${code}`,
      code => `false || ${code}`,
      code => `: $(${code})`,
      code => `trap ${quote(code)} EXIT`,
      code => `export x; nice bash -c ${quote(code)}`,
      code => `${code} &\nwait`,
      code => `cat <<E | bash\n${code}\nE`,
      code => `bash <<E\n${code}\nE`,
      code => `g() { local x=loc; ${code}; }; g`,
      code => `IFS=,; ${code}`,
      code => `(x=sub; ${code}); ${code}`,
      code => `select x in one; do ${code}; break; done <<< 1`,
      code => `until ${code}; do break; done`,
      code => `[[ -n x ]] && { ${code}; }`,
      code => `((1)) && ${code}`,
      code => `printf 'p q\\nr\\n' | while read -r x y; do ${code}; done`,
      code => `env V=1 bash -c ${quote(code)}`,
      code => `echo z | xargs -I@ bash -c ${quote(code)}`,
      code => `find . -maxdepth 0 -exec bash -c ${quote(code)} \\;`,
      code => `source <(echo ${quote(code)})`,
      code => `a+=(more); ${code}`,
      code => `x+=suffix; ${code}`,
      code => `unset x; ${code}`,
      code => `alias noop=:; ${code}`,
      code => `time { ${code}; }`,
      code => `{ ${code}; } > out.log 2>&1`,
      code => `exec 3< <(echo ${quote(code)}); bash <&3`,
      code => `readonly RO=1; ${code}`,
      code => `pushd sub > /dev/null; ${code}; popd > /dev/null`,
    );
    const command = fc
      .tuple(simple, simple, fc.array(frame, { minLength: 1, maxLength: 3 }))
      .map(
        ([one, two, frames]) =>
          `x=val; a=(e0 'e 1'); ${frames.reduce((code, surround) => surround(code), `${one}\n${two}`.replace("\n", "; "))}`,
      );
    const sample = fc.sample(command, { numRuns: 200, seed: 20_240_607 });
    expect(missed(sample)).toEqual([]);
  });
});
