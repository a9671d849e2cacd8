/** One of many processes that use the same memories at the same time. Tells on stdout what it stored. */

import { learnedRetention } from "../../../src/memory/memory.ts";
import { readQuery } from "../../../src/memory/search-words.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { createNodeSystem } from "../../../src/system/node.ts";

const system = createNodeSystem();
const [action = "", path = "", name = "", rounds = "0"] = process.argv.slice(2);
const say = (text: string) => system.stdio.writeOutput(`${text}\n`);

const draft = (number: number) => ({
  project: "/project",
  agent: name,
  session: `session ${number % 3}`,
  key: `key ${number}`,
  value: `${name} says number ${number} ${"padding ".repeat((number * 37) % 400)}`,
  type: "text" as const,
  category: "context" as const,
});

async function put(number: number, store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  await store.put(draft(number));
  say(String(number));
}

const actions: Record<string, () => Promise<void>> = {
  /** Writes and reads, opening and closing as commands do. */
  async work() {
    for (let number = 0; number < Number(rounds); number++) {
      const store = await openStore(system, path);
      await put(number, store);
      await store.remember(
        { ...draft(number), key: `learned/${number}`, value: `everybody learnt fact ${number % 50}` },
        learnedRetention(system.clock.nowMs()),
      );
      const own = await store.list({ agent: name, key: `key ${number}` }, "name");
      if (own[0]?.value !== draft(number).value) throw new Error(`number ${number} is not what was stored`);
      await store.search(readQuery("says padding number"), { projects: ["/project"] }, 10);
      store.close();
    }
  },
  /** Only opens, for the race to make the database. */
  async open() {
    const store = await openStore(system, path);
    await put(0, store);
    store.close();
  },
  /** Writes until it is killed. */
  async churn() {
    const store = await openStore(system, path);
    for (let number = 0; ; number++) await put(number, store);
  },
};

void actions[action]?.();
