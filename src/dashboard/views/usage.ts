import { hostTitle } from "../../install/index.ts";
import { basename } from "../../system/index.ts";
import { shortCount } from "../../text/index.ts";
import { PRICES_DATE, sumGroups, totalTokens, type UsageGroup } from "../../transcripts/index.ts";
import type { Session } from "../timeline/timeline.ts";
import { html, line, type Markup, NOTHING, type Site } from "./layout.ts";
import { command, duration, empty, link, number } from "./words.ts";

const MAX_ROWS = 100;

interface UsageFacts {
  /** undefined while it is being counted */
  readonly groups: readonly UsageGroup[] | undefined;
  readonly groupings: readonly string[];
  readonly source: string;
  readonly by: string;
  readonly days: number;
  readonly problems: readonly string[];
  /** those that the other pages show, where there is a row for each */
  readonly sessions: ReadonlyMap<string, Session> | undefined;
}

/** Tokens, cost and time, as the hosts recorded them: the same figures as `amplihack usage`. */
export function usageView(
  site: Site,
  { groups, groupings, source, by, days, problems, sessions }: UsageFacts,
): Markup {
  const tabs = groupings.map(
    group =>
      html`<a href="${site.to("usage", { by: group, days })}"${group === by ? html` aria-current="true"` : NOTHING}>${capital(group)}</a>`,
  );
  const head = html`<div class="heading"><h1>Usage</h1><nav class="switch" aria-label="One row for each">${tabs}</nav></div>
<p class="soft">The last ${days} days. ${source} A cost is the host's own figure, or the list price of ${PRICES_DATE}.</p>
${problems.map(problem => html`<p class="notice">Not counted: ${line(problem)}</p>`)}`;
  if (groups === undefined)
    return html`${head}${empty("The records are being counted …", "This page fills in by itself.")}`;
  if (groups.length === 0)
    return html`${head}${empty("No agent recorded any use in this time.", html`${command("amplihack usage")} reads the same records.`)}`;
  // Only where a group is of one model is there a share of what that can hold.
  const hasContext = groups.some(({ context }) => context !== undefined);
  const rows = groups.slice(0, MAX_ROWS).map(group => row(site, group, { by, hasContext, sessions }));
  // The fullest context of all is no sum.
  const total = { ...sumGroups(groups), context: undefined };
  return html`${head}<div class="scroll" tabindex="0" role="region" aria-label="Usage by ${by}"><table><thead><tr><th scope="col">${capital(by)}</th><th scope="col">Input</th><th scope="col">Cached</th><th scope="col">Output</th><th scope="col">Cost</th>${hasContext ? html`<th scope="col">Context</th>` : NOTHING}<th scope="col">Worked</th><th scope="col">Waited for you</th></tr></thead>
<tbody>${rows}</tbody><tfoot>${cells(html`Total`, total, hasContext)}</tfoot></table></div>
${groups.length > MAX_ROWS ? html`<p class="soft">and ${number(groups.length - MAX_ROWS)} more: ${command(`amplihack usage --by ${by} --json`)}</p>` : NOTHING}
${total.unpriced > 0 ? html`<p class="soft">* without ${shortCount(total.unpriced)} tokens of models that have no known price; ${command("prices")} in the configuration sets one.</p>` : NOTHING}`;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function row(
  site: Site,
  group: UsageGroup,
  { by, hasContext, sessions }: { readonly hasContext: boolean } & Pick<UsageFacts, "by" | "sessions">,
): Markup {
  const { key } = group;
  const shown =
    by === "session"
      ? sessionName(site, key, sessions?.get(key))
      : by === "project"
        ? html`<a href="${site.to("calls", { project: key })}" title="${line(key)}">${line(basename(key) || key, 60)}</a>`
        : html`${line(by === "host" ? hostTitle(key) : key, 60)}`;
  return cells(shown, group, hasContext);
}

/** By what it is about; one that no hook ran in has no page. */
function sessionName(site: Site, key: string, session: Session | undefined): Markup {
  const id = key.slice(0, 12);
  if (session === undefined) return html`<span class="mono">${line(id)}</span>`;
  const title = site.titleOf(session);
  return link(
    site.to("session", { id: session.id }),
    title === undefined ? id : line(title, 60),
    title === undefined ? "mono" : "",
  );
}

function cells(
  name: Markup,
  { tokens, context, workingMs, waitingMs, ...group }: UsageGroup,
  hasContext: boolean,
): Markup {
  const took = (ms: number | undefined) =>
    ms === undefined ? "-" : ms < 30_000 ? "< 1 min" : duration(Math.round(ms / 60_000) * 60_000);
  return html`<tr><th scope="row">${name}</th><td>${shortCount(tokens.input + tokens.cacheWrite)}</td><td>${shortCount(tokens.cacheRead)}</td><td>${shortCount(tokens.output)}</td><td>${costText(group)}</td>${hasContext ? html`<td>${context === undefined ? "-" : `${Math.round(context * 100)} %`}</td>` : NOTHING}<td>${took(workingMs)}</td><td>${took(waitingMs)}</td></tr>`;
}

/** `$1.20`, with a star where some of it has no price; `?` where nothing has. */
function costText({ cost, unpriced }: Pick<UsageGroup, "cost" | "unpriced">): string {
  if (unpriced > 0 && cost === 0) return "?";
  return `${cost > 0 && cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`}${unpriced > 0 ? "*" : ""}`;
}

/** `$1.20, 340k tokens` */
export function usageText(group: UsageGroup): string {
  const tokens = `${shortCount(totalTokens(group.tokens))} tokens`;
  return group.unpriced > 0 && group.cost === 0 ? tokens : `${costText(group)}, ${tokens}`;
}
