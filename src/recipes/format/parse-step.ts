import { FieldReader, type Report } from "./field-reader.ts";
import type { YamlNode } from "./read-yaml.ts";
import { STEP_TYPES, type Step, type StepType } from "./recipe.ts";

export interface StepReports {
  readonly error: Report;
  readonly warn: Report;
  /** remembers where a field of the step stands */
  readonly note: (stepId: string, field: string, offset: number) => void;
}

/** Fields that mean something to one type of step only. */
const ONLY_FOR: Readonly<Record<StepType, readonly string[]>> = {
  bash: ["command"],
  agent: ["prompt", "model", "mode", "auto_stage"],
  recipe: ["recipe", "sub_context", "context", "recovery_on_failure"],
};

const REQUIRED: Readonly<Record<StepType, string>> = { bash: "command", agent: "prompt", recipe: "recipe" };

const DEFAULT_RETRY_DELAY_SECONDS = 1;

export function parseStep(node: YamlNode, reports: StepReports): Step | undefined {
  const { error, warn, note } = reports;
  const id = node.kind === "map" ? new FieldReader(node.entries, "", () => {}).label("id") : undefined;
  if (node.kind !== "map" || id === undefined || id.trim() === "") {
    error("Every step must have a non-empty 'id' field", node.offset);
    return undefined;
  }
  const where = `Step '${id}': `;
  const read = new FieldReader(node.entries, where, error);
  read.node("id");
  note(id, "", node.offset);
  for (const name of node.entries.keys()) note(id, name, read.offset(name));

  const command = read.string("command");
  const agent = read.string("agent");
  const prompt = read.string("prompt");
  const recipe = read.string("recipe");
  const declared = readType(read, where, error);
  const type = declared ?? inferType({ command, agent, prompt, recipe });
  const needed = REQUIRED[type];
  if (read.node(needed) === undefined)
    error(`${where}${type} step is missing a '${needed}' field`, node.offset);

  const nonFatal = [
    read.boolean("fatal") === false,
    read.boolean("continue_on_error"),
    read.boolean("nonfatal"),
  ];
  const timeout = read.seconds("timeout");
  const timeoutAlias = read.seconds("timeout_seconds");
  read.label("description");
  const step: Step = {
    id,
    type,
    name: read.label("name"),
    command,
    agent,
    prompt,
    recipe,
    subContext: { ...read.map("context"), ...read.map("sub_context") },
    output: readOutputName(read, where, error),
    condition: read.label("condition"),
    parseJson: read.boolean("parse_json") ?? false,
    parseJsonRequired: read.boolean("parse_json_required") ?? false,
    timeoutSeconds: timeout ?? timeoutAlias,
    workingDir: read.string("working_dir"),
    isNonFatal: nonFatal.includes(true),
    parallelGroup: read.label("parallel_group") || undefined,
    whenTags: read.labels("when_tags") ?? [],
    recoveryOnFailure: read.boolean("recovery_on_failure") ?? false,
    model: read.label("model"),
    mode: read.label("mode"),
    autoStage: read.boolean("auto_stage"),
    dependsOn: read.labels("depends_on") ?? [],
    retries: read.integer("retries") ?? 0,
    retryDelaySeconds: read.seconds("retry_delay") ?? DEFAULT_RETRY_DELAY_SECONDS,
    approval: read.string("approval"),
    artifacts: read.labels("artifacts") ?? [],
  };
  warnUnused(read, type, where, warn);
  return step;
}

function warnUnused(read: FieldReader, type: StepType, where: string, warn: Report): void {
  for (const field of STEP_TYPES.filter(other => other !== type).flatMap(other => ONLY_FOR[other])) {
    if (read.node(field) !== undefined)
      warn(`${where}'${field}' has no effect on a ${type} step`, read.offset(field));
  }
  for (const [name, entry] of read.unknown())
    warn(`${where}unrecognized field '${name}' (possible typo)`, entry.keyOffset);
}

function readType(read: FieldReader, where: string, error: Report): StepType | undefined {
  const text = read.label("type");
  if (text === undefined) return undefined;
  const type = STEP_TYPES.find(known => known === text.toLowerCase());
  if (type === undefined) {
    error(`${where}'${text}' is not a valid step type (expected bash, agent or recipe)`, read.offset("type"));
  }
  return type;
}

function inferType(
  given: Readonly<Record<"command" | "agent" | "prompt" | "recipe", string | undefined>>,
): StepType {
  if (given.recipe !== undefined) return "recipe";
  if (given.agent !== undefined) return "agent";
  return given.prompt !== undefined && given.command === undefined ? "agent" : "bash";
}

function readOutputName(read: FieldReader, where: string, error: Report): string | undefined {
  const name = read.string("output");
  if (name === undefined) return undefined;
  if (isVariableName(name)) return name;
  error(`${where}invalid output name '${name}'`, read.offset("output"));
  return undefined;
}

/** Names that `-c`, `output` and context files may set. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !isReservedName(name);
}

export function isReservedName(name: string): boolean {
  return name === "__proto__" || name.startsWith("AMPLIHACK_");
}
