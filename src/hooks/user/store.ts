import { isJsonObject, type JsonObject } from "../../protocol/index.ts";
import { AtomicJsonFile, sanitiseSessionId } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";
import type { HookStore } from "./call-types.ts";

const LOCK_TIMEOUT_MS = 2_000;
const MAX_STATE_BYTES = 1024 * 1024;

/** Where users' hooks keep things between runs: beside the hooks, where no project can write. */
export function stateFolder(stateHome: string, hook: string): string {
  return join(stateHome, "hooks", ".state", hook);
}

/** The two stores of one hook. Nothing is read or written before a hook asks. */
export function openStores(
  system: System,
  place: {
    readonly stateHome: string;
    readonly hook: string;
    readonly session: string | undefined;
    readonly projectRoot: string;
  },
): { readonly session: HookStore; readonly project: HookStore } {
  const folder = stateFolder(place.stateHome, place.hook);
  const project = sha256Hex(system.text.encode(place.projectRoot)).slice(0, 32);
  return {
    session: openStore(system, join(folder, `session-${sanitiseSessionId(place.session ?? "")}.json`)),
    project: openStore(system, join(folder, `project-${project}.json`)),
  };
}

function openStore(system: System, path: string): HookStore {
  const file = new AtomicJsonFile<JsonObject>(path, {
    system,
    parse(value) {
      if (!isJsonObject(value)) throw new TypeError("the state of a hook is an object");
      return value;
    },
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    limitBytes: MAX_STATE_BYTES,
  });
  return {
    read: () => file.readOrDefault({}),
    // A copy: a hook that is evaluated by itself has objects of its own kind.
    update: change => file.update(now => copyOf(change(now)), {}, { onMalformed: "set-aside" }),
  };
}

function copyOf(value: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? "null");
  if (!isJsonObject(copy)) throw new TypeError("the state of a hook is an object");
  return copy;
}
