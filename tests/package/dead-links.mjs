// Links of a page that lead nowhere for somebody who has only the package.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const LINKS = [
  /\]\(\s*<?([^)\s>]+)>?[^)]*\)/g,
  /^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm,
  /\b(?:src|href)="([^"]+)"/g,
];

/** @param {string} folder @param {string} page */
export function deadLinks(folder, page) {
  const text = readFileSync(join(folder, page), "utf8").replace(/^```[\s\S]*?^```$|`[^`\n]*`/gm, "");
  const links = LINKS.flatMap(pattern => [...text.matchAll(pattern)].map(([, link = ""]) => link));
  return links.filter(link => !isAlive(folder, page, text, link)).map(link => `${page}: ${link}`);
}

function isAlive(folder, page, text, link) {
  if (/^(?:https?|mailto):/.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (target.startsWith("..") || !existsSync(join(folder, target))) return false;
  if (anchor === undefined || !target.endsWith(".md")) return true;
  const there = target === page ? text : readFileSync(join(folder, target), "utf8");
  return [...there.matchAll(/^#+ +(.+)$/gm)].some(([, heading = ""]) => slugOf(heading) === anchor);
}

/** The anchor of a heading, as GitHub and npm make it. */
function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
