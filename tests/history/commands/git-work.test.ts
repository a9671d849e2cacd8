import { testRows } from "./rows.ts";
import { GIT_WORK } from "./tables/git-work.ts";

testRows("what git takes from the working tree, the index and the stashes comes back", GIT_WORK);
