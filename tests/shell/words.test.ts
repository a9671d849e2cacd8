import { describe, expect, it } from "vitest";
import { calls, read, spell } from "./reading.ts";

/** Each command runs `rm` with the words on the right. */
function table(rows: readonly (readonly [string, ...string[]])[]): void {
  it.each(rows.map(([command, ...expected]) => [command, expected] as const))("%s", (command, expected) => {
    expect(calls(command, "rm")).toEqual(expected);
  });
}

describe("quotes", () => {
  table([
    ["rm -rf /", "rm -rf /"],
    [`r''m -r"f" '/'`, "rm -rf /"],
    ["\\r\\m -\\r\\f /", "rm -rf /"],
    [`$'\\x72\\x6d' -rf $'\\057'`, "rm -rf /"],
    [`$'\\162m' $'-\\u0072f' /`, "rm -rf /"],
    [`$"rm" -rf /`, "rm -rf /"],
    ["r\\\nm -rf /a\\\nb", "rm -rf /ab"],
    [`"rm" '-rf' "/"`, "rm -rf /"],
    [`rm "a b" 'c  d' e\\ f`, "rm a b c  d e f"],
    [`rm ''`, "rm "],
    ["rm a # rm b", "rm a"],
  ]);

  it("keeps an empty quoted word and drops an empty unquoted one", () => {
    const [first] = read(`e=; rm "" $e "$e" x`).invocations;
    expect(first?.argv.map(spell)).toEqual(["rm", "", "", "x"]);
  });
});

describe("tilde", () => {
  table([
    ["rm ~", "rm /home/me"],
    ["rm ~/x ~me/y", "rm /home/me/x /home/me/y"],
    ["rm ~root ~other/z", "rm /root /home/other/z"],
    ["rm ~+ ~-", "rm /home/me/project /home/me/before"],
    [`rm "~" \\~ '~/x' a~`, "rm ~ ~ ~/x a~"],
    ["d=~/x; rm $d", "rm /home/me/x"],
    ["p=a:~/b; rm $p", "rm a:/home/me/b"],
    ["HOME=/; rm ~", "rm /"],
    ["rm ${x:-~/y}", "rm /home/me/y"],
  ]);
});

describe("braces", () => {
  table([
    ["{rm,-rf,/}", "rm -rf /"],
    ["rm {a,b}{1,2}", "rm a1 a2 b1 b2"],
    ["rm {1..3} {c..a} {01..03} {1..9..4}", "rm 1 2 3 c b a 01 02 03 1 5 9"],
    ["rm a{b,{c,d}}e", "rm abe ace ade"],
    [`rm {"a b",c}`, "rm a b c"],
    [`x=q; rm {$x,y}`, "rm q y"],
    ["rm {a} {} {a\\,b}", "rm {a} {} {a,b}"],
    [`rm "{a,b}"`, "rm {a,b}"],
    ["x={a,b}; rm $x", "rm {a,b}"],
    ["rm -{r,f} /", "rm -r -f /"],
    ["rm {a,} x{,y}", "rm a x xy"],
  ]);

  it("stands for a long sequence with one token and for too many words with an open end", () => {
    expect(calls("rm build/{1..5000}", "rm")).toEqual(["rm build/{{1..5000}}"]);
    const [cut] = read("rm {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}").invocations;
    expect(cut?.argv.length).toBe(65);
    expect(cut?.isOpenEnded).toBe(true);
  });
});

