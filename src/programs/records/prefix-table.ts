import type { OptionGrammar } from "../../shell/index.ts";
import { GRAMMAR_CELLS, grammarOf, readTable, type TableRow } from "../model/text-table.ts";

/** What a table says about a wrapper beside its options. */
const WRAPPER_CELLS = [
  /** first words one of which must be there: `direnv exec` */
  "subcommands",
  /** a first word that may be there */
  "may begin with",
  /** how many operands of its own stand in front of the program: the duration of timeout */
  "operands",
  /** more options may stand behind those operands */
  "late options",
  /** `NAME=value` words in front of the program */
  "assignments",
  "elevates",
  /** options that name the directory to run in */
  "directory",
  /** the program runs in another directory, which is not known */
  "loses directory",
  /** the program stands behind `--`, whatever comes before */
  "after dashes",
  /** without a program it starts a shell, if one of these options is given; without any: always */
  "shell",
  /** the program stands behind one of these words */
  "marks",
  /** the words are not a program but the arguments of this one */
  "program",
  /** with one of these options it runs nothing */
  "silenced by",
  /** variables that name a program which it starts */
  "variables",
  /** the program word may carry a version */
  "package",
  /** options whose value, behind a bar, is a program that gets the output */
  "pipes",
  /** options whose value a shell runs */
  "runs",
  /** the program gets variables that are kept for it elsewhere */
  "secrets",
  "dangerous",
] as const;

/** A program whose last words are another program with its arguments. */
export interface PrefixWrapper {
  readonly names: string;
  readonly options: OptionGrammar;
  readonly pattern?: RegExp;
  readonly cells: TableRow<(typeof WRAPPER_CELLS)[number]>["cells"];
}

