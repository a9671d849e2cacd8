import type { LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { joined, listDatum, literal, reference } from "../../meaning/datum.ts";
import { noteMove, noteNetwork } from "../../meaning/effects.ts";
import { argument, sends, sendsToReceiver } from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];
const CLIENTS = [
  "requests",
  "httpx",
  "requests.Session()",
  "requests.session()",
  "httpx.Client()",
  "httpx.AsyncClient()",
  "aiohttp.ClientSession()",
  "urllib3.PoolManager()",
];

/** `requests.request("POST", url, …)`: the method stands in front of the address. */
const requestsByMethod: LibraryFunction = (call, context) => {
  const [, ...rest] = call.positional;
  return sends("url")({ ...call, positional: rest }, context);
};

/** A connection object is known by where it leads. */
function connects(index = 0, ...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const address = argument(call, index, ...names);
    const target = address === undefined ? reference("address") : hostOf(address);
    noteNetwork(context, call, target, []);
    return reference("connection", [fromNetwork(context)], target);
  };
}

/** `(host, port)` as one text. */
function hostOf(address: Datum): Datum {
  if (address.kind !== "list") return address;
  return joined(address.items.flatMap((item, index) => (index === 0 ? [item] : [literal(":"), item])));
}

/** A fresh socket leads nowhere yet, but whatever is read from it came over the wire. */
const makesSocket: LibraryFunction = (_call, context) => reference("socket.socket()", [fromNetwork(context)]);

const downloads: LibraryFunction = (call, context) => {
  const [address, file] = [argument(call, 0, "url"), argument(call, 1, "filename")];
  if (address === undefined) return undefined;
  noteNetwork(context, call, address, []);
  if (file !== undefined)
    noteMove(context, call, reference("download", [fromNetwork(context)]), file, "copy");
  return listDatum([file ?? reference("download", [fromNetwork(context)])], true);
};

/** `urllib.request.Request(url, data=…)` speaks only when opened; the address and body travel with it. */
const makesRequest: LibraryFunction = call => {
  const [address, data] = [argument(call, 0, "url"), argument(call, 1, "data")];
  return address === undefined ? undefined : listDatum(data === undefined ? [address] : [address, data]);
};

const opensAddress: LibraryFunction = (call, context) => {
  const target = argument(call, 0, "url");
  if (target?.kind !== "list") return sends("url")(call, context);
  const [address, ...data] = target.items;
  return sends("url")(
    { ...call, positional: [address ?? target, ...data, ...call.positional.slice(1)] },
    context,
  );
};

export const NETWORK_MODELS: Rows = [
  [CLIENTS.flatMap(client => METHODS.map(method => `${client}.${method}`)).join(" "), sends("url")],
  [CLIENTS.map(client => `${client}.request`).join(" "), requestsByMethod],
  ["urllib.request.urlopen urllib.urlopen urllib2.urlopen", opensAddress],
  ["urllib.request.Request urllib2.Request", makesRequest],
  ["urllib.request.urlretrieve urllib.urlretrieve wget.download", downloads],
  [
    "http.client.HTTPSConnection http.client.HTTPConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP telnetlib.Telnet socket.create_connection websocket.create_connection",
    connects(0, "host"),
  ],
  ["socket.socket", makesSocket],
  ["socket.socket().connect socket.socket().connect_ex", connects()],
  [
    "connection.request connection.send connection.sendall connection.sendmail connection.send_message connection.storbinary connection.storlines connection.write",
    sendsToReceiver,
  ],
  [
    "socket.socket().send socket.socket().sendall socket.socket().sendto socket.socket().makefile",
    sendsToReceiver,
  ],
  ["socket.gethostbyname socket.getaddrinfo socket.gethostbyname_ex", sends("host")],
];

export const NETWORK_METHODS: Rows = [["sendall sendmail", sendsToReceiver]];
