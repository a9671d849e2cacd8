import { BUILT_IN } from "../../config/index.ts";
import type { Onlooker } from "../../history/index.ts";
import { clip, escapeHidden } from "../../text/index.ts";
import type { Call } from "../timeline/calls.ts";
import type { Session } from "../timeline/timeline.ts";

/** Text that is markup already. Everything else is escaped where it is put in. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | number | undefined | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup with values in it. Attributes must stand in quotation marks; a value can never leave its place. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(
    strings.map((text, index) => text + (index < values.length ? write(values[index]) : "")).join(""),
  );
}

export const NOTHING: Markup = new Markup("");

function write(piece: Piece): string {
  if (piece === undefined) return "";
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return piece.map(write).join("");
  return escapeText(String(piece));
}

/** U+0000 has no place in a page. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? "").replaceAll("\0", "\u{fffd}");
}

const LINE_LENGTH = 400;
const BLOCK_LENGTH = 4_000;

/** What somebody else wrote, on one line, with everything written out that would hide or reorder it. */
export function line(text: string, length: number = LINE_LENGTH): string {
  return escapeHidden(clip(text, length));
}

/** The same with its own lines. */
export function block(text: string, length: number = BLOCK_LENGTH): string {
  return clip(text, length)
    .split(/\r?\n/)
    .map(one => one.split("\t").map(escapeHidden).join("    "))
    .join("\n");
}

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
  | "memory"
  | "usage"
  | "hooks"
  | ServerPageName;

/** Pages that only a team's server has. */
export type ServerPageName = "questions" | "machines" | "policy" | "people" | "settings" | "login" | "join";

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
  /** where it comes from */
  readonly about: string;
  /** beside lists: how much of it they show; undefined when it is everything */
  readonly listed: string | undefined;
  /** why what is shown may be old; undefined when it is not */
  readonly problem: string | undefined;
  /** of a team's server: who looks, and what a form must send along; undefined on a person's own machine */
  readonly login?: { readonly person: string; readonly csrf: string } | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What views need to know of who looks, of where they are shown: addresses, and whether anything can be done there. */
export interface Site extends Onlooker {
  /** the address of a page, whole */
  to(page: PageName, query?: Query): string;
  /** what a form must send along */
  readonly token: string | undefined;
  /** one file without a server: nothing can be asked for or done */
  readonly isReport: boolean;
  /** why nothing can be undone or forgotten from here; undefined when it can */
  readonly whyReadOnly: string | undefined;
  readonly nowMs: number;
  /** undefined for this machine */
  readonly team: TeamSite | undefined;
  /** what a session is about; undefined where that is not known */
  titleOf(session: Session): string | undefined;
  /** what it cost, in words; undefined where that is not known */
  usageOf(session: Session): string | undefined;
  /** The call with its command, where the host recorded it. */
  complete(call: Call): Call;
}

interface SiteOptions {
  readonly nowMs: number;
  readonly home: string;
}

export function serverSite(
  token: string,
  options: SiteOptions &
    Pick<Site, "whyReadOnly" | "titleOf" | "usageOf" | "complete" | "team" | "agentSettings">,
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
    // It is handed on, and holds no contents; should it ever, none of secrets.
    agentSettings: BUILT_IN.guard,
    team: undefined,
    // Prompts are a person's own words: a file that is handed on has none.
    titleOf: () => undefined,
    usageOf: () => undefined,
    complete: call => call,
    whyReadOnly: "This is a report. What it tells of is done with the command line.",
    to(page, query = {}) {
      const given = parameters(query);
      return `#/${page}${given === "" ? "" : `?${given}`}`;
    },
  };
}

