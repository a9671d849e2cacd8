import { type OptionSpec, optionNames } from "../../shell/options.ts";

/** A program whose last words are another program with its arguments. */
export interface PrefixWrapper {
  readonly names: string;
  readonly options: OptionSpec;
  /** First words one of which must be there: `direnv exec`. */
  readonly subcommands?: readonly string[];
  /** Operands of its own in front of the program: the duration of timeout. */
  readonly operands?: number;
  /** More options may stand behind those operands. */
  readonly hasLateOptions?: boolean;
  /** `NAME=value` words in front of the program. */
  readonly hasAssignments?: boolean;
  readonly elevates?: boolean;
  /** Options that name the directory to run in. */
  readonly directory?: readonly string[];
  /** The program runs somewhere else, and nobody knows where. */
  readonly losesDirectory?: boolean;
  /** The program stands behind `--`, whatever comes before. */
  readonly isAfterDashes?: boolean;
  /** Without a program it starts a shell, if one of these is given; an empty list: always. */
  readonly shellFlags?: readonly string[];
  /** The program stands behind one of these words. */
  readonly marks?: readonly string[];
  /** The words are not a program but the arguments of this one. */
  readonly program?: string;
  /** With one of these it runs nothing. */
  readonly silencedBy?: readonly string[];
  /** The program word may carry a version. */
  readonly isPackage?: boolean;
}

const NONE: OptionSpec = {};

