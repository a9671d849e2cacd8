import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { readJsonc } from "../../config/index.ts";
import { isUserHook, requireHooks } from "../../hooks/index.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  objectAt,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";

export type Exports = Readonly<Record<string, unknown>>;

/** What a compiled file exports. A portable file is the expression of a function, every other one a module. */
export async function loadCompiled(path: string): Promise<Exports> {
  if (!path.endsWith(".js")) return withDefault((await import(pathToFileURL(path).href)) as Exports);
  const module = { exports: {} as Exports };
  const make: unknown = new Script(readFileSync(path, "utf8"), { filename: path }).runInThisContext();
  if (typeof make !== "function") throw new TypeError("it is not a compiled hook");
  make(module, module.exports, requireHooks);
  return module.exports;
}

/** A package in CommonJS has all that it exports in one value. */
function withDefault(exports: Exports): Exports {
  const main = exports["default"];
  return typeof main === "object" && main !== null && !isUserHook(main) ? { ...main, ...exports } : exports;
}

/** How an MCP server is reached. */
export type McpServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

type ReadServer =
  | { readonly ok: true; readonly server: McpServer }
  | { readonly ok: false; readonly problem: string };

/** The entry of a server in `mcpServers` of a file, of the project's part of it first; undefined when there is none. */
export function findServerEntry(data: Json | undefined, name: string, projectRoot: string): Json | undefined {
  const ofProject = memberAt(data, "projects", projectRoot, "mcpServers", name);
  // A plugin's handlers name a server with the plugin in front.
  const plain = name.slice(name.lastIndexOf(":") + 1);
  return ofProject ?? memberAt(data, "mcpServers", name) ?? memberAt(data, "mcpServers", plain);
}

/** An entry of `mcpServers` in Claude Code's shape, with `${NAME}` and `${NAME:-default}` from the environment. */
export function readServer(
  entry: Json | undefined,
  variable: (name: string) => string | undefined,
): ReadServer {
  if (!isJsonObject(entry)) return { ok: false, problem: "it is not described" };
  const expand = (text: string) =>
    text.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, name: string, otherwise?: string) => variable(name) ?? otherwise ?? whole,
    );
  const texts = (member: string) => expandAll(objectAt(entry, member), expand);
  const type = stringAt(entry, "type") ?? (stringAt(entry, "url") === undefined ? "stdio" : "http");
  const command = stringAt(entry, "command");
  const url = stringAt(entry, "url");
  if (type === "stdio" && command !== undefined) {
    const args = stringsAt(entry, "args").map(expand);
    return { ok: true, server: { kind: "stdio", command: expand(command), args, env: texts("env") } };
  }
  if (type === "http" && url !== undefined && URL.canParse(expand(url)))
    return { ok: true, server: { kind: "http", url: expand(url), headers: texts("headers") } };
  return {
    ok: false,
    problem: `of type "${type.slice(0, 20)}" it cannot be reached: stdio with "command" and http with "url" can`,
  };
}

function expandAll(members: JsonObject, expand: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, expand(value)]] : [],
    ),
  );
}

/** Claude Code keeps more than settings in one of them. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A JSON file of another program; undefined where there is none that can be read. */
export function readSettingsFile(system: Pick<System, "files" | "text">, path: string): Json | undefined {
  if (system.files.follow(path)?.kind !== "file") return undefined;
  const read = readJsonc(system.text.decode(system.files.read(path, MAX_FILE_BYTES)).text);
  return read.ok ? read.value : undefined;
}
