import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { anyCharacter } from "../generated-inputs.ts";

const FIXTURES = new URL("../fixtures/hosts/", import.meta.url).pathname;

const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
  .filter(name => name.endsWith(".json") && !name.endsWith("index.json"))
  .map(name => readFileSync(join(FIXTURES, name), "utf8"));

const change = fc.tuple(
  fc.nat(),
  fc.constantFrom("drop", "retype", "cut", "insert"),
  fc.jsonValue(),
  fc.string({ unit: anyCharacter }),
);

/** Payloads of real hosts, with a few members changed, removed, retyped or broken. */
const mutated = fc
  .tuple(fc.constantFrom(...fixtures), fc.array(change, { maxLength: 4 }))
  .map(([fixture, changes]) => {
    let text = fixture;
    for (const [at, kind, value, noise] of changes) {
      const index = text.length === 0 ? 0 : at % text.length;
      if (kind === "cut") text = text.slice(0, index);
      else if (kind === "insert") text = text.slice(0, index) + noise + text.slice(index);
      else text = changeMember(text, at, kind === "drop" ? undefined : value);
    }
    return text;
  });

function changeMember(text: string, at: number, value: unknown): string {
  try {
    const object = JSON.parse(text) as Record<string, unknown>;
    const keys = Object.keys(object);
    const key = keys[at % Math.max(1, keys.length)];
    if (key === undefined) return text;
    if (value === undefined) delete object[key];
    else object[key] = value;
    return JSON.stringify(object);
  } catch {
    return text;
  }
}

/** Everything that may arrive on the stdin of a hook: mostly nearly right. */
export const payloads: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
