import { escapeControls } from "../state/index.ts";
import { count } from "../text/index.ts";
import type { Change, GitChange } from "./change.ts";

const ID_LENGTH = 7;

/** What a change did to git's own state, one sentence each. */
export function gitLines({ git }: Pick<Change, "git">): readonly string[] {
  return git.flatMap(linesOf).map(escapeControls);
}

function linesOf({ head, refs, stashes, index, files }: GitChange): readonly string[] {
  const lines = refs.map(({ name, before, after }) => `${refName(name)}: ${short(before)} → ${short(after)}`);
  if (head !== undefined) lines.unshift(`HEAD: ${refName(head.before)} → ${refName(head.after)}`);
  if (stashes !== undefined) {
    const [before, after] = [stashes.before.length, stashes.after.length];
    lines.push(`stashes: ${before} → ${after}`);
  }
  if (index !== undefined) lines.push("what is staged changed");
  if (files.length > 0) lines.push(`${count(files.length, "file")} inside .git`);
  return lines;
}

function short(id: string | undefined): string {
  return id === undefined ? "none" : id.slice(0, ID_LENGTH);
}

function refName(name: string): string {
  const known = /^(?:ref: )?refs\/(heads|tags|remotes)\/(.*)$/.exec(name);
  if (known === null) return /^[0-9a-f]{40,}$/.test(name) ? short(name) : name;
  const [, kind, rest] = known;
  return kind === "heads" ? `branch ${rest}` : kind === "tags" ? `tag ${rest}` : `${rest}`;
}
