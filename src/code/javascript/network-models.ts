import type { Datum } from "../meaning/datum.ts";
import { joined, knownTextOf, literal, reference } from "../meaning/datum.ts";
import { noteNetwork } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { sends, sendsToReceiver } from "../meaning/models.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";
import { optionOf } from "./process-models.ts";

type Rows = readonly (readonly [string, Model])[];

/** `fetch(url, { body })`: the options are not all sent, but nobody needs to tell them apart. */
const fetches: Model = (call, run) => {
  const result = sends("url")(call, run);
  return handOver(run, call, result ?? reference("response", [fromNetwork(run)]));
};

/** `https.get(url, response => …)`, `http.request({ hostname, path })` */
const requests: Model = (call, run) => {
  const [address] = call.positional;
  const target = address?.kind === "record" ? addressOf(address.fields) : address;
  if (target === undefined) return undefined;
  const rest = call.positional.filter(datum => datum.kind !== "function" && datum !== address);
  const result = sends("url")({ ...call, positional: [target, ...rest] }, run);
  handOver(run, call, reference("response", [fromNetwork(run)], target));
  return reference("request", [fromNetwork(run)], result === undefined ? target : target);
};

function addressOf(fields: ReadonlyMap<string, Datum>): Datum {
  const host = fields.get("hostname") ?? fields.get("host") ?? reference("host");
  return joined([host, fields.get("path") ?? literal("")]);
}

function handOver(run: Run, call: Call, response: Datum): Datum {
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback !== undefined) invoke(run, callback, { ...call, positional: [response], named: new Map() });
  return response;
}

/** `net.connect(port, host)`, `net.connect({ port, host })` */
const connects: Model = (call, run) => {
  const [port, host] = call.positional;
  const named = optionOf(call, "host");
  const target =
    named ??
    (knownTextOf(host) === undefined ? (port ?? reference("address")) : (host ?? reference("address")));
  noteNetwork(run, call, target, []);
  const connection = reference("connection", [fromNetwork(run)], target);
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback !== undefined) invoke(run, callback, { ...call, positional: [connection], named: new Map() });
  return connection;
};

const METHODS = ["get", "post", "put", "patch", "delete", "head", "request"];
const CLIENTS = ["axios", "got", "superagent", "ky", "undici", "needle"];

export const NETWORK_MODELS: Rows = [
  ["fetch node-fetch undici.fetch axios got ky navigator.sendBeacon request", fetches],
  [CLIENTS.flatMap(client => METHODS.map(method => `${client}.${method}`)).join(" "), fetches],
  ["http.request http.get", requests],
  ["request.write request.end", sendsToReceiver],
  [
    "net.connect net.createConnection tls.connect net.Socket().connect Deno.connect Bun.connect WebSocket ws",
    connects,
  ],
  ["net.Socket", (_call, run) => reference("net.Socket()", [fromNetwork(run)])],
  ["connection.write connection.end connection.send net.Socket().write", sendsToReceiver],
  [
    "dns.lookup dns.resolve dns.resolve4 dns.resolveTxt dns.promises.lookup dns.promises.resolve",
    sends("hostname"),
  ],
];
