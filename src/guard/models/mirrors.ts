import type { OptionGrammar } from "../../shell/options.ts";
import { describe, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";

const RSYNC: OptionGrammar = {
  values:
    "-efTBM rsh filter exclude exclude-from include include-from files-from compare-dest copy-dest link-dest backup-dir suffix rsync-path port password-file log-file bwlimit timeout max-delete temp-dir chmod chown partial-dir info out-format modify-window max-size min-size compress-level",
  flags:
    "-avrzPuh n|dry-run delete|delete-before|delete-during|delete-delay|delete-after|delete-excluded|del remove-source-files help version archive progress list-only",
};

/** `host:path` and `rsync://`; a drive letter or a slash before the colon is a local path. */
export function isRemotePath(value: Value): boolean {
  const known = knownPrefix(value);
  return (
    /^(\w+:\/\/|[^/:]+@?[^/:]*:)/.test(known) ||
    /^\[[^\]]+\]:/.test(known) ||
    (/^[^/]*:/.test(describe(value)) && !known.startsWith("/"))
  );
}

function remotePath(value: Value): Value {
  const shown = describe(value);
  const path = shown.slice(shown.indexOf(":") + 1);
  return text(path === "" ? "." : path.startsWith("/") ? path : `~/${path}`);
}

const rsync: Model = call => {
  const options = readOptions(call, RSYNC);
  if (isOnlyHelp(options) || options.has("n", "list-only")) return [];
  const operands = options.operands.map(operand => operand.value);
  const destination = operands.at(-1);
  if (destination === undefined || operands.length < 2) return [];
  const sources = operands.slice(0, -1);
  const effects: CommandEffect[] = [];
  if (isRemotePath(destination)) {
    effects.push({
      kind: "send",
      by: call.by,
      to: destination,
      payloads: sources.map(value => ({ value, role: "file" })),
    });
    if (options.has("delete")) effects.push(mirror(call, remotePath(destination), true));
  } else {
    for (const source of sources.filter(value => !isRemotePath(value)))
      effects.push({ kind: "read", by: call.by, path: source, isCopy: true });
    effects.push({ kind: "write", by: call.by, path: destination, how: "replace", isInto: true });
    if (options.has("delete")) effects.push(mirror(call, destination, false));
  }
  if (options.has("remove-source-files")) {
    for (const path of sources)
      effects.push({ kind: "delete", by: call.by, path, isRecursive: true, isContentsOnly: true });
  }
  return effects;
};

/** Making a place equal to another one deletes what is only there. */
export function mirror(call: Call, path: Value, isRemote: boolean): CommandEffect {
  const place = isRemote ? ({ kind: "remote", via: call.program, host: undefined } as const) : call.by.place;
  return {
    kind: "delete",
    by: { ...call.by, place },
    path,
    isRecursive: true,
    isContentsOnly: true,
    isMirror: true,
  };
}

const rclone: Model = call => {
  const options = readOptions(call, {
    values: "config transfers checkers exclude include filter bwlimit log-file",
    flags: "-Pv dry-run|n",

    abbreviates: false,
  });
  const [action, source, destination] = options.operands.map(operand => operand.value);
  if (options.has("dry-run") || action === undefined || destination === undefined || source === undefined)
    return [];
  const isMirror = ["sync", "bisync"].includes(knownText(action) ?? "");
  if (isMirror) return [mirror(call, destination, isRemotePath(destination))];
  return isRemotePath(destination)
    ? []
    : [{ kind: "write", by: call.by, path: destination, how: "replace", isInto: true }];
};

const robocopy: Model = call => {
  const isMirror = call.argv.some(word => /^\/(mir|purge)$/i.test(describe(word)));
  const isListOnly = call.argv.some(word => /^\/l$/i.test(describe(word)));
  const destination = call.argv[2];
  return isMirror && !isListOnly && destination !== undefined ? [mirror(call, destination, false)] : [];
};

export const mirrors: ModelTable = { rsync, rclone, robocopy };