const TABLE = `
    sudo | flags -ABbEHKknPSVN i|login s|shell v|validate l|list e|edit set-home non-interactive background stdin
        reset-timestamp preserve-groups askpass bell | values -CghpRrTtUu D|chdir user group chroot prompt host
        other-user close-from command-timeout role type | optional preserve-env | assignments | elevates | directory D
        | shell i s | silenced by l e v | variables SUDO_ASKPASS | dangerous
    doas | flags -Lns | values -aCu | elevates | shell s | dangerous
    pkexec | flags disable-internal-agent keep-cwd | values -u user | elevates | shell
    gosu su-exec setuidgid s6-setuidgid | operands 1 | elevates
    chpst | flags -vVP012 | values -uUbemdopfcrtlLn/ | elevates
    softlimit | values -admorsftcpl
    envdir s6-envdir | operands 1 | secrets
    prlimit | optional -cdefilmnqrstuvxy as core cpu data fsize memlock nofile nproc rss stack | values o | silenced by
        p pid
    cgexec | flags sticky | values g
    ip | flags -46sdho | values -nl | subcommands netns | operands 2
    watchexec | flags -crnp1 clear restart no-vcs-ignore postpone | values -wefisEdWS watch exts filter ignore signal
        shell stop-signal delay-run env workdir
    distrobox-host-exec host-spawn with-contenv | flags -Y no-pty
    flatpak-spawn | flags host clear-env watch-bus latest-version no-network sandbox | values env directory | exact |
        directory directory
    nohup setsid unbuffer chronic eatmydata fakeroot catchsegv dbus-run-session tini dumb-init torify tsocks
        ionice-safe rlwrap ccache distcc wsl | flags -acefgpsvw fork wait ctty
    and or not - {
    repeat | operands 1
    nice | values -n adjustment
    ionice | flags -t ignore | values -cnpPu class classdata pid | silenced by p P u pid
    chrt | flags -abdfimorRvG | values -TPD sched-runtime sched-deadline sched-period | operands 1 | silenced by m p
    taskset | flags -acp cpu-list pid all-tasks | operands 1 | silenced by p pid
    setarch | flags -BFILRSTXZuv3 | operands 1 | late options
    linux32 linux64 i386 x86_64 arch-run | flags -BFILRSTXZuv3
    stdbuf gstdbuf | values -ioe input output error
    time gtime | flags -pvqal portability verbose quiet append | values -fo format output
    timeout gtimeout | flags -vpf foreground preserve-status verbose | values -sk signal kill-after | operands 1
    unshare | flags -fcr fork map-root-user map-current-user keep-caps map-auto | values -RSGlW w|wd root setuid
        setgid setgroups propagation map-users map-groups map-user map-group | optional -imnpuUCT mount ipc net pid
        uts user cgroup time mount-proc kill-child | directory w | shell
    nsenter | flags -aFZ all no-fork preserve-credentials | values -tSGN target setuid setgid | optional -muinpUCTrwW
        mount uts ipc net pid user cgroup time root wd wdns | elevates | loses directory | shell
    systemd-run | flags -dGPqrStV user system scope remain-after-exit wait pty pipe shell quiet collect no-block
        same-dir send-sighup no-ask-password | values -EHMpu unit property slice description uid gid nice
        working-directory setenv host machine service-type on-active on-boot on-calendar timer-property on-startup
        on-unit-active path-property socket-property | directory working-directory | shell shell S
    strace ltrace | flags -cCdDfFhiknqrtTvVwxyzZLM follow-forks summary-only | values -abeEIoOpPsSuUXAl trace output
        attach expr | pipes o output
    perf | flags -agFhv | values -eopCr | subcommands stat record trace
    valgrind | exact
    numactl | flags -sHl | values -iNmCpPS | optional interleave cpunodebind membind physcpubind localalloc
    setpriv | values reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label
        apparmor-profile | exact
    cpulimit | flags -vzi | values -lpe limit pid exe
    xvfb-run | flags -al auto-servernum listen-tcp | values -efnpsw error-file auth-file server-num xauth-protocol
        server-args wait
    caffeinate | flags -dimsu | values -tw
    proxychains proxychains4 proxychains-ng | flags -q | values -f
    torsocks | flags -iqd isolate quiet debug | values -uapP user pass address port | shell shell
    faketime | flags -mf exclude-monotonic | values -p pid | operands 1
    ts tsp | flags -nfmdErsi | values -DLNSO
    sshpass | flags -ev | values -pfdP
    firejail | exact
    sandbox-exec | values -fnpD
    arch | flags x86_64 arm64 arm64e i386 32 64 | single dash
    direnv | subcommands exec | operands 1 | secrets
    dotenv dotenvx | may begin with run | flags -cqo quiet override no-expand overload | values -efvp file env-file env | assignments | secrets
    cross-env | values -fe file environments | assignments
    env-cmd | values -fe file environments | assignments | secrets
    railway | values -sep service environment project | exact | unknown takes value | subcommands run | secrets
    foreman honcho | values -ef procfile env | subcommands run | secrets
    doppler infisical teller | flags only-names | exact | unknown takes value | subcommands run | after dashes | secrets
    op | flags reveal | values account vault session config fields format | exact | unknown takes value | subcommands
        run | after dashes | secrets
    aws-vault chamber vault-exec saml2aws | unknown takes value | subcommands exec | after dashes | secrets
    mise rtx fnm | values -cCj command cd jobs | exact | subcommands exec x | after dashes | runs c command
    asdf rbenv pyenv nodenv goenv | subcommands exec run
    volta | flags bundled-npm no-yarn no-pnpm | values node npm yarn pnpm env | subcommands run
    opam stack cabal | unknown takes value | subcommands exec | after dashes
    rustup | flags install | subcommands run | operands 1
    devbox | values -c config environment | subcommands run | after dashes
    nvm | flags silent | subcommands exec run | operands 1
    bundle | flags keep-file-descriptors | values gemfile | subcommands exec
    poetry pipenv rye pdm hatch pixi | flags -qv help|h dry-run build | values -Cpur directory project | subcommands run
    uv | flags -qv help|h dry-run isolated no-sync frozen locked no-project all-extras active no-dev | values -p with python extra
        group project directory env-file with-requirements package index | subcommands run
    conda mamba micromamba | flags -v no-capture-output live-stream | values -np name prefix cwd | subcommands run |
        directory cwd
    busybox toybox
    shx | flags silent|s noglob|g | exact
    xterm rxvt urxvt konsole alacritty kitty st foot x-terminal-emulator gnome-terminal wezterm | flags hold | values
        -T title geometry fn fg bg working-directory | marks -e -x -- --command start
    capsh | marks -- | program bash
`;

export function readPrefixWrappers(): readonly PrefixWrapper[] {
  const rows = readTable(TABLE, 1, [...GRAMMAR_CELLS, ...WRAPPER_CELLS]);
  return [
    ...rows.map(({ columns: [names = ""], cells }) => ({ names, options: grammarOf(cells), cells })),
    // The dynamic loader runs the program it is given: `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
    {
      names: "ld.so",
      pattern: /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/,
      options: { values: "library-path preload audit argv0" },
      cells: {},
    },
  ];
}
