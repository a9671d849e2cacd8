import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** What put this copy of the program where it is, and the command that replaces it. */
type Owner =
  | { readonly kind: "npm"; readonly command: (version: string) => string }
  | { readonly kind: "checkout"; readonly command: (version: string) => string }
  | { readonly kind: "runner" | "ours" };

/** `self` is the running program, links followed; `stateHome` is where `update` puts versions. */
export function findOwner(self: string, stateHome: string): Owner {
  const root = dirname(dirname(dirname(self)));
  if (root.startsWith(`${join(stateHome, "versions")}/`)) return { kind: "ours" };
  if (/\/(?:_npx|dlx-[^/]*|bunx-[^/]*)\//.test(self)) return { kind: "runner" };
  if (existsSync(join(root, ".git"))) {
    return { kind: "checkout", command: () => `git -C ${root} pull && npm --prefix ${root} run build` };
  }
  if (/\/node_modules\/amplihack$/.test(root)) {
    return { kind: "npm", command: version => `npm install -g amplihack@${version}` };
  }
  return { kind: "ours" };
}
