import { isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";

/** A list of words is one text with blanks between them: nothing is built when the hook program starts. */
export function isListed(list: string, word: string): boolean {
  if (word === "") return false;
  for (let at = list.indexOf(word); at >= 0; at = list.indexOf(word, at + 1))
    if (isBlank(list, at - 1) && isBlank(list, at + word.length)) return true;
  return false;
}

function isBlank(list: string, at: number): boolean {
  return at < 0 || at >= list.length || list.charCodeAt(at) <= 32;
}

export function hasWord(words: readonly string[], wanted: string): boolean {
  return words.some(word => isListed(wanted, word));
}

/** What a tool does with the files it is given. `look` sees names and sizes, `search` sees matching lines. */
export type FileAction = "delete" | "move" | "copy" | "write" | "look" | "search" | "read";

const MAX_NAME = 200;
const MAX_KNOWN_NAMES = 1_000;
const knownNames = new Map<string, readonly string[]>();

/** `getFileInfo`, `read_file` and `remove-files` in words, in lower case. */
export function nameWords(name: string): readonly string[] {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const words = splitName(name);
  if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
  knownNames.set(name, words);
  return words;
}

function splitName(name: string): readonly string[] {
  return name
    .slice(0, MAX_NAME)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== "");
}

/** Words of a tool's name, and of the server it belongs to where the name tells them apart. */
export interface ToolWords {
  readonly server: readonly string[];
  readonly tool: readonly string[];
}

/** `mcp__files__read_file`; in `files_read_file` the end of the server's name is not known. */
export function toolWords(name: string): ToolWords {
  const [, server = "", tool = name] =
    /^(?:mcp__)?(.+?)(?:__|\/|:)(.+)$/s.exec(name.slice(0, MAX_NAME)) ?? [];
  const [of, words] = [nameWords(server), nameWords(tool)];
  // `mcp__jira__jira_delete_issue`: the server's name says nothing about what is done.
  const isRepeated = words.length > 1 && of.length > 0 && words[0] === of[0];
  return { server: of, tool: isRepeated ? words.slice(1) : words };
}

/** The strictest first: of `search_and_replace` the second half counts. */
const ACTIONS: readonly (readonly [FileAction, string])[] = [
  [
    "delete",
    `
  delete deletes remove unlink rm rmdir rmtree del erase purge destroy wipe shred trash discard clean clear
  empty prune
`,
  ],
  ["move", "move rename mv relocate"],
  ["copy", "copy cp duplicate clone backup"],
  [
    "write",
    `
  write create edit save append update replace insert put patch modify set touch mkdir make overwrite apply fix
  format download extract unzip export dump generate record store add change refactor upsert prepend
`,
  ],
  [
    "look",
    `
  list ls lists info stat stats exists tree metadata size sizes permissions glob find locate watch status
`,
  ],
  ["search", "search grep rg query lookup"],
  [
    "read",
    `
  read reads get view cat show open fetch load head tail diff upload attach send share import parse analyse
  analyze summarise summarize lint check validate verify explain describe inspect navigate goto visit hover
  definition references implementation implementations symbol symbols diagnostics blame log compare print
  transcribe ocr ingest index embed scan review retrieve preview retrieval display count test play post
`,
  ],
];

/** What the words say is done; undefined when they say nothing. */
export function findAction(words: readonly string[]): FileAction | undefined {
  return ACTIONS.find(([, wanted]) => hasWord(words, wanted))?.[0];
}

/** Services whose paths are not paths of this machine. The person who set the server up named it. */
const SERVICES = `
  github gitlab bitbucket gitea forgejo forge ado devops s3 gcs r2 gdrive drive dropbox onedrive sharepoint box
  notion confluence jira atlassian linear asana trello clickup slack discord telegram whatsapp gmail outlook
  sentry datadog grafana pagerduty stripe hubspot salesforce zendesk intercom shopify figma canva miro airtable
  vercel netlify cloudflare heroku supabase firebase neon huggingface kaggle wikipedia brave tavily exa
  perplexity google bing duckduckgo firecrawl context7 deepwiki wordpress contentful sanity zapier http https
  rest graphql openapi
`;
const API_THINGS = `
  issue issues pr prs pull pulls page pages comment comments message messages ticket tickets branch branches
  release releases workflow workflows deployment deployments channel channels thread threads event events entity
  entities relation relations observation observations user users record records row rows bucket buckets
  endpoint endpoints route routes api card cards board boards sprint sprints milestone milestones label labels
  webhook webhooks dashboard dashboards alert alerts email emails contact contacts customer customers invoice
  invoices payment payments order orders product products request requests
`;
const FILE_THINGS = `
  file files fs filesystem path paths directory directories dir folder folders disk local desktop editor ide
  text terminal shell commander
`;

