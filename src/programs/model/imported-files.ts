import { directoryName, knownText, type Language, text, type Value } from "../../shell/index.ts";

interface Imports {
  /** the first group that is there names what is imported */
  readonly pattern: RegExp;
  /** what a name may stand for on the disk */
  readonly endings: readonly string[];
  /** dots between the parts of a name are directories */
  readonly isDotted?: boolean;
}

const IMPORTS: Partial<Record<Language, Imports>> = {
  python: {
    pattern: /^[ \t]*(?:from[ \t]+\.*([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+))/gm,
    endings: [".py", "/__init__.py"],
    isDotted: true,
  },
  javascript: {
    pattern: /\b(?:require|import|from)\b\s*\(?\s*["'](\.{1,2}\/[^"'\n]{1,300})["']/g,
    endings: ["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"],
  },
  ruby: { pattern: /\b(?:require_relative|load)\b\s*\(?\s*["']([^"'\n]{1,300})["']/g, endings: ["", ".rb"] },
  perl: { pattern: /\b(?:require|do)\b\s*\(?\s*["']([^"'\n]{1,300})["']/g, endings: [""] },
  php: {
    pattern: /\b(?:include|require)(?:_once)?\b\s*\(?\s*(?:__DIR__\s*\.\s*)?["']\/?([^"'\n]{1,300})["']/g,
    endings: [""],
  },
  lua: { pattern: /\b(?:require|dofile)\b\s*\(?\s*["']([^"'\n]{1,300})["']/g, endings: ["", ".lua"] },
};
const MAX_IMPORTS = 32;

/** Files beside a program text that it takes in, as far as they are written there by name. */
export function importedFiles(language: Language, content: Value, path: Value): readonly Value[] {
  const imports = IMPORTS[language];
  const [known, place] = [knownText(content), knownText(path)];
  if (imports === undefined || known === undefined || place === undefined) return [];
  const names = [...known.matchAll(imports.pattern)].map(([, one, other]) => one ?? other ?? "");
  const folder = directoryName(place);
  return [...new Set(names)].slice(0, MAX_IMPORTS).flatMap(name => {
    const file = imports.isDotted === true ? name.replaceAll(".", "/") : name;
    return imports.endings.map(ending => text(`${folder}/${file}${ending}`));
  });
}
