import type { HostId } from "../hosts/descriptors.ts";
import { readText } from "../state/read-text.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import type { Package } from "./package.ts";
import { hostFolder, readSkill, skillPath } from "./skill.ts";
import type { RegistrationTarget } from "./targets.ts";

// The part `workflow` in a host: the skill that starts it, its agents as subagents, and a slash command.

const SKILL = "dev-orchestrator";
const AGENTS = ["architect", "builder", "reviewer", "tester"];
const PREFIX = "amplihack";
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

interface HostForms {
  /** below the host's folder */
  readonly agentFile?: (name: string) => string;
  readonly agentText?: (agent: AgentText) => string;
  readonly commandFile?: string;
  /** how a command of this host names what was typed after it */
  readonly commandText?: (body: string) => string;
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

const asMarkdown =
  (...more: readonly string[]) =>
  ({ name, description, body }: AgentText): string =>
    markdown([`name: ${PREFIX}-${name}`, member("description", description), ...more], body);
const promptFile = (body: string): string =>
  markdown([member("description", HINT), member("argument-hint", "the task")], `Task: $ARGUMENTS\n\n${body}`);

/** Where hosts look for agents and commands of their user, and how these are written. */
const FORMS: Readonly<Partial<Record<HostId, HostForms>>> = {
  "claude-code": {
    agentFile: name => `agents/${PREFIX}-${name}.md`,
    agentText: asMarkdown(),
    commandFile: `commands/${PREFIX}/dev.md`,
    commandText: promptFile,
  },
  codex: {
    agentFile: name => `agents/${PREFIX}-${name}.toml`,
    agentText: ({ name, description, body }) =>
      toml({ name: `${PREFIX}-${name}`, description, developer_instructions: body }),
    commandFile: `prompts/${PREFIX}-dev.md`,
    commandText: promptFile,
  },
  "gemini-cli": {
    agentFile: name => `agents/${PREFIX}-${name}.md`,
    agentText: asMarkdown(),
    commandFile: `commands/${PREFIX}/dev.toml`,
    commandText: body => toml({ description: HINT, prompt: `Task: {{args}}\n\n${body}` }),
  },
  opencode: {
    agentFile: name => `agents/${PREFIX}-${name}.md`,
    agentText: asMarkdown("mode: subagent"),
    commandFile: `commands/${PREFIX}-dev.md`,
    commandText: body => markdown([member("description", HINT)], `Task: $ARGUMENTS\n\n${body}`),
  },
  "copilot-cli": { agentFile: name => `agents/${PREFIX}-${name}.agent.md`, agentText: asMarkdown() },
  pi: {
    commandFile: `prompts/${PREFIX}-dev.md`,
    commandText: body => markdown([member("description", HINT)], `Task: $ARGUMENTS\n\n${body}`),
  },
};

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
  const { agentFile, agentText, commandFile, commandText } = FORMS[target.owner] ?? {};
  const skill = skillPath(system, target, SKILL);
  return [
    ...(skill === undefined ? [] : [{ path: skill, text: texts?.skill }]),
    ...(agentFile === undefined ? [] : AGENTS).map(name => {
      const agent = texts?.agents.find(each => each.name === name);
      return {
        path: join(folder, agentFile?.(name) ?? ""),
        text: agent === undefined ? undefined : agentText?.(agent),
      };
    }),
    ...(commandFile === undefined
      ? []
      : [{ path: join(folder, commandFile), text: texts && commandText?.(bodyOf(texts.skill)) }]),
  ];
}

/** Whether a path is one that `workflowFiles` gives for some host. */
export function isWorkflowFile(path: string): boolean {
  return Object.values(FORMS).some(({ agentFile, commandFile }) =>
    [...AGENTS.map(name => agentFile?.(name)), commandFile].some(
      file => file !== undefined && path.endsWith(`/${file}`),
    ),
  );
}

function bodyOf(skill: string): string {
  return skill.replace(/^---\n[\s\S]*?\n---\n\s*/, "");
}
