import type { AgentName } from "./active-agent.ts";
import { HOST_LIST } from "./descriptors.ts";
import type { PrintMode } from "./host.ts";

export interface PrintModeRequest {
  readonly prompt: string;
  readonly systemPrompt?: string;
  readonly model?: string;
  /** a directory the agent may work in besides its own */
  readonly directory?: string;
  /** some agents ask for every tool otherwise, and there is no one to answer */
  readonly allowAllTools?: boolean;
}

export interface PrintModeCall {
  readonly args: readonly string[];
  /** the prompt, when it is too long for a command line or would be taken for something else there */
  readonly stdin?: string;
}

/** Longer prompts do not belong on a command line. */
const MAX_ARGUMENT_BYTES = 32 * 1024;

/**
 * Arguments that make an agent answer one prompt and end. Options stand first and the prompt last, except after a
 * flag of its own. A system prompt goes in front of the prompt where the agent has no flag for it.
 */
export function printModeArguments(agent: AgentName, request: PrintModeRequest): PrintModeCall {
  const mode = printMode(agent);
  const { systemPrompt = "", model, directory, allowAllTools = false } = request;
  const size = byteLength(request.prompt) + byteLength(systemPrompt);
  const hasOwnFlag = mode.systemPromptFlag !== undefined && byteLength(systemPrompt) <= MAX_ARGUMENT_BYTES;
  const prompt = systemPrompt === "" || hasOwnFlag ? request.prompt : `${systemPrompt}\n\n${request.prompt}`;
  const options = [
    ...(systemPrompt !== "" && hasOwnFlag && mode.systemPromptFlag !== undefined
      ? [mode.systemPromptFlag, systemPrompt]
      : []),
    ...(directory !== undefined && mode.directoryFlag !== undefined ? [mode.directoryFlag, directory] : []),
    ...(model === undefined ? [] : [mode.modelFlag, model]),
    ...(allowAllTools && mode.allowAllFlag !== undefined ? [mode.allowAllFlag] : []),
  ];
  if (size > MAX_ARGUMENT_BYTES || mode.unsafeStart.test(prompt))
    return { args: [...mode.start, ...mode.stdinMarker, ...options], stdin: prompt };
  const last = [...mode.promptFlag, prompt];
  const args = mode.promptFlag.length > 0 ? [...last, ...options] : [...options, ...last];
  return { args: [...mode.start, ...args] };
}

/** Arguments that start a session with a screen and this first prompt; undefined where the agent takes none. */
export function screenArguments(agent: AgentName, prompt: string): readonly string[] | undefined {
  const { screenFlag, unsafeStart } = printMode(agent);
  return screenFlag === undefined || unsafeStart.test(prompt) ? undefined : [...screenFlag, prompt];
}

function printMode(agent: AgentName): PrintMode {
  const mode = HOST_LIST.map(({ setup }) => setup?.().agent).find(each => each?.name === agent)?.printMode;
  if (mode === undefined) throw new Error(`no host describes the agent ${agent}`);
  return mode;
}

/** Bytes of the text as UTF-8. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
