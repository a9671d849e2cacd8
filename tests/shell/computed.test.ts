import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { calls } from "./reading.ts";

// What the analysis says a text will be is what bash makes of it. One bash runs all of the tables below.

const SUBSTITUTIONS = [
  "s/a/b/",
  "s/a/b/g",
  "s|/tmp|/etc|",
  "s/A/b/I",
  "s/A/b/gi",
  "s/^a/X/",
  "s/a$/X/",
  "s/^abcabc$/X/",
  "s/b*/-/g",
  "s/x*/-/g",
  "s/[abc]/x/g",
  "s/[^abc]/x/g",
  "s/[a-b]//g",
  "s/./&&/g",
  "s/b/[&]/",
  "s/b/\\&/",
  "s/b/\\//",
  "s/b/\\\\/",
  "s/b/\\n/",
  "s/a\\/b/X/",
  "s,a\\,b,X,",
  "y/abc/xyz/",
  "s/a/b/;s/b/c/g",
  "s/a/1/; s/b/2/; y/c/3/",
  "s/a.c/X/g",
  "s/a\\.c/X/g",
  "s/\\*/X/",
  "s/ab*/X/g",
  "s/[[:alpha:]]/x/",
  "s/zz/y/",
] as const;
const EXTENDED = ["s/a+/X/g", "s/ab?c/X/", "s/[bc]+/X/", "s/c+$/X/", "s/(a)/X/", "s/a|b/X/g"] as const;

const SED = [
  ...SUBSTITUTIONS.map(script => `x=$(echo 'abcabc /tmp/a.c a*b' | sed '${script}')`),
  ...EXTENDED.map(script => `x=$(echo aabbcc | sed -E '${script}')`),
  "x=$(sed s/l/L/ <<< hello)",
  "x=$(printf 'one\\ntwo\\n' | sed 's/o/0/')",
  "x=$(echo abc | sed -e s/a/1/ -e s/b/2/)",
];

const PARAMETERS = [
  "v=/usr/local/lib.tar.gz; x=${v##*/}",
  "v=/usr/local/lib.tar.gz; x=${v#*/}",
  "v=/usr/local/lib.tar.gz; x=${v%.*}",
  "v=/usr/local/lib.tar.gz; x=${v%%.*}",
  "v=/usr/local/lib.tar.gz; x=${v/l/L}",
  "v=/usr/local/lib.tar.gz; x=${v//l/L}",
  "v=/usr/local/lib.tar.gz; x=${v/#\\/usr/U}",
  "v=/usr/local/lib.tar.gz; x=${v/%gz/bz2}",
  "v=/usr/local/lib.tar.gz; x=${v//[aeiou]/_}",
  "v=/usr/local/lib.tar.gz; x=${v//[!a-z]/_}",
  "v=/usr/local/lib.tar.gz; x=${v//[^a-z]/_}",
  "v=/usr/local/lib.tar.gz; x=${v//[[:punct:]]/}",
  "v=/usr/local/lib.tar.gz; x=${v//+([a-z])/w}",
  "v=/usr/local/lib.tar.gz; x=${v//@(usr|local)/w}",
  "v=/usr/local/lib.tar.gz; x=${v//?(l)i/w}",
  "v=/usr/local/lib.tar.gz; x=${v/*(\\/)usr/w}",
  "v=/usr/local/lib.tar.gz; x=${v##!(*z)}",
  "v=abcabc; x=${v#?}",
  "v=abcabc; x=${v%[c]}",
  "v=abcabc; x=${v#[}",
  "v='a]b'; x=${v/[]]/X}",
  "v='a-b'; x=${v/[-]/X}",
  "v='a\\b'; x=${v/\\\\/X}",
  "v='a*b'; x=${v/\\*/X}",
  "v=abcdef; x=${v:2}",
  "v=abcdef; x=${v:1:3}",
  "v=abcdef; x=${v: -2}",
  "v=abcdef; x=${v:0:-1}",
  "v=abcdef; x=${v:1+1:2*1}",
  "v=abc; x=${v^}",
  "v=abc; x=${v^^}",
  "v=ABC; x=${v,}",
  "v=ABC; x=${v,,}",
  "v=abc; x=${v^^[ac]}",
  "v=abc; x=${#v}",
  "v=; x=${v:-default}",
  "v=; x=${v-default}",
  "x=${unset_name-default}",
  "x=${unset_name:=set}$unset_name",
  "v=set; x=${v:+other}",
  "v=; x=${v:+other}.",
  "v=name; name=value; x=${!v}",
  "a=(one two three); x=${a[1]}",
  "a=(one two three); x=${a[-1]}",
  "a=(one two three); x=${a[@]}",
  "a=(one two three); x=${a[*]:1:2}",
  "a=(one two three); x=${#a[@]}",
  "a=(one two); a+=(three); x=${a[2]}",
  "declare -A m=([k]=v [l]=w); x=${m[k]}",
  "v=a; v+=b; x=$v",
  "v='a b'; x=${v@Q}",
  "v=abc; x=${v@U}",
  "set -- p q r; x=$2",
  "set -- p q r; x=$#",
  "set -- p q r; shift; x=$1",
  'set -- p q r; x="$*"',
  'IFS=,; set -- p q r; x="$*"',
];

