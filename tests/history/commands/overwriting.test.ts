import { testRows } from "./rows.ts";
import { OVERWRITING } from "./tables/overwriting.ts";

testRows("what a command overwrites comes back", OVERWRITING);
