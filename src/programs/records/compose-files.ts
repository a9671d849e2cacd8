import { readJson } from "../../protocol/index.ts";
import {
  knownText,
  type Mount,
  type ProgramCall,
  parseOptions,
  runInNewShell,
  text,
  unknown,
} from "../../shell/index.ts";
import { writtenText } from "./make.ts";
import { readVolume } from "./mounts.ts";

const NAMES = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];
const VOLUME = /^[ \t]*-\s*["']?((?:[./~]|\$\{?\w)[^"'\s:]*:\/[^"'\s:]*(?::[\w,]+)?)["']?\s*(?:#.*)?$/gm;
const COMMAND = /^[ \t]*(?:command|entrypoint)\s*:\s*(\S.*)$/gm;

/** The commands of a compose file that this command or this session wrote, with what it mounts of this machine. */
export function runComposeFile(call: ProgramCall): void {
  const named = parseOptions(call.argv, { values: "f|file", abbreviates: false }).valuesOf("f");
  for (const file of named.length > 0 ? named : NAMES.map(name => text(name)))
    for (const content of writtenText(file, call)) runServices(knownText(content) ?? "", call);
}

function runServices(content: string, call: ProgramCall): void {
  const { home } = call.scope.session.context;
  const mounts: readonly Mount[] = [...content.matchAll(VOLUME)].flatMap(([, volume = ""]) =>
    readVolume(text(volume.replace(/^~(?=\/|:)/, home)), call.cwd),
  );
  const cwd = unknown("any", "the container's directory");
  const there: ProgramCall = { ...call, cwd, place: { kind: "container", via: "compose", mounts } };
  for (const [, written = ""] of content.matchAll(COMMAND))
    runInNewShell(text(commandLine(written)), there, { from: "file", via: "script" });
}

/** A list of words, or a text that a shell would split. */
function commandLine(written: string): string {
  const list = written.startsWith("[") ? readJson(written.replaceAll("'", '"')) : undefined;
  if (list?.ok !== true || !Array.isArray(list.value)) return written.replace(/^(["'])(.*)\1$/, "$2");
  return list.value.map(word => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ");
}
