import type { System } from "../system/index.ts";
import { Activity } from "./activity.ts";
import { type DataFiles, LogSource } from "./entries.ts";
import { Changes } from "./timeline/calls.ts";
import { type Timeline, Timelines } from "./timeline/timeline.ts";

export { type Summary, summarise } from "./timeline/timeline.ts";

/** What happened since a time, as the pages tell it: read from the end of the logs, and no further. */
export async function readTimeline(system: System, files: DataFiles, sinceMs: number): Promise<Timeline> {
  const activity = new Activity(new LogSource(system, files, sinceMs));
  await activity.catchUp();
  return new Timelines(activity, new Changes(system, files.stateHome, files.history, sinceMs)).read();
}
