import { describe, expect, it } from "vitest";
import { calls, places, read, spell } from "./reading.ts";

/** Each command runs `rm` with the words on the right, in this order. */
function table(rows: readonly (readonly [string, ...string[]])[]): void {
  it.each(rows.map(([command, ...expected]) => [command, expected] as const))("%s", (command, expected) => {
    expect(calls(command, "rm")).toEqual(expected);
  });
}

describe("command positions", () => {
  table([
    ["a; rm x", "rm x"],
    ["a & rm x", "rm x"],
    ["rm x &", "rm x"],
    ["a && rm x", "rm x"],
    ["a || rm x", "rm x"],
    ["a | rm x", "rm x"],
    ["a |& rm x", "rm x"],
    ["a\nrm x", "rm x"],
    ["! rm x", "rm x"],
    ["time rm x", "rm x"],
    ["time -p rm x", "rm x"],
    ["(rm x)", "rm x"],
    ["{ rm x; }", "rm x"],
    ["if rm a; then rm b; elif rm c; then rm d; else rm e; fi", "rm a", "rm c", "rm b", "rm d", "rm e"],
    ["while rm a; do rm b; done", "rm a", "rm b"],
    ["until rm a; do rm b; done", "rm a", "rm b"],
    ["for i in x y; do rm $i; done", "rm x", "rm y"],
    ["for i in; do rm $i; done"],
    ["for ((i=0;i<2;i++)); do rm a; done", "rm a"],
    ["select i in x y; do rm $i; done", "rm x", "rm y"],
    ["case x in a|b) rm a;; *) rm b;& c) rm c;;& esac", "rm a", "rm b", "rm c"],
    ["coproc rm x", "rm x"],
    ["coproc N { rm x; }", "rm x"],
    ["f() { rm x; }; f", "rm x"],
    ["function f { rm x; }; f", "rm x"],
    ["f() (rm x); f", "rm x"],
    ["exit; rm x", "rm x"],
    ["return; rm x", "rm x"],
    ["f() { rm x; }"],
    ["echo rm x"],
    [": rm x"],
    ["# rm x"],
    ["cat <<< 'rm x'"],
    ["cat <<'E'\nrm x\n$(rm y)\nE"],
  ]);
});

describe("commands inside words", () => {
  table([
    ["echo $(rm x)", "rm x"],
    ["echo `rm x`", "rm x"],
    ['echo "$(rm x)"', "rm x"],
    ["echo '$(rm x)'"],
    ['echo "${a:-$(rm x)}"', "rm x"],
    ['echo "${a:+$(rm x)}" ${a#$(rm y)} ${a/$(rm z)/q}', "rm x", "rm y", "rm z"],
    ["echo $(( $(rm x) + 1 ))", "rm x"],
    ["echo ${a/$(rm /x)/} ${a//`rm /y`/q}", "rm /x", "rm /y"],
    ["rm x $(echo case)", "rm x case"],
    ["rm x $(echo upper case; echo y) `echo case`", "rm x upper case y case"],
    ['rm "$(grep case f)" <(echo case)', "rm {$(grep case f)} /dev/fd/64"],
    ["bash <<E\n: $(echo case)\nrm x\nE", "rm x"],
    ["echo $(case a in a) rm x;; esac) $(echo case) $(rm y)", "rm x", "rm y"],
    ["(( a[$(rm x)] = 1 ))", "rm x"],
    ["a[$(rm x)]=1", "rm x"],
    ["a=($(rm x) [$(rm y)]=z)", "rm x", "rm y"],
    ["a=$(rm x) b", "rm x"],
    ["export a=$(rm x)", "rm x"],
    ["[[ $(rm x) == $(rm y)* ]]", "rm x", "rm y"],
    ["[[ -n $(rm x) && ! ( -f `rm y` ) ]]", "rm x", "rm y"],
    ["for i in $(rm x); do :; done", "rm x"],
    ["case $(rm x) in $(rm y)) ;; esac", "rm x", "rm y"],
    ["for ((i=$(rm x);;)); do :; done", "rm x"],
    ["a > $(rm x)", "rm x"],
    ["a < <(rm x) > >(rm y)", "rm x", "rm y"],
    ["diff <(rm x) <(rm y)", "rm x", "rm y"],
    ["cat <<E\n$(rm x) ${a:-`rm y`}\nE", "rm x", "rm y"],
    ['cat <<< "$(rm x)"', "rm x"],
    ["echo $(echo $(echo `rm x`))", "rm x"],
    ["x='a[$(rm x)]'; echo $((x))", "rm x"],
    ["x='a[$(rm x)]'; ((x))", "rm x"],
    ["test -v 'a[$(rm x)]'", "rm x"],
    ["[[ -v 'a[$(rm x)]' ]]", "rm x"],
    ["[[ 'a[$(rm x)]' -eq 1 ]]", "rm x"],
    ["printf -v 'a[$(rm x)]' y", "rm x"],
    ["read 'a[$(rm x)]' <<< y", "rm x"],
    ["unset 'a[$(rm x)]'", "rm x"],
    ["declare -i n='a[$(rm x)]'", "rm x"],
    ["x='$(rm x)'; echo ${x@P}", "rm x"],
    ["compgen -W '$(rm x)'", "rm x"],
    ["echo {a,$(rm x)}{b,c}", "rm x"],
  ]);
});

