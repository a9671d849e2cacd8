import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  type YAMLMap,
} from "yaml";
import type { Place, Snippet } from "./snippet.ts";

const GITHUB = /(^|\/)\.(github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$|(^|\/)action\.ya?ml$/;
const GITLAB = /(^|\/)[^/]*\.gitlab-ci\.ya?ml$/;
const SHELLS: Readonly<Record<string, "shell" | "powershell">> = {
  bash: "shell",
  sh: "shell",
  zsh: "shell",
  pwsh: "powershell",
  powershell: "powershell",
};

export function isGithubWorkflow(path: string): boolean {
  return GITHUB.test(path);
}

export function isGitlabPipeline(path: string): boolean {
  return GITLAB.test(path);
}

interface Source {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The `run` steps of a workflow or of a composite action. */
export function readGithubWorkflow(text: string): readonly Snippet[] {
  const source = open(text);
  const root = source.document.contents;
  if (!isMap(root)) return [];
  const jobs = root.get("jobs");
  const composite = root.get("runs");
  return [
    ...(isMap(jobs) ? jobs.items : []).flatMap(({ key, value }) =>
      isMap(value) ? stepsOf(source, value, `job ${nameOf(key)}`, [defaultsOf(value), defaultsOf(root)]) : [],
    ),
    ...(isMap(composite) ? stepsOf(source, composite, "action", []) : []),
  ];
}

function stepsOf(
  source: Source,
  job: YAMLMap,
  name: string,
  defaults: readonly (YAMLMap | undefined)[],
): readonly Snippet[] {
  const steps = job.get("steps");
  const runner = scalarText(job.get("runs-on"));
  return (isSeq(steps) ? steps.items : []).flatMap(step => {
    const run = isMap(step) ? step.get("run", true) : undefined;
    if (!isMap(step) || !isScalar(run) || typeof run.value !== "string") return [];
    const setting = (key: string): string =>
      [step, ...defaults].map(map => scalarText(map?.get(key))).find(found => found !== "") ?? "";
    const [shell = ""] = (setting("shell") || (/windows/i.test(runner) ? "pwsh" : "bash")).split(/\s/);
    const kind = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (kind === undefined) return [];
    const directory = setting("working-directory");
    return [
      {
        ...snippetOf(source, run, name),
        ...(directory === "" || directory.includes("${{") ? {} : { directory }),
        isPowerShell: kind === "powershell",
      },
    ];
  });
}

function defaultsOf(map: YAMLMap): YAMLMap | undefined {
  const defaults = map.get("defaults");
  const run = isMap(defaults) ? defaults.get("run") : undefined;
  return isMap(run) ? run : undefined;
}

/** All scripts of a pipeline; the lines of one job run in one shell, but each is judged where it stands. */
export function readGitlabPipeline(text: string): readonly Snippet[] {
  const source = open(text);
  const root = source.document.contents;
  if (!isMap(root)) return [];
  const jobs = [{ key: "default", value: root }, ...root.items];
  return jobs.flatMap(({ key, value }) => {
    if (!isMap(value)) return [];
    return ["before_script", "script", "after_script"].flatMap(part =>
      scalarsIn(value.get(part, true)).map(line => snippetOf(source, line, `job ${nameOf(key)}`)),
    );
  });
}

function scalarsIn(node: unknown): readonly Scalar<string>[] {
  if (isSeq(node)) return node.items.flatMap(scalarsIn);
  return isTextScalar(node) ? [node] : [];
}

function isTextScalar(node: unknown): node is Scalar<string> {
  return isScalar(node) && typeof node.value === "string";
}

function open(text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`not YAML: ${error.message.split("\n")[0]}`);
  return { text, document, lines };
}

function snippetOf(source: Source, node: Scalar, name: string): Snippet {
  // An expression of the runner has an unknown value; it keeps its length so that columns stay right.
  const text = String(node.value).replace(
    /\$\{\{[\s\S]*?\}\}/g,
    whole => `\${${"X".repeat(whole.length - 3)}}`,
  );
  return { text, name, placeOf: placesOf(source, node, text) };
}

/** Literal blocks keep their lines; in all other styles a finding points to where the text begins. */
function placesOf(source: Source, node: Scalar, text: string): (offset: number) => Place {
  const start = node.range?.[0] ?? 0;
  const { line, col } = source.lines.linePos(start);
  if (node.type !== Scalar.BLOCK_LITERAL) {
    const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
    return () => ({ line, column: col + (isQuoted ? 1 : 0) });
  }
  const body = source.text.slice(source.text.indexOf("\n", start) + 1, node.range?.[1]).split("\n");
  const firstLine = text.split("\n")[0] ?? "";
  const indent = (body[0] ?? "").length - firstLine.length;
  return offset => {
    const before = text.slice(0, offset).split("\n");
    return {
      line: line + before.length,
      column: Math.max(0, indent) + (before.at(-1)?.length ?? 0) + 1,
    };
  };
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return isSeq(value) ? value.items.map(item => nameOf(item)).join(" ") : "";
}