describe("parameters", () => {
  table([
    ["x=/; rm -rf $x", "rm -rf /"],
    ["c=rm; $c -rf /", "rm -rf /"],
    ["c='rm -rf /'; $c", "rm -rf /"],
    [`c='rm -rf /'; "$c"; rm a`, "rm a"],
    ["a=r; b=m; $a$b x", "rm x"],
    ["x=a; x+=b; rm $x", "rm ab"],
    [
      "rm $HOME ${HOME}/x $PWD $OLDPWD $USER $TMPDIR",
      "rm /home/me /home/me/x /home/me/project /home/me/before me /tmp",
    ],
    [`rm "\${X:-/}" "\${X-/a}"`, "rm / /a"],
    ["x=; rm ${x:-d} ${x-e} f", "rm d f"],
    ["rm ${x:=/q} $x", "rm /q /q"],
    ["x=1; rm ${x:+y} ${x+z}", "rm y z"],
    ["x=; rm ${x:+y} a", "rm a"],
    [
      "p=/usr/lib/x.tar.gz; rm ${p##*/} ${p#*/} ${p%.*} ${p%%.*}",
      "rm x.tar.gz usr/lib/x.tar.gz /usr/lib/x.tar /usr/lib/x",
    ],
    ["x=aXbXc; rm ${x/X/-} ${x//X/-} ${x/#a/q} ${x/%c/r}", "rm a-bXc a-b-c qXbXc aXbXr"],
    ["x=abcdef; rm ${x:2} ${x:1:2} ${x: -2} ${x:0:-3}", "rm cdef bc ef abc"],
    ["rm ${PATH:0:1}", "rm /"],
    ["x=Ab; rm ${x^^} ${x,,} ${x^} ${x,}", "rm AB ab Ab ab"],
    ["x='a b'; rm ${x@Q}", "rm 'a b'"],
    ["x='\\x72m'; ${x@E} /q", "rm /q"],
    ["x=rM; ${x@L} /q", "rm /q"],
    ["x=abc; rm ${#x}", "rm 3"],
    ["y=x; x=/etc; rm ${!y}", "rm /etc"],
    ["declare -n r=c; c=rm; $r a", "rm a"],
    ["declare -l x=RM; $x a", "rm a"],
    ["declare -l x; x=RM; $x a", "rm a"],
    ["declare -i n; n=1+2; rm dir$n", "rm dir3"],
    ["${0/bash/rm} a", "rm a"],
    ["echo /etc; rm $_", "rm /etc"],
    ["unset HOME; rm -rf $HOME/*", "rm -rf /<*>"],
    ["printf -v c %s rm; $c a", "rm a"],
    ['set -- rm -rf /; "$@"', "rm -rf /"],
    ["set a b c; shift; rm $1 $2 $#", "rm b c 2"],
    ["set -- 'a b' c; rm $* \"$*\"", "rm a b c a b c"],
    ["set -- a b c; rm ${@:2} ${@:1:1}", "rm b c a"],
    ["x=5; rm $((x+1)) $((2**3)) $[1+1] $((x>3?7:8))", "rm 6 8 2 7"],
    ["rm $((0x10)) $((010)) $((2#101))", "rm 16 8 5"],
    ["i=1; ((i++)); let i+=5; rm $i", "rm 7"],
  ]);

  it("splits an unquoted value at IFS, also at a changed one", () => {
    expect(calls("rm${IFS}-rf$IFS/", "rm")).toEqual(["rm -rf /"]);
    expect(calls("IFS=,; c=rm,-rf,/; $c", "rm")).toEqual(["rm -rf /"]);
    expect(calls(`IFS=; c='rm -rf'; $c; rm a`, "rm")).toEqual(["rm a"]);
  });

  it("takes patterns out of unquoted values and leaves quoted ones alone", () => {
    expect(calls(`x='*'; rm $x "$x"`, "rm")).toEqual(["rm <*> *"]);
  });

  it("says what kind of unknown a word is", () => {
    const [only] = read(`rm "$A" $B "\${C:?}" "$$" $(date +%s) "$(id -u)"`).invocations.filter(
      one => one.program === "rm",
    );
    const shapes = only?.argv
      .slice(1)
      .map(word =>
        word.pieces
          .map(piece => (piece.kind === "unknown" ? `${piece.shape}${piece.mayBeMany ? "*" : ""}` : "?"))
          .join(),
      );
    expect(shapes).toEqual(["any", "any*", "nonempty", "token", "token*", "token"]);
  });

  it("knows where an unknown comes from", () => {
    const [only] = read(`rm "$SECRET" "$(cat .env)"`).invocations.filter(one => one.program === "rm");
    expect(only?.argv[1]?.origins).toEqual([{ kind: "environment", name: "SECRET" }]);
    expect(
      only?.argv[2]?.origins.map(origin => (origin.kind === "file" ? spell(origin.path) : origin.kind)),
    ).toEqual(["/home/me/project/.env"]);
  });
});