export const PREFIX_WRAPPERS: readonly PrefixWrapper[] = [
  {
    names: "sudo",
    options: {
      flags: optionNames(
        "ABbEHiKknPSsVvNle",
        "login shell set-home non-interactive background stdin reset-timestamp list edit validate preserve-groups askpass bell",
      ),
      values: optionNames(
        "CDghpRrTtUu",
        "user group chdir chroot prompt host other-user close-from command-timeout role type",
      ),
      optional: ["preserve-env"],
      as: { login: "i", shell: "s", chdir: "D", list: "l", edit: "e", validate: "v" },
    },
    hasAssignments: true,
    elevates: true,
    directory: ["D"],
    shellFlags: ["i", "s"],
    silencedBy: ["l", "e", "v"],
  },
  { names: "doas", options: { flags: [..."Lns"], values: [..."aCu"] }, elevates: true, shellFlags: ["s"] },
  {
    names: "pkexec",
    options: { flags: ["disable-internal-agent", "keep-cwd"], values: ["u", "user"] },
    elevates: true,
    shellFlags: [],
  },
  { names: "gosu su-exec setuidgid chpst", options: NONE, operands: 1, elevates: true },
  {
    names:
      "nohup setsid unbuffer chronic eatmydata fakeroot catchsegv dbus-run-session tini dumb-init torify tsocks ionice-safe rlwrap ccache distcc wsl",
    options: { flags: optionNames("acefgpsvw", "fork wait ctty") },
  },
  { names: "nice", options: { values: ["n", "adjustment"] } },
  {
    names: "ionice",
    options: { flags: ["t", "ignore"], values: optionNames("cnpPu", "class classdata pid") },
    silencedBy: ["p", "P", "u", "pid"],
  },
  {
    names: "chrt",
    options: {
      flags: [..."abdfimorRvG"],
      values: optionNames("TPD", "sched-runtime sched-deadline sched-period"),
    },
    operands: 1,
    silencedBy: ["m", "p"],
  },
  {
    names: "taskset",
    options: { flags: optionNames("", "a c p cpu-list pid all-tasks") },
    operands: 1,
    silencedBy: ["p", "pid"],
  },
  { names: "setarch", options: { flags: [..."BFILRSTXZuv3"] }, operands: 1, hasLateOptions: true },
  { names: "linux32 linux64 i386 x86_64 arch-run", options: { flags: [..."BFILRSTXZuv3"] } },
  { names: "stdbuf gstdbuf", options: { values: optionNames("ioe", "input output error") } },
  {
    names: "time gtime",
    options: {
      flags: optionNames("pvqal", "portability verbose quiet append"),
      values: ["f", "o", "format", "output"],
    },
  },
  {
    names: "timeout gtimeout",
    options: {
      flags: optionNames("", "v p f foreground preserve-status verbose"),
      values: ["s", "k", "signal", "kill-after"],
    },
    operands: 1,
  },
  {
    names: "unshare",
    options: {
      flags: optionNames("fcr", "fork map-root-user map-current-user keep-caps map-auto"),
      values: optionNames(
        "RwSGlW",
        "root wd setuid setgid setgroups propagation map-users map-groups map-user map-group",
      ),
      optional: optionNames("imnpuUCT", "mount ipc net pid uts user cgroup time mount-proc kill-child"),
      as: { wd: "w" },
    },
    directory: ["w"],
    shellFlags: [],
  },
  {
    names: "nsenter",
    options: {
      flags: optionNames("", "a F Z all no-fork preserve-credentials"),
      values: optionNames("tSGN", "target setuid setgid"),
      optional: optionNames("muinpUCTrwW", "mount uts ipc net pid user cgroup time root wd wdns"),
    },
    elevates: true,
    losesDirectory: true,
    shellFlags: [],
  },
  {
    names: "systemd-run",
    options: {
      flags: optionNames(
        "dGPqrStV",
        "user system scope remain-after-exit wait pty pipe shell quiet collect no-block same-dir send-sighup no-ask-password",
      ),
      values: optionNames(
        "EHMpu",
        "unit property slice description uid gid nice working-directory setenv host machine service-type on-active on-boot on-calendar timer-property on-startup on-unit-active path-property socket-property",
      ),
    },
    directory: ["working-directory"],
    shellFlags: ["shell", "S"],
  },
  {
    names: "strace ltrace",
    options: {
      flags: optionNames("cCdDfFhiknqrtTvVwxyzZLM", "follow-forks summary-only"),
      values: optionNames("abeEIoOpPsSuUXAl", "trace output attach expr"),
    },
  },
  {
    names: "perf",
    options: { flags: [..."agFhv"], values: [..."eopCr"] },
    subcommands: ["stat", "record", "trace"],
  },
  { names: "valgrind", options: { abbreviates: false } },
  {
    names: "numactl",
    options: {
      flags: ["s", "H", "l"],
      values: [..."iNmCpPS"],
      optional: ["interleave", "cpunodebind", "membind", "physcpubind", "localalloc"],
    },
  },
  {
    names: "setpriv",
    options: {
      abbreviates: false,
      values: optionNames(
        "",
        "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile",
      ),
    },
  },
  { names: "cpulimit", options: { flags: [..."vzi"], values: optionNames("lpe", "limit pid exe") } },
  {
    names: "xvfb-run",
    options: {
      flags: ["a", "l", "auto-servernum", "listen-tcp"],
      values: optionNames("efnpsw", "error-file auth-file server-num xauth-protocol server-args wait"),
    },
  },
  { names: "caffeinate", options: { flags: [..."dimsu"], values: ["t", "w"] } },
  { names: "proxychains proxychains4 proxychains-ng", options: { flags: ["q"], values: ["f"] } },
  {
    names: "torsocks",
    options: {
      flags: optionNames("", "i q d isolate quiet debug"),
      values: optionNames("uapP", "user pass address port"),
    },
    shellFlags: ["shell"],
  },
  {
    names: "faketime",
    options: { flags: ["m", "f", "exclude-monotonic"], values: ["p", "pid"] },
    operands: 1,
  },
  { names: "ts tsp", options: { flags: [..."nfmdErsi"], values: [..."DLNSO"] } },
  { names: "sshpass", options: { flags: ["e", "v"], values: ["p", "f", "d", "P"] } },
  { names: "firejail", options: { abbreviates: false } },
  { names: "sandbox-exec", options: { values: ["f", "n", "p", "D"] } },
  {
    names: "arch",
    options: { flags: optionNames("", "x86_64 arm64 arm64e i386 32 64"), isSingleDash: true },
  },
  { names: "direnv", subcommands: ["exec"], options: NONE, operands: 1 },
  {
    names: "dotenv dotenvx",
    options: {
      flags: optionNames("", "c q o quiet override no-expand overload"),
      values: optionNames("efvp", "file env-file env f"),
    },
    hasAssignments: true,
  },
  {
    names: "cross-env env-cmd",
    options: { values: ["f", "e", "file", "environments"] },
    hasAssignments: true,
  },
  {
    names: "op doppler infisical teller",
    subcommands: ["run"],
    options: { unknownTakesValue: true },
    isAfterDashes: true,
  },
  {
    names: "aws-vault chamber vault-exec saml2aws",
    subcommands: ["exec"],
    options: { unknownTakesValue: true },
    isAfterDashes: true,
  },
  {
    names: "mise rtx fnm",
    subcommands: ["exec", "x"],
    options: { unknownTakesValue: true },
    isAfterDashes: true,
  },
  { names: "asdf rbenv pyenv nodenv goenv volta", subcommands: ["exec", "run"], options: NONE },
  { names: "nvm", subcommands: ["exec", "run"], options: { flags: ["silent"] }, operands: 1 },
  {
    names: "bundle",
    subcommands: ["exec"],
    options: { flags: ["keep-file-descriptors"], values: ["gemfile"] },
  },
  {
    names: "poetry pipenv rye pdm hatch",
    subcommands: ["run"],
    options: { values: ["C", "directory", "p", "project"] },
  },
  {
    names: "uv",
    subcommands: ["run"],
    options: {
      flags: optionNames("", "isolated no-sync frozen locked no-project all-extras q v active no-dev"),
      values: optionNames(
        "",
        "with python p extra group project directory env-file with-requirements package index",
      ),
    },
  },
  {
    names: "conda mamba micromamba",
    subcommands: ["run"],
    options: {
      flags: ["no-capture-output", "live-stream", "v"],
      values: ["n", "p", "name", "prefix", "cwd"],
    },
    directory: ["cwd"],
  },
  { names: "busybox toybox", options: NONE },
  {
    names: "xterm rxvt urxvt konsole alacritty kitty st foot x-terminal-emulator gnome-terminal wezterm",
    options: { flags: ["hold"], values: ["T", "title", "geometry", "fn", "fg", "bg", "working-directory"] },
    marks: ["-e", "-x", "--", "--command", "start"],
  },
  { names: "capsh", options: NONE, marks: ["--"], program: "bash" },
];
