import { HOST_LIST, HOSTS, OWN_AGENTS, OWN_SKILLS, type UserFiles } from "../hosts/index.ts";
import { readText } from "../state/index.ts";
import { basename, dirname, join, type System } from "../system/index.ts";
import type { Package } from "./package.ts";
import { hostSetup, type RegistrationTarget } from "./targets.ts";

// What agents are taught about amplihack, in the folder in which their host looks for skills.

const OWN = "amplihack";
const MAX_BYTES = 64 * 1024;

const skillFile = (name: string): string => `${name}/SKILL.md`;

export function isSkill(path: string): boolean {
  return OWN_SKILLS.some(name => path.endsWith(`/skills/${skillFile(name)}`));
}

/** A skill of a package; undefined for one that was built without it. */
export function readSkill(
  system: Pick<System, "files" | "text">,
  { root }: Package,
  name = OWN,
): string | undefined {
  return readText(system, join(root, "skills", skillFile(name)), MAX_BYTES);
}

/** The host's folder for skills beside its settings, as its descriptor names it. */
function skillFolder({ host, owner, registration, scope, path }: RegistrationTarget): string | undefined {
  const settings = registration.files[scope] ?? "";
  // The nearest one, where a host has a folder for projects above that of its user.
  const [folder] = (HOSTS[owner].skillFolders ?? [])
    .filter(each => settings.startsWith(`${dirname(each)}/`))
    .sort((one, other) => other.length - one.length);
  const isThere = folder !== undefined && path.endsWith(settings.slice(dirname(folder).length));
  return isThere && host === owner ? folder : undefined;
}

/** The folder of the host's configuration. */
function hostFolder(target: RegistrationTarget): string | undefined {
  const folder = skillFolder(target);
  if (folder === undefined) return undefined;
  const { path, registration, scope } = target;
  return path.slice(0, path.length - (registration.files[scope] ?? "").length + dirname(folder).length);
}

/**
 * Where a host finds a skill: in the folder for skills beside its settings. None for a host without such a folder, and
 * none where the host reads the folder of another one that has the skill already.
 */
export function skillPath(
  { files }: Pick<System, "files">,
  target: RegistrationTarget,
  name = OWN,
): string | undefined {
  const folder = skillFolder(target);
  const place = hostFolder(target);
  if (folder === undefined || place === undefined) return undefined;
  const others = (HOSTS[target.owner].skillFolders ?? [])
    .filter(each => each !== folder && place.endsWith(dirname(folder)))
    .map(each => join(place.slice(0, place.length - dirname(folder).length), each, skillFile(name)));
  return others.some(other => files.follow(other) !== undefined)
    ? undefined
    : join(place, basename(folder), skillFile(name));
}

// The part `workflow` in a host: the skill that starts it, its agents as subagents, and a slash command.

const SKILL = "dev-orchestrator";
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

/** A file that belongs to us entirely; without a text it is to be removed. */
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
  const agents = OWN_AGENTS.flatMap(name => {
    const text = readText(system, join(source.root, "agents", `${name}.md`), MAX_BYTES);
    const [, description, body] =
      /^---\n[\s\S]*?^description: (.*)$[\s\S]*?^---\n\s*([\s\S]*)$/m.exec(text ?? "") ?? [];
    return description === undefined || body === undefined ? [] : [{ name, description, body }];
  });
  return skill === undefined || agents.length < OWN_AGENTS.length ? undefined : { skill, agents };
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
  const { agents, command } = hostSetup(target.owner).userFiles ?? {};
  const skill = skillPath(system, target, SKILL);
  return [
    ...(skill === undefined ? [] : [{ path: skill, text: texts?.skill }]),
    ...(agents === undefined
      ? []
      : OWN_AGENTS.map(name => {
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
    const { agents, command } = hostSetup(id).userFiles ?? {};
    const files = agents === undefined ? [] : OWN_AGENTS.map(name => nameFile(agents.file, name));
    return [...files, ...(command === undefined ? [] : [command.file])].some(file =>
      path.endsWith(`/${file}`),
    );
  });
}

function nameFile(file: string, name: string): string {
  return file.replace("NAME", name);
}
