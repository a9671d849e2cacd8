/**
 * A dangerous command with the words of its program that make it harmless, as the program itself documents them. `|`
 * marks the places where an option may stand.
 */
interface Tool {
  readonly run: string;
  /** options that only tell or pretend */
  readonly frees?: string;
  /** options that take such a word back */
  readonly undoes?: string;
  /** options whose value is the next word, however it looks */
  readonly takes?: string;
  /** what is given by the same names, but does not free: `--version 1` */
  readonly inert?: string;
  /** other spellings of the dangerous command */
  readonly spellings?: string;
  /** `--` does not end its options, or it has none */
  readonly hasNoDashes?: boolean;
}

const NO = "--no-dry-run";

/** Words between commas; forms of a command stand on lines of their own. */
const TOOLS: readonly Tool[] = [
  // Git reads any unambiguous beginning of a long option, and knows --no- for each.
  {
    run: "git push | --force origin | feature/x |",
    frees: "--dry-run,-n,--dry,--help",
    undoes: `${NO},--no-dry`,
    takes: "-o,--push-option,--exec",
    spellings:
      "git push --forc origin x\ngit push -f\ngit push --mir origin\ngit push --del origin x\ngit push --no-force --force",
  },
  {
    run: "git clean | -fd |",
    frees: "-n,--dry-run,--dr,--help",
    undoes: `${NO},--no-dry`,
    takes: "-e,--exclude,--excl",
    spellings: "git clean --force -d\ngit clean --forc -d\ngit clean --f -d",
  },
  {
    run: "git rm | -rf | src |",
    frees: "-n,--dry-run,--cached,--dry",
    undoes: "",
    takes: "--pathspec-from-file",
    spellings:
      "git rm -f file.txt\ngit rm -f src/index.ts\ngit rm --forc src/index.ts\ngit rm --cached --no-cached -f src/index.ts",
  },
  {
    run: "git reset | --hard |",
    frees: "--help,-h",
    takes: "--pathspec-from-file",
    spellings:
      "git reset --h\ngit reset --ha\ngit reset --har HEAD~1\ngit reset --mer\ngit reset HEAD~3 --hard\ngit reset --soft --hard",
  },
  {
    run: "git gc | --prune=now |",
    frees: "--help,-h",
    spellings: "git gc --p=now\ngit gc --pr=now\ngit gc --prun=all\ngit gc --aggressive --prune=now",
  },
  {
    run: "git checkout | -f | main",
    frees: "--help,-h",
    takes: "--conflict",
    spellings:
      "git checkout -f -b x\ngit checkout -b x -f\ngit checkout --forc -b x\ngit checkout --force -B x\ngit checkout --fo\ngit checkout -fb x\ngit checkout -qfb x",
  },
  {
    run: "git switch | -f | main",
    frees: "--help,-h",
    takes: "--conflict",
    spellings: "git switch --discard main\ngit switch --disc -c x\ngit switch -f -c x",
  },
  {
    run: "git branch | -D | main",
    frees: "--list,--help,-h",
    spellings:
      "git branch --delete --force main\ngit branch --del --forc main\ngit branch -d -f main\ngit branch -df main",
  },
  {
    run: "git restore | src/index.ts |",
    frees: "--staged,-S,--sta,--help,-h",
    undoes: "--no-staged,--worktree,-W,--work",
    takes: "-s,--source",
    spellings: "git restore .\ngit restore -SW .\ngit restore --staged --worktree file.txt",
  },
  {
    run: "git reflog expire | --expire=now | --all |",
    frees: "-n,--dry-run,--dry",
    undoes: NO,
    spellings: "git reflog delete HEAD@{1}",
  },
  { run: "git prune | --expire=now |", frees: "-n,--dry-run,-h,--help", undoes: NO },
  {
    run: "git worktree remove | --force | ../wt",
    frees: "--help,-h",
    spellings: "git worktree remove --forc ../wt\ngit worktree remove -f ../wt",
  },
  {
    run: "git commit | --no-verify | -m x |",
    frees: "--dry-run,--help",
    undoes: NO,
    takes: "--author,--date",
    spellings: "git commit --no-verif -m x\ngit commit -nm x\ngit commit -n -m x",
  },
  // Programs of Go: a flag may be given =false; a value is the next word, even if it begins with a dash.
  {
    run: "kubectl delete | ns x |",
    frees: "--dry-run=client,--dry-run=server,--dry-run,--help,-h",
    undoes: "--dry-run=none",
    takes: "-n,--namespace,-l,--selector,--context,--timeout,--field-selector",
    spellings: "kubectl delete ns x --dry-run=none\nkubectl --context a delete ns x",
  },
  {
    run: "helm uninstall | x |",
    frees: "--dry-run,--help,-h",
    undoes: "--dry-run=false,--dry-run=0,--dry-run=F",
    takes: "--description,--timeout,-n,--namespace,--kube-context,--cascade",
    spellings: "helm uninstall x --dry-run=false\nhelm delete x",
  },
  {
    run: "rclone sync | src | /home/user/Documents |",
    frees: "--dry-run,-n,--help",
    undoes: "--dry-run=false,--dry-run=0",
    takes: "--exclude,--config,--log-file,--backup-dir,--max-age,--filter,--include,--bwlimit,--suffix",
    spellings: "rclone sync src ~/Documents --dry-run=false",
  },
  {
    run: "rclone purge | r:bucket |",
    frees: "--dry-run,-n,--help",
    undoes: "--dry-run=false",
    takes: "--exclude,--config,--log-file,--max-age",
  },
  {
    run: "terraform destroy | -auto-approve |",
    frees: "-help,--help,-h",
    takes: "-var,-var-file,-target,-state,-lock-timeout,-parallelism",
    spellings: "tofu destroy -auto-approve\nterraform apply -destroy\nterraform -chdir=infra destroy",
  },
  { run: "vault delete | secret/x |", frees: "-help,--help,-h", takes: "-address,-namespace,-ca-cert" },
  { run: "nomad job stop | -purge | x |", frees: "-help,--help,-h", takes: "-address,-namespace,-region" },
  { run: "consul kv delete | key |", frees: "-help,--help,-h", takes: "-token,-http-addr,-datacenter" },
  { run: "gh repo delete | x --yes |", frees: "--help,-h", takes: "-R,--repo" },
  { run: "gh release delete | v1 |", frees: "--help,-h", takes: "-R,--repo" },
  { run: "docker volume rm | x |", frees: "--help" },
  { run: "docker system prune | -af |", frees: "--help", takes: "--filter" },
  {
    run: "pulumi destroy | --yes |",
    frees: "--preview-only,--help,-h",
    undoes: "--preview-only=false",
    takes: "--stack,-s,--message,-m,--config-file,--target",
  },
  {
    run: "restic forget | latest |",
    frees: "--dry-run,-n,--help,-h",
    undoes: "--dry-run=false",
    takes: "--tag,--host,--repo,-r,--path,--group-by",
    spellings: "restic prune",
  },
  { run: "fly apps destroy | x |", frees: "--help,-h", takes: "-a,--app,-t,--access-token" },
  { run: "argocd app delete | x |", frees: "--help,-h", takes: "--project,-l,--selector,--server" },
  {
    run: "flux uninstall |",
    frees: "--dry-run,--help,-h",
    undoes: "--dry-run=false",
    takes: "-n,--namespace,--context,--timeout",
  },
  { run: "eksctl delete cluster | x |", frees: "--help,-h", takes: "--region,-p,--profile,-f,--config-file" },
  {
    run: "doctl compute droplet delete | x |",
    frees: "--help,-h",
    takes: "-t,--access-token,--context,--output",
  },
  { run: "velero backup delete | x |", frees: "--help,-h", takes: "-n,--namespace,-l,--selector" },
  { run: "supabase projects delete | x |", frees: "--help,-h", takes: "--workdir,--profile" },
  {
    run: "goreleaser release |",
    frees: "--snapshot,--help,-h",
    undoes: "--snapshot=false",
    takes: "-f,--config,--release-notes,-p",
  },
  // Programs that refuse a value with a dash: what stands behind a valued option is not judged here.
  { run: "aws s3 rm | s3://b | --recursive |", frees: "--dryrun", undoes: "--no-dryrun" },
  { run: "az group delete | -n x |", frees: "--help,-h" },
  { run: "gcloud compute instances delete | x |", frees: "--help,-h" },
  { run: "borg delete | repo::x |", frees: "--dry-run,-n,--help,-h" },
  { run: "twine upload | dist/x.whl |", frees: "--help,-h" },
  { run: "poetry publish |", frees: "--dry-run,--help,-h" },
  { run: "uv publish |", frees: "--dry-run,--help,-h" },
  {
    run: "cargo publish |",
    frees: "--dry-run,-n,--help,-h",
    spellings: "cargo yank foo --version 1.0\ncargo yank --vers 1.0 foo",
  },
  {
    run: "gem yank | foo |",
    frees: "--help,-h",
    inert: "--version 1,-v 1,--version=1",
    takes: "--host,--platform,--otp,-p",
  },
  {
    run: "npm publish |",
    frees: "--dry-run,--help,-h",
    undoes: `--dry-run=false,${NO}`,
    takes: "--tag,--access,--otp,--registry",
    spellings: "npm publish --dry-run false",
  },
  {
    run: "pnpm publish |",
    frees: "--dry-run,--help,-h",
    undoes: `--dry-run=false,${NO}`,
    takes: "--tag,--access,--registry",
  },
  {
    run: "semantic-release |",
    frees: "--dry-run,-d,--help,-h",
    undoes: `--dry-run=false,${NO}`,
    takes: "--branches,--tag-format",
  },
  {
    run: "wrangler delete |",
    frees: "--dry-run,--help,-h",
    undoes: `--dry-run=false,${NO}`,
    takes: "--name,--config,--env",
  },
  { run: "vercel rm | x --yes |", frees: "--help,-h", takes: "--token,--scope,-t,-S" },
  { run: "firebase projects:delete | x |", frees: "--help,-h", takes: "--project,-P,--token" },
  { run: "heroku apps:destroy | x |", frees: "--help", takes: "--app,-a,--confirm,-c" },
  // GNU's programs; those of BSD take everything behind the first operand for a name.
  {
    run: "rm | -rf | /home/user",
    frees: "--help,--version,--hel",
    inert: "",
    spellings:
      "rm -rf ~ --help\nrm -rf ~ --version\nrm --recursive --force ~\nrm --recurs --forc ~\nrm --rec ~\nrm --r --f ~\nrm -rf -- ~ --help",
  },
  {
    run: "chmod | -R | 777 /",
    frees: "--help,--version",
    spellings: "chmod -R 777 / --help\nchmod --recursive 777 /\nchmod --rec 777 /",
  },
  { run: "chown | -R | me /etc", frees: "--help,--version", spellings: "chown -R me /etc --help" },
  {
    run: "shred | -u | /home/user/.ssh/id_rsa",
    frees: "--help,--version",
    spellings: "shred -u ~/.ssh/id_rsa --help",
  },
  {
    run: "rsync | -a --delete | /q/ /home/user/Documents/ |",
    frees: "-n,--dry-run,--help",
    hasNoDashes: true,
    undoes: `${NO},--no-n`,
    takes: "--exclude,-e,--log-file,--rsync-path,-f,--include,--backup-dir,--partial-dir",
    spellings: "rsync -a --del /q/ ~/Documents/",
  },
  {
    run: "find /home/user -delete",
    hasNoDashes: true,
    spellings: "find ~ -delete -help\nfind ~ -delete --help\nfind ~ -type f -delete --version",
  },
  {
    run: "wipefs | -a | /dev/sda",
    frees: "-n,--no-act,--help,-h",
    takes: "-t,--types",
    spellings: "wipefs --all /dev/sda\nwipefs --al /dev/sda",
  },
  { run: "sgdisk | -Z | /dev/sda", frees: "-P,--pretend,--help", spellings: "sgdisk --zap-all /dev/sda" },
  { run: "sfdisk | --delete | /dev/sda", frees: "-n,--no-act,--help,-h" },
  { run: "lvremove | -f | vg/lv |", frees: "-t,--test,--help,-h" },
  { run: "zfs destroy | -r | tank/x", frees: "-n,-nv" },
  { run: "setfacl | -R -m u:x:rwx | /etc", frees: "--test,--help", spellings: "setfacl -R -m u:x:rwx /etc" },
  {
    run: "parallel | rm -rf ::: /home/user",
    frees: "--dry-run,--dryrun,--help",
    takes: "-j,--joblog,--colsep",
  },
  { run: "make -f Makefile -n; rm -rf ~" },
  // PowerShell: any case, any beginning, a colon before the value of a switch.
  ...[
    "Remove-Item -Recurse /home/user/Documents |",
    "Remove-Item | -Recurse -Force /etc |",
    "Clear-Disk 1 |",
    "Stop-Computer | -Force |",
    "Format-Volume -DriveLetter C |",
  ].map(
    (run): Tool => ({
      run: `pwsh -c '${run}'`,
      frees: "-WhatIf,-WhatIf:$true,-whatif,-wh",
      inert: "-WhatIf:$false,-wh:$false,-WHATIF:$False",
      hasNoDashes: true,
    }),
  ),
];

