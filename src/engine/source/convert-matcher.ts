import { isExactList, splitAlternatives, splitExactList } from "../../handlers/index.ts";
import type { Dialect } from "../options.ts";

/** A matcher in another dialect: several texts when one cannot say it; an absent text matches all. */
interface ConvertedMatcher {
  readonly texts: readonly (string | undefined)[];
  /** the other dialect can only say something that also matches more */
  readonly isWider: boolean;
}

/** What a matcher means, in the few forms that all dialects have in part. */
type Meaning =
  | { readonly kind: "all" }
  | { readonly kind: "exact"; readonly names: readonly string[] }
  | { readonly kind: "prefix"; readonly text: string }
  | { readonly kind: "within"; readonly text: string }
  | { readonly kind: "pattern"; readonly source: string };

/** Undefined when the other dialect cannot say it at all. */
export function convertMatcher(text: string, from: Dialect, to: Dialect): ConvertedMatcher | undefined {
  return WRITE[to](READ[from](text));
}

const READ: Readonly<Record<Dialect, (text: string) => Meaning>> = {
  claude: text => {
    if (text === "" || text === "*") return { kind: "all" };
    if (isExactList(text)) return { kind: "exact", names: splitExactList(text) };
    return readPattern(text);
  },
  batuta: text => (text === "" ? { kind: "all" } : { kind: "within", text }),
  atomcode: text => {
    if (text === "*") return { kind: "all" };
    return text.endsWith("*")
      ? { kind: "prefix", text: text.slice(0, -1) }
      : { kind: "exact", names: [text] };
  },
  "atomcode-json": text => {
    const alternatives = splitAlternatives(text);
    if (alternatives.some(one => one === "" || one === "*")) return { kind: "all" };
    if (!text.includes("*")) return { kind: "exact", names: alternatives };
    const [first = "", second] = alternatives;
    if (second === undefined && first.indexOf("*") === first.length - 1)
      return { kind: "prefix", text: first.slice(0, -1) };
    const patterns = alternatives.map(one => one.split("*").map(escapePattern).join(".*"));
    return { kind: "pattern", source: `^(?:${patterns.join("|")})$` };
  },
};

/** The patterns that other dialects can say too: `^abc`, `^abc$`, `abc` within; each with literal text only. */
function readPattern(source: string): Meaning {
  const literal = (text: string): string | undefined => {
    const plain = text.replace(/\\(.)/g, (whole, character: string) =>
      /\w/.test(character) ? whole : character,
    );
    return /^(?:[\w\- /:]|\\[^\w])*$/.test(text) ? plain : undefined;
  };
  const whole = /^\^(.*)\$$/.exec(source)?.[1];
  const exact = whole === undefined ? undefined : literal(whole);
  if (exact !== undefined) return { kind: "exact", names: [exact] };
  const start = /^\^(.*?)(?:\.\*)?$/.exec(source)?.[1];
  const prefix = start === undefined ? undefined : literal(start);
  if (prefix !== undefined) return { kind: "prefix", text: prefix };
  const inner = literal(source.replace(/^\.\*/, "").replace(/\.\*$/, ""));
  return inner === undefined ? { kind: "pattern", source } : { kind: "within", text: inner };
}

const EVERYTHING: ConvertedMatcher = { texts: [undefined], isWider: false };

function say(...texts: readonly string[]): ConvertedMatcher {
  return { texts, isWider: false };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

const WRITE: Readonly<Record<Dialect, (meaning: Meaning) => ConvertedMatcher | undefined>> = {
  claude: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "prefix") return say(`^${escapePattern(meaning.text)}.*`);
    if (meaning.kind === "within") return say(`.*${escapePattern(meaning.text)}.*`);
    if (meaning.kind === "pattern") return say(meaning.source);
    const { names } = meaning;
    const isList = names.every(name => name !== "" && isExactList(name) && !/[|, ]/.test(name));
    if (isList) return say(names.join("|"));
    const pattern = names.map(escapePattern).join("|");
    return say(names.length === 1 ? `^${pattern}$` : `^(?:${pattern})$`);
  },
  batuta: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "within") return say(meaning.text);
    if (meaning.kind === "prefix") return { texts: [meaning.text], isWider: true };
    if (meaning.kind === "pattern" || meaning.names.includes("")) return undefined;
    return { texts: meaning.names, isWider: true };
  },
  atomcode: meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    if (meaning.kind === "prefix") return say(`${meaning.text}*`);
    if (meaning.kind !== "exact" || meaning.names.some(name => name.endsWith("*"))) return undefined;
    return say(...meaning.names);
  },
  "atomcode-json": meaning => {
    if (meaning.kind === "all") return EVERYTHING;
    const isPlain = (text: string): boolean => text !== "" && text === text.trim() && !/[|*]/.test(text);
    if (meaning.kind === "exact")
      return meaning.names.every(isPlain) ? say(meaning.names.join("|")) : undefined;
    if (meaning.kind === "pattern" || !isPlain(meaning.text)) return undefined;
    return say(meaning.kind === "prefix" ? `${meaning.text}*` : `*${meaning.text}*`);
  },
};
