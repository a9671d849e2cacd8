import { createHash, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { QuestionReply } from "../hooks/index.ts";
import { checkSignature, readPublicKey } from "../launcher/index.ts";
import { type JsonObject, parseJsonObject, readJson, stringAt } from "../protocol/index.ts";
import { requireDirectories } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { type JoinedServer, joinedFile, post } from "./joined-server.ts";
import { readServerKey } from "./server-policy.ts";

/** What an approver is shown of a call. The server stores it as it is, and signs for exactly this. */
export interface QuestionFacts {
  readonly command: string;
  readonly cwd: string;
  readonly rules: readonly string[];
  readonly found: readonly string[];
  readonly session: string;
  readonly host: string;
  readonly project: string;
  /** what would become real, where the call is about changes that are held; else empty */
  readonly diff: string;
}

export const QUESTION_LIMITS = { command: 32 * 1024, diff: 64 * 1024, text: 1_000, items: 20 } as const;

/** What of a call can be shown: nothing that the server would refuse. */
export function questionFacts(given: QuestionFacts): QuestionFacts {
  const { text, items, diff } = QUESTION_LIMITS;
  const one = (value: string) => wellFormed(clip(value, text));
  const some = (values: readonly string[]) => values.slice(0, items).map(one);
  return {
    command: wellFormed(given.command),
    cwd: one(given.cwd),
    rules: some(given.rules),
    found: some(given.found),
    session: one(given.session),
    host: one(given.host),
    project: one(given.project),
    diff: wellFormed(clip(given.diff, diff)),
  };
}

/** PostgreSQL has no U+0000 in texts, and no half of a character. */
function wellFormed(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").replace(/\p{Surrogate}/gu, "\u{fffd}");
}

/** The same facts have the same digest on the machine and on the server. */
export function shownDigest(facts: QuestionFacts): string {
  const { command, cwd, rules, found, session, host, project, diff } = facts;
  // Left out when there is none: older machines and servers do not know diffs.
  const changes = diff === "" ? [] : [diff];
  return createHash("sha256")
    .update(JSON.stringify([command, cwd, rules, found, session, host, project, ...changes]))
    .digest("hex");
}

export interface AskedQuestion extends QuestionFacts {
  readonly digest: string;
}

const POLL_MS = 1_000;
const REQUEST_MS = 5_000;
const MAX_SPOOLED = 50;
const MAX_SPOOLED_BYTES = 1024 * 1024;
const WAITING: QuestionReply = { answer: "waiting", by: "" };

/**
 * Asks the server that this machine joined, until there is an answer or the time is over. A yes counts for this asking
 * alone: it is signed for a number that nobody knew before. Where nobody answers, the question waits for the next `ship`.
 */
export async function askTeam(
  system: System,
  question: AskedQuestion,
  waitMs: number,
): Promise<QuestionReply> {
  const { stateHome } = requireDirectories(system);
  const joined = joinedFile(system, stateHome).read();
  if (joined === undefined) return WAITING;
  const key = readServerKey(system, joined);
  const nonce = randomBytes(32).toString("base64url");
  const endMs = system.clock.monotonicMs() + waitMs;
  const leftMs = () => endMs - system.clock.monotonicMs();
  let isThere = false;
  do {
    const reply = await send(joined, { ...question, nonce }, Math.min(REQUEST_MS, leftMs()));
    isThere ||= reply !== undefined;
    const read = reply && readAnswer(reply, key, { ...question, nonce });
    if (read !== undefined) return read;
    await setTimeout(Math.max(0, Math.min(POLL_MS, leftMs())));
  } while (leftMs() > 0);
  if (!isThere) spool(system, stateHome, question);
  return WAITING;
}

async function send(joined: JoinedServer, question: object, timeoutMs: number) {
  if (timeoutMs <= 0) return undefined;
  try {
    const { status, body } = await post(joined.url, "/api/v1/questions", question, {
      key: joined.key,
      timeoutMs,
    });
    return status === 200 ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for everything that is no answer to exactly this asking. */
function readAnswer(
  reply: JsonObject,
  key: string,
  { nonce, digest, ...facts }: AskedQuestion & { readonly nonce: string },
): QuestionReply | undefined {
  const statement = stringAt(reply, "statement");
  const signature = stringAt(reply, "signature");
  if (statement === undefined || signature === undefined) return undefined;
  checkSignature(Buffer.from(statement), Buffer.from(signature), readPublicKey(key), "the answer");
  const said = parseJsonObject(statement, 3);
  const isForThis =
    stringAt(said, "for") === "amplihack question" &&
    stringAt(said, "nonce") === nonce &&
    stringAt(said, "digest") === digest &&
    stringAt(said, "shown") === shownDigest(facts);
  const answer = stringAt(said, "answer");
  if (!isForThis || (answer !== "yes" && answer !== "no")) return undefined;
  return { answer, by: stringAt(said, "by") ?? "" };
}

function spoolFolder(stateHome: string): string {
  return join(stateHome, "questions");
}

/** One file for each call, so that one that is tried again and again is one question. */
function spool(system: System, stateHome: string, question: AskedQuestion): void {
  const folder = spoolFolder(stateHome);
  const there = system.files.follow(folder) === undefined ? [] : system.files.list(folder);
  if (there.length >= MAX_SPOOLED) return;
  const path = join(folder, `${question.digest.slice(0, 32)}.json`);
  writeAtomically(system, path, system.text.encode(`${JSON.stringify(question)}\n`), {
    mode: 0o600,
    directoryMode: 0o700,
  });
}

/** Sends what could not be asked before, so that an answer is there when the call is tried again. */
export async function sendSpooled(system: System, stateHome: string, joined: JoinedServer): Promise<void> {
  const folder = spoolFolder(stateHome);
  if (system.files.follow(folder) === undefined) return;
  for (const name of system.files.list(folder).filter(each => each.endsWith(".json"))) {
    const path = join(folder, name);
    const read = readJson(system.text.decode(system.files.read(path, MAX_SPOOLED_BYTES)).text, {
      recover: false,
      maxDepth: 4,
    });
    const nonce = randomBytes(32).toString("base64url");
    // An answer that is there already is not asked for: this asking would use it up.
    const question = read.ok ? { ...(read.value as object), nonce, isSpooled: true } : undefined;
    if (question === undefined || (await send(joined, question, REQUEST_MS)) !== undefined)
      system.files.remove(path);
  }
}
