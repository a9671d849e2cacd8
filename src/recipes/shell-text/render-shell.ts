import { holdsPlaceholder } from "../values/template.ts";
import { scanCommands } from "./commands.ts";
import { type PlaceholderUse, type Script, startScan } from "./scan.ts";

export interface ShellText {
  readonly script: string;
  readonly uses: readonly PlaceholderUse[];
}

/**
 * Turns every placeholder of a bash script into an expansion of the variable that `variableFor` names, written so
 * that the program run sees exactly its value, whatever quoting the placeholder stands in. Values themselves never
 * become part of the script. Throws `ShellNestingError`.
 */
export function renderShell(template: string, variableFor: (path: string) => string): ShellText {
  if (!holdsPlaceholder(template)) return { script: template, uses: [] };
  const script: Script = { variableFor, uses: [], scanCommands, heredocCount: 0, depth: 0 };
  const scan = startScan(script, template);
  scanCommands(scan, undefined);
  return { script: scan.out.join(""), uses: script.uses };
}
