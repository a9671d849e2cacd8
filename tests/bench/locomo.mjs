// `npm run bench memory -- --locomo FILE`: recall on long conversations of others. FILE is the public file of the set LoCoMo, a
// list of conversations with questions and the turns that answer them; nothing of it is in this repository. Every turn becomes
// a note of one project; a question finds its evidence when one of its turns is among the first five notes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import Libsql from "libsql";
import { loadSources } from "./memory.mjs";

const FIRST = 5;
/** The numbers that the set gives to kinds of questions; the fifth has no answer in the conversation. */
const KINDS = { 1: "several turns", 2: "time", 3: "inference", 4: "one turn" };

/** Turns and questions of a file in the form of the set. */
export function readConversations(text) {
  const samples = JSON.parse(text);
  if (!Array.isArray(samples)) throw new Error("--locomo: expected a list of conversations");
  return samples.map(({ conversation, qa }, index) => {
    if (conversation === undefined || !Array.isArray(qa))
      throw new Error(`--locomo: conversation ${index + 1} has no "conversation" and "qa"`);
    const sessions = Object.keys(conversation).filter(name => /^session_\d+$/.test(name));
    const turns = sessions.flatMap(session =>
      conversation[session].map(({ speaker, dia_id, text: said, blip_caption: picture }) => ({
        id: dia_id,
        session,
        speaker,
        date: conversation[`${session}_date_time`] ?? "",
        text: picture === undefined ? said : `${said} (picture: ${picture})`,
      })),
    );
    const questions = qa
      .filter(({ category, evidence }) => Object.hasOwn(KINDS, category) && evidence?.length > 0)
      .map(({ question, evidence, category }) => ({
        question,
        kind: KINDS[category],
        evidence: new Set(evidence.flatMap(each => each.split(/[;,\s]+/))),
      }));
    return { turns, questions };
  });
}

/** How a turn is stored: alone, or with who said it and when. */
const FORMS = {
  "text alone": ({ text }) => text,
  "with speaker and date": ({ speaker, date, text }) => `${speaker}, ${date}: ${text}`,
};

export async function benchConversations(file) {
  const conversations = readConversations(readFileSync(file, "utf8"));
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  try {
    const sources = await loadSources(folder, [["rankByWords", "src/memory/ranking.ts"]]);
    const rows = [];
    for (const [form, textOf] of Object.entries(FORMS)) {
      const hits = [];
      const plain = [];
      for (const [index, conversation] of conversations.entries()) {
        hits.push(...(await ask(sources, join(folder, `${form} ${index}.db`), conversation, textOf)));
        plain.push(...askPlainly(conversation, textOf));
      }
      const share = some => (100 * some.filter(({ isFound }) => isFound).length) / some.length;
      const kinds = [...new Set(hits.map(({ kind }) => kind))].sort();
      const row = (name, some) => ({
        name: `${form}, ${name}: evidence among the first ${FIRST} (${some.length})`,
        p50: share(some),
        unit: "%",
      });
      rows.push(
        row("plain full text", plain),
        row("all", hits),
        ...kinds.map(kind =>
          row(
            kind,
            hits.filter(each => each.kind === kind),
          ),
        ),
      );
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What FTS5 does with the same turns by itself: its default tokens, any word, BM25. */
function askPlainly({ turns, questions }, textOf) {
  const database = new Libsql(":memory:");
  database.exec("CREATE VIRTUAL TABLE notes USING fts5 (id UNINDEXED, value)");
  const insert = database.prepare("INSERT INTO notes (id, value) VALUES (?, ?)");
  for (const turn of turns) insert.run([turn.id, textOf(turn)]);
  const select = database.prepare("SELECT id FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT ?");
  const answers = questions.map(({ question, kind, evidence }) => {
    const words = [...question.matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => `"${word}"`);
    const first = select.all([words.join(" OR "), FIRST]);
    return { kind, isFound: first.some(({ id }) => evidence.has(id)) };
  });
  database.close();
  return answers;
}

async function ask({ openStore, rankByWords, createNodeSystem }, path, { turns, questions }, textOf) {
  const system = createNodeSystem();
  const nowMs = system.clock.nowMs();
  const store = await openStore(system, path);
  try {
    const notes = turns.map((turn, index) => ({
      id: turn.id,
      project: "/conversation",
      agent: "general",
      session: turn.session,
      key: turn.id,
      value: textOf(turn),
      type: "text",
      category: "conversation",
      createdMs: nowMs - turns.length + index,
      updatedMs: nowMs,
    }));
    await store.take("general", notes, false);
    const answers = [];
    for (const { question, kind, evidence } of questions) {
      const first = await rankByWords(
        store,
        question,
        { projects: ["/conversation"] },
        { limit: FIRST, nowMs },
      );
      answers.push({ kind, isFound: first.some(({ memory }) => evidence.has(memory.key)) });
    }
    return answers;
  } finally {
    store.close();
  }
}
