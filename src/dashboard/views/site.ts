import type { Session } from "../timeline/timeline.ts";

/** The pages there are. */
export type PageName =
  | ""
  | "sessions"
  | "session"
  | "calls"
  | "change"
  | "search"
  | "recipes"
  | "recipe"
  | "memory";

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What views need to know of where they are shown: addresses, and whether anything can be done there. */
export interface Site {
  /** the address of a page, whole */
  to(page: PageName, query?: Query): string;
  /** what a form must send along */
  readonly token: string | undefined;
  /** one file without a server: nothing can be asked for or done */
  readonly isReport: boolean;
  /** why nothing can be undone or forgotten from here; undefined when it can */
  readonly whyReadOnly: string | undefined;
  readonly nowMs: number;
  /** of this machine, for paths */
  readonly home: string;
  /** what a session is about; undefined where that is not known */
  titleOf(session: Session): string | undefined;
}

interface SiteOptions {
  readonly nowMs: number;
  readonly home: string;
}

export function serverSite(
  token: string,
  options: SiteOptions & Pick<Site, "whyReadOnly" | "titleOf">,
): Site {
  return {
    ...options,
    token,
    isReport: false,
    to: (page, query = {}) => `/${page}?${parameters({ ...query, token })}`,
  };
}

/** Pages of a report are parts of one document; its script shows one at a time. */
export function reportSite(options: SiteOptions): Site {
  return {
    ...options,
    token: undefined,
    isReport: true,
    // Prompts are a person's own words: a file that is handed on has none.
    titleOf: () => undefined,
    whyReadOnly: "This is a report. What it tells of is done with the command line.",
    to(page, query = {}) {
      const given = parameters(query);
      return `#/${page}${given === "" ? "" : `?${given}`}`;
    },
  };
}

function parameters(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
