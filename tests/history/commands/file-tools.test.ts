import { testRows } from "./rows.ts";
import { FILE_TOOLS } from "./tables/file-tools.ts";

testRows("what a file tool of any host changes comes back", FILE_TOOLS);
