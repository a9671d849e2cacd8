import { decodeBase64 } from "../../shell/index.ts";

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const NOT_ASCII = /[^\u0000-\u007f]/;

/** Latin letters, and those of other scripts that are drawn like them. */
const LOOK_ALIKES = new Map(
  [
    ..."аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwѵvӏlкkмmтtвbнhгrАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSοoαaρpνvικιiκkυuωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX",
  ]
    .reduce<string[][]>((pairs, letter, index) => {
      if (index % 2 === 0) pairs.push([letter]);
      else pairs.at(-1)?.push(letter);
      return pairs;
    }, [])
    .map(([from = "", to = ""]) => [from, to] as const),
);
const DIGITS: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  "@": "a",
  $: "s",
};
const LEET = /1gn|[i1]gn0|gn0r|pr3v|prev1|v10u|1nst|instruct1|ruct10/i;
const MIXED = /[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]/i;
const SPACED = /\b\w([ .\-_*])\w(?:\1\w)+\b/g;

/** The text as a reader takes it: without invisible characters, with look-alike forms and entities resolved. */
export function toPlain(text: string): string {
  const seen = NOT_ASCII.test(text) ? text.replace(INVISIBLE, "").normalize("NFKC") : text;
  if (!seen.includes("&")) return seen;
  return seen
    .replace(/&#(\d{2,6});/g, (whole, code: string) => fromCode(Number(code)) ?? whole)
    .replace(/&#x([0-9a-f]{2,5});/gi, (whole, code: string) => fromCode(Number.parseInt(code, 16)) ?? whole)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&nbsp;", " ");
}

function fromCode(code: number): string | undefined {
  return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The same text with disguises of letters taken off; none for text that has no such disguise. */
export function undisguised(plain: string): readonly string[] {
  const views: string[] = [];
  if (MIXED.test(plain)) views.push([...plain].map(letter => LOOK_ALIKES.get(letter) ?? letter).join(""));
  if (LEET.test(plain)) views.push(plain.replace(/[013457@$]/g, digit => DIGITS[digit] ?? digit));
  const joined = plain.replace(SPACED, run => run.replace(/[ .\-_*]/g, ""));
  if (joined !== plain) views.push(joined.replace(/ {2,}/g, " "));
  const unmarked = plain.replace(/\*\*|__|~~/g, " ").replace(/<!--.{0,40}?-->|<\/?\w{1,10}>/g, "");
  if (unmarked !== plain) views.push(unmarked.replace(/ {2,}/g, " "));
  return views;
}

const BLOB = /[A-Za-z0-9+/_-]{32,8000}={0,2}/g;
const MAX_BLOBS = 50;
const PRINTABLE = /^[\t\n\r\u0020-\u007e]*$/;

/** What base64 in a text says, as far as it is text. */
export function decodedTexts(plain: string): readonly string[] {
  const texts: string[] = [];
  let seen = 0;
  for (const [blob] of plain.matchAll(BLOB)) {
    if (++seen > MAX_BLOBS) break;
    const bytes = decodeBase64(blob);
    if (bytes === undefined) continue;
    const text = String.fromCharCode(...bytes.subarray(0, 4_000));
    if (PRINTABLE.test(text) && text.includes(" ")) texts.push(text);
  }
  return texts;
}
