import { errorText } from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { isLoopback } from "../../system/index.ts";

interface FetchLimits {
  readonly bytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const MAX_REDIRECTS = 5;

/** Bytes behind an address, which must be https, or http on this machine; so must all it redirects to. */
export async function fetchBytes(address: string, limits: FetchLimits): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
  let url = checkedUrl(address);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await fetch(url, {
        redirect: "manual",
        signal,
        headers: { "user-agent": "amplihack", accept: "application/json, application/octet-stream, */*" },
      });
      const target = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && target !== null) {
        await response.body?.cancel();
        url = checkedUrl(new URL(target, url).href);
        continue;
      }
      if (!response.ok) throw problem(url, `the server answered ${response.status}`);
      return await readBody(response, url, limits.bytes);
    }
    throw problem(url, `more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const cause =
      error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
    throw problem(url, timeout.aborted ? `no answer within ${limits.timeoutMs} ms` : cause);
  }
}

async function readBody(response: Response, url: URL, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw problem(url, `the answer is longer than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkedUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url !== undefined && isSafe && url.username === "" && url.password === "") return url;
  throw new Problem("releases are fetched over https, or http from this machine, only", {
    kind: "update",
    fix: "set update.source in config.jsonc to such an address",
  });
}

/** Queries may hold tokens, so they are not shown. */
function problem(url: URL, cause: string): Problem {
  return new Problem(`could not fetch ${url.origin}${url.pathname}`, {
    kind: "update",
    causes: [cause],
  });
}
