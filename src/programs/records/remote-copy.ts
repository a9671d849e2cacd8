import {
  type DeleteEffect,
  describe,
  dropKnown,
  joinPath,
  knownPrefix,
  knownText,
  type OptionGrammar,
  type Output,
  type ProgramEffect,
  parseOptions,
  text,
  unknownOutput,
  type Value,
  words,
} from "../../shell/index.ts";
import { listReads, payloads, sendEffect, stdinPayloads, withHome } from "../model/effects.ts";
import { onlyTells } from "../model/operations.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { CHANGE } from "../model/vocabulary.ts";
import { save } from "./file-access.ts";
import { fetchedOutput, nameOfUrl } from "./network.ts";

/** Programs that copy between this machine and another place. */
export const remoteCopy: Field = {
  reaches: true,
  tellsChanges: true,
  programs: () => [
    program("rsync", "readsNothing namesHosts dangerous", {
      options: {
        flags: `-avrzPuhlptgoDqcxHAXS n|dry-run
          delete|delete-before|delete-during|delete-delay|delete-after|delete-excluded|del remove-source-files
          help version archive progress list-only`,
        values: `-fTBMe rsh filter exclude exclude-from include include-from files-from compare-dest copy-dest
          link-dest backup-dir suffix rsync-path port password-file log-file bwlimit timeout max-delete
          temp-dir chmod chown partial-dir info out-format modify-window max-size min-size compress-level`,
      },
      shellVariables: "RSYNC_RSH",
      effects: effectsOfRsync,
      run: runRemoteCopy,
      shellOptions: { names: "e rsh" },
    }),
    program("scp pscp", "readsNothing namesHosts dangerous", {
      uses: "i F",
      options: { flags: "-rpqvC346BTO", values: "-iPFoclSJDX", abbreviates: false },
      effects: effectsOfScp,
      run: runRemoteCopy,
      shellOptions: { names: "o S", prefix: /^ProxyCommand[ =]\s*/i },
    }),
    program("rclone", "readsNothing changesMore", {
      options: {
        flags: "-Pv dry-run|n help|h",
        values: `config transfers checkers exclude include filter bwlimit log-file log-level backup-dir max-age
          min-age max-size min-size suffix exclude-from include-from files-from filter-from max-delete
          max-depth compare-dest copy-dest`,
        abbreviates: false,
      },
      effects: call => [...effectsOfRclone(call), ...effectsOfUpload(call)],
      operations: [
        "cloud.backup delete|purge|deletefile|cleanup|rmdirs | delete files at the remote | safer rclone ls {rest} | stops rclone delete web",
      ],
    }),
    program("chezmoi yadm homesick homeshick mackup rcup vcsh", "readsNothing changesMore", {
      effects: filledHome,
      shows: "status diff list log show managed unmanaged data doctor cd cat dump",
    }),
    program("robocopy", "changesMore", { effects: effectsOfRobocopy }),
    program("croc wormhole magic-wormhole b2 pastebinit gdrive", "changesMore", { effects: readsAndUploads }),
  ],
};

/** Keepers of the files of a home put them there. */
function filledHome({ options, operands, scope }: ParsedCall): readonly ProgramEffect[] {
  const action = operands.map(describe)[0] ?? "";
  const isPut = /^(?:apply|update|init|clone|restore|link|pull|upgrade|checkout)?$/.test(action);
  if (!isPut || options.has("n", "dry-run", "version", "help")) return [];
  return [{ kind: "write", path: text(scope.session.context.home), how: "replace", isInto: true }];
}

/** `host:path` and `rsync://`; a drive letter or a slash before the colon is a local path. */
function isRemotePath(value: Value): boolean {
  const known = knownPrefix(value);
  return (
    /^[^/:]+:/.test(known) ||
    /^\[[^\]]+\]:/.test(known) ||
    (/^[^/]*:/.test(describe(value)) && !known.startsWith("/"))
  );
}

/** A copy that comes from the other side holds what it has. */
function runRemoteCopy(call: ParsedCall): Output {
  const isThere = (value: Value) => /^[^/:]+:|^\w+:\/\//.test(knownText(value) ?? "");
  const target = call.operands.at(-1);
  for (const source of target === undefined || isThere(target) ? [] : call.operands.slice(0, -1)) {
    if (target === undefined || !isThere(source)) continue;
    save(target, [fetchedOutput(call)], call);
    const name = nameOfUrl(source);
    if (name !== undefined) save(joinPath(joinPath(call.cwd, target), name), [fetchedOutput(call)], call);
  }
  return [unknownOutput(call)];
}

