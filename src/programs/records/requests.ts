import { isJsonObject, type Json, readJson } from "../../protocol/index.ts";
import { type OperationEffect, text, words } from "../../shell/index.ts";
import { sqlLosses } from "./sql-losses.ts";

/** A request as far as it is known; texts that cannot be known are left out. */
export interface HttpRequest {
  readonly method: string | undefined;
  readonly address: string;
  readonly headers: readonly string[];
  readonly bodies: readonly string[];
}

const VERBS = words("delete destroy drop purge terminate wipe erase nuke truncate");
const ACTION_MEMBERS = words("action type op operation command method mutation");
const SQL_MEMBERS = words("sql query statement stmt q");

/** What a request deletes where it goes: by its method, its path, or what its body asks for. */
export function requestLosses(request: HttpRequest): readonly OperationEffect[] {
  const { address, bodies } = request;
  if (isDelete(request) || /\/_delete_by_query(\?|$)/.test(address)) return deletionAt(address);
  if (isLocalAddress(address)) return [];
  const isSent = bodies.length > 0 || /^(post|put|patch)$/i.test(request.method ?? "");
  if (!isSent) return [];
  if (endsInVerb(address) || bodies.some(asksForDeletion)) return deletionAt(address);
  return bodies.flatMap(body => sqlIn(body).flatMap(sql => sqlLosses(text(sql), [address], undefined, "")));
}

function isDelete({ method, headers }: HttpRequest): boolean {
  return (
    /^delete$/i.test(method ?? "") ||
    headers.some(header => /^x-(http-)?method(-override)?\s*:\s*delete\s*$/i.test(header))
  );
}

/** `…/projects/42/delete`, `…/projects/42:delete` */
function endsInVerb(address: string): boolean {
  const last = /[/:]([A-Za-z_-]+)\/?(?:[?#].*)?$/.exec(address)?.[1] ?? "";
  return VERBS.includes(last.toLowerCase()) || /^batch_?delete$/i.test(last);
}

/** A GraphQL mutation whose fields delete, or a member that names the action. */
function asksForDeletion(body: string): boolean {
  const read = readJson(body);
  const texts = read.ok ? stringsIn(read.value) : [{ name: "query", value: body }, ...formFields(body)];
  return texts.some(({ name, value }) =>
    /\bmutation\b/.test(value)
      ? isDeletingMutation(value)
      : ACTION_MEMBERS.includes(name.toLowerCase()) && startsWithVerb(value),
  );
}

function isDeletingMutation(query: string): boolean {
  const bare = query.slice(query.indexOf("mutation")).replace(/"(?:\\.|[^"\\])*"/g, "");
  return [...bare.matchAll(/[A-Za-z_]\w*(?=\s*[({])/g)].some(([name]) =>
    name.split(/(?=[A-Z])|_/).some(part => VERBS.includes(part.toLowerCase())),
  );
}

/** `delete`, `DeleteVolumes`, `terminate_instances`; no sentence. */
function startsWithVerb(value: string): boolean {
  const first = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(value)
    ? (value.split(/(?<!^)(?=[A-Z])|[_.-]/)[0] ?? "")
    : "";
  return VERBS.includes(first.toLowerCase());
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
  return stringsIn(read.value).flatMap(({ name, value }) => (SQL_MEMBERS.includes(name) ? [value] : []));
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
export function deletionAt(address: string): readonly OperationEffect[] {
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