describe("arrays", () => {
  table([
    [`a=(rm -rf /); "\${a[@]}"`, "rm -rf /"],
    ["a=(x y z); rm ${a[1]} ${a[-1]} ${#a[@]} $a", "rm y z 3 x"],
    [`a=(x "y z"); rm "\${a[@]}"`, "rm x y z"],
    [`a=(x y z); rm "\${a[@]:1}" "\${a[*]}"`, "rm y z x y z"],
    ["a=(a b); a+=(c); rm ${a[@]}", "rm a b c"],
    ["a[2]=/etc; rm ${a[2]}", "rm /etc"],
    ["declare -A m=([k]=/etc); rm ${m[k]} ${!m[@]}", "rm /etc k"],
    [`declare -A m; m["k"]=/q; rm \${m[k]}`, "rm /q"],
    ["a=(x.c y.c); rm ${a[@]%.c}", "rm x y"],
    ["i=1; a=(x y); rm ${a[i]} ${a[$i]} ${a[i-1]}", "rm y y x"],
    ["a=(x y); for i in ${!a[@]}; do rm ${a[i]}; done", "rm x", "rm y"],
  ]);
});

describe("computed substitutions", () => {
  table([
    ["$(echo rm) -rf /", "rm -rf /"],
    ["`echo rm` `echo -rf` /", "rm -rf /"],
    ["rm $(printf '%s/%s' a b)", "rm a/b"],
    ["rm -rf $(pwd)/..", "rm -rf /home/me/project/.."],
    ["rm $(dirname /a/b/c) $(basename /a/b.txt .txt)", "rm /a/b b"],
    ["rm $(realpath ../x)", "rm /home/me/x"],
    ["$(which rm) -rf /", "/usr/bin/rm -rf /"],
    ["$(command -v rm) -rf /", "/usr/bin/rm -rf /"],
    ["rm $(whoami)", "rm me"],
    ["rm -rf $(mktemp -d)", "rm -rf /tmp/tmp.fresh1"],
    ["rm $(echo L2V0Yw== | base64 -d)", "rm /etc"],
    ["rm $(echo 2f657463 | xxd -r -p)", "rm /etc"],
    ["rm $(echo cte/ | rev)", "rm /etc"],
    ["rm $(echo /fud | tr fud etc)", "rm /etc"],
    ["rm $(echo /Xtc | sed 's/X/e/')", "rm /etc"],
    ["echo /etc > f; rm $(cat f)", "rm /etc"],
    ["echo /etc > f; rm $(<f)", "rm /etc"],
    ["rm $(echo $(echo $(echo /etc)))", "rm /etc"],
    ["x=$(echo a; echo b); rm $x", "rm a b"],
    ["rm $(seq 1 3)", "rm 1 2 3"],
    ["rm $(echo a:b | cut -d: -f2) $(echo abc | head -c 2)", "rm b ab"],
    ["${ echo rm; } a", "rm a"],
  ]);

  it("finds the repository root by its .git", () => {
    const files = {
      kind: (path: string) => (path === "/home/me/project/.git" ? ("directory" as const) : undefined),
      list: () => undefined,
      readText: () => undefined,
    };
    expect(
      calls("cd src; rm -rf $(git rev-parse --show-toplevel)", "rm", { files, cwd: "/home/me/project" }),
    ).toEqual(["rm -rf /home/me/project"]);
  });
});

describe("patterns", () => {
  table([
    ["rm *.o a? [xy]z", "rm <*>.o a<?> <[xy]>z"],
    [`rm "*" \\* '?' a\\[b]`, "rm * * ? a[b]"],
    ["rm !(a|b) @(x) +(y)", "rm <!(a|b)> <@(x)> <+(y)>"],
    ["/bin/r? -rf /", "/bin/rm -rf /"],
    ["/b[i]n/r[m] -rf /", "/bin/rm -rf /"],
    ["/???/r* -rf /", "/bin/rm -rf /"],
    ['for f in *.txt; do rm "$f" "${f%.txt}.md"; done', "rm <*>.txt <*>.md"],
  ]);
});

describe("alternatives", () => {
  table([
    ["if a; then d=x; else d=y; fi; rm $d", "rm x", "rm y"],
    ["case $q in 1) d=x;; *) d=y;; esac; rm $d", "rm x", "rm y"],
    ["a || d=x; rm ${d:-q}", "rm {$d}", "rm q", "rm x"],
  ]);
});
