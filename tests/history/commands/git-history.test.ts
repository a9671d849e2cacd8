import { testRows } from "./rows.ts";
import { GIT_HISTORY } from "./tables/git-history.ts";

testRows("refs and commits that git moves or drops come back", GIT_HISTORY);
