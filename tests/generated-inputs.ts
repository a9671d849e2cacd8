import fc from "fast-check";

// The default run draws the same inputs every time, so that a red run means a change; `npm run test:long` draws new
// ones, and fast-check prints the seed of a failure, which AMPLIHACK_TEST_SEED takes back.
const seed = process.env["AMPLIHACK_TEST_SEED"] ?? "20261115";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
