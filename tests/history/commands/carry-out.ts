import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { inputOf, type Member, type Members, type ToolCall } from "./tool-calls.ts";

/** Does what the host's file tool does, as far as the files are concerned. */
export function carryOut(call: ToolCall, project: string): void {
  const input = inputOf(call, project);
  const patch = patchIn(input);
  if (patch === undefined) changeFile(call.tool, input as Members, project);
  else applyPatch(patch, project);
}

function changeFile(tool: string | undefined, members: Members, project: string): void {
  const path = resolve(project, String(first(members, PATHS)));
  const content = first(members, CONTENTS);
  if (typeof content === "string") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return;
  }
  if (tool === "Delete") {
    rmSync(path);
    return;
  }
  const edits = (members["edits"] as readonly Members[] | undefined) ?? [members];
  let text = readFileSync(path, "utf8");
  for (const edit of edits) {
    const old = first(edit, OLD);
    const fresh = String(first(edit, FRESH) ?? "");
    if (typeof old === "string" && !text.includes(old))
      throw new Error(`${path} has no ${JSON.stringify(old)}`);
    text = typeof old === "string" ? text.replace(old, () => fresh) : fresh;
  }
  writeFileSync(path, text);
}

const PATHS = ["file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file"];
const CONTENTS = ["content", "file_text", "contents", "file_content"];
const OLD = ["old_string", "oldString", "old_str", "oldText"];
const FRESH = ["new_string", "newString", "new_str", "newText", "new_source"];

function first(members: Members, names: readonly string[]): Member | undefined {
  const name = names.find(each => Object.hasOwn(members, each));
  return name === undefined ? undefined : members[name];
}

function patchIn(input: Member): string | undefined {
  const texts = typeof input === "string" ? [input] : Object.values(input as Members);
  return texts.find((text): text is string => typeof text === "string" && text.includes("*** Begin Patch"));
}

/** The agents' patch format: whole files added or deleted, one run of lines replaced, a file moved. */
function applyPatch(patch: string, project: string): void {
  const parts = patch.split(/^\*\*\* (?=Add File|Update File|Delete File)/m).slice(1);
  for (const part of parts) {
    const [head = "", ...lines] = part.split("\n");
    const path = resolve(project, head.slice(head.indexOf(":") + 1).trim());
    if (head.startsWith("Delete")) rmSync(path);
    else if (head.startsWith("Add")) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, linesWith(lines, "+"));
    } else {
      const target = lines.find(line => line.startsWith("*** Move to:"))?.slice("*** Move to:".length);
      const old = linesWith(lines, "- ");
      const text = readFileSync(path, "utf8");
      if (!text.includes(old)) throw new Error(`${path} does not fit the patch`);
      writeFileSync(
        path,
        text.replace(old, () => linesWith(lines, "+ ")),
      );
      if (target !== undefined) {
        mkdirSync(dirname(resolve(project, target.trim())), { recursive: true });
        renameSync(path, resolve(project, target.trim()));
      }
    }
  }
}

/** Lines that begin with one of these signs, without it. */
function linesWith(lines: readonly string[], signs: string): string {
  const chosen = lines.filter(
    line => line !== "" && !line.startsWith("***") && signs.includes(line.charAt(0)),
  );
  return chosen.map(line => `${line.slice(1)}\n`).join("");
}
