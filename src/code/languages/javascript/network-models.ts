import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { joined, knownTextOf, literal, reference } from "../../meaning/datum.ts";
import { noteNetwork } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { sends, sendsToReceiver } from "../../meaning/models.ts";
import { optionOf } from "./process-models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `fetch(url, { body })`: the options are not all sent, but nobody needs to tell them apart. */
const fetches: LibraryFunction = (call, context) => {
  const result = sends("url")(call, context);
  return handOver(context, call, result ?? reference("response", [fromNetwork(context)]));
};

/** `https.get(url, response => …)`, `http.request({ hostname, path })` */
const requests: LibraryFunction = (call, context) => {
  const [address] = call.positional;
  const target = address?.kind === "record" ? addressOf(address.fields) : address;
  if (target === undefined) return undefined;
  const rest = call.positional.filter(datum => datum.kind !== "function" && datum !== address);
  const result = sends("url")({ ...call, positional: [target, ...rest] }, context);
  handOver(context, call, reference("response", [fromNetwork(context)], target));
  return reference("request", [fromNetwork(context)], result === undefined ? target : target);
};

function addressOf(fields: ReadonlyMap<string, Datum>): Datum {
  const host = fields.get("hostname") ?? fields.get("host") ?? reference("host");
  return joined([host, fields.get("path") ?? literal("")]);
}

function handOver(context: EvaluationContext, call: FunctionCall, response: Datum): Datum {
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback !== undefined)
    invoke(context, callback, { ...call, positional: [response], named: new Map() });
  return response;
}

/** `net.connect(port, host)`, `net.connect({ port, host })` */
const connects: LibraryFunction = (call, context) => {
  const [port, host] = call.positional;
  const named = optionOf(call, "host");
  const target =
    named ??
    (knownTextOf(host) === undefined ? (port ?? reference("address")) : (host ?? reference("address")));
  noteNetwork(context, call, target, []);
  const connection = reference("connection", [fromNetwork(context)], target);
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback !== undefined)
    invoke(context, callback, { ...call, positional: [connection], named: new Map() });
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
  ["net.Socket", (_call, context) => reference("net.Socket()", [fromNetwork(context)])],
  ["connection.write connection.end connection.send net.Socket().write", sendsToReceiver],
  [
    "dns.lookup dns.resolve dns.resolve4 dns.resolveTxt dns.promises.lookup dns.promises.resolve",
    sends("hostname"),
  ],
];
