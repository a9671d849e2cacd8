import {
  baseName,
  describe,
  dropKnown,
  hasUnknown,
  joinPath,
  knownPrefix,
  knownText,
  NO_OUTPUT,
  type Output,
  type Payload,
  type ProgramCall,
  type ProgramEffect,
  runInner,
  text,
  unknownOutput,
  type Value,
  withOrigins,
} from "../../shell/index.ts";
import { payloads, plainReads, sendEffect, sendStdin, stdinPayloads } from "../model/effects.ts";
import { commands, type Field, type ParsedCall, program } from "../model/program.ts";
import { runOptionText, splitString } from "../model/run.ts";
import { fileInput, knownStdin, save } from "./file-access.ts";
import { engineInput, engineRequests, otherAddresses, requestLosses } from "./requests.ts";

const DOWNLOAD_OPTIONS = {
  flags: "-qc help version",
  values: "-xsj o|out|output|O d|dir max-connection-per-server split",
  abbreviates: false,
} as const;

/** Programs that speak to other machines: what they print or save comes from there, what they are given goes there. */
export const network: Field = {
  reaches: true,
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("curl curlie", "fetches readsNothing dangerous guessed", {
      options: {
        flags: `-sSLfkviJgNnpR012346aBlMVqZ#j silent show-error location fail insecure verbose include I|head
          O|remote-name|remote-name-all G|get globoff no-buffer compressed netrc proxytunnel remote-time
          append version help parallel fail-with-body create-dirs remote-header-name`,
        values: `-AbcCDeEmPQrtUwyYz X|request d|data|data-ascii|data-binary|json data-raw data-urlencode F|form
          form-string T|upload-file o|output H|header u|user user-agent referer x|proxy cookie cookie-jar
          K|config max-time connect-timeout retry retry-delay retry-max-time write-out range continue-at cert
          key cacert capath time-cond resolve connect-to interface limit-rate url output-dir ciphers
          telnet-option ftp-port quote proxy-user max-redirs oauth2-bearer unix-socket|abstract-unix-socket
          dns-servers doh-url stderr trace trace-ascii dump-header max-filesize url-query aws-sigv4
          expand-data variable`,
      },
      effects: effectsOfCurl,
      run: runCurl,
    }),
    program("wget wget2", "fetches readsNothing dangerous guessed", {
      options: {
        flags:
          "-bcdEFhkKLmNpqrSvVxH46 quiet continue recursive nc nv no-check-certificate no-verbose show-progress help version spider",
        values: `-oaeUtTwQiBlAD O|output-document P|directory-prefix output-file header user-agent post-data
          post-file body-data body-file method user password tries timeout input-file execute use-askpass`,
        optional: "n",
      },
      effects: effectsOfWget,
      run: runWget,
      shellOptions: { names: "use-askpass" },
    }),
    program("aria2c axel", "fetches readsNothing changesMore", {
      options: {
        ...DOWNLOAD_OPTIONS,
        values: `${DOWNLOAD_OPTIONS.values} on-download-complete on-download-error on-download-start on-download-stop`,
      },
      effects: effectsOfDownload,
      run: call => runDownload(call, false),
      shellOptions: {
        names: "on-download-complete on-download-error on-download-start on-download-stop",
      },
    }),
    program("fetch", "fetches changesMore", {
      options: DOWNLOAD_OPTIONS,
      effects: effectsOfDownload,
      run: call => runDownload(call, true),
    }),
    program("http https httpie xh xhs", "fetches readsNothing", {
      options: {
        flags: "-qc download help version offline",
        values: "-aAsp auth o|output|O style print session proxy timeout d|dir",
        abbreviates: false,
      },
      effects: effectsOfHttpie,
      run: call => runDownload(call, true),
    }),
    program("nc netcat nc.openbsd nc.traditional", "fetches socket readsNothing dangerous", {
      options: { flags: "-46bCDdFhklNnrStUuvZz", values: "-ceIiMmOPpqsTVWwXx" },
      effects: sendInput,
      run: printFetched,
      shellOptions: { names: "e c" },
    }),
    program("ncat", "fetches socket readsNothing dangerous", {
      options: { flags: "-46klnuvCU ssl", values: "-ecmdopsiwgG exec sh-exec lua-exec" },
      effects: sendInput,
      run: printFetched,
      shellOptions: { names: "e c exec sh-exec" },
    }),
    program("telnet", "fetches socket readsNothing", { effects: sendInput, run: printFetched }),
    program("tftp", "fetches readsNothing changesMore", { effects: sendSession }),
    program("socat", "fetches socket readsNothing dangerous changesMore", {
      effects: call => [...sendInput(call), ...sendFiles(call)],
      run: call => {
        runSocatAddresses(call);
        return undefined;
      },
    }),
    program("yt-dlp youtube-dl", "fetches readsNothing", {
      options: { values: "-oPfiaU exec exec-before-download output format", abbreviates: false },
      shellOptions: { names: "exec exec-before-download" },
    }),
    program("lynx w3m links elinks", "fetches changesMore", {
      effects: call => [
        ...plainReads(call.operands),
        ...sendEffect(call.operands[0], payloads("address", call.operands)),
      ],
      run: printFetched,
    }),
    program("lwp-request GET gopher", "fetches changesMore", {
      effects: ({ operands }) => sendEffect(operands.at(-1), payloads("address", operands)),
    }),
    program("dig nslookup host drill", "fetches readsNothing", { effects: lookUpNames, run: printFetched }),
    program("ping", "readsNothing", { effects: lookUpNames }),
    program("sftp", "fetches readsNothing changesMore", {
      uses: "i F",
      options: { values: "-BbcDFiJloPRSsX" },
      effects: sendSession,
      run: printFetched,
      shellOptions: { names: "o S", prefix: /^ProxyCommand[ =]\s*/i },
    }),
    program("ftp lftp ncftpput smbclient cadaver", "fetches readsNothing changesMore", {
      effects: sendSession,
      run: printFetched,
      shellLines: /^[ \t]*!(.*)$/gm,
    }),
    program("mail mailx mutt sendmail msmtp swaks s-nail", "readsNothing keepsTexts", {
      options: { values: "-saAcbrqS", abbreviates: false },
      effects: call =>
        sendEffect(undefined, [...payloads("file", call.options.valuesOf("a", "A")), ...stdinPayloads(call)]),
    }),
    program("cryptcat pwncat", "socket changesMore"),
    program("tcpdump", "changesMore", { options: { values: "z" }, shellOptions: { names: "z" } }),
    commands([
      "grpcurl evans grpc_cli: cloud.api …*/Delete*|*/Destroy*|*/Purge*|*/Terminate*|*/Drop*|*.Delete* | delete something on another machine | stops grpcurl thing shop.Orders/DeleteAll web | passes grpcurl thing list web",
    ]),
  ],
};