/** Programs by other spellings of their names; the file systems of macOS and Windows know no case. */
const RENAMED: readonly (readonly [name: string, rest: string])[] = [
  ["rm", "-rf /home/user"],
  ["git", "reset --hard"],
  ["git", "push --force origin feature/x"],
  ["chmod", "-R 777 /"],
  ["find", "/home/user -delete"],
  ["kubectl", "delete ns x"],
  ["terraform", "destroy -auto-approve"],
  ["dd", "if=/dev/zero of=/dev/sda"],
  ["mkfs", "/dev/sda"],
  ["npm", "publish"],
  ["helm", "uninstall x"],
  ["bash", "-c 'rm -rf /home/user'"],
  ["sudo", "rm -rf /home/user"],
  ["env", "rm -rf /home/user"],
  ["xargs", "rm -rf /home/user"],
  ["python3", "-c 'import shutil; shutil.rmtree(\"/home/user\")'"],
  ["docker", "volume rm x"],
  ["aws", "s3 rm s3://b --recursive"],
];

function renamed(): readonly string[] {
  return RENAMED.flatMap(([name, rest]) => {
    const capital = `${(name[0] ?? "").toUpperCase()}${name.slice(1)}`;
    return [
      name.toUpperCase(),
      capital,
      `/usr/bin/${name.toUpperCase()}`,
      `${name}.exe`,
      `${name.toUpperCase()}.EXE`,
      `"C:\\Program Files\\Git\\usr\\bin\\${name}.exe"`,
      `'C:\\tools\\${capital}.exe'`,
      `C:\\\\tools\\\\${name}.exe`,
      `"C:/Program Files/Git/bin/${name}.exe"`,
      `"\\\\server\\share\\${name}.exe"`,
    ].map(spelling => `${spelling} ${rest}`);
  });
}

