/** One of many clients of a team. Writes its notes, and when told to tells what it sees. */
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { openPostgresStore } from "../../../src/memory/open-postgres-store.ts";
import { readQuery } from "../../../src/memory/search-words.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { createNodeSystem } from "../../../src/system/node.ts";

const BATCH = 100;
/** One of so many is stored by itself, as commands do, the others in batches, as imports do. */
const SINGLE_EVERY = 10;

const system = createNodeSystem();
const [url = "", team = "", name = "", count = "0"] = process.argv.slice(2);
const say = (text: string) => system.stdio.writeOutput(`${text}\n`);

const draft = (number: number) => ({
  project: "",
  // Both teams have agents and keys of the same names.
  agent: `agent ${name}`,
  session: "",
  key: `key ${number}`,
  value: `of ${team}: ${name} noted number ${number} about topic${number % 97} and item${number}`,
  type: "text" as const,
  category: "context" as const,
});

async function main(): Promise<void> {
  const address = readDatabaseUrl(url, "option");
  const store = await openPostgresStore(system, { address, team }, { statementTimeoutMs: 600_000 });
  const check = (memories: readonly { readonly value: string }[]): void => {
    if (memories.some(({ value }) => !value.startsWith(`of ${team}:`)))
      throw new Error("a note of another team was given out");
  };
  const numbers = Array.from({ length: Number(count) }, (_, number) => number);
  for (const number of numbers.filter(one => one % SINGLE_EVERY === 0)) {
    await store.put(draft(number));
    await store.put({ ...draft(number), agent: "everybody", key: "contested" });
    if (number % (SINGLE_EVERY * 10) > 0) continue;
    check((await store.search(readQuery(`topic${number % 97}`), {}, 20)).map(({ memory }) => memory));
  }
  const others = numbers.filter(one => one % SINGLE_EVERY > 0);
  for (let from = 0; from < others.length; from += BATCH) {
    const memories = others.slice(from, from + BATCH).map(number => ({
      ...draft(number),
      id: `${name} ${number}`,
      createdMs: number,
      updatedMs: number,
    }));
    await store.take([], memories, true);
    // As after an answer that was lost: the same again changes nothing.
    if (from === 0) await store.take([], memories, true);
  }
  say("written");
  for await (const _ of createInterface(process.stdin)) {
    const seen = await store.list({}, "name");
    check(seen);
    const digest = createHash("sha256");
    for (const { agent, key, value } of seen) digest.update(JSON.stringify([agent, key, value]));
    say(JSON.stringify({ count: seen.length, digest: digest.digest("hex") }));
    break;
  }
  store.close();
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
