import { describe, expect, it } from "vitest";
import { type HttpRequest, requestLosses } from "../../src/programs/records/requests.ts";

const AWAY = "https://api.acme.com/v1/apps/7";

function rulesOf(request: Partial<HttpRequest>): readonly string[] {
  const whole = { method: undefined, address: AWAY, headers: [], bodies: [], ...request };
  return requestLosses(whole).map(({ rule }) => rule);
}

const DELETES: readonly (readonly [string, Partial<HttpRequest>, string])[] = [
  ["by its method", { method: "DELETE" }, "cloud.api"],
  ["by a header", { method: "POST", headers: ["X-HTTP-Method-Override: DELETE"] }, "cloud.api"],
  ["by the end of its path", { method: "POST", address: `${AWAY}/delete` }, "cloud.api"],
  ["by a verb behind a colon", { method: "POST", address: `${AWAY}:destroy?x=1` }, "cloud.api"],
  ["by a mutation", { bodies: ['{"query":"mutation { volumeDelete(id: 7) }"}'] }, "cloud.api"],
  ["by a bare mutation", { bodies: ["mutation { deleteVolume(id: 7) { id } }"] }, "cloud.api"],
  ["by an action", { bodies: ['{"action":"terminate"}'] }, "cloud.api"],
  ["by a field of a form", { bodies: ["Action=DeleteVolumes&Id=7"] }, "cloud.api"],
  ["by SQL", { bodies: ['{"sql":"DROP TABLE users"}'] }, "db.drop"],
  ["by the query of an index", { method: "POST", address: "http://es:9200/a/_delete_by_query" }, "db.index"],
];

describe("a request deletes", () => {
  it.each(DELETES)("%s", (_how, request, rule) => {
    expect(rulesOf(request)).toEqual([rule]);
  });
});

const HARMLESS: readonly (readonly [string, Partial<HttpRequest>])[] = [
  ["reads", { address: `${AWAY}/delete` }],
  ["talks to this machine", { method: "DELETE", address: "http://localhost:3000/a" }],
  [
    "creates with a mutation",
    { bodies: ['{"query":"mutation { createVolume(name: \\"delete-me(\\") { id } }"}'] },
  ],
  ["writes about deletion", { bodies: ['{"title":"delete it","type":"please delete"}'] }],
  ["selects", { bodies: ['{"sql":"SELECT 1"}'] }],
  ["asks this machine for an action", { bodies: ['{"action":"delete"}'], address: "localhost:3000" }],
];

describe("a request does not delete when it", () => {
  it.each(HARMLESS)("%s", (_what, request) => {
    expect(rulesOf(request)).toEqual([]);
  });
});
