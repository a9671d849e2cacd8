import type { Datum } from "../meaning/datum.ts";
import { joined, listDatum, literal, reference } from "../meaning/datum.ts";
import { noteMove, noteNetwork } from "../meaning/effects.ts";
import { argument, sends, sendsToReceiver } from "../meaning/models.ts";
import type { Model } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

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
const requestsByMethod: Model = (call, run) => {
  const [, ...rest] = call.positional;
  return sends("url")({ ...call, positional: rest }, run);
};

/** A connection object is known by where it leads. */
function connects(index = 0, ...names: readonly string[]): Model {
  return (call, run) => {
    const address = argument(call, index, ...names);
    const target = address === undefined ? reference("address") : hostOf(address);
    noteNetwork(run, call, target, []);
    return reference("connection", [fromNetwork(run)], target);
  };
}

/** `(host, port)` as one text. */
function hostOf(address: Datum): Datum {
  if (address.kind !== "list") return address;
  return joined(address.items.flatMap((item, index) => (index === 0 ? [item] : [literal(":"), item])));
}

/** A fresh socket leads nowhere yet, but whatever is read from it came over the wire. */
const makesSocket: Model = (_call, run) => reference("socket.socket()", [fromNetwork(run)]);

const downloads: Model = (call, run) => {
  const [address, file] = [argument(call, 0, "url"), argument(call, 1, "filename")];
  if (address === undefined) return undefined;
  noteNetwork(run, call, address, []);
  if (file !== undefined) noteMove(run, call, reference("download", [fromNetwork(run)]), file, "copy");
  return listDatum([file ?? reference("download", [fromNetwork(run)])], true);
};

/** `urllib.request.Request(url, data=…)` speaks only when opened; the address and body travel with it. */
const makesRequest: Model = call => {
  const [address, data] = [argument(call, 0, "url"), argument(call, 1, "data")];
  return address === undefined ? undefined : listDatum(data === undefined ? [address] : [address, data]);
};

const opensAddress: Model = (call, run) => {
  const target = argument(call, 0, "url");
  if (target?.kind !== "list") return sends("url")(call, run);
  const [address, ...data] = target.items;
  return sends("url")(
    { ...call, positional: [address ?? target, ...data, ...call.positional.slice(1)] },
    run,
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
