import { expect } from "vitest";
import { hasPostgres } from "../postgres-server.ts";
import { missingForNetwork } from "./network.ts";

const isAskedFor = process.env["AMPLIHACK_TEST_LONG"] === "1";
const missing = hasPostgres ? missingForNetwork() : "PostgreSQL (apt-get install postgresql)";

/** `npm run test:partition` and `npm run test:long`, where networks can be made. */
export const TRIES_PARTITION = isAskedFor && missing === undefined;

if (isAskedFor && missing !== undefined)
  process.stderr.write(`The tests of a network that is cut are skipped. They need ${missing}.\n`);

/** A machine may be busy with other things: conditions are waited for, times are not measured. */
export async function until<T>(look: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  let last: T | undefined;
  await expect
    .poll(
      async () => {
        last = await look();
        return wanted(last);
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBe(true);
  return last as T;
}