export function parameters(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

export interface Page {
  readonly name: PageName;
  readonly title: string;
  readonly body: Markup;
  /** what the search field shows */
  readonly sought?: string;
}

const TABS: readonly { readonly page: PageName; readonly title: string; readonly of: readonly PageName[] }[] =
  [
    { page: "", title: "Overview", of: [""] },
    { page: "sessions", title: "Sessions", of: ["sessions", "session"] },
    { page: "calls", title: "Calls", of: ["calls", "change"] },
    { page: "recipes", title: "Recipes", of: ["recipes", "recipe"] },
    { page: "memory", title: "Memory", of: ["memory"] },
    { page: "usage", title: "Usage", of: ["usage"] },
    { page: "hooks", title: "Hooks", of: ["hooks"] },
  ];

const SERVER_TABS: typeof TABS = [
  ...TABS.filter(({ page }) => !["memory", "hooks"].includes(page)),
  { page: "questions", title: "Questions", of: ["questions"] },
  { page: "machines", title: "Machines", of: ["machines"] },
  { page: "policy", title: "Policy", of: ["policy"] },
  { page: "people", title: "People", of: ["people"] },
  { page: "settings", title: "Settings", of: ["settings"] },
];

/** A team has runs of recipes where some were submitted to its database; what models cost is told to a server alone. */
function listTabs({ team, isReport }: Site): typeof TABS {
  const isServer = team?.login !== undefined;
  return (isServer ? SERVER_TABS : TABS).filter(
    ({ page }) =>
      (page !== "recipes" || team?.hasRecipes !== false) &&
      (page !== "usage" || isServer || (team === undefined && !isReport)),
  );
}

/** The sign and the name of the program. */
export const BRAND: Markup = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2 3.5 5.5v6c0 5 3.6 8.6 8.5 10.5 4.9-1.9 8.5-5.5 8.5-10.5v-6z"/><path class="mark" d="m8 12 3 3 5-6"/></svg>amplihack`;

/** What stands around every page. */
export function header(site: Site, { name, sought = "" }: Pick<Page, "name" | "sought">): Markup {
  const tabs = listTabs(site).map(({ page, title, of }) => {
    const isHere = of.includes(name);
    return html`<li><a href="${site.to(page)}"${isHere ? html` aria-current="page"` : NOTHING} data-tab="${page}">${title}</a></li>`;
  });
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${site.to("")}">${BRAND}</a>
<nav aria-label="Pages"><ul>${tabs}</ul></nav>
${searchForm(site, sought)}
${site.team?.login === undefined ? html`<p id="state" role="status"><span class="dot"></span><span class="text">${site.isReport ? "Report" : "Connecting …"}</span></p>` : logoutForm(site.team.login)}
</header>`;
}

function logoutForm({ person, csrf }: NonNullable<TeamSite["login"]>): Markup {
  return html`<form class="account" action="/logout" method="post"><input type="hidden" name="csrf" value="${csrf}"><span>${line(person, 60)}</span> <button type="submit" class="plain">Log out</button></form>`;
}

/** What of a team is looked at stays when something is sought. */
export function scopeFields({ team }: Site): readonly Markup[] {
  return Object.entries(team?.scope ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

function searchForm(site: Site, sought: string): Markup {
  return html`<search class="find"><form action="/search" method="get" role="search" data-search>
<label for="q" class="unseen">Search prompts, commands, paths, diffs, rules, sessions</label>
<input id="q" name="q" type="search" maxlength="200" autocomplete="off" placeholder="Search prompts, commands, files" value="${sought}">
<kbd aria-hidden="true">/</kbd>
${scopeFields(site)}
${site.token === undefined ? NOTHING : html`<input type="hidden" name="token" value="${site.token}">`}
</form></search>`;
}

function listKeys(site: Site): readonly (readonly [string, string])[] {
  const tabs = listTabs(site).map(({ title }) => title.toLowerCase());
  return [
    ["j", "next"],
    ["k", "previous"],
    ["Enter", site.team === undefined ? "open it: its diff, its session" : "open it"],
    ...(site.team === undefined
      ? [["d", "its diff"] as const, ["u", "undo it: shows what would happen and asks"] as const]
      : []),
    ["/", "search"],
    [`1 … ${tabs.length}`, tabs.join(", ")],
    ["?", "this list"],
    ["Esc", "close"],
  ];
}

/** Dialogs are there from the start; the script fills them. */
export function footer(site: Site): Markup {
  const keys = listKeys(site).map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`);
  const keysDialog = html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2>
<dl class="keys">${keys}</dl><form method="dialog"><button>Close</button></form></dialog>`;
  const actions = site.isReport
    ? NOTHING
    : html`<dialog id="action" aria-labelledby="action-title"><h2 id="action-title"></h2>
<div class="content"></div><p class="outcome" role="status"></p>
<div class="buttons"><button type="button" class="cancel">Cancel</button><button type="button" class="force danger" hidden>Overwrite what is there now</button><button type="button" class="confirm primary" hidden>Take this back</button></div></dialog>`;
  const isLocal = !site.isReport && site.team?.login === undefined;
  const note = isLocal ? "Only this machine can see this page. " : "";
  return html`<footer class="bottom"><p>${note}<button type="button" class="plain" data-open="keys">Keyboard: <kbd>?</kbd></button></p></footer>
<p id="announcer" class="unseen" role="log" aria-live="polite" aria-label="Just stopped"></p>
${keysDialog}${actions}`;
}