describe("functions", () => {
  table([
    ['f() { rm "$1" $2; }; f a "b c"', "rm a b c"],
    ['f() { rm "$@"; }; f a b', "rm a b"],
    ["f() { g $1; }; g() { rm $1; }; f x", "rm x"],
    ["f() { local d=$1; rm $d; }; d=q; f x; rm $d", "rm x", "rm q"],
    ["f() { d=$1; }; f x; rm $d", "rm x"],
    ["rm() { echo no; }; rm -rf /"],
    ["rm() { command rm -i $@; }; rm x", "rm -i x"],
    ["f() { rm x; f; }; f", "rm x", "rm x"],
    ['f() { "$@"; }; f f f f rm x', "rm x"],
    ["f() { rm $1; }; export -f f", "rm {$1}"],
    ["f() { rm x; }; trap f EXIT", "rm x"],
    ["f() { rm x; } > y; f", "rm x"],
    ["D=/q; f() { rm $D; }; D=/r; f", "rm /r"],
  ]);

  it("tells fork bombs from functions that only call themselves", () => {
    const forkBombs = (command: string) =>
      read(command).functions.map(({ name, isForkBomb }) => [name, isForkBomb]);
    expect(forkBombs(":(){ :|:& };:")).toEqual([[":", true]]);
    expect(forkBombs("bomb() { bomb | bomb & }; bomb")).toEqual([["bomb", true]]);
    expect(forkBombs("f() { f & f; }; f")).toEqual([["f", true]]);
    expect(forkBombs("f() { g | h; }; f")).toEqual([["f", false]]);
    expect(forkBombs("f() { f; }; f")).toEqual([["f", false]]);
  });
});

describe("aliases", () => {
  table([
    ["alias zap='rm -rf'; zap x", "rm -rf x"],
    ["alias rm='rm -i'; rm x", "rm -i x"],
    ["alias zap='rm -rf'; \\zap x"],
    ["alias zap='rm x;'; zap", "rm x"],
    ["alias zap='rm -rf'; unalias zap; zap x"],
    ["hash -p /bin/rm zap; zap x", "/bin/rm x"],
  ]);
});

describe("loops", () => {
  table([
    ["for a in 1 2; do for b in x y; do rm $a$b; done; done", "rm 1x", "rm 1y", "rm 2x", "rm 2y"],
    ["for f in *.o; do rm $f; done", "rm <*>.o"],
    ['for d in "$@"; do rm $d; done'],
    ["set -- a b; for d; do rm $d; done", "rm a", "rm b"],
    ["while :; do $c; c='rm x'; done", "rm x"],
    ["printf 'a\\nb\\n' | while read l; do rm $l; done", "rm a", "rm b"],
    ["while IFS=: read a b; do rm $b; done <<< x:y", "rm y"],
    ['while read -r l; do rm "$l"; done < list', "rm {$l}"],
    ["mapfile -t l <<< $'a\\nb'; rm \"${l[@]}\"", "rm a b"],
    ["read -a l <<< 'a b'; rm ${l[1]}", "rm b"],
    ["for i in {1..3}; do x+=$i; done; rm $x", "rm {$x}123"],
  ]);

  it("walks a body with many items once, with all of them as alternatives", () => {
    const items = Array.from({ length: 60 }, (_, index) => `f${index}`);
    const body = "echo a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l;".repeat(
      3,
    );
    expect(calls(`for i in ${items.join(" ")}; do ${body} rm $i; done`, "rm")).toHaveLength(60);
    expect(read(`for i in ${items.join(" ")}; do ${body} rm $i; done`).unexamined).toEqual([]);
  });

  it("does not stumble over nested loops with many rounds", () => {
    const facts = read(
      "for i in {1..50}; do for j in {1..50}; do for k in {1..50}; do rm t$i.$j.$k; done; done; done",
    );
    expect(facts.unexamined).toEqual([]);
    expect(facts.invocations.length).toBeGreaterThan(0);
  });
});