/** What a program prints that comes from another machine. */
export function fetchedOutput(call: ProgramCall): Value {
  return withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }]);
}

function printFetched(call: ProgramCall): Output {
  return [fetchedOutput(call)];
}

/** The file a URL is saved as: its last path component. */
export function nameOfUrl(url: Value): Value | undefined {
  if (hasUnknown(url)) return undefined;
  const name = baseName(
    describe(url)
      .replace(/[?#][\s\S]*$/, "")
      .replace(/^[^/:]+:(?!\/)/, ""),
  );
  return name === "" ? undefined : text(name);
}

function saveFetched(names: readonly Value[], folder: Value | undefined, call: ParsedCall): void {
  for (const path of names)
    save(
      folder === undefined ? path : joinPath(joinPath(call.cwd, folder), path),
      [fetchedOutput(call)],
      call,
    );
}

/** Where downloads go: named files, and directories in which the other side chooses the names. */
function downloads(
  files: readonly Value[],
  directory: Value | undefined,
  isFilled: boolean,
): readonly ProgramEffect[] {
  const named = files
    .filter(value => knownText(value) !== "-")
    .map(file => (directory === undefined ? file : joinPath(directory, file)));
  const writes = named.map((path): ProgramEffect => ({ kind: "write", path, how: "replace" }));
  if (!isFilled) return writes;
  return [...writes, { kind: "write", path: directory ?? text("."), how: "create", isInto: true }];
}

function addressesOfCurl({ operands, options }: ParsedCall): readonly Value[] {
  return [...operands, ...options.valuesOf("url")];
}

/** `--config FILE`: its lines are options, as if they stood here. */
function runConfigured(call: ParsedCall): void {
  for (const content of fileInput(call, call.options.valuesOf("K"))) {
    const lines = (knownText(content) ?? "").slice(0, MAX_CONFIG).split("\n");
    const given = lines.flatMap(line => {
      const [, dash, name = "", value = ""] = CONFIG_LINE.exec(line) ?? [];
      const option = dash === undefined || dash === "" ? `--${name}` : `${dash}${name}`;
      const bare = value.replace(/^"((?:[^"\\]|\\.)*)"[\s\S]*$/, "$1");
      return name === "" || /^-{0,2}(?:K|config)$/.test(option)
        ? []
        : [option, ...(bare === "" ? [] : [bare])];
    });
    if (given.length > 0)
      runInner([...call.argv.slice(0, 1), ...given.map(word => text(word))], call, { stdin: undefined });
  }
}

