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

/** What of a team's data is looked at; what is left out does not restrict. */
export const SCOPE_NAMES = ["team", "person", "machine", "project", "host"] as const;
export type Scope = Readonly<Partial<Record<(typeof SCOPE_NAMES)[number], string>>>;

/** The pages of a team, not of this machine. */
export interface TeamSite {
  /** goes along with every address */
  readonly scope: Scope;
  /** what there is to choose from, the most frequent first */
  readonly choices: Readonly<Record<(typeof SCOPE_NAMES)[number], readonly string[]>>;
  /** its database has runs of recipes that the reader may see */
  readonly hasRecipes: boolean;
  /** where it comes from, and how much of it is shown */
  readonly about: string;
  /** why what is shown may be old; undefined when it is not */
  readonly problem: string | undefined;
}

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
  /** undefined for this machine */
  readonly team: TeamSite | undefined;
  /** what a session is about; undefined where that is not known */
  titleOf(session: Session): string | undefined;
}

interface SiteOptions {
  readonly nowMs: number;
  readonly home: string;
}

export function serverSite(
  token: string,
  options: SiteOptions & Pick<Site, "whyReadOnly" | "titleOf" | "team">,
): Site {
  const scope = options.team?.scope ?? {};
  return {
    ...options,
    token,
    isReport: false,
    to: (page, query = {}) => `/${page}?${parameters({ ...scope, ...query, token })}`,
  };
}

/** Pages of a report are parts of one document; its script shows one at a time. */
export function reportSite(options: SiteOptions): Site {
  return {
    ...options,
    token: undefined,
    isReport: true,
    team: undefined,
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
