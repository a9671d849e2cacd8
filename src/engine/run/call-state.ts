import {
  type EventDescriptor,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../protocol/index.ts";
import { stringAt } from "../../protocol/members.ts";
import { freezeCopy } from "../freeze.ts";
import { andThen, type MaybePromise } from "../maybe.ts";
import type { CallView, CheckedArgs, CheckedResult } from "../registration.ts";
import type { DeclaredTools } from "../tools.ts";
import type { HookScope } from "../types.ts";
import { describeError } from "./invocation.ts";

/** One call on its way through the functions: each sees what the one before left. */
export class CallState implements CallView {
  readonly event: EventDescriptor;
  readonly names: readonly string[];
  readonly id: string;
  readonly name: string;
  readonly originalInput: Json;
  readonly originalPayload: JsonObject;
  /** why no function can be shown this payload: it is nested too deeply, or refers to itself */
  readonly problem: string | undefined;
  payload: JsonObject;
  input: Json;
  result: Json;
  isError: boolean;
  isInputNew = false;
  isResultNew = false;
  isErrorNew = false;
  private readonly tools: DeclaredTools;
  private checked: MaybePromise<CheckedArgs> | undefined;

  constructor(event: EventDescriptor, payload: JsonObject, names: readonly string[], tools: DeclaredTools) {
    const copy = copyPayload(payload);
    this.originalPayload = copy.payload;
    this.problem = copy.problem;
    this.payload = this.originalPayload;
    this.event = event;
    this.names = names;
    this.tools = tools;
    this.id = stringAt(this.payload, "tool_use_id") ?? "";
    this.name = stringAt(this.payload, "tool_name") ?? "";
    this.originalInput = ownValue(this.payload, "tool_input") ?? null;
    this.input = this.originalInput;
    const isFailure = event.name === "PostToolUseFailure";
    this.result =
      ownValue(this.payload, "tool_response") ??
      (isFailure ? ownValue(this.payload, "error") : undefined) ??
      null;
    this.isError = isFailure || ownValue(this.payload, "is_error") === true;
  }

  checkedInput(): MaybePromise<CheckedArgs> {
    this.checked ??= andThen(this.tools.checkArgs(this.names, this.input), checked => ({
      problem: checked.problem,
      call: Object.freeze({ id: this.id, name: this.name, tool: checked.tool, args: checked.args }),
    }));
    return this.checked;
  }

  checkedResult(): MaybePromise<CheckedResult> {
    const { result, tool } = this;
    if (this.isError || tool === undefined) return { result, problem: undefined };
    return andThen(this.tools.checkResult(tool, result), checked =>
      checked.ok
        ? { result: checked.value === result ? result : freezeCopy(checked.value, true), problem: undefined }
        : { result, problem: `the result of ${tool} does not fit its schema: ${checked.problem}` },
    );
  }

  get tool(): string | undefined {
    return this.tools.find(this.names);
  }

  setInput(input: Json): void {
    this.input = input;
    this.isInputNew = true;
    this.checked = undefined;
    this.payload = Object.freeze({
      ...this.payload,
      tool_input: input,
      tool_input_original: this.originalInput,
    });
  }

  setResult(result: Json): void {
    this.result = result;
    this.isResultNew = true;
    this.payload = Object.freeze({ ...this.payload, tool_response: result });
  }

  setError(isError: boolean): void {
    this.isError = isError;
    this.isErrorNew = true;
  }
}

function copyPayload(payload: JsonObject): {
  readonly payload: JsonObject;
  readonly problem: string | undefined;
} {
  try {
    const frozen = freezeCopy(payload, true);
    return isJsonObject(frozen)
      ? { payload: frozen, problem: undefined }
      : { payload: {}, problem: "the payload is not an object" };
  } catch (error) {
    return { payload: {}, problem: `the payload cannot be copied: ${describeError(error)}` };
  }
}

/** What is the same for all functions of a dispatch. */
export interface ScopeFacts {
  readonly sessionId: string;
  readonly cwd: string;
  readonly agentId: string | undefined;
  readonly original: unknown;
  readonly context: unknown;
}

export function scopeFacts(
  payload: JsonObject,
  projectDir: string,
  original: unknown,
  context: unknown,
): ScopeFacts {
  return {
    sessionId: stringAt(payload, "session_id") ?? "",
    cwd: stringAt(payload, "cwd") || projectDir,
    agentId: stringAt(payload, "agent_id"),
    original,
    context,
  };
}

/** What a function gets besides its subject. The signal is made when it is first asked for: most never do. */
export class FunctionScope implements HookScope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly original: unknown;
  readonly context: unknown;
  declare readonly agentId?: string;
  private controller: AbortController | undefined;
  private isOver = false;

  constructor({ sessionId, cwd, agentId, original, context }: ScopeFacts) {
    this.sessionId = sessionId;
    this.cwd = cwd;
    this.original = original;
    this.context = context;
    if (agentId !== undefined) this.agentId = agentId;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.isOver) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** The time is up, or the host gave up. */
  abort(): void {
    this.isOver = true;
    this.controller?.abort();
  }
}
