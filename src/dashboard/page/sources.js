// Where the page gets its data from: the server it came from, or what a report holds.

import { shownTime } from "./elements.js";

/** Asks the server this page came from. */
export function liveSource() {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const address = (name, query) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    return `/api/${name}?${new URLSearchParams([...given, ["token", token]])}`;
  };
  const ask = async (name, query = {}) => {
    const response = await fetch(address(name, query));
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
    return answer;
  };
  return {
    overview: () => ask("overview"),
    runs: query => ask("runs", query),
    judgements: query => ask("judgements", query),
    recipes: () => ask("recipes"),
    memories: text => ask("memory", { text }),
    follow(onNews, onState) {
      const stream = new EventSource(address("live", {}));
      stream.onopen = () => onState("Live");
      stream.onerror = () => onState("The server does not answer; is amplihack dashboard still running?");
      stream.onmessage = message => onNews(JSON.parse(message.data));
    },
  };
}

/** Answers from what the report holds, in the way the server does. */
export function reportSource(data) {
  const page = (entries, { before, count, decision, host, text = "" }) => {
    const sought = text.toLowerCase();
    const matching = entries.filter(
      entry =>
        (!host || entry.host === host) &&
        (!decision || (decision === "failed" ? Boolean(entry.failure) : entry.decision === decision)) &&
        (sought === "" || Object.values(entry).some(value => String(value).toLowerCase().includes(sought))),
    );
    const older = before === undefined ? matching : matching.filter(entry => entry.number < before);
    return {
      entries: older.slice(0, count),
      matching: matching.length,
      newer: matching.length - older.length,
    };
  };
  return {
    overview: async () => data.overview,
    runs: async query => page(data.runs, query),
    judgements: async query => page(data.judgements, query),
    recipes: async () => data.recipes,
    async memories(text) {
      if (data.memories === null) throw new Error("this report was written without memories (see --memory)");
      const words = text.toLowerCase().split(/\s+/);
      return data.memories.filter(memory => {
        const all = `${memory.agent} ${memory.key} ${memory.text}`.toLowerCase();
        return words.every(word => all.includes(word));
      });
    },
    follow(_, onState) {
      onState(`Report of ${shownTime(data.written)}, amplihack ${data.version}`);
    },
  };
}