describe("the current directory", () => {
  it.each([
    ["cd /tmp; rm x", "/tmp: rm x"],
    ["cd /tmp && rm x", "/tmp: rm x"],
    ["cd a; cd b; rm x", "/home/me/project/a/b: rm x"],
    ["cd ..; rm x", "/home/me: rm x"],
    ["cd; rm x", "/home/me: rm x"],
    ["cd ~; rm x", "/home/me: rm x"],
    ["cd -- a; rm x", "/home/me/project/a: rm x"],
    ["cd -P a; rm x", "/home/me/project/a: rm x"],
    ["cd -; rm x", "/home/me/before: rm x"],
    ["cd /a; cd /b; cd -; rm x", "/a: rm x"],
    ["cd /a; rm ~- $OLDPWD", "/a: rm /home/me/project /home/me/project"],
    ["cd /a; rm $PWD $(pwd)", "/a: rm /a /a"],
    ["(cd /tmp); rm x", "/home/me/project: rm x"],
    ["(cd /tmp; rm x)", "/tmp: rm x"],
    ["{ cd /tmp; }; rm x", "/tmp: rm x"],
    ["cd /tmp | a; rm x", "/home/me/project: rm x"],
    ["cd /tmp & rm x", "/home/me/project: rm x"],
    ["x=$(cd /tmp; pwd); rm $x", "/home/me/project: rm /tmp"],
    ["pushd /a; pushd /b; popd; rm x", "/a: rm x"],
    ["pushd /a; popd; rm x", "/home/me/project: rm x"],
    ["command cd /a; rm x", "/a: rm x"],
    ["builtin cd /a; rm x", "/a: rm x"],
    ["sudo cd /a; rm x", "/home/me/project: rm x"],
    ["f() { cd /a; }; f; rm x", "/a: rm x"],
    ["eval 'cd /a'; rm x", "/a: rm x"],
    ["bash -c 'cd /a'; rm x", "/home/me/project: rm x"],
    ["bash -c 'cd /a; rm x'", "/a: rm x"],
    ["cd /a || exit; rm x", "/a: rm x"],
    ["cd /a || { echo no; exit 1; }; rm x", "/a: rm x"],
    ["cd /a || return; rm x", "/a: rm x"],
    ["env -C /a rm x", "/a: rm x"],
    ["sudo -D /a rm x", "/a: rm x"],
    ['cd "$X" && rm x', "{$X}: rm x"],
    ["cd $(mktemp -d) && rm x", "/tmp/tmp.fresh1: rm x"],
    ["for d in */; do (cd $d && rm x); done", "/home/me/project/<*>: rm x"],
    ["ln -s / l; cd l; rm x", "/: rm x"],
    ["git -C /a bisect run rm x", "/a: rm x"],
  ])("%s", (command, expected) => {
    expect(places(command, "rm")).toEqual([expected]);
  });

  it("may be one of several", () => {
    expect(places("[ -d a ] && cd a; rm x", "rm")).toEqual([
      "/home/me/project: rm x",
      "/home/me/project/a: rm x",
    ]);
    expect(places("cd a || cd b; rm x", "rm")).toEqual([
      "/home/me/project/a: rm x",
      "/home/me/project/b: rm x",
    ]);
    expect(places("if a; then cd /a; else cd /b; fi; rm x", "rm")).toEqual(["/a: rm x", "/b: rm x"]);
  });

  it("may stay what it was when the new one does not exist and nobody checks", () => {
    const known = new Set(["/home/me/project", "/home/me/project/there"]);
    const files = {
      kind: (path: string) => (known.has(path) ? ("directory" as const) : undefined),
      list: () => undefined,
      readText: () => undefined,
    };
    expect(places("cd there; rm x", "rm", { files })).toEqual(["/home/me/project/there: rm x"]);
    expect(places("cd gone; rm x", "rm", { files })).toEqual([
      "/home/me/project/gone: rm x",
      "/home/me/project: rm x",
    ]);
    expect(places("cd gone && rm x", "rm", { files })).toEqual(["/home/me/project/gone: rm x"]);
    expect(places("cd gone || exit; rm x", "rm", { files })).toEqual(["/home/me/project/gone: rm x"]);
    expect(places("mkdir -p gone; cd gone; rm x", "rm", { files })).toEqual(["/home/me/project/gone: rm x"]);
  });
});

