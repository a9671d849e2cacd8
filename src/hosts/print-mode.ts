import type { AgentName } from "../state/active-agent.ts";

export interface PrintModeRequest {
  readonly prompt: string;
  readonly systemPrompt?: string;
  readonly model?: string;
  /** a directory the agent may work in besides its own */
  readonly directory?: string;
  /** Copilot asks for every tool otherwise, and nobody answers */
  readonly allowAllTools?: boolean;
}

export interface PrintModeCall {
  readonly args: readonly string[];
  /** the prompt, when it is too long for a command line or would be taken for something else there */
  readonly stdin?: string;
}

/** Longer prompts do not belong on a command line. */
const ARGUMENT_LIMIT_BYTES = 32 * 1024;

interface PrintMode {
  /** what stands before everything else */
  readonly start: readonly string[];
  readonly promptFlag: readonly string[];
  /** instead of flag and prompt, when the prompt comes on stdin */
  readonly stdinMarker: readonly string[];
  readonly systemPromptFlag?: string;
  readonly directoryFlag?: string;
  readonly modelFlag: string;
  readonly allowAllFlag?: string;
  /** prompts that this agent's command line takes for something else, or changes */
  readonly unsafeStart: RegExp;
}

const MODES: Readonly<Record<AgentName, PrintMode>> = {
  claude: {
    start: [],
    promptFlag: ["-p"],
    stdinMarker: ["-p"],
    systemPromptFlag: "--system-prompt",
    directoryFlag: "--add-dir",
    modelFlag: "--model",
    unsafeStart: /^-/,
  },
  copilot: {
    start: [],
    promptFlag: ["-p"],
    stdinMarker: [],
    directoryFlag: "--add-dir",
    modelFlag: "--model",
    allowAllFlag: "--allow-all-tools",
    unsafeStart: /^-/,
  },
  codex: {
    start: ["exec", "--skip-git-repo-check"],
    promptFlag: [],
    stdinMarker: ["-"],
    directoryFlag: "--add-dir",
    modelFlag: "--model",
    unsafeStart: /^-/,
  },
  amplifier: {
    start: ["run"],
    promptFlag: [],
    stdinMarker: [],
    modelFlag: "--model",
    unsafeStart: /^-/,
  },
  gemini: {
    start: [],
    promptFlag: ["-p"],
    stdinMarker: [],
    directoryFlag: "--include-directories",
    modelFlag: "--model",
    unsafeStart: /^-/,
  },
  opencode: {
    start: ["run"],
    promptFlag: [],
    stdinMarker: [],
    modelFlag: "--model",
    // It puts quotes around an argument that holds blanks.
    unsafeStart: /^/,
  },
  pi: {
    start: [],
    promptFlag: ["-p"],
    stdinMarker: ["-p"],
    systemPromptFlag: "--append-system-prompt",
    modelFlag: "--model",
    unsafeStart: /^[-@]/,
  },
};

/**
 * Arguments that make an agent answer one prompt and end. Options stand first and the prompt last, except after a
 * flag of its own. A system prompt goes in front of the prompt where the agent has no flag for it.
 */
export function printModeArguments(agent: AgentName, request: PrintModeRequest): PrintModeCall {
  const mode = MODES[agent];
  const { systemPrompt = "", model, directory, allowAllTools = false } = request;
  const size = byteLength(request.prompt) + byteLength(systemPrompt);
  const hasOwnFlag = mode.systemPromptFlag !== undefined && byteLength(systemPrompt) <= ARGUMENT_LIMIT_BYTES;
  const prompt = systemPrompt === "" || hasOwnFlag ? request.prompt : `${systemPrompt}\n\n${request.prompt}`;
  const options = [
    ...(systemPrompt !== "" && hasOwnFlag && mode.systemPromptFlag !== undefined
      ? [mode.systemPromptFlag, systemPrompt]
      : []),
    ...(directory !== undefined && mode.directoryFlag !== undefined ? [mode.directoryFlag, directory] : []),
    ...(model === undefined ? [] : [mode.modelFlag, model]),
    ...(allowAllTools && mode.allowAllFlag !== undefined ? [mode.allowAllFlag] : []),
  ];
  if (size > ARGUMENT_LIMIT_BYTES || mode.unsafeStart.test(prompt))
    return { args: [...mode.start, ...mode.stdinMarker, ...options], stdin: prompt };
  const said = [...mode.promptFlag, prompt];
  const args = mode.promptFlag.length > 0 ? [...said, ...options] : [...options, ...said];
  return { args: [...mode.start, ...args] };
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
