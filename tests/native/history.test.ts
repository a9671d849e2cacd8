import { Projects } from "../history/commands/projects.ts";
import { testRows } from "../history/commands/rows.ts";
import { asProgram } from "../history/commands/session.ts";
import { DELETIONS } from "../history/commands/tables/deletions.ts";
import { FILE_TOOLS } from "../history/commands/tables/file-tools.ts";
import { GIT_HISTORY } from "../history/commands/tables/git-history.ts";
import { GIT_WORK } from "../history/commands/tables/git-work.ts";
import { OVERWRITING } from "../history/commands/tables/overwriting.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("calls between two runs of the native program are taken back", () => {
  const native = { name: "native", runHook: asProgram([NATIVE_FILE]) } as const;
  const projects = new Projects();
  testRows("deletions", DELETIONS, native, projects);
  testRows("overwriting", OVERWRITING, native, projects);
  testRows("git: working tree, index and stashes", GIT_WORK, native, projects);
  testRows("git: refs and commits", GIT_HISTORY, native, projects);
  testRows("file tools", FILE_TOOLS, native, projects);
});