describe("the environment", () => {
  it("holds what the command sets for a program", () => {
    const environment = (command: string, program: string) =>
      read(command)
        .invocations.filter(one => one.program === program)
        .map(one => one.environment.map(({ name, value }) => `${name}=${spell(value)}`));
    expect(environment("A=1 B=$HOME git x", "git")).toEqual([["A=1", "B=/home/me"]]);
    expect(environment("export A=1; git x", "git")).toEqual([["A=1"]]);
    expect(environment("A=1; git x", "git")).toEqual([[]]);
    expect(environment("A=1; export A; git x", "git")).toEqual([["A=1"]]);
    expect(environment("declare -x A=1; git x", "git")).toEqual([["A=1"]]);
    expect(environment("export A=1; export -n A; git x", "git")).toEqual([[]]);
    expect(environment("env A=1 git x", "git")).toEqual([["A=1"]]);
    expect(environment("export A=1; env -i B=2 git x", "git")).toEqual([["B=2"]]);
    expect(environment("export A=1; env -u A git x", "git")).toEqual([["A=1", "A=nothing"]]);
    expect(environment("sudo A=1 git x", "git")).toEqual([["A=1"]]);
    expect(environment("A=1 bash -c 'git x'", "git")).toEqual([["A=1"]]);
    expect(environment("A=1; bash -c 'git x'", "git")).toEqual([[]]);
  });

  it("hands exported values on to child shells and no others", () => {
    expect(calls("D=/q; bash -c 'rm $D'", "rm")).toEqual(["rm {$D}"]);
    expect(calls("export D=/q; bash -c 'rm $D'", "rm")).toEqual(["rm /q"]);
    expect(calls("D=/q bash -c 'rm $D'", "rm")).toEqual(["rm /q"]);
    expect(calls("D=/q eval 'rm $D'", "rm")).toEqual(["rm /q"]);
    expect(calls("D=/q; rm $D; D=/r rm $D", "rm")).toEqual(["rm /q", "rm /q"]);
  });
});

describe("handlers", () => {
  table([
    ["trap 'rm x' EXIT", "rm x"],
    ["trap 'rm $D' EXIT; D=/q", "rm /q"],
    ["trap 'rm x' EXIT; trap - EXIT"],
    ["trap 'rm x' EXIT; exit; trap - EXIT", "rm x"],
    ["D=/q; trap 'rm $D' INT ERR", "rm /q", "rm /q"],
    ["(trap 'rm x' EXIT)", "rm x"],
    ["PROMPT_COMMAND='rm x'", "rm x"],
    ["PS4='$(rm x)'; set -x", "rm x"],
    ["PROMPT_COMMAND='rm x' bash -i", "rm x"],
    ["PS4='$(rm x)' bash -xc :", "rm x"],
    ["echo 'rm x' > e; BASH_ENV=e bash -c :", "rm x"],
    ["BASH_ENV='$(rm x)' bash -c :", "rm x"],
    ["echo 'rm x' > e; ENV=e sh -i", "rm x"],
    ["echo 'rm x' > e; bash --rcfile e -i", "rm x"],
    ["mapfile -C 'rm x;' -c 1 l <<< a", "rm x"],
  ]);
});
