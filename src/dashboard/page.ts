import { createHash } from "node:crypto";

interface PageFiles {
  readonly markup: string;
  readonly style: string;
  readonly script: string;
}

/**
 * The page as one document. With data it is a report that needs no server; without, its script asks the server it
 * came from. Scripts and styles run by their hash, so nothing that data may hold can ever run.
 */
export function renderPage(data?: unknown): { readonly html: string; readonly policy: string } {
  const { markup, style, script } = JSON.parse(__AMPLIHACK_PAGE__) as PageFiles;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    ...(data === undefined ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const parts: Readonly<Record<string, string>> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    style: `<style>${style}</style>`,
    data: `<script type="application/json" id="embedded">${escapeJson(data ?? null)}</script>`,
    script: `<script type="module">${script}</script>`,
  };
  const html = markup.replace(/<!--([a-z]+)-->/g, (_, name: string) => parts[name] ?? "");
  return { html, policy: `${policy}; frame-ancestors 'none'` };
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON that can neither end the element it stands in nor begin a comment there. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
