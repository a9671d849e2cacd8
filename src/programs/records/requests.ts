import { isJsonObject, type Json, readJson } from "../../protocol/index.ts";
import {
  describe,
  knownPrefix,
  knownText,
  type Mount,
  normalisePath,
  type OperationEffect,
  type ParsedOptions,
  type ProgramCall,
  text,
  type Value,
  wordAt,
  wordSet,
} from "../../shell/index.ts";
import type { ParsedCall } from "../model/program.ts";
import {
  destroyingVerb,
  endsRunning,
  isWeakVerb,
  nameParts,
  namesEverybody,
  operationsSaid,
  paysOut,
  singular,
  takesOut,
} from "../model/vocabulary.ts";
import { sqlLosses } from "./sql.ts";

/** A request as far as it is known; texts that cannot be known are left out. */
export interface HttpRequest {
  readonly method: string | undefined;
  readonly address: string;
  readonly headers: readonly string[];
  readonly bodies: readonly string[];
}

/** Ends of an address that take something from others. */
function takesAway(part: string): boolean {
  return (
    destroyingVerb(part) !== undefined ||
    isWeakVerb(part) ||
    endsRunning(part) ||
    /^re(?:boot|start)$/.test(part)
  );
}

const ACTION_MEMBERS = wordSet("action type op operation command method mutation");
const SQL_MEMBERS = wordSet("sql query statement stmt q");
/** Members whose text is a command line for whoever gets the request. */
const COMMAND_MEMBERS = wordSet("command cmd commands script run exec shell entrypoint args startup_script");

/** What a request deletes where it goes: by its method, its path, or what its body asks for. */
export function requestLosses(request: HttpRequest): readonly OperationEffect[] {
  const { address, bodies } = request;
  if (isDelete(request) || /\/_delete_by_query(\?|$)/.test(address)) return deletionAt(address);
  if (isLocalAddress(address)) return [];
  const isSent = bodies.length > 0 || /^(post|put|patch)$/i.test(request.method ?? "");
  if (!isSent) return callsDeletion(address) ? deletionAt(address) : [];
  if (endsInVerb(address) || bodies.some(asksForDeletion)) return deletionAt(address);
  if (bodies.some(runsDeletion)) return deletionAt(address);
  if (/^(?:put|patch)$/i.test(request.method ?? "") && bodies.some(takesAnyOut)) return deletionAt(address);
  if (/\/git\/refs\//.test(address) && bodies.some(body => /\bforce["'=:\s]+true\b/i.test(body)))
    return [{ ...operationAt(address, "cloud.api", "replace what is published") }];
  if (bodies.some(asksForEverybody)) return [operationAt(address, "publish", "send it to people")];
  const said = saidByRequest(request);
  if (said.length > 0) return said;
  return bodies.flatMap(body => sqlIn(body).flatMap(sql => sqlLosses(text(sql), [address], undefined, "")));
}

/** A message whose text or whose recipients are everybody. */
function asksForEverybody(body: string): boolean {
  const read = readJson(body);
  const members = read.ok ? listMembers(read.value) : formFields(body);
  return members.some(
    ({ name, value }) =>
      /^(?:text|content|message|body|to|recipients?|address|emails?|destination|included_segments|segments?|audience|channel|topic|mentions?)$/i.test(
        name,
      ) && namesEverybody(value),
  );
}

const CREATES: Readonly<Record<string, string>> = { post: "create", put: "put", patch: "update" };
/** What is only asked for, in the words of an address. */
const ASKS = wordSet(
  "login signin token oauth authorize auth session query search graphql token-exchange introspect",
);

/** The words of an address and the method are a command: `PUT …/collaborators/bob` adds a collaborator. */
function saidByRequest({ method, address, bodies }: HttpRequest): readonly OperationEffect[] {
  const verb = CREATES[(method ?? "post").toLowerCase()];
  const path = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "").replace(/[?#][\s\S]*$/, "");
  const segments = path
    .split("/")
    .filter(segment => /^[a-z][a-z_-]{2,}$/i.test(segment))
    .slice(-3);
  if (verb === undefined || segments.length === 0 || segments.some(segment => ASKS.has(segment))) return [];
  const last = singular(segments.at(-1) ?? "");
  if (paysOut(verb, last)) return [operationAt(address, "cloud.api", "pay")];
  // `…/v3/mail/send`, `…/sites/x/deploys`
  if (
    (/^(?:send|broadcast)$/.test(last) && segments.length > 1) ||
    (last === "schedule" &&
      segments.some(segment => /^(?:singlesends?|campaigns?|broadcasts?)$/i.test(segment))) ||
    namesEverybody(path)
  )
    return [operationAt(address, "publish", "send it to people")];
  if (verb === "create" && last === "publish") return [operationAt(address, "publish", "publish it")];
  // `…/repos/x/keys`, `…/user/ssh-keys`
  if (last === "key" || /[-_]keys?$/.test(last)) return [operationAt(address, "grant.access", "give rights")];
  if (verb === "create" && /^(?:deploy|promote|rollback)$/.test(last))
    return [{ ...operationAt(address, "deploy.production", "deploy"), verdict: "ask" }];
  const options = bodies.flatMap(body => {
    const read = readJson(body);
    const members = read.ok ? listMembers(read.value) : formFields(body);
    // `…/settings/waf` with `{"value":"off"}`
    return members.map(({ name, value }) =>
      /^(?:value|enabled|state|status)$/i.test(name)
        ? { name: segments.at(-1) ?? name, value }
        : { name, value },
    );
  });
  return operationsSaid({ program: "", command: [...segments, verb], options }).flatMap(({ rule, what }) =>
    rule === "grant.access" || rule === "grant.protection" || rule === "cloud.public"
      ? [operationAt(address, rule, what)]
      : [],
  );
}

function listMembers(value: Json | undefined, name = ""): readonly Member[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, item]) => listMembers(item, key));
  if (Array.isArray(value)) return value.flatMap(item => listMembers(item, name));
  return value === undefined || value === null ? [] : [{ name, value: String(value) }];
}

