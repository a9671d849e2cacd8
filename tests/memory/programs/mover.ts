/** Moves memories between a file and a team, and is killed at one of the calls to its target. */
import { copyMemories, type MovableStore, removeMoved } from "../../../src/memory/move.ts";
import { openPostgresStore } from "../../../src/memory/open-postgres-store.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { createNodeSystem } from "../../../src/system/node.ts";

const system = createNodeSystem();
const [direction = "", path = "", url = "", team = "", when = "", calls = "0"] = process.argv.slice(2);
let left = Number(calls);

/** Before or after a call, or while its statements are under way. */
function dying(target: MovableStore): MovableStore {
  const die = () => process.kill(process.pid, "SIGKILL");
  return new Proxy(target, {
    get(object, name) {
      const method: unknown = Reflect.get(object, name);
      if (typeof method !== "function") return method;
      return async (...values: unknown[]) => {
        left -= 1;
        if (left > 0) return method.apply(object, values);
        if (when === "before") die();
        const answer = method.apply(object, values);
        if (when === "during") setTimeout(die, 3);
        await answer;
        die();
      };
    },
  });
}

async function move(): Promise<void> {
  const file = await openStore(system, path);
  const database = await openPostgresStore(system, { address: readDatabaseUrl(url, "option"), team });
  const [source, target] = direction === "postgres" ? [file, database] : [database, file];
  const { equal } = await copyMemories(source, dying(target));
  await removeMoved(source, equal);
}

void move();
