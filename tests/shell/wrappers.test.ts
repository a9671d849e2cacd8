import { describe, expect, it } from "vitest";
import { calls, read, spell } from "./reading.ts";

const R = "rm -rf /x";

/** Every one of these ends in exactly the program and words of R. */
const PLAIN: readonly string[] = [
  `sudo ${R}`,
  `sudo -u root -H ${R}`,
  `sudo -nE -- ${R}`,
  `sudo --user=root A=1 ${R}`,
  `sudo --us root ${R}`,
  `/usr/bin/sudo ${R}`,
  `doas -u x ${R}`,
  `su -c '${R}'`,
  `su - root -c '${R}'`,
  `su root -s /bin/sh -c '${R}'`,
  `su --command='${R}'`,
  `su <<< '${R}'`,
  `sudo -s <<< '${R}'`,
  `sudo -i <<< '${R}'`,
  `runuser -u x -- ${R}`,
  `runuser -l x -c '${R}'`,
  `pkexec --user x ${R}`,
  `sg wheel -c '${R}'`,
  `env ${R}`,
  `env A=b C=d ${R}`,
  `env - A=b ${R}`,
  `env -i -u B ${R}`,
  `env -S '${R}'`,
  `env -S'${R}'`,
  `env -iS "${R}"`,
  `env --split-string='rm -rf' /x`,
  `env -S 'A=1 rm' -rf /x`,
  `env -S '-i rm -rf "/x"'`,
  `command ${R}`,
  `command -p ${R}`,
  `builtin command ${R}`,
  `exec ${R}`,
  `exec -a foo ${R}`,
  `nohup ${R}`,
  `nice ${R}`,
  `nice -n 5 ${R}`,
  `nice -10 ${R}`,
  `ionice -c2 -n7 ${R}`,
  `chrt -f 10 ${R}`,
  `taskset -c 0,1 ${R}`,
  `taskset 0x3 ${R}`,
  `setsid -w ${R}`,
  `stdbuf -oL -eL ${R}`,
  `unbuffer ${R}`,
  `\\time -f %e ${R}`,
  `/usr/bin/time -v ${R}`,
  `timeout 10 ${R}`,
  `timeout -s KILL -k 5 10s ${R}`,
  `timeout --preserve-status 10 ${R}`,
  `watch -n1 '${R}'`,
  `watch -n 1 ${R}`,
  `watch -x ${R}`,
  `flock -n /tmp/l ${R}`,
  `flock /tmp/l -c '${R}'`,
  `script -qc '${R}' /dev/null`,
  `script -q /dev/null ${R}`,
  `script /dev/null -c '${R}'`,
  `chroot /mnt ${R}`,
  `chroot --userspec=a:b /mnt ${R}`,
  `unshare -rn ${R}`,
  `nsenter -t 1 -m -u ${R}`,
  `systemd-run --user --scope -p X=1 ${R}`,
  `setarch x86_64 -R ${R}`,
  `strace -f -e trace=file -o /tmp/o ${R}`,
  `ltrace -c ${R}`,
  `xvfb-run -a -s '-screen 0' ${R}`,
  `caffeinate -i -t 10 ${R}`,
  `chronic ${R}`,
  `ts ${R}`,
  `proxychains -q ${R}`,
  `torsocks ${R}`,
  `faketime '2020-01-01' ${R}`,
  `direnv exec . ${R}`,
  `dotenv -e .env -- ${R}`,
  `op run --env-file=x -- ${R}`,
  `doppler run -p a -- ${R}`,
  `aws-vault exec prof -- ${R}`,
  `mise exec node@20 -- ${R}`,
  `mise x -- ${R}`,
  `asdf exec ${R}`,
  `busybox ${R}`,
  `toybox ${R}`,
  `busybox sh -c '${R}'`,
  `npx -c '${R}'`,
  `npm exec -c '${R}'`,
  `echo /x | xargs rm -rf`,
  `echo /x | xargs -I% rm -rf %`,
  `echo /x | xargs -i rm -rf {}`,
  `echo /x | xargs -n1 -P4 -r rm -rf`,
  `echo -n a/x | xargs -da rm -rf`,
  `printf '/x\\0' | xargs -0 rm -rf`,
  `echo /x > l; xargs -a l rm -rf`,
  `echo '"/x"' | xargs rm -rf`,
  `xargs rm -rf <<< /x`,
  `echo x | xargs sh -c '${R}'`,
  `parallel rm -rf ::: /x`,
  `parallel -j4 'rm -rf {}' ::: /x`,
  `echo /x | parallel rm -rf`,
  `echo '${R}' | parallel`,
  `echo /x > l; parallel -a l rm -rf`,
  `echo /x > l; parallel rm -rf :::: l`,
  `ls | entr -s '${R}'`,
  `ls | entr -c ${R}`,
  `git submodule foreach '${R}'`,
  `git submodule foreach --recursive ${R}`,
  `git bisect run ${R}`,
  `git rebase -i --exec '${R}' HEAD~2`,
  `git rebase -x '${R}'`,
  `git -c alias.zz='!${R}' zz`,
  `git -c alias.zz='!rm' zz -rf /x`,
  `git config alias.q '!${R}'; git q`,
  `git -c core.pager='${R}' log`,
  `git -c core.sshCommand='${R}' fetch`,
  `git fetch --upload-pack='${R}' x`,
  `git clone -u '${R}' x`,
  `git filter-branch --tree-filter '${R}' HEAD`,
  `printf 'all:\\n\\t${R}\\n' | make -f -`,
  `printf 'all:\\n\\t@-${R}\\n' > Makefile; make`,
  `make --eval='$(shell ${R})'`,
  `echo '${R}' | at now`,
  `batch <<< '${R}'`,
  `tmux new-session -d '${R}'`,
  `tmux new -d -s x ${R}`,
  `tmux send-keys -t a '${R}' Enter`,
  `tmux new -d -s x \\; send-keys '${R}' C-m`,
  `tmux run-shell '${R}'`,
  `screen -dmS x ${R}`,
  `screen -S x -X stuff '${R}\\n'`,
  `tar cf x --checkpoint=1 --checkpoint-action=exec='${R}' y`,
  `tar xf a --to-command='${R}'`,
  `tar -I '${R}' -xf a`,
  `zip a b -T -TT '${R}'`,
  `rsync -e '${R}' a b:c`,
  `ssh -o ProxyCommand='${R}' h`,
  `ssh -oProxyCommand='${R}' h`,
  `GIT_SSH_COMMAND='${R}' git fetch`,
  `PAGER='${R}' git log`,
  `EDITOR='${R}' crontab -e`,
  `sort --compress-program='${R}' a`,
  `split --filter='${R}' a`,
  `socat - EXEC:'${R}'`,
  `socat TCP:h:1 SYSTEM:'${R}',pty`,
  `nc -e '${R}' h 1`,
  `ncat --sh-exec '${R}' h 1`,
  `sqlite3 a.db '.shell ${R}'`,
  `psql -c '\\! ${R}'`,
  `env -u A nice -n 3 timeout 5 sudo -u x bash -c "eval '${R}'"`,
  `poetry run ${R}`,
  `uv run --with x ${R}`,
  `bundle exec ${R}`,
  `conda run -n e ${R}`,
  `hyperfine '${R}'`,
  `concurrently '${R}' b`,
  `nix-shell -p x --run '${R}'`,
  `/lib64/ld-linux-x86-64.so.2 ${R}`,
  `xterm -e ${R}`,
  `xterm -T t -e '${R}'`,
  `gnome-terminal -- ${R}`,
  `capsh --user=x -- -c '${R}'`,
  `git clone 'ext::sh -c rm% -rf% /x'`,
  `LESSOPEN='|${R}' less a`,
  `ed -s <<< '!${R}'`,
  `dc -e '!${R}'`,
  `echo 'syscmd(${R})' | m4`,
  `emacs --batch --eval '(shell-command "${R}")'`,
  `Rscript -e 'system("${R}")'`,
  `env 'BASH_FUNC_ls%%=() { ${R}; }' bash -c ls`,
  `python3 -m timeit -n1 "__import__('os').system('${R}')"`,
  `make SHELL='${R}' all`,
  `scp -o ProxyCommand='${R}' a h:`,
  `make -f <(printf 'all:\\n\\t${R}\\n')`,
  "r${undefined}m -rf /x",
  "r$@m -rf$1 /x",
  `bwrap --bind / / ${R}`,
  `bwrap --ro-bind /usr /usr --bind /home/me /h --setenv A B --unshare-all --chdir /h -- ${R}`,
  `bwrap --die-with-parent --symlink a b --proc /proc ${R}`,
  String.raw`env -S 'rm\_-rf /x'`,
  String.raw`env -S "rm '-rf' \"/x\""`,
  "printf 'rm -rf /x\\n' | while read -r a b; do $a $b; done",
  "IFS=, read -a a <<< 'rm,-rf,/x'; ${a[@]}",
  "mapfile -t <<< 'rm -rf /x'; ${MAPFILE[0]}",
  "exec 3< <(echo 'rm -rf /x'); read -u 3 a; $a",
  "read -d '' a <<< 'rm -rf /x'; $a",
];