const MAX_CONFIG = 16 * 1024;
/** `upload-file = "x"`, `-T x`; a line that begins with a hash says nothing. */
const CONFIG_LINE = /^[ \t]*(-{0,2})([A-Za-z][\w-]*)(?:[ \t]*[=: \t][ \t]*(.*\S))?[ \t]*$/;

function runCurl(call: ParsedCall): Output {
  runConfigured(call);
  const outputs = call.options.valuesOf("o").filter(path => knownText(path) !== "-");
  const names = call.options.has("O") ? addressesOfCurl(call).flatMap(url => nameOfUrl(url) ?? []) : [];
  saveFetched([...outputs, ...names], call.options.valueOf("output-dir"), call);
  return outputs.length > 0 || names.length > 0 ? NO_OUTPUT : [fetchedOutput(call)];
}

function effectsOfCurl(call: ParsedCall): readonly ProgramEffect[] {
  const { options } = call;
  if (options.has("V")) return [];
  const addresses = addressesOfCurl(call);
  const sent = [
    ...options.options.flatMap(({ name, value }) =>
      value === undefined ? [] : payloadsOfCurl(name, value, call),
    ),
    ...payloads("address", [...addresses, ...otherAddresses(options)]),
  ];
  return [
    ...addresses.flatMap(readLocalFile),
    ...sendEffect(addresses[0], sent),
    ...downloads(options.valuesOf("D", "c"), undefined, false),
    ...downloads(options.valuesOf("o"), options.valueOf("output-dir"), options.has("O")),
    ...addresses.flatMap(address => lossesAt(describe(address), options.valueOf("X"), sent)),
    ...engineRequests(addresses, call),
  ];
}

/** What one option of curl sends. `@` in front of a value names a file. */
function payloadsOfCurl(name: string, value: Value, call: ParsedCall): readonly Payload[] {
  switch (name) {
    case "d":
      return formPayload(value, /^@/, "body", call);
    case "data-raw":
    case "form-string":
    case "expand-data":
      return [{ value, role: "body" }];
    case "data-urlencode":
      return formPayload(value, /^[^=@]*@/, "body", call);
    // What begins with a plus is taken as it is.
    case "url-query":
      return formPayload(value, /^(?!\+)[^=@]*@/, "body", call);
    case "F":
      return formPayload(value, /^[^=]*=[@<]/, "body", call);
    case "T":
      return filePayload(value, call);
    case "H":
    case "b":
    case "cookie":
    case "A":
    case "user-agent":
    case "e":
    case "referer":
    case "u":
      return formPayload(value, /^@/, "header", call);
    default:
      return [];
  }
}

function formPayload(
  value: Value,
  file: RegExp,
  role: Payload["role"],
  call: ParsedCall,
): readonly Payload[] {
  const found = file.exec(knownPrefix(value));
  return found === null
    ? [{ value, role }]
    : filePayload(withoutFormOptions(dropKnown(value, found[0].length)), call);
}