function effectsOfRsync({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const destination = operands.at(-1);
  if (options.isOn("n") || options.isOn("list-only") || destination === undefined || operands.length < 2)
    return [];
  const sources = operands.slice(0, -1);
  const isSent = isRemotePath(destination);
  const isPart = options.has(
    "exclude",
    "exclude-from",
    "filter",
    "f",
    "files-from",
    "include",
    "include-from",
  );
  const sent = payloads("file", sources).map(payload => ({ ...payload, isPart }));
  const emptied = options.has("remove-source-files") ? sources : [];
  return [
    ...(isSent
      ? [...sendEffect(destination, sent), ...putThere(destination)]
      : copiesInto(destination, sources)),
    ...(options.has("delete") ? [mirrorEffect(isSent ? pathThere(destination) : destination, isSent)] : []),
    ...emptied.map(
      (path): DeleteEffect => ({ kind: "delete", path, isRecursive: true, isContentsOnly: true }),
    ),
  ];
}

function copiesInto(destination: Value, sources: readonly Value[]): readonly ProgramEffect[] {
  const reads = sources
    .filter(value => !isRemotePath(value))
    .map((path): ProgramEffect => ({ kind: "read", path, isCopy: true }));
  return [...reads, { kind: "write", path: destination, how: "replace", isInto: true }];
}

/** The path on the other machine; relative ones belong to the home there. */
function pathThere(destination: Value): Value {
  const shown = describe(destination);
  const path = shown.slice(shown.indexOf(":") + 1);
  return text(path === "" ? "." : path.startsWith("/") ? path : `~/${path}`);
}

/** Making a place equal to another one deletes what is only there. */
function mirrorEffect(destination: Value, isRemote: boolean): ProgramEffect {
  const effect = { kind: "delete", isRecursive: true, isContentsOnly: true, isMirror: true } as const;
  return isRemote
    ? { ...effect, path: destination, place: { kind: "remote", via: "copy", host: undefined } }
    : { ...effect, path: destination };
}

function effectsOfScp(call: ParsedCall): readonly ProgramEffect[] {
  const { operands } = call;
  const destination = operands.at(-1);
  if (destination === undefined) return [];
  if (!isRemotePath(destination))
    return (
      singleFiles(operands.slice(0, -1), destination, call.options.isOn("r"), call) ?? [
        { kind: "write", path: destination, how: "replace", isInto: true },
      ]
    );
  const local = operands.slice(0, -1).filter(value => !isRemotePath(value));
  return [...sendEffect(destination, payloads("file", local)), ...putThere(destination)];
}

/** Files by their names, without what lies below folders: nothing else in the folder is touched. */
function singleFiles(
  sources: readonly Value[],
  destination: Value,
  isRecursive: boolean,
  { cwd, scope }: ParsedCall,
): readonly ProgramEffect[] | undefined {
  const place = knownText(joinPath(cwd, destination));
  const isFolder = place !== undefined && scope.session.context.files?.kind(place) === "directory";
  const names = sources.map(nameOfUrl);
  if (isRecursive || !isFolder) return undefined;
  if (names.some(name => name === undefined || /[*?[{]/.test(describe(name)))) return undefined;
  return names.flatMap(name =>
    name === undefined ? [] : [{ kind: "write", path: joinPath(destination, name), how: "replace" } as const],
  );
}

/** What is copied to a machine that people use is deployed there. */
function putThere(destination: Value): readonly ProgramEffect[] {
  const target = describe(destination);
  const [host = ""] = target.split(":");
  return [{ kind: "operation", rule: "deploy.production", what: CHANGE, target, names: [host] }];
}

function effectsOfRclone({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const [action, source, destination] = operands;
  if (options.isOn("dry-run") || action === undefined || source === undefined || destination === undefined)
    return [];
  if (/^(?:bi)?sync$/.test(knownText(action) ?? ""))
    return [mirrorEffect(destination, isRemotePath(destination))];
  return isRemotePath(destination)
    ? []
    : [{ kind: "write", path: destination, how: "replace", isInto: true }];
}

function effectsOfRobocopy({ argv }: ParsedCall): readonly ProgramEffect[] {
  const words = argv.map(describe);
  const isMirror =
    words.some(word => /^\/(mir|purge)$/i.test(word)) && !words.some(word => /^\/l$/i.test(word));
  return isMirror && argv[2] !== undefined ? [mirrorEffect(argv[2], false)] : [];
}

const UPLOAD =
  /^(aws s3 (cp|mv|sync)|aws s3api put-object|gsutil (-m )?(cp|rsync|mv)|gcloud storage (cp|rsync)|rclone (copy|copyto|move|sync|rcat)|gh gist create|gh release upload|croc send|wormhole send|magic-wormhole send|az storage blob upload|az storage (blob|file|fs directory) upload(-batch)?|b2 (upload-file|file upload)|mc (cp|mirror)|s3cmd put|pastebinit|transfer|gdrive upload|dropbox_uploader(\.sh)? upload)/;

/** Local operands leave for a store: `aws s3 cp FILE s3://…`, `gh gist create`, `croc send`. */
export function effectsOfUpload(call: ParsedCall): readonly ProgramEffect[] {
  const shown = call.argv.map(describe);
  if (!UPLOAD.test([call.program, ...shown.slice(1)].join(" "))) return [];
  if (call.options.isOn("dry-run", "dryrun")) return [];
  const operands = call.argv.slice(2).filter(word => !knownPrefix(word).startsWith("-"));
  const isAddress = (word: Value) => /^[a-z0-9]+:/i.test(describe(word));
  const isOneWay = /^(gh|croc|wormhole)$/.test(call.program);
  const target = operands.at(-1);
  const goesOut =
    isOneWay ||
    (target !== undefined && isAddress(target)) ||
    shown.some(word => /^(--body|-f|--file|-s|--source)$/.test(word));
  if (!goesOut) {
    const sources = operands.filter(isAddress);
    if (sources.length === 0 || target === undefined) return [];
    const isRecursive = shown.some(word => /^(?:--recursive|-[rR]|sync|rsync|mirror|copy)$/.test(word));
    return (
      singleFiles(sources, target, isRecursive, call) ?? [
        { kind: "write", path: target, how: "replace", isInto: true },
      ]
    );
  }
  const files = operands.filter(word => !isAddress(word));
  return sendEffect(target, [...payloads("file", files), ...stdinPayloads(call)]);
}

export function readsAndUploads(call: ParsedCall): readonly ProgramEffect[] {
  return [...listReads(undefined, call), ...effectsOfUpload(call)];
}

/** `-f name=@file` of a forge's command line: the value, or the file it names. */
export function fieldPayload(value: Value): { readonly value: Value; readonly role: "file" | "body" } {
  const file = /^[^=]*=@/.exec(knownPrefix(value));
  return file === null ? { value, role: "body" } : { value: dropKnown(value, file[0].length), role: "file" };
}

/** A backup to a repository on another machine. */
export function effectsOfRestic({
  options,
  operands: [action, ...files],
}: ParsedCall): readonly ProgramEffect[] {
  const repository = options.valueOf("r", "repo");
  const isSent =
    repository !== undefined && /^(sftp|s3|b2|rest|azure|gs|swift|rclone):/.test(describe(repository));
  const isBackup = action !== undefined && describe(action) === "backup" && !options.has("n");
  return isSent && isBackup ? sendEffect(repository, payloads("file", files)) : [];
}

const RESTORES = /^(?:restore|extract|unpack|untar|unzip|recover)$/;
const ANY_OPTION: OptionGrammar = { abbreviates: false, unknownTakesValue: true, values: "t" };
/** Options that name the folder into which something is brought back. */
const INTO = words(
  "t target dest destination to into restore-path restore-dir target-dir output-dir prefix root",
);

/** What a copy is brought back into, by whatever program: the folder that is named, or the one where it is done. */
export function restoredInto(call: ParsedCall, otherwise?: Value): readonly ProgramEffect[] {
  const options = parseOptions(call.argv, ANY_OPTION);
  const isRestoring = options.operandValues.slice(0, 2).some(word => RESTORES.test(describe(word)));
  if (!isRestoring || onlyTells(options)) return [];
  const path = options.valueOf(...INTO) ?? otherwise;
  return path === undefined
    ? []
    : [{ kind: "write", path: withHome(path, call), how: "extract", isInto: true }];
}
