import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { html, line, type Markup } from "../dashboard/index.ts";
import { type Database, SCHEMA } from "../postgres/index.ts";
import { type JsonObject, memberAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import { HttpError, hashSecret, newSecret } from "./http.ts";
import { hiddenFields, moment, type PageVisitor } from "./own-page.ts";
import type { Login, WayIn } from "./people.ts";

/**
 * WebAuthn: a person's device signs a text that we made up, for our name alone. The device has asked for a finger, a face
 * or a number before. No statement of who made the device is asked for, so that there are no certificates to check.
 */
const CHALLENGE_SECONDS = 300;
const PURPOSE = "passkey";
const MAX_PASSKEYS = 20;
const [USER_PRESENT, USER_VERIFIED, HAS_CREDENTIAL] = [0x01, 0x04, 0x40];

/** A text to be signed once, within some minutes. */
export async function newChallenge({ run }: Database): Promise<{ readonly challenge: string }> {
  const challenge = newSecret();
  const [row] = await run(`SELECT ${SCHEMA}.server_begin_visit($1, '', '', $2, $3) AS begun`, [
    hashSecret(challenge),
    PURPOSE,
    CHALLENGE_SECONDS,
  ]);
  if (row?.["begun"] !== true) throw new HttpError(503, "too many people log in", { "retry-after": "60" });
  return { challenge };
}

const refused = () => new HttpError(403, "this passkey is not valid here; begin again");

interface Said {
  readonly id: string;
  readonly answer: JsonObject;
  /** what the device says of itself, and what the browser says of the page */
  readonly data: Buffer;
  readonly client: Buffer;
  readonly counter: number;
}

/** Throws unless it is about our challenge, which is used up by it, on a page of ours, with a person who was there. */
async function readSaid({ run }: Database, text: string, type: string, url: string): Promise<Said> {
  const answer = parseJsonObject(text, 3);
  if (answer === undefined) throw refused();
  const [id = "", client, data] = ["id", "client", "data"].map(member => stringAt(answer, member) ?? "");
  const page = parseJsonObject(Buffer.from(client ?? "", "base64url").toString("utf8"), 5);
  const { origin, hostname } = new URL(url);
  const about = Buffer.from(data ?? "", "base64url");
  const challenge = stringAt(page, "challenge") ?? "";
  const flags = about[32] ?? 0;
  const wanted = USER_PRESENT | USER_VERIFIED;
  if (
    stringAt(page, "type") !== type ||
    stringAt(page, "origin") !== origin ||
    memberAt(page, "crossOrigin") === true ||
    about.length < 37 ||
    !about.subarray(0, 32).equals(createHash("sha256").update(hostname).digest()) ||
    (flags & wanted) !== wanted ||
    !/^[A-Za-z0-9_-]{16,1400}$/.test(id)
  )
    throw refused();
  const [visit] = await run(`SELECT target FROM ${SCHEMA}.server_end_visit($1)`, [hashSecret(challenge)]);
  if (visit?.["target"] !== PURPOSE) throw refused();
  const counter = about.readUInt32BE(33);
  return { id, answer, data: about, client: Buffer.from(client ?? "", "base64url"), counter };
}

/** Only kinds that browsers are asked for. */
function readKey(der: Buffer): KeyObject {
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    const isKnown =
      key.asymmetricKeyType === "ed25519" ||
      (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") ||
      (key.asymmetricKeyType === "rsa" && modulusLength >= 2048);
    if (isKnown) return key;
  } catch {
    // Said below.
  }
  throw refused();
}

/** Who logs in with a passkey. Throws 403 for everything that is not ours. */
export async function usePasskey(database: Database, text: string, url: string): Promise<WayIn> {
  const { id, answer, data, client, counter } = await readSaid(database, text, "webauthn.get", url);
  const [known] = await database.run(`SELECT * FROM ${SCHEMA}.server_passkey($1)`, [id]);
  if (known === undefined) throw refused();
  const key = readKey(Buffer.from(String(known["key"]), "base64url"));
  const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
  const signature = Buffer.from(stringAt(answer, "signature") ?? "", "base64url");
  const isSigned = verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", signed, key, signature);
  if (!isSigned) throw refused();
  // A device that counts never goes back: two of them with one key would.
  const [row] = await database.run(`SELECT ${SCHEMA}.server_use_passkey($1, $2) AS used`, [id, counter]);
  if (row?.["used"] !== true) throw refused();
  return { person: String(known["person"]), passkey: id };
}

/** Adds one for somebody who is logged in, or takes one of theirs away. */
export async function changePasskeys(
  database: Database,
  { person, opens }: Login,
  form: URLSearchParams,
  url: string,
): Promise<void> {
  if (form.get("do") === "remove") {
    await database.run(`SELECT ${SCHEMA}.server_drop_passkey($1, $2, $3)`, [
      form.get("id") ?? "",
      person,
      opens,
    ]);
    return;
  }
  const { id, answer, data, counter } = await readSaid(
    database,
    form.get("answer") ?? "",
    "webauthn.create",
    url,
  );
  const key = stringAt(answer, "key") ?? "";
  readKey(Buffer.from(key, "base64url"));
  const length = (data[32] ?? 0) & HAS_CREDENTIAL && data.length > 55 ? data.readUInt16BE(53) : 0;
  if (length === 0 || data.subarray(55, 55 + length).toString("base64url") !== id) throw refused();
  const [row] = await database.run(
    `SELECT ${SCHEMA}.server_keep_passkey($1, $2, $3, $4, $5, ${MAX_PASSKEYS}) AS added`,
    [id, person, opens, key, counter],
  );
  if (row?.["added"] !== true)
    throw new HttpError(409, `this passkey is known already, or you have ${MAX_PASSKEYS}`);
}

export async function passkeysView(visitor: PageVisitor, { run }: Database): Promise<Markup> {
  const own = await run(`SELECT * FROM ${SCHEMA}.server_own_passkeys($1, $2)`, [
    visitor.person,
    visitor.opens,
  ]);
  const rows = own.map(
    ({ id, since, used }) =>
      html`<li><form action="/passkeys" method="post">${hiddenFields(visitor)}<input type="hidden" name="id" value="${String(id)}">of ${moment(since)}, last used: ${moment(used)} <button type="submit" name="do" value="remove">Remove</button></form></li>`,
  );
  return html`<section class="card"><h2>Your passkeys</h2><p>With one you log in without a link, by your finger, face or the number of your device.</p><ul>${rows}</ul>
<form action="/passkeys" method="post" data-passkey="make" data-person="${line(visitor.person, 60)}" data-known="${own.map(({ id }) => String(id)).join(" ")}">${hiddenFields(visitor)}<input type="hidden" name="answer"><button type="submit">Add a passkey</button> <output></output></form></section>`;
}
