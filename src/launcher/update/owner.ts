import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { memberAt, readJson } from "../../protocol/index.ts";
import { quoteWord } from "../../system/index.ts";

/** What put this copy of the program where it is, and the command that replaces it. */
type Owner =
  | { readonly kind: "npm" | "project" | "checkout"; readonly command: (version: string) => string }
  | { readonly kind: "runner" | "ours" };

/** Package managers by the lock file they leave; npm is meant where there is none. */
const MANAGERS: readonly (readonly [string, (folder: string, isDev: boolean) => string])[] = [
  ["pnpm-lock.yaml", (folder, isDev) => `pnpm --dir ${folder} add${isDev ? " --save-dev" : ""}`],
  ["yarn.lock", (folder, isDev) => `yarn --cwd ${folder} add${isDev ? " --dev" : ""}`],
  ["bun.lock", (folder, isDev) => `bun add --cwd ${folder}${isDev ? " --dev" : ""}`],
  ["bun.lockb", (folder, isDev) => `bun add --cwd ${folder}${isDev ? " --dev" : ""}`],
];

/** `self` is the running program, links followed; `stateHome` is where `update` puts versions. */
export function findOwner(self: string, stateHome: string): Owner {
  const root = dirname(dirname(dirname(self)));
  if (root.startsWith(`${join(stateHome, "versions")}/`)) return { kind: "ours" };
  if (/\/(?:_npx|dlx-[^/]*|bunx-[^/]*)\//.test(self)) return { kind: "runner" };
  if (existsSync(join(root, ".git"))) {
    const place = quoteWord(root);
    return { kind: "checkout", command: () => `git -C ${place} pull && npm --prefix ${place} run build` };
  }
  if (/\/node_modules\/amplihack$/.test(root)) {
    // pnpm keeps packages below .pnpm and links to them.
    const project = root.replace(/\/node_modules\/(?:\.pnpm\/.*|amplihack)$/, "");
    const dependency = dependencyKind(project);
    if (dependency === undefined)
      return { kind: "npm", command: version => `npm install -g amplihack@${version}` };
    return { kind: "project", command: version => addCommand(project, dependency, version) };
  }
  return { kind: "ours" };
}

/** How a project's package.json names amplihack; undefined for a folder of global packages. */
function dependencyKind(project: string): "dependencies" | "devDependencies" | undefined {
  const path = join(project, "package.json");
  const read = existsSync(path)
    ? readJson(readFileSync(path, "utf8"), { recover: false, maxDepth: 50 })
    : undefined;
  const manifest = read?.ok ? read.value : undefined;
  return (["devDependencies", "dependencies"] as const).find(
    kind => memberAt(manifest, kind, "amplihack") !== undefined,
  );
}

function addCommand(project: string, kind: "dependencies" | "devDependencies", version: string): string {
  const folder = quoteWord(project);
  const isDev = kind === "devDependencies";
  const manager = MANAGERS.find(([lock]) => existsSync(join(project, lock)));
  const start = manager?.[1](folder, isDev) ?? `npm --prefix ${folder} install${isDev ? " --save-dev" : ""}`;
  return `${start} amplihack@${version}`;
}