function filePayload(value: Value, call: ParsedCall): readonly Payload[] {
  const isStdin = knownText(value) === "-" || knownText(value) === ".";
  return isStdin ? stdinPayloads(call) : [{ value, role: "file" }];
}

/** `-F f=@path;type=text/plain` */
function withoutFormOptions(value: Value): Value {
  const known = knownText(value);
  const semicolon = known?.indexOf(";") ?? -1;
  return known === undefined || semicolon < 0 ? value : text(known.slice(0, semicolon), value.origins);
}

/** `file:///etc/shadow` is no address but a way to show a file. */
function readLocalFile(address: Value): readonly ProgramEffect[] {
  const scheme = /^file:\/\/(localhost)?(?=\/)/i.exec(knownPrefix(address));
  return scheme === null ? [] : [{ kind: "read", path: dropKnown(address, scheme[0].length), isCopy: false }];
}

/** What a request with these payloads deletes where it goes. */
function lossesAt(
  address: string,
  method: Value | undefined,
  sent: readonly Payload[],
): readonly ProgramEffect[] {
  const listTexts = (role: Payload["role"]) =>
    sent.flatMap(payload => (payload.role === role ? (knownText(payload.value) ?? []) : []));
  return requestLosses({
    method: method === undefined ? undefined : describe(method),
    address,
    headers: listTexts("header"),
    bodies: listTexts("body"),
  });
}

