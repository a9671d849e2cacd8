/** An image, or a link, up to the end of its address. */
const ADDRESSES =
  /(!?)\[[^\]\n]{0,200}\]\(\s*(https?:\/\/(?:[^()\n]|\([^()\n]{0,60}\)){1,400})\)|<img\b[^>]{0,200}?\bsrc\s*=\s*["']?(https?:\/\/[^"'\n]{1,400})/gi;
const WANTED =
  "(?:conversation|chat|history|secrets?|api[_ ]?key|(?:session|access|auth|user)[_ ]token|password|credential|\\benv\\b|prompt|messages?|context|contents?|cookies?|base64|memory|user_(?:data|input|secrets?)|\\bdata\\b)";
const IN_BRACKETS = new RegExp(`[{<[(]['\\w .*+()-]{0,60}?${WANTED}['\\w .*+()-]{0,60}?[}>\\])]`, "i");
const IN_CAPITALS =
  /[?&=/](?:[A-Z0-9]+_)*(?:ENV|CONVERSATION|SECRETS?|HISTORY|MESSAGES?|CONTENTS?|PROMPT|PASSWORD|CREDENTIALS|COOKIES?|CHAT)(?:_[A-Z0-9]+)*\b/;
/** `?key={api_key}` is how documentation shows where a reader's own key goes. */
const OWN_KEY = /[?&](?:api_?key|key|token|appid)=[{<[]{0,2}(?:your[_ ])?(?:api_?key|key|token)[}>\]]{0,2}/gi;
const ESCAPES: Readonly<Record<string, string>> = {
  "%7b": "{",
  "%7d": "}",
  "%5b": "[",
  "%5d": "]",
  "%20": " ",
};

/** Where an address waits for data to be filled in. */
export function findWaitingAddress(
  text: string,
): { readonly at: number; readonly isImage: boolean } | undefined {
  for (const match of text.matchAll(ADDRESSES)) {
    const address = (match[2] ?? match[3] ?? "")
      .replace(/%(?:7b|7d|5b|5d|20)/gi, code => ESCAPES[code.toLowerCase()] ?? code)
      .replace(OWN_KEY, "");
    if (!IN_BRACKETS.test(address) && !IN_CAPITALS.test(address)) continue;
    return { at: match.index, isImage: match[1] === "!" || match[3] !== undefined };
  }
  return undefined;
}
