import { describe, knownPrefix } from "../../shell/value.ts";
import type { Payload } from "../effects.ts";
import type { Model, ModelTable } from "./call.ts";
import { addStdin, modelTable, sendEffect } from "./network.ts";

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
  if (!goesOut) return [];
  const payloads: Payload[] = operands
    .filter(word => !/^[a-z0-9]+:\/?\/?/i.test(describe(word)))
    .map(value => ({ value, role: "file" }));
  addStdin(call, payloads);
  return sendEffect(call, target, payloads);
};
/** `docker cp FILE container:/path`: into another file system. */
const copyInto: Model = call => {
  const words = call.argv.map(describe);
  const at = words.findIndex((word, index) => index > 0 && word === "cp");
  if (at < 0 || at > 4) return [];
  const files = call.argv.slice(at + 1).filter(word => !/^-|^[^/]*:/.test(describe(word)));
  return files.map(path => ({ kind: "read", by: call.by, path, isCopy: true }));
};

export const uploads: ModelTable = {
  ...modelTable("docker podman nerdctl kubectl oc", copyInto),
  ...modelTable(
    "aws gsutil gcloud rclone gh croc wormhole magic-wormhole az b2 mc s3cmd pastebinit gdrive",
    upload,
  ),
};