const ARITHMETIC = [
  "1+2*3",
  "(1+2)*3",
  "7/2",
  "7%3",
  "2**10",
  "-3+1",
  "+4",
  "~5",
  "!0",
  "!7",
  "1<2",
  "2<=2",
  "3>2",
  "2>=3",
  "1==1",
  "1!=1",
  "6&3",
  "6|3",
  "6^3",
  "1<<4",
  "256>>2",
  "1&&0",
  "1||0",
  "0?5:6",
  "1?5:6",
  "0x1f",
  "010",
  "2#101",
  "16#ff",
  "n",
  "n+1",
  "n=5,n*2",
  "n++ + ++n",
  "n-- - --n",
  "n+=4",
  "n-=1",
  "n*=3",
  "n/=2",
  "n%=2",
  "n<<=1",
  "n|=8",
  "n&=1",
  "n^=1",
].map(expression => `n=3; x=$((${expression}))`);

const PRINTED = [
  "printf '%s-%s' a b",
  "printf '%s\\n' a b",
  "printf '%d' 42",
  "printf '%5d|' 42",
  "printf '%-5d|' 42",
  "printf '%05d' 42",
  "printf '%x' 255",
  "printf '%X' 255",
  "printf '%o' 8",
  "printf '%c' hello",
  "printf '%5s|%-5s|' a b",
  "printf '%.2s' hello",
  "printf '%%'",
  "printf '%b' 'a\\tb'",
  "printf '\\x41\\102\\u0043'",
  "printf '\\a\\b\\f' | tr -d '\\007\\010\\014'",
  "printf '%s' ''",
  "printf '%s'",
  "printf 'plain'",
  "printf -- '-x'",
  "printf '%i' \"'A\"",
  "printf '%s %s\\n' one two three",
  "echo -n a",
  "echo -e 'a\\tb\\x41\\0101\\cz'",
  "echo -E 'a\\tb'",
  "echo -ne 'x\\n'",
  "echo a   b",
  "echo 'a  b' c",
  "echo -x",
  "echo",
  "echo abc | tr a-c A-C",
  "echo abc | tr '[:lower:]' '[:upper:]'",
  "echo abc | tr -d b",
  "echo aabbcc | tr -s b",
  "echo aabbcc | tr -s a-c x",
  "echo abc123 | tr -cd 0-9",
  "echo abc123 | tr -dc '[:alpha:]'",
  "echo abc | tr abc xy",
  "echo 'a b' | tr ' ' '_'",
  "echo 'a.b' | tr . /",
  "echo abc | rev",
  "echo cm0gLXJmIC8= | base64 -d",
  "echo hello | base64",
  "echo 726d | xxd -r -p",
  "echo hello | cat",
  "echo hello | head -c 3",
  "printf 'a\\nb\\nc\\n' | head -n 2",
  "printf 'a\\nb\\nc\\n' | tail -n 1",
  "printf 'a:b:c' | cut -d: -f2",
  "printf 'b\\na\\n' | sort",
  "basename /a/b.txt .txt",
  "basename /a/b.txt",
  "dirname /a/b.txt",
  "dirname b.txt",
  "dirname /",
  "seq 3",
  "seq 2 2 6",
  "expr 1 + 2",
  "echo ${PWD##*/}",
  "cd / && pwd",
].map(command => `x=$(${command})`);

