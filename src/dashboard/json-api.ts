import type { EntryQuery } from "./recent.ts";
import type { Sources } from "./sources.ts";

const MAX_ROWS = 500;
const MAX_TEXT_LENGTH = 200;

type Route = (sources: Sources, query: URLSearchParams) => unknown;

/** The same as the pages show, for programs. */
export const DATA: Readonly<Record<string, Route>> = {
  "/api/overview": ({ activity, changes }) => ({ ...activity.tally.overview(), history: changes.figures() }),
  "/api/runs": ({ activity }, query) => activity.runs.page(readQuery(query)),
  "/api/judgements": ({ activity }, query) => activity.judgements.page(readQuery(query)),
  "/api/recipes": ({ recipes }) => recipes.list(),
  "/api/memory": (sources, query) => sources.findMemories(textParameter(query, "text") ?? "", {}),
};

function readQuery(query: URLSearchParams): EntryQuery {
  const count = integerParameter(query, "count") ?? 100;
  return {
    before: integerParameter(query, "before"),
    count: Math.min(MAX_ROWS, count),
    decision: textParameter(query, "decision"),
    host: textParameter(query, "host"),
    text: textParameter(query, "text"),
  };
}

function textParameter(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.slice(0, MAX_TEXT_LENGTH) || undefined;
}

function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
