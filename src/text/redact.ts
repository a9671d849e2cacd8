const LONG_TEXT = 4 * 1024;
/** Stands for what was taken out. */
export const REDACTED = "[redacted]";

/** Shapes of tokens that are known by how they begin. */
const TOKENS = [
  /\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{20,}/g,
  /\bpypi-[A-Za-z0-9_-]{20,}/g,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bdop_v1_[a-f0-9]{20,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** How any of them begins: most texts hold none. */
const mayHoldToken = searchFor(
  `ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- sk- xox AKIA ASIA AROA AIDA AIza ya29 npm_ pypi- sk_ pk_ rk_ SG. eyJ hf_
  dop_v1_ -----BEGIN`.split(/\s+/),
);

function holdsAny(text: string, words: readonly string[]): boolean {
  return words.some(word => text.includes(word));
}

/** Whether a text holds one of the words. */
function searchFor(words: readonly string[], flags = ""): (text: string) => boolean {
  const pattern = new RegExp(words.join("|").replaceAll(".", "\\."), flags);
  // Small engines try each word at each place of a text, but search fast for one.
  return text =>
    text.length < LONG_TEXT ? pattern.test(text) : holdsAny(flags === "i" ? text.toLowerCase() : text, words);
}

const SECRET_WORD =
  "(?:secret|token|passw(?:or)?d|passwd|api[_-]?key|apikey|private[_-]?key|access[_-]?key|credential|auth)";
/** Matches `NAME=value`, `"name": "value"` and the header `X-Name: value`, but not prose with a colon. */
const SECRET_ASSIGNMENT = new RegExp(
  `\\b([A-Za-z0-9_.-]*${SECRET_WORD}[A-Za-z0-9_.-]*)(=|["']\\s*:\\s*|(?<=-[A-Za-z]*):\\s*)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s;&|"',}]+)`,
  "gi",
);
const SECRET_OPTION =
  /(\s--?(?:password|passwd|token|secret|api-key|apikey|auth|pass|access-token|client-secret)(?:=|\s+))("[^"]*"|'[^']*'|[^\s;&|]+)/gi;
const BEARER = /\b(bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{12,})/gi;
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^/\s:@'"]*):([^/\s@'"]+)@/gi;
/** A part of each word by which the patterns for named secrets know one. */
const mayNameSecret = searchFor("secret token pass key credential auth bearer basic".split(" "), "i");
const LONG_WORD = /[A-Za-z0-9+/_=-]{24,}/g;

const OPENING_LIMIT = 6 * 1024;
const SHOWN_LIMIT = 4 * 1024;

/**
 * The same for text of which only the beginning is shown: a payload of megabytes must not cost a run its deadline.
 * What is near the cut is left out, since it could be half a secret.
 */
export function redactOpening(text: string): string {
  return text.length <= OPENING_LIMIT
    ? redact(text)
    : redact(text.slice(0, OPENING_LIMIT)).slice(0, SHOWN_LIMIT);
}

/** Text for logs and reasons with everything that looks like a secret taken out. Linear, and safe to apply twice. */
export function redact(text: string): string {
  let result = text;
  if (mayHoldToken(text)) for (const token of TOKENS) result = result.replace(token, REDACTED);
  if (result.includes("://"))
    result = result.replace(
      URL_CREDENTIALS,
      (_, scheme: string, user: string) => `${scheme}${user}:${REDACTED}@`,
    );
  if (mayNameSecret(result)) result = redactNamed(result);
  return result.replace(LONG_WORD, word => (isHighEntropy(word) ? REDACTED : word));
}

/** Names of the shapes, for people; in the order of `TOKENS`. */
const TOKEN_KINDS = [
  "a GitHub token",
  "a GitLab token",
  "an API key",
  "a Slack token",
  "an AWS key",
  "a Google key",
  "a Google token",
  "an npm token",
  "a PyPI token",
  "a Stripe key",
  "a SendGrid key",
  "a signed token",
  "a Hugging Face token",
  "a DigitalOcean token",
  "a private key",
] as const;
const MADE_UP = /example|sample|dummy|fake|placeholder|changeme|your[_-]|_test_|x{6}|0{8}|1234567|abcdef/i;

/** Words by which an example says so itself. */
const SAYS_EXAMPLE = /example|sample|dummy|fake|placeholder|changeme|your[_-]|x{6}|0{8}/i;

/**
 * The kind of live credential in a text, by its shape. Placeholders from examples and tests do not count. `isSent`: only those
 * that say so are placeholders, since a value that merely looks made up may still be accepted somewhere.
 */
export function liveTokenIn(text: string, isSent = false): string | undefined {
  if (!mayHoldToken(text)) return undefined;
  const isMadeUp = isSent ? SAYS_EXAMPLE : MADE_UP;
  for (const [index, token] of TOKENS.entries())
    for (const [found] of text.matchAll(token)) {
      if (isMadeUp.test(found) || (!found.startsWith("-----") && entropy(found) < 3.2)) continue;
      return TOKEN_KINDS[index];
    }
  return undefined;
}

const SHOWN_VALUE =
  /^[ \t]*(?:[^\s:=]{0,200}:\d{1,9}:)?["']?([A-Za-z0-9_.-]{0,80}(?:secret|token|passw(?:or)?d|passwd|api[_-]?key|private[_-]?key|access[_-]?key|credential)[A-Za-z0-9_.-]{0,80})["']?[^\S\n]*[=:][^\S\n]*["']?([^\s"',;]{16,400})/gim;
const SEARCHED_LIMIT = 256 * 1024;

/**
 * What kind of secret a result shows by its value: a live credential, or a line that gives a secret's name a random value. Masked
 * and made-up values show nothing. Bounded in characters.
 */
export function shownSecretIn(whole: string, isSent = false): string | undefined {
  const text = whole.slice(0, SEARCHED_LIMIT);
  const token = liveTokenIn(text, isSent);
  if (token !== undefined || !mayNameSecret(text)) return token;
  for (const [, name = "", value = ""] of text.matchAll(SHOWN_VALUE))
    if (!isReference(value) && !MADE_UP.test(value) && /\d/.test(value) && entropy(value) >= 3.4)
      return `the value of ${name}`;
  return undefined;
}

/** Who an address in an example lets in. */
const EXAMPLE_LOGIN =
  /^(?:\W|<|\*+$|user(?:name)?$|pass(?:w(?:or)?d)?$|pw$|secret$|postgres$|root$|admin$|test$|guest$|token$|redacted$)/i;

/** A text that is told to others with an address in it which lets in whoever reads it: `postgres://app:Hq7…@db.internal`. */
export function loginIn(text: string): string | undefined {
  if (!text.includes("://")) return undefined;
  for (const [found, , , password = ""] of text.slice(0, SEARCHED_LIMIT).matchAll(URL_CREDENTIALS)) {
    const host = text.slice(text.indexOf(found) + found.length);
    if (/^(?:localhost|127\.|\[::1|0\.0\.0\.0|[\w.-]*example\b)/i.test(host)) continue;
    if (password.length < 6 || EXAMPLE_LOGIN.test(password) || MADE_UP.test(password)) continue;
    if (/\d/.test(password) && !isReference(password)) return "a login";
  }
  return undefined;
}

/** What stands behind a word that announces a secret. */
function redactNamed(text: string): string {
  let result = text.replace(BEARER, (_, word: string) => `${word} ${REDACTED}`);
  result = result.replace(SECRET_ASSIGNMENT, (found, name: string, sign: string, value: string) =>
    isReference(value) ? found : `${name}${sign}${REDACTED}`,
  );
  return result.replace(SECRET_OPTION, (found, option: string, value: string) =>
    isReference(value) ? found : `${option}${REDACTED}`,
  );
}

/** `$TOKEN` and `${TOKEN}` name a secret and do not hold one. */
function isReference(value: string): boolean {
  return /^["']?\$[A-Za-z_{(]/.test(value) || value.includes(REDACTED);
}

/** Random characters, not words, paths or hashes of commits in lower case. */
function isHighEntropy(word: string): boolean {
  if (/^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(word)) return false;
  if (word.includes("/") && /^[A-Za-z0-9_/-]*$/.test(word) && word.split("/").every(part => part.length < 24))
    return false;
  // Names put together of short words, such as those of temporary folders, hold no key.
  if (word.split(/[/_-]/).every(part => part.length < 16)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter(kind => kind.test(word)).length;
  if (kinds < 3) return false;
  return entropy(word) >= 3.6;
}

function entropy(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}
