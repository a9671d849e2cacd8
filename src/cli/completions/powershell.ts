import type { Candidates, CompletedCommand } from "./tree.ts";

/** A script that a PowerShell profile runs. */
export function powershellScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => quote(path));
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : names.map(name => `    ${quote(`${path}:${name}`)} { ${offer(value)}; break }`),
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = list(options.flatMap(({ names }) => names));
    const rest = operand === undefined ? list(subcommands.map(({ name }) => name)) : offer(operand);
    return `        ${quote(path)} { if ($wordToComplete.StartsWith('-')) { ${flags} } else { ${rest} } }`;
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

function offer(candidates: Candidates): string {
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
  return `@(${words.map(quote).join(", ")})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
