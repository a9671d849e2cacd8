import { describe, expect, it } from "vitest";
import { HOST_IDS } from "../../src/exports/hosts.ts";
import { answerTable } from "./answer-table.ts";

describe("every host's words for every effect on every event it has", () => {
  it.each(HOST_IDS)("%s", async host => {
    await expect(answerTable(host)).toMatchFileSnapshot(`../golden/hosts/${host}.txt`);
  });
});
