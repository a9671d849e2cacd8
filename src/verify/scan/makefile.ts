import type { Snippet } from "./snippet.ts";

const MAKEFILE = /^(GNU)?makefile$|\.(mk|mak)$/i;
const ASSIGNMENT = /^(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?::{0,3}|\?)=\s*(.*)$/;
const TARGET = /^([^\s:#=][^:#=]*?)\s*::?(?!=)/;
const MAX_DEPTH = 8;

export function isMakefileName(name: string): boolean {
  return MAKEFILE.test(name);
}

/**
 * Every recipe line of a makefile as the shell gets it: variables set in the file are put in, all others are left
 * to the shell as variables of unknown value.
 */
export function readMakefile(text: string): readonly Snippet[] {
  const variables = new Map<string, string>();
  const snippets: Snippet[] = [];
  let target = "";
  for (const { line, text: logical } of logicalLines(text)) {
    if (logical.startsWith("\t")) {
      const skipped = /^[\t ]*[@+-]*[\t ]*/.exec(logical)?.[0].length ?? 0;
      const command = expand(logical.slice(skipped), variables, 0);
      const place = { line, column: skipped + 1 };
      if (command.trim() !== "" && target !== "")
        snippets.push({ text: command, name: `target ${target}`, placeOf: () => place });
      continue;
    }
    const [, name, value] = ASSIGNMENT.exec(logical) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, value.replace(/\s+#.*$/, "").trim());
    else target = TARGET.exec(logical)?.[1] ?? target;
  }
  return snippets;
}

function* logicalLines(text: string): Generator<{ readonly line: number; readonly text: string }> {
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = index + 1;
    let whole = lines[index] ?? "";
    while (/(^|[^\\])(\\\\)*\\$/.test(whole) && index + 1 < lines.length) {
      index += 1;
      whole += `\n${lines[index]?.replace(/^\t/, "") ?? ""}`;
    }
    yield { line, text: whole };
  }
}

function expand(text: string, variables: ReadonlyMap<string, string>, depth: number): string {
  return text.replace(
    /\$(?:(\$)|\(([^()]*(?:\([^()]*\)[^()]*)*)\)|\{([^{}]*)\}|(.))/g,
    (_, dollar?: string, round?: string, curly?: string, single?: string) => {
      if (dollar !== undefined) return "$";
      const name = round ?? curly ?? single ?? "";
      const value = variables.get(name);
      if (value !== undefined && depth < MAX_DEPTH) return expand(value, variables, depth + 1);
      return `\${MAKE_${name.replace(/\W+/g, "_")}}`;
    },
  );
}
