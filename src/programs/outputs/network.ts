import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { baseName, joinPath } from "../../shell/paths.ts";
import { describe, hasUnknown, knownText, text, type Value, withOrigins } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import { writeContents } from "../../shell/walk/file-contents.ts";
import { NO_OUTPUT, type Output } from "../../shell/walk/output.ts";

/** Programs that bring bytes from elsewhere; what they print or save has the network as origin. */

function fetched(call: ProgramCall): Value {
  return withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }]);
}

function save(path: Value, call: ProgramCall): void {
  writeContents(path, [fetched(call)], false, {
    cwd: call.cwd,
    scope: call.scope,
    invocation: call.id,
    span: call.span,
  });
}

/** The file a URL is saved as: its last path component. */
function nameOfUrl(url: Value): Value | undefined {
  const name = hasUnknown(url)
    ? ""
    : baseName(
        describe(url)
          .replace(/[?#].*$/, "")
          .replace(/^[^/:]+:(?!\/)/, ""),
      );
  return name === "" ? undefined : text(name);
}

const CURL: OptionGrammar = {
  flags:
    "-012346aBfgGijJkIlLMnNpqRsSvVZ# O|remote-name|remote-name-all silent location fail insecure compressed show-error verbose include head get remote-header-name",
  values:
    "-AbcCdDeEFHKmPQrtTuUwxXyYz o|output output-dir request header data data-raw data-binary data-urlencode form user url user-agent upload-file config max-time connect-timeout retry retry-delay proxy cacert cert key cookie cookie-jar write-out resolve json range referer interface dump-header",
};

const curl: Model = call => {
  const parsed = parseOptions(call.argv, CURL);
  const folder = parsed.valueOf("output-dir");
  const outputs = parsed.valuesOf("o").filter(path => knownText(path) !== "-");
  const urls = [...parsed.operands.map(operand => operand.value), ...parsed.valuesOf("url")];
  const names = parsed.has("O") ? urls.flatMap(url => nameOfUrl(url) ?? []) : [];
  for (const path of [...outputs, ...names])
    save(folder === undefined ? path : joinPath(joinPath(call.cwd, folder), path), call);
  return outputs.length > 0 || names.length > 0 ? NO_OUTPUT : [fetched(call)];
};

const WGET: OptionGrammar = {
  flags: "-bcdEFhkKLmNpqrSvVxH46 quiet no-check-certificate continue no-verbose recursive show-progress",
  values:
    "-oaetTwQUiBlAD O|output-document P|directory-prefix output-file header user-agent post-data post-file tries timeout method body-data body-file",
  optional: "-n",
};

const wget: Model = call => {
  const parsed = parseOptions(call.argv, WGET);
  const output = parsed.valueOf("O");
  if (output !== undefined && knownText(output) === "-") return [fetched(call)];
  const folder = parsed.valueOf("P");
  const names =
    output !== undefined ? [output] : parsed.operands.flatMap(({ value }) => nameOfUrl(value) ?? []);
  for (const path of names)
    save(folder === undefined ? path : joinPath(joinPath(call.cwd, folder), path), call);
  return NO_OUTPUT;
};

const ARIA: OptionGrammar = {
  flags: "-qc",
  values: "-xsj o|out|O d|dir",
};

/** aria2c, axel, fetch, http: an option names the file, otherwise the URL does or it is printed. */
function downloader(prints: boolean): Model {
  return (call): Output => {
    const parsed = parseOptions(call.argv, ARIA);
    const given = parsed.valueOf("o");
    const output = given !== undefined && knownText(given) === "-" ? undefined : given;
    const names =
      output !== undefined
        ? [output]
        : prints
          ? []
          : parsed.operands.flatMap(({ value }) => nameOfUrl(value) ?? []);
    for (const path of names) save(path, call);
    return prints && output === undefined ? [fetched(call)] : NO_OUTPUT;
  };
}

/** `scp host:file .`, `rsync host:file .`: the copy comes from the other side. */
const remoteCopy: Model = call => {
  const operands = parseOptions(call.argv, {
    flags: "-346BCpqrTvaznuhPRLkl",
    values: "-cFiJlPoSXDe rsh exclude include filter",
  }).operands.map(operand => operand.value);
  const target = operands.at(-1);
  const sources = operands.slice(0, -1).filter(source => isRemote(source));
  if (target === undefined || isRemote(target)) return [unknownOutput(call)];
  for (const source of sources) {
    save(target, call);
    const name = nameOfUrl(source);
    if (name !== undefined) save(joinPath(joinPath(call.cwd, target), name), call);
  }
  return [unknownOutput(call)];
};

export function isRemote(value: Value): boolean {
  return /^[^/:]+:|^\w+:\/\//.test(knownText(value) ?? "");
}

const printing: Model = call => [fetched(call)];

export const networkModels: readonly (readonly [string, Model])[] = [
  ["curl", curl],
  ["curlie", curl],
  ["wget", wget],
  ["wget2", wget],
  ["aria2c", downloader(false)],
  ["axel", downloader(false)],
  ...["http", "https", "httpie", "xh", "xhs", "fetch"].map(name => [name, downloader(true)] as const),
  ["scp", remoteCopy],
  ["rsync", remoteCopy],
  ...[
    "nc",
    "ncat",
    "netcat",
    "telnet",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "dig",
    "nslookup",
    "host",
    "ftp",
    "lftp",
    "sftp",
  ].map(name => [name, printing] as const),
];
