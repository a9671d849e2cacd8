import { type EventDescriptor, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { asArguments } from "../calls/describe-value.ts";
import { andThen, type MaybePromise } from "../maybe.ts";
import type { CallView, CheckedArgs, CheckedResult } from "../registration.ts";
import { freezeCopy } from "../reply.ts";
import type { DeclaredTools } from "../tools.ts";
import type { HookScope } from "../types.ts";
import { describeError } from "./invocation.ts";

/** No function can be shown this payload: it is nested too deeply, or refers to itself. */
export class UnreadablePayload extends Error {
  override readonly name = "UnreadablePayload";
}

/** Under which names the tool of a call is known. */
interface ToolNames {
  readonly names: readonly string[];
  readonly tool: string | undefined;
}

/**
 * One call on its way through the functions: each sees what the one before left. What functions see is a frozen copy
 * of the host's payload, made of the part that is asked for when it is first asked for.
 */
export class CallState implements CallView {
  readonly event: EventDescriptor;
  readonly names: readonly string[];
  readonly tool: string | undefined;
  isError: boolean;
  isInputNew = false;
  isResultNew = false;
  isErrorNew = false;
  private readonly given: JsonObject;
  private readonly tools: DeclaredTools;
  private givenCopy: JsonObject | undefined;
  private givenInputCopy: Json | undefined;
  private newPayload: JsonObject | undefined;
  private newInput: Json | undefined;
  private newResult: Json | undefined;
  checked: CheckedArgs | undefined;
  private checking: MaybePromise<CheckedArgs> | undefined;

  constructor(event: EventDescriptor, payload: JsonObject, { names, tool }: ToolNames, tools: DeclaredTools) {
    this.event = event;
    this.given = payload;
    this.names = names;
    this.tool = tool;
    this.tools = tools;
    const isFailed = payload["is_error"] === true && Object.hasOwn(payload, "is_error");
    this.isError = isFailed || event.name === "PostToolUseFailure";
  }

  get id(): string {
    return this.text("tool_use_id", this.given["tool_use_id"]) ?? "";
  }

  get name(): string {
    return this.names[0] ?? this.text("tool_name", this.given["tool_name"]) ?? "";
  }

  get sessionId(): string {
    return this.text("session_id", this.given["session_id"]) ?? "";
  }

  get cwd(): string | undefined {
    return this.text("cwd", this.given["cwd"]);
  }

  get agentId(): string | undefined {
    return this.text("agent_id", this.given["agent_id"]);
  }

  /** A member that is read by its name costs little, so that only one that is there is looked at twice. */
  private text(name: string, value: Json | undefined): string | undefined {
    return typeof value === "string" && Object.hasOwn(this.given, name) ? value : undefined;
  }

  get payload(): JsonObject {
    return this.newPayload ?? this.originalPayload;
  }

  get originalPayload(): JsonObject {
    if (this.givenCopy === undefined) {
      const copy = copyOf(this.given) as JsonObject;
      const input = this.givenInputCopy;
      this.givenCopy = input === undefined ? copy : Object.freeze({ ...copy, tool_input: input });
    }
    return this.givenCopy;
  }

  get input(): Json {
    return this.newInput ?? this.originalInput;
  }

  get originalInput(): Json {
    if (this.givenCopy !== undefined) return ownValue(this.givenCopy, "tool_input") ?? null;
    if (this.givenInputCopy === undefined) {
      const input = this.given["tool_input"];
      if (input === undefined || !Object.hasOwn(this.given, "tool_input")) return null;
      this.givenInputCopy = copyOf(input) as Json;
    }
    return this.givenInputCopy;
  }

  get result(): Json {
    if (this.newResult !== undefined) return this.newResult;
    const payload = this.originalPayload;
    const reported = this.event.name === "PostToolUseFailure" ? ownValue(payload, "error") : undefined;
    return ownValue(payload, "tool_response") ?? reported ?? null;
  }

  /** Takes the copy now. Where there can be none, the functions that ask for it are told. */
  takeCopy(): void {
    try {
      void this.originalPayload;
    } catch {
      // The copy is tried again for each function that needs it, and fails for each.
    }
  }

  checkedInput(): MaybePromise<CheckedArgs> {
    const { tool } = this;
    if (tool === undefined) return this.callWith(undefined, asArguments(this.input), undefined);
    this.checking ??= andThen(this.tools.checkArgs(tool, this.input), fitted =>
      this.callWith(fitted.tool, fitted.args, fitted.problem),
    );
    return this.checking;
  }

  private callWith(tool: string | undefined, args: unknown, problem: string | undefined): CheckedArgs {
    this.checked = { call: Object.freeze({ id: this.id, name: this.name, tool, args }), problem };
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

  setInput(input: Json): void {
    this.newInput = input;
    this.isInputNew = true;
    this.checking = undefined;
    this.checked = undefined;
    const { payload, originalInput } = this;
    this.newPayload = Object.freeze({ ...payload, tool_input: input, tool_input_original: originalInput });
  }

  setResult(result: Json): void {
    this.newResult = result;
    this.isResultNew = true;
    this.newPayload = Object.freeze({ ...this.payload, tool_response: result });
  }

  setError(isError: boolean): void {
    this.isError = isError;
    this.isErrorNew = true;
  }
}

function copyOf(value: unknown): unknown {
  try {
    return freezeCopy(value, true);
  } catch (error) {
    throw new UnreadablePayload(`the payload cannot be copied: ${describeError(error)}`);
  }
}

/** What a function gets besides its subject. The signal is made when it is first asked for: most never do. */
export class FunctionScope implements HookScope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly context: unknown;
  declare readonly agentId?: string;
  private readonly state: CallState;
  isSignalTaken = false;
  private controller: AbortController | undefined;
  private isOver = false;

  constructor(state: CallState, projectDir: string, context: unknown) {
    this.state = state;
    this.sessionId = state.sessionId;
    this.cwd = state.cwd || projectDir;
    this.context = context;
    const { agentId } = state;
    if (agentId !== undefined) this.agentId = agentId;
  }

  get original(): unknown {
    return this.state.event.requiresTool ? this.state.originalInput : this.state.originalPayload;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      this.isSignalTaken = true;
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