describe("wrappers", () => {
  it.each(PLAIN)("%s", command => {
    expect(calls(command, "rm")).toContain(R);
    expect(read(command).unexamined).toEqual([]);
  });

  it.each([
    ["find /x -exec rm -rf {} \\;", "rm -rf /x/{{}}"],
    ["find /x -exec rm -rf {} +", "rm -rf /x/{{}}"],
    ["find . -ok rm -rf {} \\;", "rm -rf ./{{}}"],
    ["find / -exec rm -rf {} \\;", "rm -rf /{{}}"],
    ["find /x -execdir rm -rf {} \\;", "rm -rf ./{{}}"],
    [`find / -exec sh -c 'rm -rf "$1"' _ {} \\;`, "rm -rf /{{}}"],
    ["find a b -name c -exec rm {} \\; -exec echo {} \\;", "rm a/{{}}"],
    ["fd -x rm -rf", "rm -rf ./{{}}"],
    ["fd . /x -X rm -rf", "rm -rf /x/{{}}"],
    ["fd -e o . b -x rm {}", "rm b/{{}}"],
    ["git ls-files | xargs rm -rf", "rm -rf {words from stdin}"],
    ["find . -print0 | xargs -0 rm", "rm {words from stdin}"],
    ["xargs -I{} rm -rf a/{} < l", "rm -rf a/{{}}"],
    ["parallel rm -rf {} < l", "rm -rf {{}}"],
  ])("%s", (command, expected) => {
    expect(calls(command, "rm")).toContain(expected);
  });

  it.each([
    ["npx -y rimraf@5 /x", "rimraf /x"],
    ["npx --yes -p rimraf rimraf /x", "rimraf /x"],
    ["bunx rimraf /x", "rimraf /x"],
    ["pnpm dlx rimraf@^5 /x", "rimraf /x"],
    ["yarn dlx rimraf /x", "rimraf /x"],
    ["npm exec -- rimraf /x", "rimraf /x"],
    ["npm x rimraf /x", "rimraf /x"],
    ["pnpm exec rimraf /x", "rimraf /x"],
    ["bun x rimraf /x", "rimraf /x"],
  ])("%s", (command, expected) => {
    expect(calls(command, "rimraf")).toEqual([expected]);
  });

  it.each([
    "command -v rm -rf",
    "command -V rm",
    "sudo -l rm -rf /x",
    "sudo -v",
    "env",
    "env A=1",
    "nice",
    "ionice -p 12",
    "chrt -p 12",
    "taskset -p 1 12",
    "make -n",
    "git rebase main",
    "git submodule update",
    "kubectl get pods",
    "docker ps",
    "tmux ls",
    "screen -ls",
    "npm run rm",
    "npm test -- rm -rf /x",
    "man rm",
    "grep -r 'rm -rf /x' .",
    "git commit -m 'rm -rf /x'",
    "docker rm -f x",
    "git rm x",
    "npm rm x",
  ])("%s runs no rm", command => {
    expect(calls(command, "rm")).toEqual([]);
  });

  it("says who led here and with which rights", () => {
    const facts = read(`sudo env nice ${R}`);
    expect(
      facts.invocations.map(({ program, parent, isElevated }) => [
        program,
        parent?.invocation,
        parent?.via,
        isElevated,
      ]),
    ).toEqual([
      ["sudo", undefined, undefined, false],
      ["env", 0, "wrapper", true],
      ["nice", 1, "wrapper", true],
      ["rm", 2, "wrapper", true],
    ]);
  });

  it("points at the command in the text", () => {
    const command = `echo a; sudo ${R} && bash -c '${R}'`;
    const spans = read(command).invocations.map(({ program, span }) => [
      program,
      command.slice(span.start, span.end),
    ]);
    expect(spans).toEqual([
      ["echo", "echo a"],
      ["sudo", `sudo ${R}`],
      ["rm", `sudo ${R}`],
      ["bash", `bash -c '${R}'`],
      ["rm", `bash -c '${R}'`],
    ]);
  });

  it("unwraps chains up to the limit and says when it stops", () => {
    expect(calls(`${"nohup ".repeat(12)}${R}`, "rm")).toEqual([R]);
    const beyond = read(`${"nohup ".repeat(14)}${R}`);
    expect(beyond.unexamined).toMatchObject([{ reason: "nesting", criticalWords: ["rm"] }]);
  });
});

