import { isOneOf, type ShapedCall, type ToolShape } from "../hosts/index.ts";
import { codeArgvs, dialectArgv, elsewhereArgv, sqlArgv } from "../programs/index.ts";
import { isJsonObject, type ToolUse } from "../protocol/index.ts";
import type { ShellFacts, Unexamined } from "../shell/index.ts";
import { expandHome } from "../system/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { collectFindings } from "./collect-findings.ts";
import { collectFootprint } from "./collect-footprint.ts";
import { conclude } from "./conclude.ts";
import { effectsOfTool } from "./file-tools.ts";
import { mergeFootprints, NO_FOOTPRINT } from "./footprint.ts";
import { type ExaminedCall, examineText, examineWords, isExamined } from "./judge.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { isOfFamily } from "./rules.ts";

/** Judges a tool call by what its arguments are: commands, SQL and code by what they do, files by their places. */
export function judgeShapes(
  tool: Pick<ToolUse, "canonicalName" | "input">,
  shaped: ShapedCall,
  knownPaths: readonly string[],
  workspace: Workspace,
): Judgement {
  const { canonicalName } = tool;
  const examined = shaped.shapes.flatMap(shape => examineShape(shape, workspace));
  const files = examineFiles(tool, shaped, knownPaths, workspace);
  const all = files === undefined ? examined : [...examined, files];
  const [only] = all;
  if (only === undefined) return ALLOWED;
  // A code permits the whole call as it was shown, also members that no rule looked at.
  const subject = () => ({
    source: JSON.stringify(tool.input) ?? "",
    tree: [canonicalName, ...all.map(({ learned }) => learned.subject().tree)],
    cwd: workspace.cwd,
  });
  if (all.length === 1) return conclude(only.findings, { ...only.learned, subject });
  return conclude(
    all.flatMap(({ findings }) => findings),
    {
      workspace,
      notes: all.flatMap(({ learned }) => learned.notes),
      subject,
      explain: () => all.flatMap(({ learned }) => learned.explain()),
      footprint: () => mergeFootprints(all.map(({ learned }) => learned.footprint())),
    },
  );
}

const PLAIN_MEMBERS =
  "file_path filePath path content offset limit old_string new_string oldString newString replace_all replaceAll";

/** A call of a host's own file tool with nothing unusual in it, which needs no reading by shape. */
export function plainFileCall(
  { canonicalName, input }: Pick<ToolUse, "canonicalName" | "input">,
  paths: readonly string[],
): ShapedCall | undefined {
  if (!isOneOf("Read Write Edit", canonicalName) || paths.length === 0 || !isJsonObject(input))
    return undefined;
  if (!Object.keys(input).every(name => isOneOf(PLAIN_MEMBERS, name))) return undefined;
  const action = canonicalName === "Read" ? "read" : "write";
  const shapes = paths.map(path => ({ as: "file", member: "", action, path }) as const);
  return { shapes, directory: undefined, isComplete: true };
}

function examineShape(shape: ToolShape, workspace: Workspace): readonly ExaminedCall[] {
  switch (shape.as) {
    case "shell": {
      const { command, dialect, elsewhere } = shape;
      if (elsewhere !== undefined)
        return [examineWords(command, elsewhereArgv(elsewhere, command), workspace)];
      const argv = dialectArgv(dialect, command);
      const examined =
        argv === undefined ? examineText(command, workspace) : examineWords(command, argv, workspace);
      return [shape.isInput === true ? withoutDoubt(examined) : examined];
    }
    case "program": {
      // What starts it may be a shell, or expand the names of homes as shells do.
      const argv = shape.argv.map(word => expandHome(word, workspace.home));
      const { elsewhere } = shape;
      const given = elsewhere === undefined ? argv : elsewhereArgv(elsewhere, argv.join(" "));
      return [examineWords(shape.argv.join(" "), given, workspace)];
    }
    case "sql":
      return [examineStatements(shape.text, workspace)];
    case "code": {
      const readings = codeArgvs(shape.language, shape.text).map(argv =>
        examineWords(shape.text, argv, workspace),
      );
      if (readings.length === 1) return readings;
      // Text of one language cannot be read as another; it is not examined when no reading is complete.
      const isRead = readings.some(isExamined);
      return isRead ? readings.map(withoutDoubt) : readings;
    }
    case "file":
      return [];
  }
}

/** A database is no file of the project; commands of a client may change some. */
function examineStatements(statements: string, workspace: Workspace): ExaminedCall {
  const examined = examineWords(statements, sqlArgv(statements), workspace);
  if (statements.includes("\\")) return examined;
  return { ...examined, learned: { ...examined.learned, footprint: () => NO_FOOTPRINT } };
}

/** Without what is said of text only because it could not be read. */
function withoutDoubt(examined: ExaminedCall): ExaminedCall {
  const findings = examined.findings.filter(({ rule }) => !isOfFamily(rule, "guard", "text"));
  return { ...examined, findings };
}

function examineFiles(
  tool: Pick<ToolUse, "canonicalName" | "input">,
  { shapes, isComplete }: ShapedCall,
  knownPaths: readonly string[],
  workspace: Workspace,
): ExaminedCall | undefined {
  const files = shapes.filter(shape => shape.as === "file");
  const effects = effectsOfTool(tool, files, knownPaths, workspace);
  if (effects.length === 0 && isComplete) return undefined;
  const facts = isComplete ? EMPTY_FACTS : { ...EMPTY_FACTS, unexamined: [UNREAD] };
  const paths = effects.map(effect => ("path" in effect ? effect.path.pieces : []));
  return {
    findings: collectFindings(workspace, facts, "", effects),
    learned: {
      workspace,
      notes: [],
      subject: () => ({ source: "", tree: [tool.canonicalName, paths], cwd: workspace.cwd }),
      explain: () => [],
      footprint: () => collectFootprint([{ facts, effects }], workspace),
    },
  };
}

/** Of a tool call that has no command. */
const EMPTY_FACTS: ShellFacts = {
  invocations: [],
  listings: new Map(),
  effects: [],
  redirections: [],
  codeRuns: [],
  codeEffects: [],
  writtenFiles: [],
  functions: [],
  assignments: [],
  links: [],
  unexamined: [],
  steps: 0,
};

const UNREAD: Unexamined = {
  reason: "nesting",
  message: "arguments that are too many or too deep",
  criticalWords: [],
  span: { start: 0, end: 0 },
};