/** Where people keep repositories of their own, open or closed. */
export function isForge(address: string): boolean {
  return /^(https:\/\/|(ssh:\/\/)?git@)(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[:/]/.test(
    address,
  );
}

function runWget(call: ParsedCall): Output {
  const output = call.options.valueOf("O");
  if (output !== undefined && knownText(output) === "-") return [fetchedOutput(call)];
  const names = output === undefined ? call.operands.flatMap(url => nameOfUrl(url) ?? []) : [output];
  saveFetched(names, call.options.valueOf("P"), call);
  return NO_OUTPUT;
}

function effectsOfWget({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const sent = [
    ...payloads("body", options.valuesOf("post-data", "body-data")),
    ...payloads("file", options.valuesOf("post-file", "body-file")),
    ...payloads("header", options.valuesOf("header", "U", "user-agent")),
    ...payloads("address", operands),
  ];
  const files = options.valuesOf("O");
  const isSaved = files.length === 0 && operands.length > 0 && !options.has("spider");
  return [
    ...sendEffect(operands[0], sent),
    ...downloads(files, undefined, false),
    ...downloads([], options.valueOf("P"), isSaved),
    ...operands.flatMap(address => lossesAt(describe(address), options.valueOf("method"), sent)),
  ];
}

/** An option names the file, otherwise the URL does or it is printed. */
function runDownload(call: ParsedCall, prints: boolean): Output {
  const given = call.options.valueOf("o");
  const output = given !== undefined && knownText(given) === "-" ? undefined : given;
  const named = prints ? [] : call.operands.flatMap(url => nameOfUrl(url) ?? []);
  saveFetched(output === undefined ? named : [output], undefined, call);
  return prints && output === undefined ? [fetchedOutput(call)] : NO_OUTPUT;
}

function effectsOfDownload({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const files = options.valuesOf("o");
  return [
    ...sendEffect(operands[0], payloads("address", operands)),
    ...downloads(files, options.valueOf("d"), files.length === 0 && operands.length > 0),
  ];
}

/** HTTPie and xh: items after the address are `name=value`, `name=@file`, `Header:value`. */
function effectsOfHttpie(call: ParsedCall): readonly ProgramEffect[] {
  // The request is only printed.
  if (call.options.isOn("offline")) return [];
  const [first, ...rest] = call.operands;
  const isMethod = first !== undefined && /^[A-Za-z]+$/.test(knownText(first) ?? "") && rest.length > 0;
  const [address, ...items] = isMethod ? rest : call.operands;
  const sent = items.map((value): Payload => {
    const file = /^[^=:@]*(:?=@|@)/.exec(knownPrefix(value));
    if (file !== null) return { value: dropKnown(value, file[0].length), role: "file" };
    return { value, role: /^[^=]+:[^=]/.test(knownPrefix(value)) ? "header" : "body" };
  });
  return [
    ...sendEffect(address, [
      ...sent,
      ...stdinPayloads(call),
      ...payloads("address", address === undefined ? [] : [address]),
    ]),
    ...downloads(call.options.valuesOf("o"), undefined, false),
    ...(address === undefined
      ? []
      : lossesAt(
          describe(address).replace(/^:(?=\/|\d|$)/, "localhost:"),
          isMethod ? first : undefined,
          sent,
        )),
  ];
}

function sendInput(call: ParsedCall): readonly ProgramEffect[] {
  return [...sendStdin(call, call.argv.slice(1)), ...engineInput(call)];
}

/** A name that is looked up is told to a stranger's server. */
function lookUpNames({ argv }: ParsedCall): readonly ProgramEffect[] {
  return sendEffect(undefined, payloads("body", argv.slice(1)));
}

/** `sftp host <<< 'put FILE'`, `lftp -e 'put FILE' host`: a session whose commands name what leaves. */
function sendSession(call: ParsedCall): readonly ProgramEffect[] {
  const { argv } = call;
  const lines = [...argv.slice(1), text(argv.slice(1).map(describe).join(" ")), ...knownStdin(call)];
  const named = lines.flatMap(value =>
    [
      ...(knownText(value) ?? "").matchAll(
        /(?:^|;|-c[ \t])[ \t]*(?:m?put|reput|send|append|mirror\s+(?:-\S+\s+)*(?:-R|--reverse))\s+(?:-\S+\s+)*([^\s;]+)/gm,
      ),
    ].map(match => match[1] ?? ""),
  );
  const { home } = call.scope.session.context;
  const files = [...new Set(named)].map(name => text(name.replace(/^~(?=\/|$)/, home)));
  const host = argv.slice(1).find(word => !knownPrefix(word).startsWith("-"));
  const sent = sendEffect(host, [...stdinPayloads(call), ...payloads("file", files)]);
  const lost = lines.some(value => REMOVES_THERE.test(knownText(value) ?? ""));
  if (!lost) return sent;
  const target = argv.map(describe).join(" ");
  const what = "delete something on another machine";
  return [...sent, { kind: "operation", rule: "cloud.api", what, target, names: [] }];
}

/** Lines of such a session, also where an option has them. */
const REMOVES_THERE =
  /(?:^|[;\n]|-[ec][ \t])[ \t]*(?:m?rm|rmdir|m?del(?:ete)?|deltree|mrm|glob rm)[ \t]+\S|\bmirror\b[^;\n]*[ \t]--delete/;

/** `socat FILE:x TCP:…` */
function sendFiles({ argv }: ParsedCall): readonly ProgramEffect[] {
  const host = argv.flatMap(
    word => /^(?:tcp|udp|sctp|openssl|ssl|socks|proxy)\w*:(?!\d)(.+)$/i.exec(describe(word))?.[1] ?? [],
  );
  const files = argv.slice(1).flatMap(word => {
    const [mark] = /^(?:file|open|gopen):/i.exec(knownPrefix(word)) ?? [];
    const path = mark === undefined ? undefined : dropKnown(word, mark.length);
    const known = path === undefined ? undefined : knownText(path);
    return path === undefined ? [] : [known === undefined ? path : text(known.replace(/,.*$/s, ""))];
  });
  return host[0] === undefined ? [] : sendEffect(text(host[0]), payloads("file", files));
}

/** `socat TCP:… EXEC:'cmd',pty`, `SYSTEM:'cmd'`. */
function runSocatAddresses(call: ParsedCall): void {
  for (const word of call.argv.slice(1)) {
    const match = /^(EXEC|SYSTEM|SHELL):/i.exec(knownPrefix(word));
    if (match === null) continue;
    const command = dropKnown(word, match[0].length);
    const known = knownText(command);
    const options = /,(?:pty|stderr|setsid|sigint|sane|ctty|nofork|pipes|fdin=\d+|fdout=\d+)\b/g;
    const trimmed = known === undefined ? command : text(known.replace(options, ""));
    if (match[1]?.toUpperCase() === "EXEC") runInner(splitString(trimmed), call, {}, "option");
    else runOptionText(trimmed, call);
  }
}
