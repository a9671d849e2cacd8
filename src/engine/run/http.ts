import {
  answered,
  captureText,
  type EnvironmentRecord,
  failed,
  type HttpAction,
  type RawResult,
} from "../../handlers/index.ts";
import { compileGlob, isLoopback, matchesGlob, type TextCodec } from "../../system/index.ts";
import type { HttpRules } from "../context.ts";
import type { HttpReply } from "./http-client.ts";
import { type Invocation, withDeadline } from "./invocation.ts";

/** Headers that say where the request goes, how long it is, or who the user is elsewhere. */
const RESERVED_HEADERS = new Set(
  "content-type content-length transfer-encoding connection host cookie expect upgrade".split(" "),
);

/** POSTs the payload; a 2xx body is read like the stdout of exit 0, everything else is a failure. */
export async function runHttp(action: HttpAction, invocation: Invocation): Promise<RawResult> {
  const { http: rules, platform, limits } = invocation.core;
  const { text } = platform.system;
  const target = checkUrl(action.url, rules);
  if (typeof target === "string") return failed("http-url-refused", target);
  const reply = await withDeadline(invocation, signal =>
    platform.http.post({
      url: target,
      headers: { ...expandHeaders(action, rules.env), "content-type": "application/json" },
      body: text.encode(invocation.payloadText()),
      maxBodyBytes: limits.httpBodyBytes,
      addresses: {
        loopbackOnly: target.protocol === "http:",
        allowPrivateNetwork: rules.allowPrivateNetwork,
      },
      signal,
    }),
  );
  return reply.kind === "value" ? readReply(reply.value, text) : reply.result;
}

function checkUrl(text: string, rules: HttpRules): URL | string {
  if (!URL.canParse(text)) return "the URL cannot be read";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `${url.protocol} is neither http nor https`;
  if (url.username !== "" || url.password !== "") return "the URL holds a user name or password";
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !url.hostname.endsWith(".localhost"))
    return "plain http goes to this machine only; use https";
  if (rules.allowedUrls !== undefined && !rules.allowedUrls.some(glob => fitsUrl(glob, url)))
    return "no entry of allowedHttpHookUrls fits it";
  return url;
}

/** Compared with the URL as it will be used, not as it is written; a bare origin may go without its slash. */
function fitsUrl(pattern: string, { href, origin }: URL): boolean {
  const glob = compileGlob(pattern, "star");
  return matchesGlob(glob, href) || (href === `${origin}/` && matchesGlob(glob, origin));
}

function expandHeaders(
  { headers, allowedEnvVars }: HttpAction,
  env: EnvironmentRecord,
): Record<string, string> {
  const expanded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADERS.has(name.toLowerCase())) continue;
    expanded[name] = value.replace(
      /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
      (_, braced: string | undefined, bare: string | undefined) => {
        const variable = braced ?? bare ?? "";
        return allowedEnvVars.includes(variable) && Object.hasOwn(env, variable) ? (env[variable] ?? "") : "";
      },
    );
  }
  return expanded;
}

function readReply(reply: HttpReply, codec: TextCodec): RawResult {
  switch (reply.kind) {
    case "refused":
      return failed("http-url-refused", reply.reason);
    case "failed":
      return failed("http-transport", reply.reason);
    case "reply": {
      if (reply.status >= 300 && reply.status < 400)
        return failed("http-redirect", `status ${reply.status}; redirects are not followed`);
      if (reply.status < 200 || reply.status >= 300) return failed("http-status", `status ${reply.status}`);
      return answered(captureText(codec, reply.body, reply.isTruncated));
    }
  }
}
