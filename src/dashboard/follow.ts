import { errorText } from "../protocol/index.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { DashboardData } from "./sources.ts";

const ANNOUNCED = 5;

/** What open pages are told: how much there is, and what was stopped since `judgementsBefore`. */
export function news(data: DashboardData, judgementsBefore: number) {
  const { judgements } = data.activity;
  const fresh = Math.min(ANNOUNCED, judgements.total - judgementsBefore);
  return {
    ...data.totals(),
    stopped: judgements.page({ count: fresh }).entries.filter(({ decision }) => decision !== "allow"),
  };
}

/** Looks for news again and again; trouble is told once and does not end it. */
export function follow(
  data: DashboardData,
  streams: LiveStreams,
  intervalMs: number,
  warn: (message: string) => void,
): () => void {
  const { activity } = data;
  const told = new Set<string>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;
  const look = async (): Promise<void> => {
    const before = activity.judgements.total;
    try {
      const isNews = await data.catchUp();
      // What was there before the page is history, not news.
      if (isNews) streams.tell(news(data, isFirst ? activity.judgements.total : before));
      isFirst = false;
    } catch (error) {
      const message = errorText(error);
      if (!told.has(message)) warn(`Warning: the logs cannot be read: ${message}\n`);
      told.add(message);
    }
    if (!isStopped) timer = setTimeout(look, intervalMs);
  };
  void look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
