import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { sha256Hex } from "../../system/index.ts";
import { pluginProblem } from "../problem.ts";

const MAX_FILES = 20_000;
const LEFT_OUT = new Set([".git", "node_modules/.cache"]);

/** Paths of all files and links below a directory, in order. A link that leads out of it is refused. */
export function listTree(root: string): readonly string[] {
  const real = realpathSync(root);
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(real, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.has(path)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) found.push(path);
      else if (entry.isSymbolicLink()) {
        checkLink(real, path);
        found.push(path);
      } else throw pluginProblem(`${path} is no file, directory or link`);
      if (found.length > MAX_FILES) throw pluginProblem(`there are more than ${MAX_FILES} files in ${root}`);
    }
  };
  visit("");
  return found.sort();
}

function checkLink(root: string, path: string): void {
  let target: string;
  try {
    target = realpathSync(join(root, path));
  } catch {
    target = resolve(dirname(join(root, path)), readlinkSync(join(root, path)));
  }
  if (target !== root && !target.startsWith(root + sep)) {
    throw pluginProblem(
      `${path} is a link that leads out of the plugin`,
      "remove the link, or copy what it names",
    );
  }
}

/** Copies files of one tree into another, which may be there; links stay links inside of the new tree. */
export function copyFiles(from: string, to: string, paths: readonly string[]): void {
  const root = realpathSync(from);
  for (const path of paths) {
    const [source, target] = [join(root, path), join(to, path)];
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    if (lstatSync(source).isSymbolicLink()) {
      const leads = resolve(dirname(source), readlinkSync(source));
      symlinkSync(relative(dirname(source), leads), target);
    } else copyFileSync(source, target);
  }
}

/** What a file holds, as one word; of a link, where it leads. */
export function fingerprint(path: string): string {
  const bytes = lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path);
  return sha256Hex(bytes);
}
