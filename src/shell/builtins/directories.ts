import { parseOptions } from "../options.ts";
import { joinPath, leaveProcess } from "../paths.ts";
import { writtenEntry } from "../state/file-contents.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { uniteValues } from "../state/state.ts";
import type { Builtin, ProgramCall } from "../state/types.ts";
import { lookUp, scalarValues } from "../state/variables.ts";
import { knownText, text, type Value } from "../value.ts";

const CD = { flags: "-LPe@q", stopsAtOperand: true } as const;

const changeDirectory: Builtin = call => {
  const [target] = parseOptions(call.argv, CD).operands;
  const { scope } = call;
  if (target === undefined) enter(scalarValues(lookUp("HOME", scope)), call);
  else if (knownText(target.value) === "-") enter(scope.state.previousCwds, call);
  else enter([joinPath(call.cwd, leaveProcess(call.cwd, target.value))], call);
  return NO_OUTPUT;
};

const pushDirectory: Builtin = call => {
  const [target] = parseOptions(call.argv, { flags: "-n", stopsAtOperand: true }).operands;
  const { state } = call.scope;
  const written = target === undefined ? undefined : knownText(target.value);
  if (target !== undefined && (written === undefined || !/^\+\d+$/.test(written))) {
    state.directoryStack = [state.cwds, ...state.directoryStack];
    enter([joinPath(call.cwd, leaveProcess(call.cwd, target.value))], call);
    return NO_OUTPUT;
  }
  const [top, ...rest] = state.directoryStack;
  if (top === undefined) return NO_OUTPUT;
  state.directoryStack = [state.cwds, ...rest];
  enter(top, call);
  return NO_OUTPUT;
};

const popDirectory: Builtin = call => {
  const { state } = call.scope;
  const [top, ...rest] = state.directoryStack;
  state.directoryStack = rest;
  if (top !== undefined) enter(top, call);
  return NO_OUTPUT;
};

function enter(directories: readonly Value[], call: ProgramCall): void {
  const { state } = call.scope;
  state.fallbackCwds = directories.some(directory => isMissing(directory, call))
    ? uniteValues([state.cwds, state.fallbackCwds ?? []], "the current directory")
    : undefined;
  state.previousCwds = state.cwds;
  state.cwds = directories.map(directory => followLink(directory, call));
}

/** `ln -s / x; cd x` in one command. */
function followLink(directory: Value, call: ProgramCall): Value {
  const link =
    knownText(directory) === undefined ? undefined : call.scope.state.files.get(knownText(directory) ?? "");
  return link?.sameAs === undefined || link.isLink !== true ? directory : text(link.sameAs);
}

/** Certainly not there, as far as a look can tell; if even the start is not there, looking tells nothing. */
function isMissing(directory: Value, call: ProgramCall): boolean {
  const { files, cwd } = call.scope.session.context;
  const path = knownText(directory);
  if (files === undefined || path === undefined || call.place.kind !== "local") return false;
  if (writtenEntry(directory, call.cwd, call.scope) !== undefined || isMadeAbove(path, call)) return false;
  return files.kind(path) === undefined && files.kind(cwd) === "directory";
}

/** Below a directory that this command makes or fetches, anything may be. */
function isMadeAbove(path: string, call: ProgramCall): boolean {
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    if (call.scope.state.files.has(path.slice(0, slash))) return true;
  }
  return false;
}

export const directoryBuiltins: readonly (readonly [string, Builtin])[] = [
  ["cd", changeDirectory],
  ["chdir", changeDirectory],
  ["pushd", pushDirectory],
  ["popd", popDirectory],
];
