import { testRows } from "./rows.ts";
import { DELETIONS } from "./tables/deletions.ts";

testRows("what a command deletes or moves away comes back", DELETIONS);
