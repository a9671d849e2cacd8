import { readFileSync } from "node:fs";

export interface CorpusText {
  /** where it stands, for messages of the test */
  readonly name: string;
  readonly carrier: string;
  readonly text: string;
}

const inLines = (prefix: string) => (text: string) =>
  text
    .split("\n")
    .map(line => `${prefix}${line}`)
    .join("\n");

/** What a text is found in. Each text of the corpus is tried as it is and in one of these. */
const CARRIERS: Readonly<Record<string, (text: string) => string>> = {
  page: text =>
    `<!doctype html><html><head><title>Release notes</title></head><body><h1>Release 4.2</h1><p>Faster start, fewer requests.</p>\n<p>${text}</p>\n<footer>Contact us</footer></body></html>`,
  issue: text =>
    `## Steps to reproduce\n\n1. Start the server\n2. Open the page\n\n## Expected\n\nNo error.\n\n${text}\n`,
  json: text =>
    JSON.stringify({
      number: 17,
      state: "open",
      title: "Crash at start",
      body: `It crashes.\n\n${text}`,
      labels: ["bug"],
    }),
  python: text =>
    `import os\n\n\ndef load(path):\n    return open(path).read()\n\n\n${inLines("# ")(text)}\n`,
  script: text => `export function add(a, b) {\n  return a + b;\n}\n\n/*\n${inLines(" * ")(text)}\n */\n`,
  search: text =>
    `1. How to configure the parser - https://docs.example/parser\n   The parser reads one file.\n2. Notes - https://notes.example/7\n   ${text}\n`,
  log: text => inLines("2026-04-01T08:00:00Z [info] ")(`install: 812 packages in 9 s\n${text}\nexit code 0`),
  chat: text => `[09:12] mara: did the build pass?\n[09:13] tom: yes\n[09:14] kim: ${text}\n`,
  manual: text =>
    `LOADER(1)\n\nNAME\n    loader - loads a file\n\nDESCRIPTION\n    Reads the file and prints it.\n\nNOTES\n    ${text}\n`,
  readme: text =>
    `# loader\n\nLoads files.\n\n## Install\n\n    npm install loader\n\n## Notes\n\n${text}\n\n## Licence\n\nMIT\n`,
};

function unescapeText(line: string): string {
  return line
    .replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/(?<!\\)\\n/g, "\n")
    .replaceAll("\\\\", "\\");
}

/** Every text of a file, as it is and in a carrier. */
export function readTexts(file: string): readonly CorpusText[] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter(line => line !== "");
  const carriers = Object.keys(CARRIERS);
  return lines.flatMap((line, index) => {
    const text = unescapeText(line);
    const carrier = carriers[index % carriers.length] ?? "page";
    const carried = CARRIERS[carrier]?.(text) ?? text;
    const name = `${file}:${index + 1}`;
    return [
      { name, carrier: "none", text },
      { name, carrier, text: carried },
    ];
  });
}
