import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATEGORIES, type Memory, VALUE_TYPES } from "../../src/memory/memory.ts";
import { parseExport, renderExport } from "../../src/memory/transfer.ts";
import { runs } from "../generated-inputs.ts";
import { draft, NOW_MS, STORES } from "./store-scene.ts";

const text = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)) });
const name = text.filter(one => one !== "");
const time = fc.integer({ min: Date.UTC(1, 0), max: Date.UTC(9999, 11, 31) });
const memories = fc.uniqueArray(
  fc.record<Memory>(
    {
      id: name,
      project: text,
      agent: fc.constant("builder"),
      session: text,
      key: name,
      value: text,
      type: fc.constantFrom(...VALUE_TYPES),
      category: fc.constantFrom(...CATEGORIES),
      createdMs: time,
      updatedMs: time,
      isPinned: fc.constant(true),
    },
    {
      requiredKeys: [
        "id",
        "project",
        "agent",
        "session",
        "key",
        "value",
        "type",
        "category",
        "createdMs",
        "updatedMs",
      ],
    },
  ),
  { selector: memory => memory.id + memory.key, comparator: (one, other) => one === other },
);
const hasUniqueNames = (list: readonly Memory[]): boolean =>
  new Set(list.map(({ id }) => id)).size === list.length &&
  new Set(list.map(({ session, key }) => JSON.stringify([session, key]))).size === list.length;

describe("an exported file", () => {
  it("gives back exactly what went into it", () => {
    fc.assert(
      fc.property(memories.filter(hasUniqueNames), list => {
        const file = renderExport("builder", list, NOW_MS);
        expect(parseExport(file, "builder")).toEqual({ agent: "builder", memories: list });
      }),
    );
  });

  it.each(STORES)(
    "makes the same export again after it was imported into an empty store of %s",
    async (_name, openScene) => {
      await fc.assert(
        fc.asyncProperty(memories.filter(hasUniqueNames), async list => {
          const { store } = await openScene();
          await store.take("builder", list, false);
          const first = renderExport("builder", await store.list({}, "name"), NOW_MS);
          const other = await openScene();
          await other.store.take("builder", parseExport(first, "builder").memories, false);
          expect(renderExport("builder", await other.store.list({}, "name"), NOW_MS)).toBe(first);
          expect(await other.store.take("builder", parseExport(first, "builder").memories, true)).toEqual({
            added: 0,
            replaced: 0,
            kept: list.length,
          });
        }),
        { numRuns: runs(25) },
      );
    },
  );

  it("has the members that other programs read", () => {
    const memory = { ...draft({ session: "s" }), id: "x", createdMs: 0, updatedMs: NOW_MS };
    expect(JSON.parse(renderExport("builder", [memory], NOW_MS))).toEqual({
      version: 1,
      agent: "builder",
      exported_at: "2026-06-15T12:00:00.000Z",
      memories: [
        {
          id: "x",
          session: "s",
          project: null,
          key: "key",
          value: "value",
          type: "text",
          category: "context",
          created_at: "1970-01-01T00:00:00.000Z",
          updated_at: "2026-06-15T12:00:00.000Z",
        },
      ],
    });
  });

  const one = (given: object = {}) => ({
    id: "1",
    session: null,
    key: "k",
    value: "v",
    type: "text",
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T03:04:05+01:00",
    ...given,
  });
  const file = (given: object = {}) =>
    JSON.stringify({ version: 1, agent: "a", exported_at: "", memories: [one()], ...given });

  it("may leave out category, project and session", () => {
    expect(parseExport(file(), "b").memories[0]).toMatchObject({
      agent: "b",
      session: "",
      project: "",
      category: "context",
      updatedMs: Date.UTC(2026, 0, 2, 2, 4, 5),
    });
  });

  it.each([
    ["", "the file must be one JSON document"],
    ["[]", "the file must be a JSON object"],
    ["{", "the file must be one JSON document"],
    [file({ version: 2 }), "version must be 1"],
    [file({ memories: {} }), "memories must be a list"],
    [file({ memories: [7] }), "memories[0] must be an object"],
    [file({ memories: [one({ value: 7 })] }), "memories[0].value must be a text"],
    [file({ memories: [one({ id: "" })] }), "memories[0].id must be a text that is not empty"],
    [file({ memories: [one({ key: "" })] }), "memories[0]: the key of a memory must not be empty"],
    [
      file({ memories: [one({ type: "xml" })] }),
      "memories[0].type must be one of markdown, json, yaml, text",
    ],
    [file({ memories: [one({ category: null })] }), "memories[0].category must be one of"],
    [file({ memories: [one({ created_at: "yesterday" })] }), "memories[0].created_at must be a time"],
    [
      file({ memories: [one(), one({ id: "2" })] }),
      "memories[1] must be an id, and a session and key, that come once",
    ],
    [file({ memories: [one(), one({ key: "l" })] }), "memories[1] must be an id"],
    [file({ agent: 3 }), "agent must be a text"],
  ])("that is not right is refused with the place: %#", (content, message) => {
    expect(() => parseExport(content, "b")).toThrow(message);
  });
});
