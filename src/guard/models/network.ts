import { type OptionGrammar, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { describe, knownPrefix, knownText, text, type Value, wordAt } from "../../shell/value.ts";
import type { CommandEffect, Payload } from "../effects.ts";
import { words } from "../words.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";
import { isRemotePath } from "./mirrors.ts";
import { afterCharacters } from "./writing.ts";

const CURL: OptionGrammar = {
  values:
    "-AebcmwrCEztPQUDyY X|request d|data|data-ascii|data-binary|json data-raw data-urlencode F|form form-string T|upload-file o|output H|header u|user user-agent referer x|proxy cookie cookie-jar K|config max-time connect-timeout retry retry-delay retry-max-time write-out range continue-at cert key cacert capath time-cond resolve interface limit-rate url output-dir ciphers telnet-option ftp-port quote proxy-user max-redirs oauth2-bearer unix-socket dns-servers doh-url stderr trace trace-ascii dump-header max-filesize url-query aws-sigv4 expand-data variable",
  flags:
    "-sSLfkviJgNnpR012346aBlMVqZ silent show-error location fail insecure verbose include I|head O|remote-name|remote-name-all G|get globoff no-buffer compressed netrc proxytunnel remote-time append version help parallel fail-with-body create-dirs",
};

const curl: Model = call => {
  const options = readOptions(call, CURL);
  if (isOnlyHelp(options) || options.has("V")) return [];
  const payloads: Payload[] = [];
  const addFile = (value: Value) => {
    if (knownText(value) === "-" || knownText(value) === ".") addStdin(call, payloads);
    else payloads.push({ value, role: "file" });
  };
  for (const { name, value } of options.options) {
    if (value === undefined) continue;
    if (name === "d")
      startsWith(value, "@") ? addFile(afterCharacters(value, 1)) : payloads.push({ value, role: "body" });
    else if (name === "data-raw" || name === "form-string" || name === "expand-data")
      payloads.push({ value, role: "body" });
    else if (name === "data-urlencode") addForm(value, /^[^=@]*@/, addFile, payloads);
    // What begins with a plus is taken as it is.
    else if (name === "url-query") addForm(value, /^(?!\+)[^=@]*@/, addFile, payloads);
    else if (name === "F") addForm(value, /^[^=]*=[@<]/, addFile, payloads);
    else if (name === "T") addFile(value);
    else if (name === "H" || name === "b" || name === "A" || name === "e" || name === "u") {
      if (startsWith(value, "@")) addFile(afterCharacters(value, 1));
      else payloads.push({ value, role: "header" });
    }
  }
  const addresses = [...options.operands.map(operand => operand.value), ...options.valuesOf("url")];
  for (const value of addresses) payloads.push({ value, role: "address" });
  const queries = addresses.map(describe).filter(address => /\/_delete_by_query(\?|$)/.test(address));
  return [
    ...addresses.flatMap(address => localFile(call, address)),
    ...sendEffect(call, addresses[0], payloads),
    ...outputs(call, options.valuesOf("D", "c")),
    ...downloads(call, options),
    ...httpDelete(call, options, addresses),
    ...queries.flatMap(address => deleteAt(call, address)),
  ];
};

/** `file:///etc/shadow` is no address but a way to show a file. */
function localFile(call: Call, address: Value): readonly CommandEffect[] {
  const scheme = /^file:\/\/(localhost)?(?=\/)/i.exec(knownPrefix(address));
  return scheme === null
    ? []
    : [{ kind: "read", by: call.by, path: afterCharacters(address, scheme[0].length), isCopy: false }];
}

function addForm(value: Value, file: RegExp, addFile: (value: Value) => void, payloads: Payload[]): void {
  const found = file.exec(knownPrefix(value));
  if (found === null) payloads.push({ value, role: "body" });
  else addFile(withoutFormOptions(afterCharacters(value, found[0].length)));
}

/** `-F f=@path;type=text/plain` */
function withoutFormOptions(value: Value): Value {
  const known = knownText(value);
  const semicolon = known?.indexOf(";") ?? -1;
  return known === undefined || semicolon < 0
    ? value
    : { pieces: [{ kind: "text", text: known.slice(0, semicolon) }], origins: value.origins };
}

function startsWith(value: Value, prefix: string): boolean {
  return knownPrefix(value).startsWith(prefix);
}

export function addStdin(call: Call, payloads: Payload[]): void {
  const { stdin, redirections } = call.invocation;
  if (stdin !== undefined) payloads.push({ value: stdin, role: "body" });
  for (const redirection of redirections) {
    if (redirection.operation === "read") payloads.push({ value: redirection.target, role: "file" });
  }
}

export function sendEffect(
  call: Call,
  to: Value | undefined,
  payloads: readonly Payload[],
): readonly CommandEffect[] {
  return payloads.length === 0 ? [] : [{ kind: "send", by: call.by, to, payloads }];
}

/** `-o FILE` and `-O`, below the directory of `--output-dir`. */
function downloads(call: Call, options: ParsedOptions): readonly CommandEffect[] {
  const directory = options.valueOf("output-dir");
  const files = options.valuesOf("o");
  return [
    ...outputs(call, directory === undefined ? files : files.map(file => joinPath(directory, file))),
    ...(options.has("O") ? [filledDirectory(call, directory ?? text("."))] : []),
  ];
}

/** The names of the files are the other side's choice. */
function filledDirectory(call: Call, path: Value): CommandEffect {
  return { kind: "write", by: call.by, path, how: "create", isInto: true };
}

function outputs(call: Call, files: readonly Value[]): readonly CommandEffect[] {
  return files
    .filter(value => knownText(value) !== "-")
    .map(path => ({ kind: "write", by: call.by, path, how: "replace" }));
}

/** An HTTP DELETE to another machine. On this one a named thing may go, all indexes of a search engine at once not. */
function httpDelete(
  call: Call,
  options: ParsedOptions,
  addresses: readonly Value[],
): readonly CommandEffect[] {
  const method = options.valueOf("X");
  if (method === undefined || describe(method).toUpperCase() !== "DELETE") return [];
  return addresses.flatMap(address => deleteAt(call, describe(address)));
}

function deleteAt(call: Call, address: string): readonly CommandEffect[] {
  const isIndex =
    /:9[23]00\/|\/_delete_by_query/.test(address) || /(elastic|opensearch|\.es\.)/i.test(address);
  const isMany = /\/_delete_by_query|:9[23]00\/?($|\?|_all|[^/?]*\*)/.test(address);
  if (isLocalAddress(address) && !isMany) return [];
  const rule = isIndex ? "db.index" : "cloud.api";
  const what = isIndex ? "delete an index" : "delete something on another machine";
  return [{ kind: "operation", by: call.by, rule, what, target: address, names: [address] }];
}

/** The machine itself. Names that only look private, such as `.local` and `.test`, may lead anywhere. */
export function isLocalAddress(address: string): boolean {
  const host = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/^[^@/]*@/, "");
  return /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|::1|host\.docker\.internal|[a-z0-9-]+\.localhost)(?=[:/?]|$)/i.test(
    host,
  );
}

