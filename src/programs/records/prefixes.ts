import {
  type EnvironmentEntry,
  endingAtOperand,
  joinPath,
  knownText,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  type ProgramCall,
  parseOptions,
  runInNewShell,
  runInner,
  splitAssignment,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { type Field, type OperationRow, type Program, withOperations } from "../model/program.ts";
import { GRAMMAR_CELLS, readTable, type TableRow, toOptionGrammar } from "../model/text-table.ts";

/** Runs the rest of the words as a program, after the options and operands that belong to the wrapper. */
export function runPrefix({ options, cells }: Omit<PrefixWrapper, "names">, call: ProgramCall): Output {
  if (cells.marks !== undefined) return runMarked(words(cells.marks), cells.program, call);
  const isBegun =
    cells["may begin with"] !== undefined && cells["may begin with"] === knownText(wordAt(call.argv, 1));
  const start = isBegun ? 2 : skipSubcommand(cells.subcommands, call);
  if (start === undefined) return [unknownOutput(call)];
  const grammar = endingAtOperand(options);
  const parsed = parseOptions(call.argv, grammar, start);
  if (parsed.isOn(...words(cells["silenced by"] ?? ""))) return [unknownOutput(call)];
  const operandFrom = (index: number) =>
    parseOptions(call.argv, grammar, index).operands[0]?.index ?? call.argv.length;
  let index =
    cells["after dashes"] === undefined
      ? operandFrom(start) + Number(cells.operands ?? 0)
      : dashesFrom(call, start);
  if (cells["late options"] !== undefined) index = operandFrom(index);
  else if (cells.operands !== undefined && isDashes(call.argv[index])) index += 1;
  const environment: EnvironmentEntry[] = [];
  while (cells.assignments !== undefined && index < call.argv.length) {
    const entry = splitAssignment(wordAt(call.argv, index));
    if (entry?.value === undefined) break;
    environment.push(entry);
    index += 1;
  }
  if (cells.secrets !== undefined) environment.push(keptVariables(call));
  const directory = parsed.valueOf(...words(cells.directory ?? ""));
  const cwd = cells["loses directory"] === undefined ? call.cwd : unknown("any", "the current directory");
  const changes: Partial<ProgramCall> = {
    environment: [...call.environment, ...environment],
    isElevated: call.isElevated || cells.elevates !== undefined,
    cwd: directory === undefined ? cwd : joinPath(call.cwd, directory),
  };
  const argv = call.argv.slice(index);
  if (argv.length > 0)
    return runInner(cells.package === undefined ? argv : argv.map(withoutVersion), call, changes);
  const startsShell = cells.shell === "" || parsed.has(...words(cells.shell ?? ""));
  return startsShell ? runInner([text("sh")], call, changes) : NO_OUTPUT;
}

/** More variables than the text names. */
export function keptVariables({ id }: ProgramCall): EnvironmentEntry {
  return { name: "*", value: unknown("any", "kept variables", [{ kind: "program", invocation: id }]) };
}

/** `xterm -e cmd args`, `capsh -- -c cmd`. */
function runMarked(marks: readonly string[], program: string | undefined, call: ProgramCall): Output {
  const at = call.argv.findIndex((word, index) => index > 0 && marks.includes(knownText(word) ?? ""));
  const argv = at < 0 ? [] : call.argv.slice(at + 1);
  const [only] = argv;
  if (program !== undefined) return runInner([text(program), ...argv], call);
  return argv.length === 1 && only !== undefined
    ? runInNewShell(only, call, { from: "argument", via: "shell" })
    : runInner(argv, call);
}

function isDashes(word: Value | undefined): boolean {
  return word !== undefined && knownText(word) === "--";
}

/** Behind `--`; without one behind the subcommand. */
function dashesFrom(call: ProgramCall, start: number): number {
  const found = call.argv.findIndex((word, index) => index >= start && isDashes(word));
  return found < 0 ? start : found + 1;
}

/** Where the wrapper's own words begin; undefined when the subcommand is none that runs a program. */
function skipSubcommand(subcommands: string | undefined, call: ProgramCall): number | undefined {
  if (subcommands === undefined) return 1;
  const word = knownText(wordAt(call.argv, 1));
  return word !== undefined && words(subcommands).includes(word) ? 2 : undefined;
}

/** `rimraf@5` is rimraf. Only the program word has a version. */
function withoutVersion(word: Value, index: number): Value {
  const known = (index === 0 ? knownText(word) : undefined) ?? "";
  const at = known.indexOf("@", Math.max(1, known.lastIndexOf("/") + 1));
  return at < 0 ? word : text(known.slice(0, at), word.origins);
}

/** Programs whose last words are another program with its arguments. */
export const prefixes: Field = {
  tellsChanges: true,
  programs: () => withOperations(readPrefixWrappers().map(toProgram), PREFIX_OPERATIONS),
};

function toProgram(wrapper: PrefixWrapper): Program {
  const { names, pattern, options, cells } = wrapper;
  return {
    names,
    isGnu: true,
    ...(cells["changes more"] === undefined ? {} : { changesMore: true }),
    ...(cells.loads === undefined ? {} : { runsFiles: cells.loads }),
    is: cells.dangerous === undefined ? ["readsNothing"] : ["readsNothing", "dangerous"],
    options: cells.subcommands === undefined ? { ...options, stopsAtOperand: true } : options,
    run: call => runPrefix(wrapper, call),
    shellVariables: cells.variables ?? "",
    ...(cells.pipes === undefined ? {} : { shellOptions: { names: cells.pipes, prefix: /^[|!]/ } }),
    ...(cells.runs === undefined ? {} : { shellOptions: { names: cells.runs } }),
    ...(cells.shows === undefined ? {} : { shows: cells.shows }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(cells.known === undefined ? {} : { complete: { only: cells.known } }),
  };
}

/** What a table says about a wrapper beside its options. */
const WRAPPER_CELLS = [
  /** with these options it does nothing but run the program */
  "known",
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
  "changes more",
  /** first words with which it changes no file */
  "shows",
  /** `runsFiles` of the record */
  "loads",
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
    command builtin | flags -pvV | silenced by v V
    nice | values -n adjustment | known n adjustment
    ionice | flags -t ignore | values -cnpPu class classdata pid | silenced by p P u pid
    chrt | flags -abdfimorRvG | values -TPD sched-runtime sched-deadline sched-period | operands 1 | silenced by m p
    taskset | flags -acp cpu-list pid all-tasks | operands 1 | silenced by p pid
    setarch | flags -BFILRSTXZuv3 | operands 1 | late options
    linux32 linux64 i386 x86_64 arch-run | flags -BFILRSTXZuv3
    stdbuf gstdbuf | values -ioe input output error
    time gtime | flags -pvqal portability verbose quiet append | values -fo format output
    timeout gtimeout | flags -vpf foreground preserve-status verbose | values -sk signal kill-after | operands 1 | known
        v foreground preserve-status verbose s k signal kill-after
    unshare | flags -fcr fork map-root-user map-current-user keep-caps map-auto | values -RSGlW w|wd root setuid
        setgid setgroups propagation map-users map-groups map-user map-group | optional -imnpuUCT mount ipc net pid
        uts user cgroup time mount-proc kill-child | directory w | shell
    nsenter | flags -aFZ all no-fork preserve-credentials | values -tSGN target setuid setgid | optional -muinpUCTrwW
        mount uts ipc net pid user cgroup time root wd wdns | elevates | loses directory | shell
    systemd-run | flags -dGPqrStV user system scope remain-after-exit wait pty pipe shell quiet collect no-block
        same-dir send-sighup no-ask-password | values -EHMpu unit property slice description uid gid nice
        working-directory setenv host machine service-type on-active on-boot on-calendar timer-property on-startup
        on-unit-active path-property socket-property | directory working-directory | shell shell S | changes more
    strace ltrace | flags -cCdDfFhiknqrtTvVwxyzZLM follow-forks summary-only | values -abeEIoOpPsSuUXAl trace output
        attach expr | pipes o output | changes more
    perf | flags -agFhv | values -eopCr | subcommands stat record trace | changes more
    valgrind | exact | changes more
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
    firejail | exact | changes more
    sandbox-exec | values -fnpD
    arch | flags x86_64 arm64 arm64e i386 32 64 | single dash
    direnv | subcommands exec | operands 1 | secrets | changes more | loads .envrc *.sh
    dotenv dotenvx | may begin with run | flags -cqo quiet override no-expand overload | values -efvp file env-file env | assignments | secrets
    cross-env | values -fe file environments | assignments
    env-cmd | values -fe file environments | assignments | secrets
    railway | values -sep service environment project | exact | unknown takes value | subcommands run | secrets
    foreman honcho | values -ef procfile env | subcommands run | secrets | loads *
    doppler infisical teller | flags only-names | exact | unknown takes value | subcommands run | after dashes | secrets | changes more
    op | flags reveal | values account vault session config fields format | exact | unknown takes value | subcommands
        run | after dashes | secrets | changes more
    aws-vault chamber vault-exec saml2aws | unknown takes value | subcommands exec | after dashes | secrets | changes more
    mise rtx fnm | values -cCj command cd jobs | exact | subcommands exec x | after dashes | runs c command | changes more | loads *
    asdf rbenv pyenv nodenv goenv | subcommands exec run | changes more
    volta | flags bundled-npm no-yarn no-pnpm | values node npm yarn pnpm env | subcommands run
    opam stack cabal | unknown takes value | subcommands exec | after dashes | loads *
    rustup | flags install | subcommands run | operands 1 | shows show
    devbox | values -c config environment | subcommands run | after dashes
    nvm | flags silent | subcommands exec run | operands 1 | changes more
    bundle | flags keep-file-descriptors | values gemfile | subcommands exec | changes more | loads *
    poetry pipenv rye pdm hatch pixi | flags -qv help|h dry-run build | values -Cpur directory project | subcommands run | changes more | loads *
    uv | flags -qv help|h dry-run isolated no-sync frozen locked no-project all-extras active no-dev | values -p with python extra
        group project directory env-file with-requirements package index | subcommands run | changes more | loads *
    conda mamba micromamba | flags -v no-capture-output live-stream | values -np name prefix cwd | subcommands run |
        directory cwd | changes more | shows list info search
    busybox toybox
    shx | flags silent|s noglob|g | exact
    xterm rxvt urxvt konsole alacritty kitty st foot x-terminal-emulator gnome-terminal wezterm | flags hold | values
        -T title geometry fn fg bg working-directory | marks -e -x -- --command start | changes more
    capsh | marks -- | program bash
`;

const PREFIX_OPERATIONS: readonly OperationRow[] = [
  "poetry hatch pdm uv: publish publish|upload | publish a package to everybody | safer twine check dist/* | stops poetry publish",
  "stack cabal: publish upload | publish a package to everybody | safer {tool} --help | stops stack upload",
  "systemd-run: sys.cron - | make something start automatically | needs on-calendar on-active on-boot on-startup on-unit-active on-unit-inactive on-clock-change | stops systemd-run --on-calendar=daily x | passes systemd-run x",
  "wsl: cloud.container - | delete a system with its disk | needs unregister | stops wsl --unregister x | passes wsl --list",
  "railway: cloud.platform down|delete | remove a deployment | stops railway down web | passes railway list web",
  "railway: cloud.platform …delete|remove | remove a service or volume | stops railway thing delete web | passes railway thing list web",
  "ip: sys.firewall link|addr|route flush|del|delete | cut the machine off the network | stops ip link flush | passes ip link list web",
  "ip: sys.firewall link set * down | cut the machine off the network | stops ip link set x down | passes ip link set x list web",
  "op: sec.keychain read | show a secret of 1Password | stops op read web | passes op list web",
  "op: sec.keychain item get | show a secret of 1Password | needs reveal fields | stops op item get web --reveal | passes op item get web",
  "doppler: sec.keychain secrets | show secrets | unless only-names | stops doppler secrets web | passes doppler secrets --only-names",
  "chamber: sec.keychain read|export | show secrets | stops chamber read web | passes chamber list web",
  "infisical: sec.keychain secrets|export | show secrets | stops infisical secrets web | passes infisical list web",
  "dotenv: sec.keychain list|get | show secrets of the project | stops dotenv list web | passes dotenv status web",
  "dotenvx: sec.keychain get|decrypt | show secrets of the project | stops dotenvx get web | passes dotenvx list web",
  "railway: sec.keychain variables|variable | show the variables of an application | stops railway variables web | passes railway list web",
];

function readPrefixWrappers(): readonly PrefixWrapper[] {
  const rows = readTable(TABLE, 1, [...GRAMMAR_CELLS, ...WRAPPER_CELLS]);
  return [
    ...rows.map(({ columns: [names = ""], cells }) => ({ names, options: toOptionGrammar(cells), cells })),
    // The dynamic loader runs the program it is given: `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
    {
      names: "ld.so",
      pattern: /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/,
      options: { values: "library-path preload audit argv0" },
      cells: {},
    },
  ];
}
