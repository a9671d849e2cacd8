import type { Candidates, CompletedCommand, CompletedOption } from "./tree.ts";

/** A script that fish sources. */
export function fishScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const lines = tree.flatMap(({ path, subcommands, options, operand }) => {
    const start = `complete -c amplihack -n '__amplihack_at ${path}'`;
    return [
      ...subcommands.map(({ name, summary }) => `${start} -f -a ${name} -d ${quote(summary)}`),
      ...options.map(option => `${start} ${optionWords(option)} -d ${quote(option.summary)}`),
      ...(operand === undefined ? [] : [`${start} ${offer(operand)}`]),
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
  return value === undefined ? words.join(" ") : `${words.join(" ")} -r ${offer(value)}`;
}

function offer(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return candidates.words.length === 0 ? "-f" : `-f -a ${quote(candidates.words.join(" "))}`;
    case "asked":
      return `-f -a '(__amplihack_ask complete ${candidates.what})'`;
    case "directory":
      return "-f -a '(__fish_complete_directories)'";
    case "file":
      return "-F";
  }
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
