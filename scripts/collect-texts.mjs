// Finds the texts of the source that a person or a model may read, so that all of them can be read in one go.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "@babel/parser";

/** What the strings of these are: names of options and words that are searched for, not texts. */
const DATA =
  /^(code|shell|exports)\/|^programs\/(records|languages)\/|^programs\/model\/(vocabulary|unknown)|^guard\/injection\/|^verify\/recorded|^memory\/(ranking|search-words)|^hosts\/tools\/|^install\/generated-modules/;
/** Markup, style sheets, SQL, program text and regular expressions. */
const NO_TEXT =
  /<\/?[a-z!]|=>|\(\?[:!=<]|\\[bsdw]|\bfunction\b|;\n|\{\s*\n|^#!|^import |\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|GRANT|REVOKE|LANGUAGE|RETURNS|REFERENCES|JOIN)\b|--[a-z-]+:|\bORDER BY\b/;
/** Three words in a row are a text; fewer are a name. */
const WORDS = /[a-z]{2,}[,;:]? [a-z{'"`][\w{}'"`.-]*[,;:]? [a-z{'"`]/i;
/** A list of words has none of these. */
const SENTENCE =
  /\b(an?|the|is|are|was|were|be|to|of|in|on|its?|not?|and|or|for|with|that|this|what|you|your|by|as|at|from|only|all|has|have|can|cannot|could|would|must|may|than|when|where|how|why)\b/i;
const COMMAND = /^\s*(amplihack|git|npm|sudo|echo|cd|curl|source|export|rm|docker|node) /;
const SHOWN_EXPRESSION = 24;

/** Each text with the file it stands in; what is filled in stands in braces. */
export function collectTexts(root) {
  return [...filesIn(root)].flatMap(path => {
    const file = relative(root, path);
    if (DATA.test(file)) return [];
    const source = readFileSync(path, "utf8");
    const { program } = parse(source, { sourceType: "module", plugins: ["typescript"] });
    const texts = [...literalsIn(program, undefined, source)].filter(isText);
    return [...new Set(texts)].map(text => ({ file, text }));
  });
}

function* filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts")) yield path;
  }
}

function* literalsIn(node, parent, source) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const one of node) yield* literalsIn(one, parent, source);
    return;
  }
  if (typeof node.type !== "string") return;
  if (node.type === "StringLiteral" && !/^(Import|Export|TS)/.test(parent?.type ?? "")) yield node.value;
  if (node.type === "TemplateLiteral") yield templateText(node, source);
  for (const [key, value] of Object.entries(node))
    if (key !== "loc" && !key.endsWith("omments")) yield* literalsIn(value, node, source);
}

function templateText({ quasis, expressions }, source) {
  return quasis
    .map(({ value }, index) => {
      const filled = expressions[index];
      return `${value.cooked ?? value.raw}${filled === undefined ? "" : `{${shortName(source.slice(filled.start, filled.end))}}`}`;
    })
    .join("");
}

/** The last name of an expression says what is filled in. */
function shortName(expression) {
  const names = expression.replace(/\([^)]*\)$/, "").match(/[A-Za-z_]\w*/g) ?? ["…"];
  return /^[\w.]+$/.test(expression) ? names.at(-1).slice(0, SHOWN_EXPRESSION) : "…";
}

function isText(text) {
  if (NO_TEXT.test(text) || COMMAND.test(text) || !SENTENCE.test(text)) return false;
  const plain = text.replace(/\{[^}]*\}/g, "x");
  const letters = plain.match(/[a-zA-Z ,.'\n]/g)?.length ?? 0;
  return WORDS.test(plain) && letters / plain.length > 0.8;
}
