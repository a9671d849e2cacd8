import fc from "fast-check";
import { HOST_IDS, HOSTS, type HostId } from "../../src/exports/hosts.ts";
import { wantedEntries } from "../../src/install/hook-entries.ts";
import { json, jsonObjects, texts } from "./values.ts";

export const layouts = fc.constantFrom(
  ...HOST_IDS.flatMap(id => {
    const layout = HOSTS[id].registration?.layout;
    return layout === undefined ? [] : [{ id, layout }];
  }),
);
/** Settings of people: hooks of theirs in every state, and what is no JSON at all. */
export const settings = fc.oneof(
  texts,
  jsonObjects.map(value => JSON.stringify(value, null, 2)),
  fc
    .dictionary(fc.constantFrom("Stop", "PreToolUse", "stop"), json, { maxKeys: 2 })
    .map(hooks => JSON.stringify({ hooks, other: 1 }, null, "\t")),
  fc.constantFrom("", "{}", "// only a comment\n{}", '{"hooks":{}}', '{"hooks":{"Stop":[]}}'),
);

/** Two are enough to see order, duplicates and what is left behind. */
export function someEntries(id: HostId) {
  return wantedEntries(id, { program: "/x/amplihack-hooks", isShared: false }).slice(0, 2);
}
