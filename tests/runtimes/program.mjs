import { check } from "./check.mjs";

console.log(`${await check()} checks passed`);