const wget: Model = call => {
  const options = readOptions(call, {
    values:
      "-oaUtTie O|output-document output-file P|directory-prefix post-data post-file body-data body-file method header user-agent user password tries timeout input-file execute",
    flags: "-qcrN quiet continue recursive nc nv no-check-certificate help version spider",
  });
  if (isOnlyHelp(options)) return [];
  const payloads: Payload[] = [
    ...options.valuesOf("post-data", "body-data").map(value => ({ value, role: "body" as const })),
    ...options.valuesOf("post-file", "body-file").map(value => ({ value, role: "file" as const })),
    ...options.valuesOf("header", "U").map(value => ({ value, role: "header" as const })),
    ...options.operands.map(({ value }) => ({ value, role: "address" as const })),
  ];
  const method = options.valueOf("method");
  const addresses = options.operands.map(operand => operand.value);
  const deletes =
    method !== undefined && describe(method).toUpperCase() === "DELETE"
      ? addresses.flatMap(address => deleteAt(call, describe(address)))
      : [];
  const files = options.valuesOf("O");
  const isSaved = files.length === 0 && addresses.length > 0 && !options.has("spider");
  return [
    ...sendEffect(call, addresses[0], payloads),
    ...outputs(call, files),
    ...(isSaved ? [filledDirectory(call, options.valueOf("P") ?? text("."))] : []),
    ...deletes,
  ];
};

