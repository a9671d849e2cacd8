import { randomInt, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Database, SCHEMA } from "../postgres/index.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  objectAt,
  stringAt,
} from "../protocol/index.ts";
import type { ShippedRow } from "../ship/index.ts";
import { clip } from "../text/index.ts";
import { HttpError, hashSecret, newSecret, plain, readBearer } from "./http.ts";
import type { Machine } from "./machine.ts";
import type { RecordQueue } from "./record-queue.ts";
import { readPublicKey } from "./signing.ts";

const JOIN_SECONDS = 600;
const POLL_SECONDS = 2;
/** No letter that looks like another, and none that makes words. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
const MAX_ROWS = 2_000;
const MAX_NAME = 300;
const MAX_FIELDS_BYTES = 256 * 1024;
const MAX_MS = Date.UTC(9999, 11, 31);

/** Begins the device flow: a code for the person's screen, and a secret for the machine to come back with. */
export async function beginJoin({ run }: Database, body: JsonObject, url: string) {
  const [secret, code] = [newSecret(), newCode()];
  const machine = plain(stringAt(body, "machine") ?? "", MAX_NAME);
  if (machine === "") throw new HttpError(400, "machine must be a text");
  const [row] = await run(`SELECT ${SCHEMA}.server_begin_join($1, $2, $3, $4) AS begun`, [
    hashSecret(secret),
    code,
    machine,
    JOIN_SECONDS,
  ]);
  if (row?.["begun"] !== true)
    throw new HttpError(503, "too many machines wait to join", { "retry-after": "60" });
  return {
    secret,
    code: shownCode(code),
    address: `${url}/join?code=${shownCode(code)}`,
    interval: POLL_SECONDS,
    expires: JOIN_SECONDS,
  };
}

/** Asked again and again by the machine; the key is told once. */
export async function endJoin({ run }: Database, body: JsonObject) {
  const [id, key] = [randomUUID(), newSecret()];
  const [row] = await run(`SELECT * FROM ${SCHEMA}.server_take_join($1, $2, $3)`, [
    hashSecret(stringAt(body, "secret") ?? ""),
    id,
    hashSecret(key),
  ]);
  const state = String(row?.["state"]);
  if (state === "joined")
    return {
      state,
      team: row?.["team"],
      person: row?.["person"],
      id,
      key,
      serverKey: await readPublicKey(run),
    };
  if (state === "waiting") return { state };
  throw new HttpError(
    state === "refused" ? 403 : 410,
    state === "refused" ? "it was refused" : "this code is no longer valid",
  );
}

/** `BCDF-GHJK` as a person reads it out. */
function shownCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** As it is stored; undefined for a text that is no code. */
export function readCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, "");
  return code.length === CODE_LENGTH && [...code].every(letter => LETTERS.includes(letter))
    ? code
    : undefined;
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** Throws 401 for a key that was never given, was replaced, or was revoked; all alike. */
export async function authenticateMachine({ run }: Database, request: IncomingMessage): Promise<Machine> {
  const key = readBearer(request);
  const [row] =
    key === undefined ? [] : await run(`SELECT * FROM ${SCHEMA}.server_machine($1)`, [hashSecret(key)]);
  if (row === undefined) throw new HttpError(401, "the key is missing or not valid");
  const [id, team, person, machine] = [row["id"], row["team"], row["person"], row["machine"]].map(String);
  return {
    id: `${id}`,
    team: `${team}`,
    person: `${person}`,
    machine: `${machine}`,
    isOld: row["is_old"] === true,
  };
}

/** Adds lines in the name of the person whose machine it is. All of them or none. */
export async function takeRecords(queue: RecordQueue, machine: Machine, body: JsonObject) {
  const rows = memberAt(body, "rows");
  if (!Array.isArray(rows) || rows.length > MAX_ROWS)
    throw new HttpError(400, `rows must be a list of at most ${MAX_ROWS}`);
  const read = rows.map((row, index) => readRow(row, index));
  // The name is the one that it joined with: two machines cannot be mixed up.
  const part = { machine: machine.machine, person: machine.person, rows: read, head: readHead(body) };
  return { taken: read.length, ...(await queue.add({ machine, body, part })) };
}

function readHead(body: JsonObject) {
  const head = objectAt(body, "head");
  const [seq, hash] = [numberAt(head, "seq"), stringAt(head, "hash")];
  const isHead =
    seq !== undefined && Number.isSafeInteger(seq) && seq > 0 && /^[0-9a-f]{64}$/.test(hash ?? "");
  return isHead && hash !== undefined ? { seq, hash } : undefined;
}

function readRow(row: Json, index: number): ShippedRow {
  const fields = memberAt(row, "fields");
  const [id, kind, ms] = [stringAt(row, "id"), stringAt(row, "kind"), numberAt(row, "ms")];
  const isKnown = kind === "audit" || kind === "runs";
  const isTime = ms !== undefined && ms >= 0 && ms <= MAX_MS;
  const isOurs = /^[0-9a-f]{32}$/.test(id ?? "") && /^[0-9a-f]{64}$/.test(stringAt(row, "hash") ?? "");
  if (!isKnown || !isTime || !isOurs || !isJsonObject(fields))
    throw new HttpError(400, `row ${index} is not a line of a log`);
  if (JSON.stringify(fields).length > MAX_FIELDS_BYTES) throw new HttpError(413, `row ${index} is too large`);
  const name = (member: string) => clip(stringAt(row, member) ?? "", MAX_NAME);
  return {
    id: `${id}`,
    kind,
    ms,
    project: name("project"),
    host: name("host"),
    session: name("session"),
    hash: `${stringAt(row, "hash")}`,
    fields,
  };
}
