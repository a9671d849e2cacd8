import { type CommandInvocation, defineCommand, fitLines, usageError, type Width } from "../../cli/index.ts";
import {
  ANY_AGENT,
  type EarlierText,
  loadPostgresStore,
  type Memory,
  manualScope,
  type TextHistory,
  toDocument,
  toTime,
} from "../../memory/index.ts";
import { DATABASE_URL_VARIABLE } from "../../postgres/index.ts";
import { quoteWord } from "../../system/index.ts";
import { escapeControls, escapeLines } from "../../text/index.ts";
import {
  AGENT_OPTION,
  clipStart,
  findIn,
  memoryPlace,
  SESSION_OPTION,
  STORE_OPTIONS,
  withReader,
} from "./store-access.ts";

const { url, team, format } = STORE_OPTIONS;
const OPTIONS = { agent: AGENT_OPTION, session: SESSION_OPTION, url, team, format } as const;
const MAX_SHOWN = 300;

export const historyCommand = defineCommand({
  name: "history",
  summary: "show what a memory of the team said before, who wrote it, and how to bring it back",
  details: `
The database of a team keeps the last twenty texts of each memory that was
replaced, until the memory is deleted. The file on this machine keeps none. Without --url it is memory.url, else
AMPLIHACK_DATABASE_URL. Exit code 1 when there is no such memory, or several.`,
  options: OPTIONS,
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: { "amplihack memory history style": "shows its earlier texts, the newest first" },
  async run(invocation) {
    const { options, terminal } = invocation;
    checkDatabase(invocation);
    const onServer = {
      ...invocation,
      options: { ...options, backend: "postgres", "db-path": undefined },
    } as const;
    const { memory, history } = await withReader(onServer, async reader => {
      const { PostgresStore } = await loadPostgresStore();
      const memory = await findIn(reader, onServer);
      const none: TextHistory = { author: "", earlier: [] };
      return { memory, history: reader instanceof PostgresStore ? await reader.textHistory(memory) : none };
    });
    const earlier = history.earlier.map(text => ({
      text,
      restore: restoringCommand(invocation, memory, text),
    }));
    const document = {
      ...toDocument(memory),
      author: history.author,
      earlier: earlier.map(({ text: { updatedMs, replacedMs, ...text }, restore }) => ({
        ...text,
        updated_at: toTime(updatedMs),
        replaced_at: toTime(replacedMs),
        restore,
      })),
    };
    const now = { ...memory, author: history.author };
    const lines = [
      `now: ${textLines(now, terminal)}`,
      ...earlier.map(({ text, restore }) => {
        // Line breaks inside quotes are part of a command.
        const command =
          escapeLines(restore) === restore ? restore : "its text has control characters: see --format json";
        return `replaced ${toTime(text.replacedMs)}: ${textLines(text, terminal)}    bring it back: ${command}\n`;
      }),
      ...(earlier.length === 0 ? ["Nothing took the place of an earlier text.\n"] : []),
    ];
    terminal.printResult(options.format, document, lines.join("\n"));
    return 0;
  },
});

type HistoryInvocation = Pick<CommandInvocation<typeof OPTIONS>, "options" | "system" | "terminal">;

function checkDatabase(invocation: HistoryInvocation): void {
  const { options, system } = invocation;
  const isNamed =
    options.url !== undefined ||
    memoryPlace(invocation).config.memory.url !== undefined ||
    (system.env.get(DATABASE_URL_VARIABLE) ?? "") !== "";
  if (!isNamed)
    throw usageError(
      "earlier texts are kept only in a team's database, and none is named",
      `give --url postgres://USER@HOST/DATABASE, or set memory.url or ${DATABASE_URL_VARIABLE}`,
    );
}

function textLines(
  { author, updatedMs, value }: Pick<EarlierText, "author" | "updatedMs" | "value">,
  terminal: Width,
): string {
  const text = fitLines(`    ${clipStart(value, MAX_SHOWN)}`, terminal);
  return `${escapeControls(author)}, ${toTime(updatedMs)}\n${text}\n`;
}

/** Stores the text as it was, in the same place and for the same project. */
function restoringCommand(
  { options, system, ...invocation }: HistoryInvocation,
  { agent, session, key, project }: Memory,
  { value, type, category }: EarlierText,
): string {
  const isCopied = memoryPlace({ system, ...invocation }).config.memory.url !== undefined;
  const isOther = options.url !== undefined || options.team !== undefined || !isCopied;
  const where = [
    ...(options.url === undefined ? (isOther ? ["--backend", "postgres"] : []) : ["--url", options.url]),
    ...(options.team === undefined ? [] : ["--team", options.team]),
  ];
  const texts = [key, value];
  const words = [
    "amplihack memory store",
    ...(agent === ANY_AGENT ? [] : ["--agent", quoteWord(agent)]),
    ...(session === "" ? [] : ["--session", quoteWord(session)]),
    ...(type === "text" ? [] : ["--type", quoteWord(type)]),
    ...(category === "context" ? [] : ["--category", quoteWord(category)]),
    ...where.map(quoteWord),
    ...(texts.some(text => text.startsWith("-")) ? ["--"] : []),
    ...texts.map(quoteWord),
  ];
  const scope = project === manualScope(system) ? [] : [`AMPLIHACK_PROJECT_ID=${quoteWord(project)}`];
  return [...scope, ...words].join(" ");
}
