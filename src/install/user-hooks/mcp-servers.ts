import {
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  objectAt,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";

/** How an MCP server is reached. */
export type McpServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type ReadServer =
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
