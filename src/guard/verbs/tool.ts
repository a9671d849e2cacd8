import { baseName } from "../../shell/paths.ts";
import { describe, knownPrefix, text, type Value } from "../../shell/value.ts";
import { lookUp } from "../look-up.ts";
import type { Call } from "../models/call.ts";

/** Runners that start the tool named in their arguments: `bundle exec rails`, `poetry run alembic`. */
const RUNNERS: Readonly<Record<string, string>> = {
  bundle: "exec",
  poetry: "run",
  pipenv: "run",
  uv: "run",
  pdm: "run",
  rye: "run",
  hatch: "run",
  yarn: "",
  pnpm: "",
  npm: "exec",
  bun: "x",
  bunx: "",
  npx: "",
  composer: "exec",
  dotnet: "",
};

export interface Tool {
  readonly program: string;
  readonly argv: readonly Value[];
}

const DEPTH = 3;

/** The tool whose verbs count, behind runners, `php artisan`, `python manage.py` and `python -m tool`. */
export function toolBehind(call: Pick<Call, "program" | "argv">, depth = 0): Tool {
  const { program, argv } = call;
  const direct = { program, argv };
  if (depth > DEPTH) return direct;
  const [, first, second] = argv;
  if (first === undefined) return direct;
  const word = describe(first);
  const script = /^\/etc\/(?:rc\.d\/)?init\.d\/([^/]+)$/.exec(describe(argv[0] ?? first))?.[1];
  if (script !== undefined)
    return { program: "service", argv: [text("service"), text(script), ...argv.slice(1)] };
  if (program === "cargo" && word.startsWith("+"))
    return { program, argv: [argv[0] ?? first, ...argv.slice(2)] };
  if (/^(minikube|microk8s|k3s)$/.test(program) && word === "kubectl") {
    const start = second !== undefined && describe(second) === "--" ? 2 : 1;
    return { program: "kubectl", argv: argv.slice(start) };
  }
  if (/^python[\d.]*$/.test(program)) {
    if (word === "-m" && second !== undefined)
      return toolBehind({ program: describe(second), argv: argv.slice(2) }, depth + 1);
    const script = ["manage.py", "setup.py"].find(name => word.endsWith(name));
    return script === undefined ? direct : { program: script, argv: argv.slice(1) };
  }
  if (program === "java" && word === "-jar" && second !== undefined) {
    const name = baseName(describe(second)).replace(/-\d[\d.]*(?=\.jar$)/, "");
    return { program: name, argv: argv.slice(2) };
  }
  if (program === "php" && baseName(word) === "console") return { program: "console", argv: argv.slice(1) };
  if (program === "php" && baseName(word) === "artisan") return { program: "artisan", argv: argv.slice(1) };
  const verb = lookUp(RUNNERS, program);
  if (verb === undefined) return direct;
  const start = verb === "" ? 1 : word === verb ? 2 : -1;
  if (start < 0) return direct;
  const rest = argv.slice(start);
  const index = rest.findIndex(value => !knownPrefix(value).startsWith("-"));
  const tool = rest[index];
  if (tool === undefined || isOwnVerb(program, describe(tool))) return direct;
  return toolBehind(
    { program: baseName(describe(tool)), argv: [text(describe(tool)), ...rest.slice(index + 1)] },
    depth + 1,
  );
}

/** Words that the runner itself understands. */
function isOwnVerb(program: string, word: string): boolean {
  return (
    /^(yarn|pnpm|dotnet)$/.test(program) &&
    /^(publish|npm|unpublish|deprecate|install|add|remove|run|test|build|nuget|ef|-r|recursive|workspaces)$/.test(
      word,
    )
  );
}
