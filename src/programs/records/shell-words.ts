import { knownText, type Value, wordSet } from "../../shell/index.ts";

/** Words of the shell of which the walk through the text tells everything. */
const COMPLETE = wordSet(`
  : true false cd pushd popd dirs pwd echo printf test [ [[ break continue return exit shift wait let local declare
  typeset readonly export unset read getopts times jobs type hash mapfile readarray command builtin
`);

/** Modes of the shell that change how a text fails, and nothing of what it does. */
const MODES = /^[-+](?:[euxfvC]*o|[euxfvC]+)$|^(?:pipefail|errexit|nounset|xtrace|noglob|noclobber|verbose)$/;
/** Patterns may find more or fewer names: that is asked about. */
const IS_SETTING = /^(?:set|shopt)$/;

/** The word is one of the shell's own, and with these arguments it does nothing that is not told otherwise. */
export function isCompleteWord(name: string, argv: readonly Value[]): boolean {
  const given = argv.slice(1).map(word => knownText(word));
  if (name === "set") return given.length > 0 && given.every(word => word !== undefined && MODES.test(word));
  if (IS_SETTING.test(name)) return false;
  if (name === "hash") return given.every(word => word === "-r");
  // With two words zsh goes where the folder is that has the second in the place of the first.
  if (
    /^(?:cd|chdir|pushd)$/.test(name) &&
    given.filter(word => !/^[-+]\w+$|^--$/.test(word ?? "")).length > 1
  )
    return false;
  // A callback runs for the lines that are read.
  if (/^(?:mapfile|readarray)$/.test(name) && given.some(word => word === undefined || /^-\w*C/.test(word)))
    return false;
  // Only behind `-v` its words name a variable.
  if (name === "printf" && given[0] !== undefined && !given[0].startsWith("-v")) return true;
  if (
    SETS_VARIABLES.test(name) &&
    given.some(word => changesPrograms((word ?? "PATH").replace(/[=[+].*/s, "")))
  )
    return false;
  return COMPLETE.has(name);
}

const SETS_VARIABLES =
  /^(?:unset|read|mapfile|readarray|getopts|declare|typeset|local|export|readonly|printf|let|wait)$/;

/** A word of the shell that goes to the folder it names. */
export function entersFolder(name: string): boolean {
  return name === "cd" || name === "pushd";
}

/** The variable of the environment that decides where a word of the shell leads. */
export function shellWordSetBy(name: string): string {
  return entersFolder(name) ? "CDPATH" : "";
}

/** Of a text that is computed it runs what stands in brackets: `[[ a[x] ]]`, `read 'a[$(id)]'`. */
export function readsSubscripts(name: string): boolean {
  return isShellWord(name) && name !== "echo";
}

/** A word that the shell runs itself. */
export function isShellWord(name: string): boolean {
  return COMPLETE.has(name) || name === "set";
}

const DECIDES =
  /^(?:PATH|CDPATH|IFS|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_.*|PROMPT_COMMAND|PS[0-4]|GLOBIGNORE|POSIXLY_CORRECT|TMPDIR|TMP|TEMP|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_.*|NODE_.*|NPM_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|_?JAVA_OPTIONS|JDK_.*|CLASSPATH|GO[A-Z].*|CARGO.*|RUST.*|CC|CXX|LD|AR|.*FLAGS|MAKE.*|GIT_.*|GIT|HUSKY.*|LEFTHOOK.*|PRE_COMMIT.*|OVERCOMMIT.*|SKIP(?:_.*)?|SSH_.*|GPG.*|GNUPG.*|.*PAGER.*|.*EDITOR.*|VISUAL|BROWSER|LESS.*|MORE|MANOPT|MANPATH|GREP_.*|RIPGREP_.*|FD_.*|FZF_.*|JQ_.*|TAR_.*|GZIP|BZIP2?|XZ_.*|ZSTD_.*|ZIPOPT|UNZIP.*|ZIP|RSYNC_.*|CURL_.*|WGETRC|.*_proxy|.*_PROXY|XDG_.*|DOCKER_.*|KUBECONFIG|AWS_.*|.*RC|.*_HOME|.*_CONFIG|.*_PATH|.*_OPTS|.*_OPTIONS|ZDOTDIR|FPATH|fpath|path|AWKPATH|AWKLIBPATH|GAWK_.*|POSIX.*|SIMPLE_BACKUP_SUFFIX|VERSION_CONTROL|PATCH_.*|QUOTING_STYLE|TERMINFO|TERMCAP|MAIL.*|INPUTRC|HISTFILE|EXINIT|VIMINIT|SUDO_.*|DISPLAY|WAYLAND_.*|DBUS_.*)$/;

/** Variables with such names that change only what is printed, or who and when a commit names. */
const HARMLESS =
  /^(?:NODE_ENV|NODE_NO_WARNINGS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE|CARGO_TERM_COLOR|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/;
/** Programs that show a text as it is, or leave it as it is. */
const SHOWS = /^(?:|cat)$/;
const LEAVES = /^(?:true|:)$/;

/** A variable that changes what programs do, where they are found or what they read first; `value` where that is known. */
export function changesPrograms(name: string, value?: string): boolean {
  if (!DECIDES.test(name) || HARMLESS.test(name)) return false;
  if (value === undefined) return true;
  if (/^(?:GIT_)?PAGER$/.test(name)) return !SHOWS.test(value);
  return !/^(?:GIT_(?:SEQUENCE_)?)?EDITOR$/.test(name) || !LEAVES.test(value);
}