/** The tool speaks of files by its name, so that what else stands in its input does not make them remote. */
export function isFileTool({ server, tool }: ToolWords): boolean {
  return hasWord(server.length > 0 ? server : tool, FILE_THINGS);
}

/** By its name the tool works on things of a service, and its paths are paths there. */
export function isOfService({ server, tool }: ToolWords): boolean {
  if (hasWord(server, SERVICES)) return true;
  if (server.length === 0 && hasWord(tool.slice(0, 1), SERVICES)) return true;
  return hasWord(tool, API_THINGS) && !hasWord(tool, FILE_THINGS);
}

/** Tools that run what they are given. */
export const EXECUTORS = `
  run exec execute executes execution executor eval evaluate interpreter interpret repl sandbox kernel cell
  python python3 ipython jupyter node nodejs javascript js typescript deno bun ruby php perl lua applescript
  osascript invoke bash shell powershell
`;
/** Tools whose texts are words to look for. */
export const SEARCHES = `
  search searches find lookup grep ask docs documentation web fetch resolve suggest recall retrieve retrieval
  research google brave tavily exa perplexity context7 deepwiki wikipedia news semantic similar match
`;

/** Languages in which a tool runs code. `unknown` is code of which nothing tells the language. */
export type CodeLanguage =
  | "python"
  | "javascript"
  | "ruby"
  | "php"
  | "perl"
  | "lua"
  | "applescript"
  | "mongo"
  | "unknown";

/** Where a command runs that is not for the shell of this machine. */
export interface ElsewhereCommand {
  readonly host?: string;
  readonly container?: string;
}

/** What a member of a tool's input is, by its name, its form and the name of the tool. `member` is its path. */
export type ToolShape = { readonly member: string } & (
  | {
      readonly as: "shell";
      readonly command: string;
      readonly dialect: "posix" | "powershell" | "cmd";
      readonly elsewhere?: ElsewhereCommand;
      /** text for a program that runs already, which may be no shell */
      readonly isInput?: true;
    }
  | { readonly as: "program"; readonly argv: readonly string[]; readonly elsewhere?: ElsewhereCommand }
  | { readonly as: "sql"; readonly text: string }
  | { readonly as: "code"; readonly language: CodeLanguage; readonly text: string }
  | {
      readonly as: "file";
      readonly action: FileAction;
      readonly path: string;
      /** for `move` and `copy`: where to */
      readonly to?: string;
      /** the name of the tool does not say what it does */
      readonly isGuess?: true;
    }
);

/** A tool call in shapes. */
export interface ShapedCall {
  readonly shapes: readonly ToolShape[];
  /** the directory that the call works in, as it is written there */
  readonly directory: string | undefined;
  /** false when the arguments were too many or too deep to look at all of them */
  readonly isComplete: boolean;
}

/** An object of the input with the words of the tool that it is meant for. */
export interface Level {
  readonly tool: ToolWords;
  readonly members: JsonObject;
  /** names from the top of the input down to here */
  readonly place: readonly string[];
  /** objects around this one, the nearest last */
  readonly around: readonly JsonObject[];
}

/** Names under which tools take the directory they work in, without marks and in lower case. */
const DIRECTORY = `
  cwd cwdpath workdir workingdir workingdirectory currentdir currentdirectory chdir basedir basedirectory
  basepath rootdir rootdirectory rootpath root projectroot projectpath projectdir projectdirectory repopath
  repositorypath repodir workspace workspacepath workspaceroot workspacefolder worktree worktreepath
`;
/** These name the directory of a command, and the target of anything else. */
const DIRECTORY_OF_COMMAND = "directory dir folder dirpath directorypath";

export function isDirectoryName(name: string, isOfCommand: boolean): boolean {
  const bare = name.replace(/[_\-\s.]/g, "").toLowerCase();
  return isListed(DIRECTORY, bare) || (isOfCommand && isListed(DIRECTORY_OF_COMMAND, bare));
}

/** The directory that a command's tool was told to run it in; undefined when it says nothing. */
export function directoryOfCommand(input: Json): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const [name, value] of Object.entries(input))
    if (typeof value === "string" && value !== "" && isDirectoryName(name, true)) return value;
  return undefined;
}
