import { createHash } from "node:crypto";
import { footer, header, type Page } from "./views/layout.ts";
import { html, line, Markup, NOTHING } from "./views/markup.ts";
import type { Site } from "./views/site.ts";

interface PageFiles {
  readonly style: string;
  readonly script: string;
}

interface Document {
  readonly html: string;
  readonly policy: string;
}

/** A page as one document. Script and style run by their hash, so nothing that the logs may hold can ever run. */
export function renderPage(site: Site, page: Page): Document {
  return renderDocument(
    site,
    page,
    html`<main id="main" tabindex="-1" data-page="${page.name}">${notices(site)}${page.body}</main>`,
  );
}

/** A person wonders where the buttons are. */
function notices({ whyReadOnly, team }: Site): Markup {
  const problem = team === undefined ? whyReadOnly : team.problem;
  return html`${team === undefined ? NOTHING : html`<p class="source">${line(team.about)}</p>`}${problem === undefined ? NOTHING : html`<p class="notice">${line(problem)}</p>`}`;
}

/** All pages as one document that needs no server: its script shows one at a time. */
export function renderPages(site: Site, pages: readonly (Page & { readonly address: string })[]): Document {
  const parts = pages.map(
    ({ address, title, body }) =>
      html`<section class="page" data-address="${address}" data-title="${title}">${body}</section>`,
  );
  return renderDocument(
    site,
    { name: "", title: "report" },
    html`<main id="main" tabindex="-1">${parts}</main>`,
  );
}

function renderDocument(site: Site, page: Omit<Page, "body">, main: Markup): Document {
  const { style, script } = JSON.parse(__AMPLIHACK_PAGE__) as PageFiles;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    ...(site.isReport ? ["form-action 'none'"] : ["connect-src 'self'", "form-action 'self'"]),
    "base-uri 'none'",
  ].join("; ");
  const document = html`<!doctype html>
<html lang="en" data-kind="${site.isReport ? "report" : "live"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title} · amplihack</title>
<style>${new Markup(style)}</style>
</head>
<body>
${header(site, page)}
${main}
${footer(site)}
<script type="module">${new Markup(script)}</script>
</body>
</html>
`;
  return { html: document.text, policy: `${policy}; frame-ancestors 'none'` };
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