describe("shells", () => {
  it.each([
    `bash -c '${R}'`,
    `sh -c "${R}"`,
    `bash -lc '${R}'`,
    `sh -xec '${R}'`,
    `bash -c -- '${R}'`,
    `bash -x -c '${R}'`,
    `bash --norc -c '${R}'`,
    `bash -o pipefail -ec '${R}'`,
    `bash +o posix -c '${R}'`,
    `bash +x -c '${R}'`,
    `/bin/bash -c '${R}'`,
    `zsh -c '${R}'`,
    `dash -c '${R}'`,
    `ksh -c '${R}'`,
    `fish -c '${R}'`,
    `fish --command='${R}'`,
    `$SHELL -c '${R}'`,
    `$BASH -c '${R}'`,
    `bash -s <<< '${R}'`,
    `bash <<< '${R}'`,
    `bash - <<< '${R}'`,
    `bash <<E\n${R}\nE`,
    `bash <<'E'\n${R}\nE`,
    `bash <<-E\n\t${R}\n\tE`,
    `echo '${R}' | sh`,
    `echo '${R}' | sh -s -- a`,
    `echo '${R}' | bash /dev/stdin`,
    `cat <<E | sh\n${R}\nE`,
    `printf '%s\\n' '${R}' | bash`,
    `bash <(echo '${R}')`,
    `bash < <(echo '${R}')`,
    `bash -c 'rm -rf "$1"' _ /x`,
    `bash -c '$0 -rf /x' rm`,
    `bash -c '"$@"' _ rm -rf /x`,
    `eval '${R}'`,
    `eval rm -rf /x`,
    `eval "eval '${R}'"`,
    `source <(echo '${R}')`,
    `. /dev/stdin <<< '${R}'`,
    `echo '${R}' > a.sh; bash a.sh`,
    `echo '${R}' > a.sh; chmod +x a.sh; ./a.sh`,
    `echo '${R}' > a.sh; . ./a.sh`,
    `echo 'rm -rf $1' > a.sh; sh a.sh /x`,
    `echo rm > a; echo -n ' -rf /x' > b; cat a b > c; cp c d; sed -i '' d; echo '${R}' >> e; sh e`,
    `cat > a.sh <<E\n${R}\nE\nbash a.sh`,
    `echo '${R}' | tee a.sh; sh a.sh`,
    `echo '${R}' > a; mv a b; sh b`,
    `echo '${R}' > a; ln -s a b; sh b`,
    `dd of=a <<< '${R}'; sh a`,
    `tee >(sh) <<< '${R}'`,
    `echo '${R}' > >(bash)`,
    `exec 3<<< '${R}'; bash <&3`,
    `exec 3> a; echo '${R}' >&3; sh a`,
    `exec {fd}> a; echo '${R}' >&$fd; sh a`,
    `{ echo '${R}' >&3; } 3> a; sh a`,
    `echo '${R}' 3> a >&3; sh a`,
    `bash /dev/fd/3 3<<< '${R}'`,
    `{ bash; } <<< '${R}'`,
    `while read l; do eval "$l"; done <<< '${R}'`,
    `while read l; do $l; done <<< '${R}'`,
    `bash -c "$(echo cm0gLXJmIC94 | base64 -d)"`,
    `bash -c "bash -c \\"bash -c '${R}'\\""`,
  ])("%s", command => {
    expect(calls(command, "rm")).toContain(R);
  });

  it.each([
    ["cp /bin/rm ./q; ./q -rf /x", "./q -rf /x"],
    ["ln -s /bin/rm q; ./q -rf /x", "./q -rf /x"],
    ["cp /bin/rm /tmp/; /tmp/rm -rf /x", "/tmp/rm -rf /x"],
    ["mv /bin/rm q && $PWD/q -rf /x", "/home/me/project/q -rf /x"],
    ["=rm -rf /x", "=rm -rf /x"],
    ["$PREFIX/bin/rm -rf /x", "{$PREFIX}/bin/rm -rf /x"],
  ])("%s is rm under another name", (command, expected) => {
    expect(calls(command, "rm")).toEqual([expected]);
  });

  it("keeps the unknown parts of a string as unknown words", () => {
    expect(calls(`bash -c "rm -rf $X/y '$Y'"`, "rm")).toEqual(["rm -rf {$X}/y {$Y}"]);
    expect(calls(`eval "rm $A"`, "rm")).toEqual(["rm {$A}"]);
    const [run] = read(`bash -c "$CODE"`).codeRuns;
    expect(run).toMatchObject({ language: "shell", from: "argument", isExamined: false });
  });

  it("stops at the nesting limit and says so", () => {
    const nest = (depth: number): string =>
      depth === 0 ? R : `eval ${JSON.stringify(nest(depth - 1)).replaceAll("$", "\\$")}`;
    expect(calls(nest(5), "rm")).toEqual([R]);
    const substitutions = (depth: number) => `${"$(echo ".repeat(depth)}$(${R})${")".repeat(depth)}`;
    expect(calls(substitutions(10), "rm")).toEqual([R]);
    expect(read(substitutions(20)).unexamined).toMatchObject([{ reason: "nesting", criticalWords: ["rm"] }]);
  });
});