export interface Form {
  readonly command: string;
  /** whether the program would do it */
  readonly isDone: boolean;
}

const split = (list = ""): readonly string[] => list.split(",").filter(word => word !== "");

/** The command with the words at each of its marked places in turn. */
function placed(run: string, words: string): readonly string[] {
  const parts = run.split("|");
  return parts.slice(1).map((_, at) =>
    parts
      .map((part, index) => (index === at ? `${part} ${words} ` : part))
      .join("")
      .replace(/ +/g, " ")
      .trim(),
  );
}

const plain = (run: string): string => run.replaceAll("|", "").replace(/ +/g, " ").trim();

function formsOf({ run, frees, undoes, takes, inert, spellings, hasNoDashes }: Tool): readonly Form[] {
  const done = (commands: readonly string[]): readonly Form[] =>
    commands.map(command => ({ command, isDone: true }));
  const free = (commands: readonly string[]): readonly Form[] =>
    commands.map(command => ({ command, isDone: false }));
  const freeing = split(frees);
  return [
    ...done([plain(run), ...(spellings ?? "").split("\n").filter(line => line !== "")]),
    ...done(split(inert).flatMap(word => placed(run, word))),
    ...freeing.flatMap(word => [
      ...free(placed(run, word)),
      // A help text is printed at once; what stands behind it is not read.
      ...split(/help|^-h$|version/.test(word) ? "" : undoes).flatMap(undo => [
        ...done(placed(run, `${word} ${undo}`)),
        ...(/^--(worktree|work)$|^-W$/.test(undo) ? [] : free(placed(run, `${undo} ${word}`))),
      ]),
      ...split(takes).flatMap(option => [
        ...done(placed(run, `${option} ${word}`)),
        ...(option.startsWith("--") ? done(placed(run, `${option}=${word}`)) : []),
        ...free(placed(run, `${option} x ${word}`)),
      ]),
      ...(hasNoDashes === true || !run.trimEnd().endsWith("|") ? [] : done([`${plain(run)} -- ${word}`])),
    ]),
  ];
}

const WRAPPED: readonly ((command: string) => string)[] = [
  command => `sudo ${command}`,
  command => `env A=1 ${command}`,
  command => `bash -c ${JSON.stringify(command).replaceAll("$", "\\$")}`,
];

/** Every form, some of them inside another program. */
export function freeingForms(): readonly Form[] {
  const forms = [...TOOLS.flatMap(formsOf), ...renamed().map(command => ({ command, isDone: true }))];
  const wrapped = forms.flatMap(({ command, isDone }, index) => {
    const wrap = WRAPPED[index % (WRAPPED.length * 4)];
    return wrap === undefined ||
      command.includes("pwsh") ||
      command.includes("\\") ||
      command.includes("sudo")
      ? []
      : [{ command: wrap(command), isDone }];
  });
  return [...forms, ...wrapped];
}
