import {
  dropKnown,
  knownPrefix,
  type Output,
  type ProgramCall,
  runInNewShell,
  unknown,
  type Value,
} from "../../shell/index.ts";

/** Hands a string to a shell, as `sh -c` does. */
export function runString(code: Value, call: ProgramCall): Output {
  return runInNewShell(code, call, { from: "argument", via: "shell" }, { stdin: call.stdin });
}

/** A command line that an option or a variable gives; signs in front belong to the program that reads it. */
export function runOptionText(given: Value, call: ProgramCall): void {
  const signs = /^[|-]+\s*/.exec(knownPrefix(given))?.[0].length ?? 0;
  const code = dropKnown(given, signs);
  if (code.pieces.length > 0)
    runInNewShell(code, { ...call, environment: [] }, { from: "argument", via: "option" });
}

/** The same call seen from another machine: nothing is known about the directory. */
export function remoteCall(call: ProgramCall, via: string, host: Value | undefined): ProgramCall {
  return { ...call, place: { kind: "remote", via, host }, cwd: unknown("any", "the remote directory") };
}
