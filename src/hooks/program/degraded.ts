import { isJsonObject, type JsonObject, readJson, stringsAt } from "../../protocol/index.ts";
import { checkFileName, findSessionId, findStateHome, readText } from "../../state/index.ts";
import { join, type System, sha256Hex, writeAtomically } from "../../system/index.ts";
import { clip, escapeControls } from "../../text/index.ts";

const MAX_BYTES = 64 * 1024;
const MAX_TOLD = 200;
const MAX_SHOWN = 3;
const MAX_LENGTH = 300;
const MARK_LENGTH = 16;

/** What does not work as it should, which the person hears of in the host, once a session. */
export interface Degraded {
  /** for the answer; undefined when all of it was told before */
  readonly message: string | undefined;
  /** Notes what was told, and what went wrong after the answer, which the next one tells. Never throws. */
  remember(late: readonly string[]): void;
}

/** With nothing wrong, and nothing left from the last call, this is one look-up. */
export function openDegraded(
  system: System,
  session: string | undefined,
  problems: readonly string[],
): Degraded {
  const id = findSessionId(system, session);
  const path = toldFile(system, id);
  const known = path === undefined ? {} : readKnown(system, path);
  const told = new Set(id === undefined ? [] : stringsAt(known, "told"));
  const all = [...new Set([...stringsAt(known, "late"), ...problems])];
  const fresh = all.filter(text => !told.has(problemMark(system, text)));
  return {
    message: fresh.length === 0 ? undefined : degradedMessage(fresh),
    remember(late) {
      const open = late.filter(text => !told.has(problemMark(system, text)) && !fresh.includes(text));
      const isNews = open.length > 0 || (id === undefined ? known["late"] !== undefined : fresh.length > 0);
      if (path === undefined || !isNews) return;
      const marks = [...told, ...fresh.map(text => problemMark(system, text))].slice(-MAX_TOLD);
      const kept = { told: marks, late: open.slice(0, MAX_SHOWN).map(text => clip(text, MAX_LENGTH)) };
      try {
        system.files.makeDirectory(path.slice(0, path.lastIndexOf("/")), 0o700);
        writeAtomically(system, path, system.text.encode(JSON.stringify(kept)), { mode: 0o600 });
      } catch {
        // A disk that takes no record takes none of this either: it is told again by the next call.
      }
    },
  };
}

function degradedMessage(problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_SHOWN).map(text => escapeControls(clip(text, MAX_LENGTH)));
  const more = problems.length - shown.length;
  return `amplihack is only partly working: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}. Look: amplihack doctor`;
}

/** Of calls without a session only what came too late for its own answer is kept; the rest is told each time. */
function toldFile(system: System, id: string | undefined): string | undefined {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return undefined;
  return join(
    stateHome,
    "guard",
    "degraded",
    id === undefined ? "unknown.json" : `${checkFileName(id)}.json`,
  );
}

function readKnown(system: System, path: string): JsonObject {
  try {
    const text = readText(system, path, MAX_BYTES);
    const read = text === undefined ? undefined : readJson(text);
    return read?.ok === true && isJsonObject(read.value) ? read.value : {};
  } catch {
    return {};
  }
}

/** Numbers differ from call to call: process ids, sizes. */
function problemMark({ text }: System, problem: string): string {
  return sha256Hex(text.encode(problem.replace(/\d+/g, "#"))).slice(0, MARK_LENGTH);
}