describe("links", () => {
  it("are facts, because what lies behind them is something else", () => {
    const links = read("ln -s / /tmp/l; ln -s ../a b; ln -sf -t /tmp /etc/x").links.map(
      ({ path, target }) => `${spell(path)} → ${spell(target)}`,
    );
    expect(links).toEqual(["/tmp/l → /", "/home/me/project/b → /home/me/a", "/tmp/x → /etc/x"]);
  });

  it("are not made by copies", () => {
    expect(read("cp -r a b; cd b; rm x").links).toEqual([]);
    expect(
      read("cp -r a b; cd b; rm x")
        .invocations.map(({ cwd }) => spell(cwd))
        .at(-1),
    ).toBe("/home/me/project/b");
  });
});

describe("scripts on disk", () => {
  const script = (texts: Readonly<Record<string, string>>) => ({
    kind: (path: string) => (path in texts ? ("file" as const) : ("directory" as const)),
    list: () => undefined,
    readText: (path: string, limit: number) => {
      const content = texts[path];
      return content !== undefined && content.length <= limit ? content : undefined;
    },
  });

  it("are read inside the project and temp", () => {
    const files = script({
      "/home/me/project/a.sh": "#!/bin/sh\nrm -rf $1\n",
      "/tmp/b": "rm b",
      "/etc/c.sh": "rm c",
    });
    expect(calls("sh a.sh /q", "rm", { files })).toEqual(["rm -rf /q"]);
    expect(calls("./a.sh /q", "rm", { files })).toEqual(["rm -rf /q"]);
    expect(calls("source a.sh", "rm", { files })).toEqual(["rm -rf"]);
    expect(calls("sh < a.sh", "rm", { files })).toEqual(["rm -rf"]);
    expect(calls("cat a.sh | bash", "rm", { files })).toEqual(["rm -rf"]);
    expect(calls('bash -c "$(cat a.sh)" _ /q', "rm", { files })).toEqual(["rm -rf /q"]);
    expect(calls('eval "$(< a.sh)"', "rm", { files })).toEqual(["rm -rf"]);
    expect(calls("cd /tmp; bash b", "rm", { files })).toEqual(["rm b"]);
    expect(calls("sh /etc/c.sh", "rm", { files })).toEqual([]);
  });

  it("are read one level deep", () => {
    const files = script({ "/home/me/project/a.sh": "sh b.sh; rm a", "/home/me/project/b.sh": "rm b" });
    expect(calls("sh a.sh", "rm", { files })).toEqual(["rm a"]);
  });

  it("are not read when too large or no text", () => {
    const files = script({
      "/home/me/project/a.sh": `${"#".repeat(70_000)}\nrm a`,
      "/home/me/project/b": "\u0000rm b",
    });
    expect(calls("sh a.sh; sh b", "rm", { files })).toEqual([]);
    expect(read("sh a.sh", { files }).codeRuns).toMatchObject([{ from: "file", isExamined: false }]);
  });
});
