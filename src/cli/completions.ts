import {
  COMPLETED_NOW,
  type Command,
  type CompletedNow,
  isFamily,
  type LeafCommand,
  type OptionSpec,
  type OptionSpecs,
} from "./command.ts";
import { GLOBAL_OPTIONS } from "./parse.ts";

/** What may stand at a place: one of some words, a name of the moment, or a file. */
export type Candidates =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** a shell asks `amplihack complete` for them, which prints one on a line */
  | { readonly kind: "asked"; readonly what: CompletedNow }
  | { readonly kind: "file" | "directory" };

interface CompletedOption {
  /** as typed, the long form first: `--format`, `-f` */
  readonly names: readonly string[];
  readonly summary: string;
  /** undefined for a flag */
  readonly value: Candidates | undefined;
}

/** One command as a shell completes it. */
export interface CompletedCommand {
  /** `amplihack`, `amplihack/recipe`, `amplihack/recipe/run` */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  readonly operand: Candidates | undefined;
}

/** Names that only other layers know. */
interface KnownNames {
  readonly hosts: readonly string[];
  readonly events: readonly string[];
  readonly agents: readonly string[];
  readonly rules: readonly string[];
  readonly settings: readonly string[];
  readonly parts: readonly string[];
}

const SHELLS = ["bash", "zsh", "fish", "powershell"];
const PROGRAM = "amplihack";

/** Every command that help shows, in the order of its words. */
export function completionTree(commands: readonly Command[], names: KnownNames): readonly CompletedCommand[] {
  const words = (list: readonly string[]): Candidates => ({ kind: "words", words: list });
  const asked = (what: CompletedNow): Candidates => ({ kind: "asked", what });
  /** By the label of an option's value, or what a positional completes. */
  const byLabel: Readonly<Record<string, Candidates>> = {
    DIR: { kind: "directory" },
    DIRECTORY: { kind: "directory" },
    FILE: { kind: "file" },
    "FILE|DIR": { kind: "file" },
    "ID|last|FILE": asked("run"),
    HOST: words(names.hosts),
    EVENT: words(names.events),
    AGENT: words(names.agents),
    SHELL: words(SHELLS),
    RULE: words(names.rules),
    SETTING: words(names.settings),
    PART: words(names.parts),
    ...Object.fromEntries(COMPLETED_NOW.map(what => [what.toUpperCase(), asked(what)])),
  };
  const lookUp = (label: string): Candidates =>
    (Object.hasOwn(byLabel, label) && byLabel[label]) || words([]);

  function findCandidates(spec: OptionSpec): Candidates | undefined {
    if (spec.kind === "boolean") return undefined;
    if (spec.kind === "choice") return words(spec.choices);
    // A value that may be left out is offered where there is one to offer.
    return "bare" in spec && !Object.hasOwn(byLabel, spec.label) ? undefined : lookUp(spec.label);
  }

  function node(path: string, subcommands: readonly Command[], leaf?: LeafCommand): CompletedCommand {
    const options: OptionSpecs = { ...GLOBAL_OPTIONS, ...leaf?.options };
    const shown = Object.entries(options).filter(([, spec]) => spec.isHidden !== true);
    const completes = leaf?.positionals?.[0]?.completes;
    return {
      path,
      subcommands: subcommands.map(({ name, summary }) => ({ name, summary })),
      options: shown.map(([name, spec]) => ({
        names: spec.short === undefined ? [`--${name}`] : [`--${name}`, `-${spec.short}`],
        summary: spec.summary,
        value: findCandidates(spec),
      })),
      operand: completes === undefined ? undefined : lookUp(completes.toUpperCase()),
    };
  }

  function listNodes(command: Command, path: string): readonly CompletedCommand[] {
    if (!isFamily(command)) return [node(path, [], command)];
    const { subcommands, initial } = command;
    return [
      node(path, subcommands, initial),
      ...subcommands.map(sub => node(`${path}/${sub.name}`, [], sub)),
    ];
  }

  const grouped = commands.filter(command => command.group !== undefined);
  return [
    node(PROGRAM, grouped),
    ...grouped.flatMap(command => listNodes(command, `${PROGRAM}/${command.name}`)),
  ];
}

/** A script that bash sources. Nothing is started before a name of the moment is completed. */
export function bashScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [`    ${names.map(name => `${path}:${name}`).join(" | ")}) ${offerBash(value)}; return ;;`],
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = options.flatMap(({ names }) => names).join(" ");
    const words = subcommands.map(({ name }) => name).join(" ");
    const rest = operand === undefined ? `_amplihack_words "${words}"` : offerBash(operand);
    return `    ${path}) if [[ $current == -* ]]; then _amplihack_words "${flags}"; else ${rest}; fi ;;`;
  });
  return `# Completion of amplihack for bash: source <(amplihack completions bash)
_amplihack_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_amplihack() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} place=amplihack index
  COMPREPLY=()
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in --) return ;; esac
    case "$place/\${COMP_WORDS[index]}" in
    ${paths.join(" | ")}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  [[ $current == -* ]] || case "$place:$previous" in
${values.join("\n")}
  esac
  case $place in
${places.join("\n")}
  esac
}

complete -o default -F _amplihack amplihack
`;
}

function offerBash(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return `_amplihack_words "${candidates.words.join(" ")}"`;
    case "asked":
      return `_amplihack_words "$("\${COMP_WORDS[0]}" complete ${candidates.what} 2>/dev/null)"`;
    case "directory":
      return 'COMPREPLY=($(compgen -d -- "$current"))';
    case "file":
      return 'COMPREPLY=($(compgen -f -- "$current"))';
  }
}

