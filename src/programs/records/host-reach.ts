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
} from "../../shell/index.ts";
import type { ParsedCall } from "../model/program.ts";

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
export function reachesOf(
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
