import { HOST_LIST, type UserFiles } from "../hosts/index.ts";
import { readText } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import type { Package } from "./package.ts";
import { hostFolder, readSkill, skillPath } from "./skill.ts";
import { type RegistrationTarget, setupOf } from "./targets.ts";

// The part `workflow` in a host: the skill that starts it, its agents as subagents, and a slash command.

const SKILL = "dev-orchestrator";
const AGENTS = ["architect", "builder", "reviewer", "tester"];
const MAX_BYTES = 64 * 1024;
const NOTICE = "# Written by amplihack. Changes are lost at the next install.\n";
const HINT = "Take a development task through amplihack's workflow";

/** What the package says; the same for all hosts. */
export interface WorkflowTexts {
  readonly skill: string;
  readonly agents: readonly AgentText[];
}

interface AgentText {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** A file that is ours as a whole; without a text it shall not be there. */
export interface WantedFile {
  readonly path: string;
  readonly text: string | undefined;
}

const markdown = (members: readonly string[], body: string): string =>
  `---\n${NOTICE}${members.join("\n")}\n---\n\n${body}`;
// A string of JSON is one of YAML and of TOML, too.
const member = (name: string, value: string): string => `${name}: ${JSON.stringify(value)}`;
const toml = (members: Readonly<Record<string, string>>): string =>
  NOTICE +
  Object.entries(members)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join("");

function agentFile(
  { file, format, members = [] }: NonNullable<UserFiles["agents"]>,
  { name, description, body }: AgentText,
): string {
  const called = file.replace(/^.*\/|\..*$/g, "").replace("NAME", name);
  return format === "toml"
    ? toml({ name: called, description, developer_instructions: body })
    : markdown([`name: ${called}`, member("description", description), ...members], body);
}

function commandFile({ format, argument }: NonNullable<UserFiles["command"]>, skill: string): string {
  const prompt = `Task: ${argument}\n\n${skill.replace(/^---\n[\s\S]*?\n---\n\s*/, "")}`;
  if (format === "toml") return toml({ description: HINT, prompt });
  return markdown([member("description", HINT)], prompt);
}

/** The workflow's texts in a package; undefined for one that was built without them. */
export function readWorkflow(
  system: Pick<System, "files" | "text">,
  source: Package,
): WorkflowTexts | undefined {
  const skill = readSkill(system, source, SKILL);
  const agents = AGENTS.flatMap(name => {
    const text = readText(system, join(source.root, "agents", `${name}.md`), MAX_BYTES);
    const [, description, body] =
      /^---\n[\s\S]*?^description: (.*)$[\s\S]*?^---\n\s*([\s\S]*)$/m.exec(text ?? "") ?? [];
    return description === undefined || body === undefined ? [] : [{ name, description, body }];
  });
  return skill === undefined || agents.length < AGENTS.length ? undefined : { skill, agents };
}

/**
 * Files of the workflow for one host. They are for the user: a project's files are for everybody who works on it, and
 * get none.
 */
export function workflowFiles(
  system: Pick<System, "files">,
  target: RegistrationTarget,
  texts: WorkflowTexts | undefined,
): readonly WantedFile[] {
  const folder = target.scope === "user" ? hostFolder(target) : undefined;
  if (folder === undefined) return [];
  const { agents, command } = setupOf(target.owner).userFiles ?? {};
  const skill = skillPath(system, target, SKILL);
  return [
    ...(skill === undefined ? [] : [{ path: skill, text: texts?.skill }]),
    ...(agents === undefined
      ? []
      : AGENTS.map(name => {
          const agent = texts?.agents.find(each => each.name === name);
          return { path: join(folder, nameFile(agents.file, name)), text: agent && agentFile(agents, agent) };
        })),
    ...(command === undefined
      ? []
      : [{ path: join(folder, command.file), text: texts && commandFile(command, texts.skill) }]),
  ];
}

/** Whether a path is one that `workflowFiles` gives for some host. */
export function isWorkflowFile(path: string): boolean {
  return HOST_LIST.some(({ id }) => {
    const { agents, command } = setupOf(id).userFiles ?? {};
    const files = agents === undefined ? [] : AGENTS.map(name => nameFile(agents.file, name));
    return [...files, ...(command === undefined ? [] : [command.file])].some(file =>
      path.endsWith(`/${file}`),
    );
  });
}

function nameFile(file: string, name: string): string {
  return file.replace("NAME", name);
}
