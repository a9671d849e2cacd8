import { type Language, type Output, text, unknownOutput, words } from "../../shell/index.ts";
import type { Field, ParsedCall, Program } from "../model/program.ts";
import { runFiles } from "../model/run-code.ts";
import { runRemotely } from "./remote-runners.ts";

/** Programs that run what a file of a fixed name says, in a language that is read here. */
export const taskRunners: Field = {
  programs: () => [
    runner("rake", "ruby", "Rakefile rakefile Rakefile.rb rakefile.rb"),
    runner("invoke inv", "python", "tasks.py"),
    runner("fab", "python", "fabfile.py", runRemotely),
    runner("nox", "python", "noxfile.py"),
    runner("doit", "python", "dodo.py"),
    runner("gulp", "javascript", "gulpfile.js gulpfile.mjs gulpfile.cjs"),
    runner("grunt", "javascript", "Gruntfile.js"),
    {
      names: "pytest py.test",
      is: ["readsNothing"],
      run: call => runEverywhere("python", "conftest.py", call),
    },
  ],
};

/** `otherwise` is asked first: a command line that is no task of the file. */
function runner(
  names: string,
  language: Language,
  files: string,
  otherwise: (call: ParsedCall) => Output | undefined = () => undefined,
): Program {
  return {
    names,
    is: ["readsNothing"],
    run: call =>
      otherwise(call) ??
      runFiles(
        language,
        words(files).map(file => text(file)),
        [],
        call,
      ),
  };
}

/** Files of that name in any directory: whichever tests run, those above them are loaded. */
function runEverywhere(language: Language, name: string, call: ParsedCall): Output {
  const own = call.scope.session.context.ownFiles?.named(name) ?? [];
  if (own.length > 0)
    return runFiles(
      language,
      own.map(path => text(path)),
      [],
      call,
    );
  return [unknownOutput(call)];
}