const QUOTED = [
  "x=$'a\\tb'",
  "x=$'\\x41\\102\\u00e9\\U0001f600'",
  "x=$'\\e[0m\\cA\\''",
  "x=$'\\\\ \\\" \\? \\z'",
  "x='a'\"b\"c\\d",
  'x="a\\$b\\`c\\"d\\\\e\\f"',
  "x=~/y",
  "x=a{b,c}d",
  "for x in {1..3}; do :; done",
  "for x in {a..e..2}; do :; done",
  "for x in pre{1,2}post; do :; done",
  "for x in {03..01}; do :; done",
  "x=$(cat <<'E'\na $b\nE\n)",
  "b=1; x=$(cat <<E\na $b\nE\n)",
  "read -r x <<< 'a b'",
  "read -r y x <<< 'a b c'",
  "IFS=: read -r y x <<< a:b",
  "printf -v x '%s-%s' a b",
  "mapfile -t l <<< $'a\\nb'; x=${l[1]}",
  "x=a; [[ $x == b ]] || x=c",
  "case abc in a*) x=yes;; *) x=no;; esac",
  "f() { x=in; }; f",
  'f() { echo "<$1>"; }; x=$(f a)',
  "f() { local x=in; y=$x; }; f; x=$y",
  "export x=e",
  "declare x=d",
  "declare -u x=abc",
  "declare -l x=ABC",
  "let x=1+2",
  "(( x = 4 * 5 ))",
  "eval 'x=ev'",
  "eval \"x=$(printf '%q' 'a b')\"",
  "alias q=r; x=q",
];

const ALL = [...SED, ...PARAMETERS, ...ARITHMETIC, ...PRINTED, ...QUOTED];
const REAL = runAll(ALL);

/** What each snippet leaves in `x`, told by one bash in which every snippet has a subshell of its own. */
function runAll(snippets: readonly string[]): ReadonlyMap<string, string> {
  const script = ["shopt -s extglob", ...snippets.map(one => `(\n${one}\nprintf '%s\\0' "$x"\n)`)].join("\n");
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/home/me", LC_ALL: "C.UTF-8" };
  const run = spawnSync("bash", ["--norc", "-c", script], { env, encoding: "utf8", cwd: "/" });
  const results = run.stdout.split("\0");
  if (results.length !== snippets.length + 1) throw new Error(`bash gave ${results.length}: ${run.stderr}`);
  return new Map(snippets.map((one, index) => [one, results[index] ?? ""]));
}

const isUnknown = (said: string) => /\{[^{}]*\}|<[^<>]*>/.test(said);

describe("a text that is computed by a command", () => {
  it.each(ALL)("is what bash makes of it, or is not said to be known: %s", snippet => {
    const said = calls(`shopt -s extglob\n${snippet}\ntouch -- "$x"`, "touch", { cwd: "/" });
    const real = `touch -- ${REAL.get(snippet)}`;
    const known = said.filter(line => !isUnknown(line));
    if (known.length > 0) expect(known).toContain(real);
    else expect(said.length).toBeGreaterThan(0);
  });

  it("is known in most of these cases", () => {
    const known = ALL.filter(snippet => {
      const said = calls(`shopt -s extglob\n${snippet}\ntouch -- "$x"`, "touch", { cwd: "/" });
      return said.some(line => !isUnknown(line));
    });
    expect(known.length / ALL.length).toBeGreaterThan(0.7);
  });
});
