import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type System, writeAtomically } from "../../system/index.ts";
import { authoringTypes } from "./authoring-file.ts";

/** A hook to start from: it compiles, it says nothing harmful, and its comments tell what else there is. */
export function hookTemplate(name: string): string {
  return `import { ask, defineHook } from "amplihack/hooks";

// Runs before every shell command, in every agent that amplihack is installed in.
// Other events: PostToolUse, UserPromptSubmit, Stop, SessionStart … Other tools: Write, Edit, Read, "mcp__server__*" …
export default defineHook({
  name: "${name}",
  event: "PreToolUse",
  tool: "Bash",
  options: {
    // Tried before the hook is loaded: one of these words, or a RegExp.
    when: ["deploy"],
  },
  // Also given: facts (programs and paths of the command), cwd, host, session, files, env, clock, state, exec, log.
  run({ input }) {
    // Nothing returned means no opinion. Or: deny(reason), rewrite({ command }), context(text), message(text), halt(reason).
    if (/\\bproduction\\b/.test(input.command)) return ask("This deploys to production.");
  },
});

// Checked by: amplihack hooks test ${name}.ts
export const examples = [
  { input: { command: "make deploy TARGET=production" }, expect: "ask" },
  { input: { command: "make deploy TARGET=staging" }, expect: "none" },
];
`;
}

const TSCONFIG = `{
  // Written by amplihack hooks new, so that an editor knows what "amplihack/hooks" is.
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2023"],
    "types": [],
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "resolveJsonModule": true,
    "paths": { "amplihack/hooks": ["./.types/hooks/user/authoring.d.ts"] }
  },
  "include": ["*.ts"]
}
`;

/** Writes the files that an editor needs, where they are not there or are of an older version. */
export function writeEditorFiles(system: System, folder: string): void {
  const config = join(folder, "tsconfig.json");
  if (system.files.inspect(config) === undefined)
    writeAtomically(system, config, system.text.encode(TSCONFIG), { mode: 0o644 });
  const entry = authoringTypes();
  if (!existsSync(entry)) return;
  const root = join(dirname(entry), "..", "..");
  for (const [path, text] of declarations(entry))
    writeAtomically(system, join(folder, ".types", relative(root, path)), system.text.encode(text), {
      mode: 0o644,
    });
}

/** A declaration file and all that it imports. */
function declarations(entry: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    found.set(path, text);
    for (const [, , specifier = ""] of text.matchAll(/from (["'])(\.[^"']+)\1/g))
      waiting.push(join(dirname(path), specifier.replace(/\.(?:js|ts)$/, ".d.ts")));
  }
  return found;
}
