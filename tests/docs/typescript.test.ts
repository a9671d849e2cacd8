import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE = /(?:<!-- given:\s*([\s\S]*?) ?-->\n\n?)?^```ts\n([\s\S]*?)^```$/gm;
const IMPORT = /^import [\s\S]*? from "[^"]+";.*$/gm;

/**
 * The examples of a page as one module. Each stands in a scope inside that of the one before, so that a page can build
 * on what it showed; what a reader has of their own is declared in a comment above the block.
 */
function moduleOf(page: string): string | undefined {
  const examples = [...readFileSync(page, "utf8").matchAll(EXAMPLE)];
  if (examples.length === 0) return undefined;
  const heads = examples.map(([, given = ""]) => given);
  const imports = mergeImports(examples.flatMap(([, , code = ""]) => code.match(IMPORT) ?? []));
  const bodies = examples.map(([, , code = ""]) =>
    code
      .replace(IMPORT, "")
      .replace(/^export default /gm, "void ")
      .replace(/^export /gm, ""),
  );
  const nested = bodies.map(body => `{\n${body}`).join("") + "}".repeat(bodies.length);
  return [...imports, ...heads, `export async function read() {\n${nested}\n}\n`].join("\n");
}

/** Every example imports what it needs, also what another one of the page has imported. */
function mergeImports(lines: readonly string[]): readonly string[] {
  const names = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const line of lines) {
    const [, list, module] = /^import \{([^}]*)\} from "([^"]+)";/.exec(line) ?? [];
    if (list === undefined || module === undefined) others.add(line);
    else
      names.set(
        module,
        new Set([...(names.get(module) ?? []), ...list.split(",").flatMap(name => name.trim() || [])]),
      );
  }
  return [
    ...others,
    ...[...names].map(([module, found]) => `import { ${[...found].join(", ")} } from "${module}";`),
  ];
}

it("every TypeScript example compiles against what the package exports", () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/amplihack"));
  for (const name of ["zod", "@types", "@opentelemetry"])
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  const options = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowUnreachableCode: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["*.mts"] }),
  );
  const pages = readdirSync(join(ROOT, "docs")).filter(name => name.endsWith(".md"));
  const modules = pages.flatMap(name => {
    const code = moduleOf(join(ROOT, "docs", name));
    return code === undefined ? [] : [{ name, code }];
  });
  expect(modules.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["engine.md", "hooks.md", "recipes.md"]),
  );
  for (const { name, code } of modules) writeFileSync(join(folder, name.replace(".md", ".mts")), code);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder],
    {
      encoding: "utf8",
    },
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
