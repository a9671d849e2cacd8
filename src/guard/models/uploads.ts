import type { OptionGrammar } from "../../shell/options.ts";
import { describe, knownPrefix, knownText, type Value } from "../../shell/value.ts";
import type { CommandEffect, Payload } from "../effects.ts";
import { type Model, type ModelTable, readOptions } from "./call.ts";
import { addStdin, modelTable, sendEffect } from "./network.ts";
import { afterCharacters } from "./writing.ts";

/** `aws s3 cp FILE s3://…`, `gsutil cp`, `rclone copy`, `gh gist create`, `croc send`: local operands leave. */
const upload: Model = call => {
  const shown = call.argv.map(describe);
  const isUpload =
    /^(aws s3 (cp|mv|sync)|aws s3api put-object|gsutil (-m )?(cp|rsync|mv)|gcloud storage (cp|rsync)|rclone (copy|copyto|move|sync)|gh gist create|gh release upload|croc send|wormhole send|magic-wormhole send|az storage blob upload|b2 (upload-file|file upload)|mc (cp|mirror)|s3cmd put|pastebinit|transfer|gdrive upload|dropbox_uploader(\.sh)? upload)/.test(
      [call.program, ...shown.slice(1)].join(" "),
    );
  if (!isUpload) return [];
  const operands = call.argv.slice(2).filter(word => !knownPrefix(word).startsWith("-"));
  const isOneWay = call.program === "gh" || call.program === "croc" || call.program === "wormhole";
  const target = operands.at(-1);
  const goesOut =
    isOneWay ||
    (target !== undefined && /^[a-z0-9]+:/i.test(describe(target))) ||
    shown.some(word => /^(--body|-f|--file)$/.test(word));
  if (!goesOut) {
    const isDownload = operands.slice(0, -1).some(word => /^[a-z0-9]+:/i.test(describe(word)));
    return isDownload && target !== undefined
      ? [{ kind: "write", by: call.by, path: target, how: "replace", isInto: true }]
      : [];
  }
  const payloads: Payload[] = operands
    .filter(word => !/^[a-z0-9]+:\/?\/?/i.test(describe(word)))
    .map(value => ({ value, role: "file" }));
  addStdin(call, payloads);
  return sendEffect(call, target, payloads);
};
const FORGE: OptionGrammar = {
  values:
    "-bFtnRlamfHBXq body body-file title notes notes-file repo label assignee milestone raw-field field input head base method jq",
  abbreviates: false,
};

/** Texts that everybody can read afterwards: bodies, comments and notes on the forge. */
const publishText: Model = call => {
  const line = call.argv.slice(1, 3).map(describe).join(" ");
  if (!/^(issue|pr|mr|release|discussion|api) ?/.test(line)) return [];
  const options = readOptions(call, FORGE);
  const isApi = line.startsWith("api");
  const payloads: Payload[] = [
    ...options
      .valuesOf("b", "body", "t", "title", "n", "notes")
      .map(value => ({ value, role: "body" as const })),
    ...options
      .valuesOf("body-file", "notes-file", "input", ...(isApi ? [] : ["F"]))
      .map(value => ({ value, role: "file" as const })),
    ...(isApi ? options.valuesOf("f", "F", "raw-field", "field") : []).map((value): Payload => {
      const file = /^[^=]*=@/.exec(knownPrefix(value));
      return file === null
        ? { value, role: "body" }
        : { value: afterCharacters(value, file[0].length), role: "file" };
    }),
  ];
  if (payloads.some(({ value, role }) => role === "file" && knownText(value) === "-"))
    addStdin(call, payloads);
  return sendEffect(call, undefined, payloads);
};

/** `docker cp FILE container:/path`: into another file system, or out of it. */
const copyInto: Model = call => {
  const shown = call.argv.map(describe);
  const at = shown.findIndex((word, index) => index > 0 && word === "cp");
  if (at < 0 || at > 4) return [];
  const operands = call.argv.slice(at + 1).filter(word => !/^-/.test(describe(word)));
  const [destination] = operands.splice(-1);
  const isThere = (word: Value) => /^[^/]*:/.test(describe(word));
  const reads = operands
    .filter(word => !isThere(word))
    .map((path): CommandEffect => ({ kind: "read", by: call.by, path, isCopy: true }));
  if (destination === undefined || isThere(destination)) return reads;
  return [...reads, { kind: "write", by: call.by, path: destination, how: "replace", isInto: true }];
};

export const uploads: ModelTable = {
  ...modelTable("glab", publishText),
  ...modelTable("docker podman nerdctl kubectl oc", copyInto),
  ...modelTable(
    "aws gsutil gcloud rclone croc wormhole magic-wormhole az b2 mc s3cmd pastebinit gdrive",
    upload,
  ),
  gh: call => [...upload(call), ...publishText(call)],
};