/** A script that zsh sources after compinit, or finds in fpath as `_amplihack`. */
export function zshScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [`    ${names.map(name => `(${path}:${name})`).join("|")}) ${offerZsh(value)}; return ;;`],
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = described(options.flatMap(({ names, summary }) => names.map(name => ({ name, summary }))));
    const rest =
      operand === undefined
        ? `choices=(${described(subcommands)}); _describe command choices`
        : offerZsh(operand);
    return `    (${path})
      if [[ $words[CURRENT] == -* ]]; then choices=(${flags}); _describe option choices; else ${rest}; fi ;;`;
  });
  return `#compdef amplihack
# Completion of amplihack for zsh: source <(amplihack completions zsh)
_amplihack() {
  local place=amplihack previous=$words[CURRENT-1] index
  local -a choices
  for ((index = 2; index < CURRENT; index++)); do
    [[ $words[index] == -- ]] && { _files; return; }
    case "$place/$words[index]" in
    (${paths.join("|")}) place="$place/$words[index]" ;;
    esac
  done
  [[ $words[CURRENT] == -* ]] || case "$place:$previous" in
${values.join("\n")}
  esac
  case $place in
${places.join("\n")}
  esac
}

if [[ $funcstack[1] == _amplihack ]]; then
  _amplihack "$@"
elif (( $+functions[compdef] )); then
  compdef _amplihack amplihack
fi
`;
}

/** \`'name:summary'\` for each, with colons in the name kept apart from the one between. */
function described(words: readonly { readonly name: string; readonly summary: string }[]): string {
  return words
    .map(({ name, summary }) => `'${`${name.replaceAll(":", "\\:")}:${summary}`.replaceAll("'", `'\\''`)}'`)
    .join(" ");
}

function offerZsh(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return candidates.words.length === 0 ? ":" : `compadd -- ${candidates.words.join(" ")}`;
    case "asked":
      return `compadd -- \${(f)"$($words[1] complete ${candidates.what} 2>/dev/null)"}`;
    case "directory":
      return "_files -/";
    case "file":
      return "_files";
  }
}

/** A script that fish sources. */
export function fishScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const lines = tree.flatMap(({ path, subcommands, options, operand }) => {
    const start = `complete -c amplihack -n '__amplihack_at ${path}'`;
    return [
      ...subcommands.map(({ name, summary }) => `${start} -f -a ${name} -d ${quoteFish(summary)}`),
      ...options.map(option => `${start} ${optionWords(option)} -d ${quoteFish(option.summary)}`),
      ...(operand === undefined ? [] : [`${start} ${offerFish(operand)}`]),
    ];
  });
  return `# Completion of amplihack for fish: amplihack completions fish | source
function __amplihack_place
    set -l place amplihack
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch "$place/$word"
            case ${paths.join(" ")}
                set place "$place/$word"
        end
    end
    echo $place
end

function __amplihack_at
    test (__amplihack_place) = $argv[1]
end

function __amplihack_ask
    set -l words (commandline -opc)
    $words[1] $argv 2>/dev/null
end

complete -c amplihack -e
${lines.join("\n")}
`;
}

function optionWords({ names, value }: CompletedOption): string {
  const words = names.map(name => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return value === undefined ? words.join(" ") : `${words.join(" ")} -r ${offerFish(value)}`;
}

function offerFish(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return candidates.words.length === 0 ? "-f" : `-f -a ${quoteFish(candidates.words.join(" "))}`;
    case "asked":
      return `-f -a '(__amplihack_ask complete ${candidates.what})'`;
    case "directory":
      return "-f -a '(__fish_complete_directories)'";
    case "file":
      return "-F";
  }
}

function quoteFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** A script that a PowerShell profile runs. */
export function powershellScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => quotePowershell(path));
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : names.map(name => `    ${quotePowershell(`${path}:${name}`)} { ${offerPowershell(value)}; break }`),
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = list(options.flatMap(({ names }) => names));
    const rest = operand === undefined ? list(subcommands.map(({ name }) => name)) : offerPowershell(operand);
    return `        ${quotePowershell(path)} { if ($wordToComplete.StartsWith('-')) { ${flags} } else { ${rest} } }`;
  });
  return `# Completion of amplihack for PowerShell: amplihack completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName amplihack -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | ForEach-Object { "$_" })
  if ($wordToComplete -ne '' -and $words.Count -gt 1) { $words = @($words[0..($words.Count - 2)]) }
  $place = 'amplihack'
  foreach ($word in @($words | Select-Object -Skip 1)) {
    if (@(${paths.join(", ")}) -ccontains "$place/$word") { $place = "$place/$word" }
  }
  $found = switch -CaseSensitive -Exact ("\${place}:$($words[-1])") {
${values.join("\n")}
    default {
      switch -CaseSensitive -Exact ($place) {
${places.join("\n")}
      }
    }
  }
  @($found) | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function offerPowershell(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return list(candidates.words);
    case "asked":
      return `@(& $words[0] complete ${candidates.what} 2>$null)`;
    case "directory":
      return '@(Get-ChildItem -Directory -Name -Path "$wordToComplete*")';
    case "file":
      return '@(Get-ChildItem -Name -Path "$wordToComplete*")';
  }
}

function list(words: readonly string[]): string {
  return `@(${words.map(quotePowershell).join(", ")})`;
}

function quotePowershell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