/** HTTPie and xh: items after the address are `name=value`, `name=@file`, `Header:value`. */
const httpie: Model = call => {
  const options = readOptions(call, {
    values: "-aAosp auth output style print session proxy timeout",
    abbreviates: false,
  });
  const operands = options.operands.map(operand => operand.value);
  const isMethod =
    /^[A-Za-z]+$/.test(knownText(operands[0] ?? { pieces: [], origins: [] }) ?? "") && operands.length > 1;
  const [address, ...items] = isMethod ? operands.slice(1) : operands;
  const payloads: Payload[] = items.map((value): Payload => {
    const file = /^[^=:@]*(:?=@|@)/.exec(knownPrefix(value));
    if (file !== null) return { value: afterCharacters(value, file[0].length), role: "file" };
    return { value, role: /^[^=]+:[^=]/.test(knownPrefix(value)) ? "header" : "body" };
  });
  addStdin(call, payloads);
  if (address !== undefined) payloads.push({ value: address, role: "address" });
  const isDelete = isMethod && /^delete$/i.test(describe(operands[0] ?? { pieces: [], origins: [] }));
  const deletes = isDelete && address !== undefined ? deleteAt(call, describe(address)) : [];
  return [...sendEffect(call, address, payloads), ...deletes];
};

/** Whatever comes in is sent on. */
const socketTool: Model = call => {
  const payloads: Payload[] = [];
  addStdin(call, payloads);
  const host = call.argv.slice(1).find(word => !knownPrefix(word).startsWith("-"));
  return sendEffect(call, host, payloads);
};

const scp: Model = call => {
  const options = readOptions(call, {
    values: "-iPFoclSJDX",
    flags: "-rpqvC346BTO",
    abbreviates: false,
  });
  const operands = options.operands.map(operand => operand.value);
  const destination = operands.at(-1);
  if (destination === undefined) return [];
  const sources = operands.slice(0, -1);
  if (isRemotePath(destination)) {
    return sendEffect(
      call,
      destination,
      sources.filter(value => !isRemotePath(value)).map(value => ({ value, role: "file" })),
    );
  }
  return [{ kind: "write", by: call.by, path: destination, how: "replace", isInto: true }];
};

/** `sftp host <<< 'put FILE'`, `lftp -e 'put FILE' host`: a session whose commands name what leaves. */
const session: Model = call => {
  const payloads: Payload[] = [];
  addStdin(call, payloads);
  const { stdin } = call.invocation;
  for (const value of [...call.argv.slice(1), ...(stdin === undefined ? [] : [stdin])]) {
    const named = (knownText(value) ?? "").matchAll(/^\s*(?:m?put|reput|send|append)\s+(?:-\S+\s+)*(\S+)/gm);
    for (const name of new Set([...named].map(match => match[1] ?? "")))
      payloads.push({ value: text(name), role: "file" });
  }
  const host = call.argv.slice(1).find(word => !knownPrefix(word).startsWith("-"));
  return sendEffect(call, host, payloads);
};

/** `openssl s_client -connect host:443 < FILE` */
const openssl: Model = call => (describe(wordAt(call.argv, 1)) === "s_client" ? socketTool(call) : []);

/** A name that is looked up is told to a stranger's server. */
const lookup: Model = call =>
  sendEffect(
    call,
    undefined,
    call.argv.slice(1).map(value => ({ value, role: "body" })),
  );

const SSH: OptionGrammar = {
  values: "-bcDEeFIiJLlmOopQRSWw",
  flags: "-fNnTtvqAaCXYGgKkMsV46",
  stopsAtOperand: true,
  abbreviates: false,
};

const ssh: Model = call => {
  const options = parseOptions(call.argv, SSH);
  const [host, ...command] = options.operands.map(operand => operand.value);
  const payloads: Payload[] = command.map(value => ({ value, role: "body" }));
  addStdin(call, payloads);
  return sendEffect(call, host, payloads);
};

const mail: Model = call => {
  const options = readOptions(call, { values: "-saAcbrqS", abbreviates: false });
  const payloads: Payload[] = options.valuesOf("a", "A").map(value => ({ value, role: "file" }));
  addStdin(call, payloads);
  return sendEffect(call, undefined, payloads);
};
export const modelTable = (names: string, model: Model): ModelTable =>
  Object.fromEntries(words(names).map(name => [name, model]));

export const network: ModelTable = {
  ...modelTable("curl", curl),
  ...modelTable("wget wget2", wget),
  ...modelTable("http https xh xhs httpie", httpie),
  ...modelTable("nc ncat netcat nc.openbsd nc.traditional telnet socat tftp", socketTool),
  ...modelTable("sftp ftp lftp ncftpput", session),
  ...modelTable("openssl", openssl),
  ...modelTable("scp pscp", scp),
  ...modelTable("ssh mosh autossh", ssh),
  ...modelTable("dig nslookup host drill ping", lookup),
  ...modelTable("mail mailx mutt sendmail msmtp swaks s-nail", mail),
};