function operationAt(address: string, rule: OperationEffect["rule"], what: string): OperationEffect {
  return { kind: "operation", rule, what, target: address, names: [address] };
}

/** What is written to a connection of a client that nobody knows: `client wss://… <<< '{"op":"delete"}'`. */
export function requestOfInput(argv: readonly Value[], stdin: Value | undefined): readonly OperationEffect[] {
  const given = argv.map(describe);
  const body = (stdin === undefined ? undefined : knownText(stdin)) ?? "";
  const address = given.find(one => /^(?:wss?|https?|grpcs?|tcp|mqtts?|amqps?):\/\//i.test(one));
  // A script of requests: `DELETE https://…` on a line of its own.
  const written = [...body.matchAll(/^[ \t]*(DELETE|PUT|PATCH|POST)\s+(https?:\/\/\S+)/gm)].flatMap(
    ([, method, to = ""]) => requestLosses({ method, address: to, headers: [], bodies: [] }),
  );
  if (address === undefined) return written;
  const bodies = [body, ...given.filter(one => /^\s*\{/.test(one))];
  return [...written, ...requestLosses({ method: "post", address, headers: [], bodies })];
}

/** `--method delete --url https://…`: a request that a program makes which does much else. */
export function requestOfOptions(options: ParsedOptions, argv: readonly Value[]): readonly OperationEffect[] {
  const [first = "", second = ""] = options.operandValues.slice(0, 2).map(describe);
  // `client delete https://…`
  const named = /^(?=\S*?\S(?::\/\/|\.[a-z]{2,}\/)\S)\S+$/i.test(second) ? first : undefined;
  /** Values of options of one letter, whose grammar is not known. */
  const behind = (letters: RegExp): readonly string[] =>
    argv.flatMap((word, index) =>
      index > 0 && letters.test(describe(wordAt(argv, index - 1))) ? [describe(word)] : [],
    );
  const [method = named] = [
    ...options.valuesOf("method", "request", "http-method").map(describe),
    ...behind(/^-X$/),
  ];
  if (method === undefined || !/^(?:delete|post|put|patch)$/i.test(method)) return [];
  const given = [
    ...options.valuesOf("url", "uri", "path", "endpoint", "target-uri"),
    ...options.operandValues.slice(method === named ? 1 : 0),
  ]
    .map(describe)
    .filter(one => one !== method);
  const address =
    given.find(one => one.includes("://")) ??
    // On this machine an address does without; what is then left may be where the answer goes.
    given.find(isLocalAddress) ??
    given.find(one => /^\/?[\w-]+\/\S+$/.test(one));
  const bodies = options
    .valuesOf("body", "data", "input", "json", "field", "raw-field")
    .map(describe)
    .concat(behind(/^-[dfF]$/));
  return address === undefined ? [] : requestLosses({ method, address, headers: [], bodies });
}

function isDelete({ method, headers }: HttpRequest): boolean {
  return (
    /^(?:delete|purge)$/i.test(method ?? "") ||
    headers.some(header => /^x-(http-)?method(-override)?\s*:\s*delete\s*$/i.test(header))
  );
}

/** `…/projects/42/delete`, `…/projects/42:delete` */
function endsInVerb(address: string): boolean {
  const last = /[/:]([A-Za-z_.-]+)\/?(?:[?#][\s\S]*)?$/.exec(address)?.[1] ?? "";
  return nameParts(last).some(takesAway) || switchesOff(last);
}

/** Some interfaces take every call as a question: `https://api.example.com/bot1/deleteWebhook`. */
function callsDeletion(address: string): boolean {
  const last =
    /^(?=https?:\/\/[^/]*\bapi\b)[^?#]*\/([a-z]+[A-Z]\w*)(?:[?#][\s\S]*)?$/.exec(address)?.[1] ?? "";
  // `?Command=domains.dns.setCustom`
  const [, asked = ""] = /[?&](?:action|command|cmd|method|operation|op)=([\w.:-]+)/i.exec(address) ?? [];
  return (
    destroyingVerb(nameParts(last)[0] ?? "") !== undefined ||
    startsWithVerb(asked) ||
    operationsSaid({ program: "", command: [nameParts(asked).join("-")], options: [] }).length > 0
  );
}

/** A GraphQL mutation whose fields delete, or a member that names the action. */
function asksForDeletion(body: string): boolean {
  // `<delete><query>*:*</query></delete>`
  if (/^\s*<(?:delete|drop|purge|destroy)\b[^>]*>/i.test(body)) return true;
  const read = readJson(body);
  const texts = read.ok ? stringsIn(read.value) : [{ name: "query", value: body }, ...formFields(body)];
  return texts.some(({ name, value }) =>
    /\bmutation\b/.test(value)
      ? isDeletingMutation(value)
      : ACTION_MEMBERS.has(name.toLowerCase()) && startsWithVerb(value),
  );
}

/** `{"command": "rails db:drop"}`, `{"cmd": ["rm", "-rf", "/data"]}`: a command line in which a word destroys. */
function runsDeletion(body: string): boolean {
  const read = readJson(body);
  const members = read.ok ? stringsIn(read.value) : formFields(body);
  const line = members
    .flatMap(({ name, value }) => (COMMAND_MEMBERS.has(name.toLowerCase()) ? [value] : []))
    .join(" ");
  if (line === "") return false;
  const isOfTrees = /(?:^|[\s;&|/])rm\s+(?:-\S+\s+)*-\w*[rR]/.test(line);
  return (
    isOfTrees ||
    sqlLosses(text(line), [], undefined, "").length > 0 ||
    line
      .split(/[\s"'();]+/)
      .slice(0, MAX_LINE_WORDS)
      .some(
        word => /^[\w:.-]+$/.test(word) && nameParts(word).some(part => destroyingVerb(part) !== undefined),
      )
  );
}

const MAX_LINE_WORDS = 40;

function takesAnyOut(body: string): boolean {
  const read = readJson(body);
  const members = read.ok ? listMembers(read.value) : formFields(body);
  return members.some(({ name, value }) => takesOut(name, value));
}

export function isDeletingMutation(query: string): boolean {
  const bare = query.slice(query.indexOf("mutation")).replace(/"(?:\\.|[^"\\])*(?:"|$)/g, "");
  return [...bare.matchAll(/(?<!\w)[A-Za-z_]\w*(?=\s*[({])/g)].some(([name]) =>
    nameParts(name).some(part => destroyingVerb(part) !== undefined),
  );
}

/** `delete`, `DeleteVolumes`, `terminate_instances`, `project.delete`; no sentence. */
/** `power_off`, `hardShutdown`, `os-rebuild`: a machine is off, or begins anew, in any spelling. */
function switchesOff(name: string): boolean {
  return /^off$|^(?:os|hard|force|forced|soft|acpi)?(?:poweroff|powercycle|shutdown|halt|rebuild|reinstall|reimage)$/.test(
    nameParts(name).join(""),
  );
}

function startsWithVerb(value: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_.:/-]*$/.test(value)) return false;
  if (switchesOff(value)) return true;
  const parts = nameParts(value);
  return [parts[0], parts.at(-1)].some(part => destroyingVerb(part ?? "") !== undefined);
}

function formFields(body: string): readonly Member[] {
  return [...body.matchAll(/(?:^|&)([\w.]+)=([^&\s]*)/g)].map(([, name = "", value = ""]) => ({
    name,
    value,
  }));
}

function sqlIn(body: string): readonly string[] {
  const read = readJson(body);
  if (!read.ok) return [];
  // One word is what is searched for.
  return stringsIn(read.value).flatMap(({ name, value }) =>
    SQL_MEMBERS.has(name) && /\S\s+\S/.test(value) ? [value] : [],
  );
}

interface Member {
  readonly name: string;
  readonly value: string;
}

function stringsIn(value: Json | undefined, name = ""): readonly Member[] {
  if (typeof value === "string") return [{ name, value }];
  if (Array.isArray(value)) return value.flatMap(item => stringsIn(item, name));
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, item]) => stringsIn(item, key)) : [];
}

/** Something goes on another machine. On this one a named thing may, all indexes of a search engine at once not. */
function deletionAt(address: string): readonly OperationEffect[] {
  const isIndex =
    /:9[23]00\/|\/_delete_by_query/.test(address) || /(elastic|opensearch|\.es\.)/i.test(address);
  const isMany = /\/_delete_by_query|:9[23]00\/?($|\?|_all|[^/?]*\*)/.test(address);
  if (isLocalAddress(address) && !isMany) return [];
  const rule = isIndex ? "db.index" : "cloud.api";
  const what = isIndex ? "delete an index" : "delete something on another machine";
  return [{ kind: "operation", rule, what, target: address, names: [address] }];
}

/** The machine itself. Names that only look private, such as `.local` and `.test`, may lead anywhere. */
export function isLocalAddress(address: string): boolean {
  const host = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/^[^@/]*@/, "");
  return /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|::1|host\.docker\.internal|[a-z0-9-]+\.localhost)(?=[:/?]|$)/i.test(
    host,
  );
}

/** Services that tell a machine of a cloud who it is, and give it its credentials. */
const NAMES = wordSet(
  `metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal metadata.tencentyun.com
  metadata.packet.net metadata.platformequinix.com`,
);
/** 169.254.169.254 (most clouds), .170.2 and .170.23 (containers), 100.100.100.200, 192.0.0.192, 168.63.129.16 */
const ADDRESSES: readonly number[] = [
  0xa9fea9fe, 0xa9feaa02, 0xa9feaa17, 0xa9fe0017, 0x646464c8, 0xc00000c0, 0xa83f8110,
];
const ADDRESSES_6 = wordSet("fd00:ec2:0:0:0:0:0:254 fd00:ec2:0:0:0:0:0:23 fd20:ce:0:0:0:0:0:254");
/** Names that a public server answers with the address in them. */
const EMBEDDED = /(?:^|[.-])(\d+)[.-](\d+)[.-](\d+)[.-](\d+)\.(?:nip|sslip|xip)\.io$/;

/** Whether an address with or without a scheme, a port and a path leads to such a service. */
export function isMetadataAddress(address: string): boolean {
  const host = readHost(address);
  if (host === "") return false;
  if (NAMES.has(host)) return true;
  if (host.includes(":")) return isMetadataAddress6(host);
  const embedded = EMBEDDED.exec(host);
  const number = parseIpv4(embedded === null ? host : embedded.slice(1).join("."));
  return number !== undefined && ADDRESSES.includes(number);
}

function readHost(address: string): string {
  const rest = decoded(address.replace(/^[a-z][a-z0-9+.-]*:[/\\]*/i, "").replace(/^[/\\]+/, ""));
  const authority = rest.replace(/[/\\?#].*$/s, "").replace(/^.*@/s, "");
  const bracketed = /^\[([^\]]*)\]/.exec(authority)?.[1];
  const host = bracketed ?? (/^[^:]*:[^:]*:/.test(authority) ? authority : authority.replace(/:.*$/s, ""));
  return host.toLowerCase().replace(/\.$/, "");
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** As inet_aton reads it: one to four numbers, each decimal, octal or hexadecimal; the last fills what is left. */
function parseIpv4(host: string): number | undefined {
  const parts = host.split(".").map(numeral);
  const last = parts.at(-1);
  if (parts.length > 4 || last === undefined || parts.includes(undefined)) return undefined;
  const front = parts
    .slice(0, -1)
    .reduce<number>((sum, part, index) => sum + (part ?? 0) * 256 ** (3 - index), 0);
  return front + last;
}

function numeral(written: string): number | undefined {
  if (/^0x[0-9a-f]+$/i.test(written)) return Number.parseInt(written.slice(2), 16);
  if (/^0[0-7]+$/.test(written)) return Number.parseInt(written, 8);
  return /^\d{1,10}$/.test(written) ? Number(written) : undefined;
}

function isMetadataAddress6(host: string): boolean {
  const groups = parseIpv6(host.replace(/%.*$/s, ""));
  if (groups === undefined) return false;
  const isMapped = /^0:0:0:0:0:(?:ffff|0):|^64:ff9b:0:0:0:0:/.test(groups.join(":"));
  const [high = "0", low = "0"] = groups.slice(6);
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return ADDRESSES_6.has(groups.join(":")) || (isMapped && ADDRESSES.includes(number));
}

/** The eight groups without leading zeros; `::` stands for those left out, four decimal numbers for the last two. */
function parseIpv6(host: string): readonly string[] | undefined {
  const tail = /(?<![^:])[^:]+\.[\s\S]+$/.exec(host)?.[0];
  const number = tail === undefined ? undefined : parseIpv4(tail);
  const written =
    tail === undefined || number === undefined
      ? host
      : `${host.slice(0, -tail.length)}${Math.floor(number / 65_536).toString(16)}:${(number % 65_536).toString(16)}`;
  const [front = "", back] = written.split("::");
  const before = front === "" ? [] : front.split(":");
  const after = back === undefined || back === "" ? [] : back.split(":");
  const missing = back === undefined ? 0 : 8 - before.length - after.length;
  if (missing < 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (groups.length !== 8 || groups.some(group => !/^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return groups.map(group => group.replace(/^0+(?=.)/, ""));
}

/** Sockets behind which a daemon does whatever it is told, as root. */
const ENGINE_SOCKET =
  /(?:^|[/%]|%2F)(?:docker|podman|containerd|crio|cri-dockerd|dockershim)\.sock(?=$|[:/?])/i;
/** Where such sockets lie. */
const SOCKET_FOLDERS = /^\/(?:var\/)?run(?:\/(?:docker|podman|containerd|crio))?$/;
const SYSTEM_FOLDERS =
  /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|var|var\/lib|var\/lib\/docker|root|proc|sys|dev|System|Library|private|private\/etc)$/;
const HOMES = /^\/(?:home|Users|root)$/;
const DISKS = /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd|nvme|mmcblk|dm-|mapper|disk|mem$|kmem$|port$)/;
/** Rights with which a container can leave itself. */
const RIGHTS = /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_MODULE|SYS_RAWIO|SYS_BOOT|DAC_READ_SEARCH|BPF)$/i;
const DRIVE = /^(?:[A-Za-z]:[\\/]*|\/\/[A-Za-z]\/?):/;

/** Whether an address or a path leads to the socket of a container engine. */
function namesEngineSocket(word: Value): boolean {
  return ENGINE_SOCKET.test(describe(word));
}

/** What a container is given of this machine that lets it change or read everything here. */
export function hostAccessEffects(
  parsed: ParsedOptions,
  mounts: readonly Mount[],
  call: ProgramCall,
): readonly OperationEffect[] {
  const reached = [
    ...(parsed.mayBeOn("privileged") ? ["run a container with every right on this machine"] : []),
    ...(isHost(parsed.valueOf("pid")) ? ["let a container see and end every process of this machine"] : []),
    ...parsed.valuesOf("cap-add").flatMap(value => rightsIn(describe(value))),
    ...parsed
      .valuesOf("device")
      .flatMap(value => (DISKS.test(describe(value)) ? ["give a container a disk"] : [])),
    ...parsed.valuesOf("v").flatMap(value => (DRIVE.test(describe(value)) ? [SHARE("the whole drive")] : [])),
    ...mounts.flatMap(mount => exposedBy(mount, call)),
  ];
  return reached.slice(0, 1).map(what => operation(what, call));
}

const SHARE = (whole: string): string => `give a container ${whole} of this machine`;

function isHost(value: Value | undefined): boolean {
  return value !== undefined && describe(value) === "host";
}

function rightsIn(shown: string): readonly string[] {
  return shown.split(",").some(right => RIGHTS.test(right))
    ? ["give a container the rights of the system"]
    : [];
}

/** Read-only, a directory still shows what is in it, and a socket does what it is told. */
function exposedBy({ host, isReadOnly }: Mount, { scope }: ProgramCall): readonly string[] {
  if (namesEngineSocket(host)) return ["give a container the engine that runs all of them"];
  const path = knownText(normalisePath(host));
  if (path === undefined) return [];
  if (path === "/") return [SHARE("the whole file system")];
  if (path === scope.session.context.home || HOMES.test(path)) return [SHARE("a whole home directory")];
  if (SOCKET_FOLDERS.test(path)) return ["give a container the engine that runs all of them"];
  return SYSTEM_FOLDERS.test(path) && !isReadOnly ? [SHARE(path)] : [];
}

function operation(what: string, { argv }: ProgramCall): OperationEffect {
  return { kind: "operation", rule: "container.host", what, target: argv.map(describe).join(" "), names: [] };
}

const TELL = "tell the container engine to do something";

/** Requests of curl to the socket of an engine that are more than a question. */
export function engineRequests(addresses: readonly Value[], call: ParsedCall): readonly OperationEffect[] {
  const { options } = call;
  const isThere = [...addresses, ...options.valuesOf("unix-socket")].some(namesEngineSocket);
  const method = options.valueOf("X");
  const hasBody = options.has("d", "data-raw", "data-urlencode", "F", "form-string", "T", "expand-data");
  const isQuestion =
    method === undefined ? !hasBody || options.has("G") : /^(get|head|options)$/i.test(describe(method));
  return isThere && !isQuestion ? [operation(TELL, call)] : [];
}

/** The same through a program that sends what it is fed: `nc -U`, `socat - UNIX:…`. */
export function engineInput(call: ParsedCall): readonly OperationEffect[] {
  const isQuestion = call.stdin === undefined || /^\s*(get|head) /i.test(knownPrefix(call.stdin));
  return isQuestion || !call.argv.some(namesEngineSocket) ? [] : [operation(TELL, call)];
}

/** Where curl goes instead: `--resolve name:80:address`, `--connect-to name:80:address:80`, a proxy. */
export function otherAddresses(options: ParsedOptions): readonly Value[] {
  const routes = options.valuesOf("resolve", "connect-to").map(describe);
  return [...routes.map(route => text(route.split(":").slice(2).join(":"))), ...options.valuesOf("x")];
}

/** The mount by which a process of this machine's is reached from a container that sees them all. */
export const OTHER_ROOT: Mount = { host: text("/"), inside: text("/proc/1/root"), isReadOnly: false };
