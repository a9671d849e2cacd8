import type { OptionGrammar } from "../shell/options.ts";
import type { Trait } from "./program.ts";

/** A program whose last words are another program with its arguments. */
export interface PrefixWrapper {
  readonly names: string;
  readonly options: OptionGrammar;
  readonly is?: readonly Trait[];
  readonly shellVariables?: string;
  readonly pattern?: RegExp;
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

const NONE: OptionGrammar = {};

export const PREFIX_WRAPPERS: readonly PrefixWrapper[] = [
  {
    names: "sudo",
    is: ["readsNothing", "dangerous"],
    shellVariables: "SUDO_ASKPASS",
    options: {
      flags:
        "-ABbEHKknPSVN i|login s|shell v|validate l|list e|edit set-home non-interactive background stdin reset-timestamp preserve-groups askpass bell",
      values:
        "-CghpRrTtUu D|chdir user group chroot prompt host other-user close-from command-timeout role type",
      optional: "preserve-env",
    },
    hasAssignments: true,
    elevates: true,
    directory: ["D"],
    shellFlags: ["i", "s"],
    silencedBy: ["l", "e", "v"],
  },
  {
    names: "doas",
    is: ["readsNothing", "dangerous"],
    options: { flags: "-Lns", values: "-aCu" },
    elevates: true,
    shellFlags: ["s"],
  },
  {
    names: "pkexec",
    options: { flags: "disable-internal-agent keep-cwd", values: "-u user" },
    elevates: true,
    shellFlags: [],
  },
  { names: "gosu su-exec setuidgid chpst", options: NONE, operands: 1, elevates: true },
  {
    names:
      "nohup setsid unbuffer chronic eatmydata fakeroot catchsegv dbus-run-session tini dumb-init torify tsocks ionice-safe rlwrap ccache distcc wsl",
    options: { flags: "-acefgpsvw fork wait ctty" },
  },
  { names: "nice", options: { values: "-n adjustment" } },
  {
    names: "ionice",
    options: { flags: "-t ignore", values: "-cnpPu class classdata pid" },
    silencedBy: ["p", "P", "u", "pid"],
  },
  {
    names: "chrt",
    options: {
      flags: "-abdfimorRvG",
      values: "-TPD sched-runtime sched-deadline sched-period",
    },
    operands: 1,
    silencedBy: ["m", "p"],
  },
  {
    names: "taskset",
    options: { flags: "-acp cpu-list pid all-tasks" },
    operands: 1,
    silencedBy: ["p", "pid"],
  },
  { names: "setarch", options: { flags: "-BFILRSTXZuv3" }, operands: 1, hasLateOptions: true },
  { names: "linux32 linux64 i386 x86_64 arch-run", options: { flags: "-BFILRSTXZuv3" } },
  { names: "stdbuf gstdbuf", options: { values: "-ioe input output error" } },
  {
    names: "time gtime",
    options: {
      flags: "-pvqal portability verbose quiet append",
      values: "-fo format output",
    },
  },
  {
    names: "timeout gtimeout",
    options: {
      flags: "-vpf foreground preserve-status verbose",
      values: "-sk signal kill-after",
    },
    operands: 1,
  },
  {
    names: "unshare",
    options: {
      flags: "-fcr fork map-root-user map-current-user keep-caps map-auto",
      values: "-RSGlW w|wd root setuid setgid setgroups propagation map-users map-groups map-user map-group",
      optional: "-imnpuUCT mount ipc net pid uts user cgroup time mount-proc kill-child",
    },
    directory: ["w"],
    shellFlags: [],
  },
  {
    names: "nsenter",
    options: {
      flags: "-aFZ all no-fork preserve-credentials",
      values: "-tSGN target setuid setgid",
      optional: "-muinpUCTrwW mount uts ipc net pid user cgroup time root wd wdns",
    },
    elevates: true,
    losesDirectory: true,
    shellFlags: [],
  },
  {
    names: "systemd-run",
    options: {
      flags:
        "-dGPqrStV user system scope remain-after-exit wait pty pipe shell quiet collect no-block same-dir send-sighup no-ask-password",
      values:
        "-EHMpu unit property slice description uid gid nice working-directory setenv host machine service-type on-active on-boot on-calendar timer-property on-startup on-unit-active path-property socket-property",
    },
    directory: ["working-directory"],
    shellFlags: ["shell", "S"],
  },
  {
    names: "strace ltrace",
    options: {
      flags: "-cCdDfFhiknqrtTvVwxyzZLM follow-forks summary-only",
      values: "-abeEIoOpPsSuUXAl trace output attach expr",
    },
  },
  {
    names: "perf",
    options: { flags: "-agFhv", values: "-eopCr" },
    subcommands: ["stat", "record", "trace"],
  },
  { names: "valgrind", options: { abbreviates: false } },
  {
    names: "numactl",
    options: {
      flags: "-sHl",
      values: "-iNmCpPS",
      optional: "interleave cpunodebind membind physcpubind localalloc",
    },
  },
  {
    names: "setpriv",
    options: {
      abbreviates: false,
      values:
        "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile",
    },
  },
  { names: "cpulimit", options: { flags: "-vzi", values: "-lpe limit pid exe" } },
  {
    names: "xvfb-run",
    options: {
      flags: "-al auto-servernum listen-tcp",
      values: "-efnpsw error-file auth-file server-num xauth-protocol server-args wait",
    },
  },
  { names: "caffeinate", options: { flags: "-dimsu", values: "-tw" } },
  { names: "proxychains proxychains4 proxychains-ng", options: { flags: "-q", values: "-f" } },
  {
    names: "torsocks",
    options: {
      flags: "-iqd isolate quiet debug",
      values: "-uapP user pass address port",
    },
    shellFlags: ["shell"],
  },
  {
    names: "faketime",
    options: { flags: "-mf exclude-monotonic", values: "-p pid" },
    operands: 1,
  },
  { names: "ts tsp", options: { flags: "-nfmdErsi", values: "-DLNSO" } },
  { names: "sshpass", options: { flags: "-ev", values: "-pfdP" } },
  { names: "firejail", options: { abbreviates: false } },
  { names: "sandbox-exec", options: { values: "-fnpD" } },
  {
    names: "arch",
    options: { flags: "x86_64 arm64 arm64e i386 32 64", isSingleDash: true },
  },
  { names: "direnv", subcommands: ["exec"], options: NONE, operands: 1 },
  {
    names: "dotenv dotenvx",
    options: {
      flags: "-cqo quiet override no-expand overload",
      values: "-efvp file env-file env",
    },
    hasAssignments: true,
  },
  {
    names: "cross-env env-cmd",
    options: { values: "-fe file environments" },
    hasAssignments: true,
  },
  {
    names: "doppler infisical teller",
    subcommands: ["run"],
    options: { unknownTakesValue: true, flags: "only-names", abbreviates: false },
    isAfterDashes: true,
  },
  {
    names: "op",
    subcommands: ["run"],
    options: {
      values: "account vault session config fields format",
      flags: "reveal",
      unknownTakesValue: true,
      abbreviates: false,
    },
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
  { names: "nvm", subcommands: ["exec", "run"], options: { flags: "silent" }, operands: 1 },
  {
    names: "bundle",
    subcommands: ["exec"],
    options: { flags: "keep-file-descriptors", values: "gemfile" },
  },
  {
    names: "poetry pipenv rye pdm hatch",
    subcommands: ["run"],
    options: { values: "-Cp directory project" },
  },
  {
    names: "uv",
    subcommands: ["run"],
    options: {
      flags: "-qv isolated no-sync frozen locked no-project all-extras active no-dev",
      values: "-p with python extra group project directory env-file with-requirements package index",
    },
  },
  {
    names: "conda mamba micromamba",
    subcommands: ["run"],
    options: {
      flags: "-v no-capture-output live-stream",
      values: "-np name prefix cwd",
    },
    directory: ["cwd"],
  },
  { names: "busybox toybox", options: NONE },
  {
    names: "xterm rxvt urxvt konsole alacritty kitty st foot x-terminal-emulator gnome-terminal wezterm",
    options: { flags: "hold", values: "-T title geometry fn fg bg working-directory" },
    marks: ["-e", "-x", "--", "--command", "start"],
  },
  // The dynamic loader runs the program it is given: `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
  {
    names: "ld.so",
    pattern: /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/,
    options: { values: "library-path preload audit argv0" },
  },
  { names: "capsh", options: NONE, marks: ["--"], program: "bash" },
];
