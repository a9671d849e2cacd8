import { type HostId, MODULE_DEADLINE_SECONDS } from "../../hosts/index.ts";
import type { FailurePolicy } from "../../protocol/index.ts";

export interface ModuleOptions {
  /** the staged hook program, as the file shall name it */
  readonly program: string;
  /** what to do when the hook program cannot be run or does not answer; it acts before tools and prompts */
  readonly failure: FailurePolicy;
  /** written into the first line, so that a person sees where the file comes from */
  readonly version: string;
}

/** More than any answer of ours; a program that prints more is not ours. */
const OUTPUT_LIMIT = 4 * 1024 * 1024;

/**
 * The part that both generated modules share: run the hook program with the host's own arguments, wait no longer
 * than the deadline, read the answer. `askProgram` never rejects; a failure is a value that the policy judges.
 */
export function moduleRuntime(host: HostId, options: ModuleOptions): string {
  return `// Written by amplihack ${singleLine(options.version)}. Changes are lost at the next install.
import { spawn } from "node:child_process";

const PROGRAM = ${JSON.stringify(options.program)};
const program = PROGRAM.replace(/^\\$HOME(?=\\/)/, () => process.env.HOME ?? "");
const FAILURE = ${JSON.stringify(options.failure)};
const DEADLINE_MS = ${MODULE_DEADLINE_SECONDS * 1_000};
const OUTPUT_LIMIT = ${OUTPUT_LIMIT};

/**
 * Runs one hook. Resolves to { answer } or, when policy could not run, to { problem }. A hook that failed and lets
 * things pass says so in a notice.
 */
function askProgram(subcommand, nativeEvent, cwd, payload) {
  return new Promise(resolve => {
    let child;
    let timer;
    let isDone = false;
    const finish = result => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      resolve(result);
    };
    const fail = problem => finish({ problem: "could not check this: " + problem });
    const stopChild = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    try {
      const input = JSON.stringify({ ...payload, hook_event_name: nativeEvent, cwd });
      child = spawn(program, [subcommand, "--host", ${JSON.stringify(host)}, "--event", nativeEvent], {
        cwd,
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
      timer = setTimeout(() => {
        stopChild();
        fail("the hook program did not answer within " + DEADLINE_MS / 1000 + " s");
      }, DEADLINE_MS);
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8");
      child.stderr.setEncoding("utf8");
      child.stdout.on("data", text => {
        stdout += text;
        if (stdout.length > OUTPUT_LIMIT) {
          stopChild();
          fail("the hook program printed too much");
        }
      });
      child.stderr.on("data", text => {
        stderr = (stderr + text).slice(-8192);
      });
      child.on("error", error => fail("the hook program cannot be started (" + (error.code ?? error.message) + ")"));
      child.on("close", (code, signal) => {
        if (code === 2) return finish({ answer: { decision: "block", reason: humanLines(stderr) } });
        if (code !== 0) return fail("the hook program ended with " + (signal ?? "code " + code));
        try {
          const answer = JSON.parse(stdout);
          if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("no object");
          finish({ answer, notice: /^could not check.*/m.exec(stderr)?.[0] });
        } catch {
          fail("the hook program did not answer in JSON");
        }
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    } catch (error) {
      fail("the hook program cannot be started (" + (error?.code ?? error?.message) + ")");
    }
  });
}

/** The lines for people: the last one is telemetry, for machines. */
function humanLines(stderr) {
  const text = stderr
    .split("\\n")
    .filter(line => !line.startsWith("{"))
    .join("\\n")
    .trim();
  return text === "" ? "could not check this: the hook program gave no reason" : text;
}

/** An answer in Claude's form, as one plain value. */
function readAnswer(answer) {
  const nested = answer.hookSpecificOutput ?? {};
  const isRefused = nested.permissionDecision === "deny" || answer.decision === "block" || answer.continue === false;
  return {
    refusal: isRefused
      ? (nested.permissionDecisionReason ?? answer.reason ?? answer.stopReason ?? "refused by amplihack")
      : undefined,
    question: nested.permissionDecision === "ask" ? (nested.permissionDecisionReason ?? "please confirm") : undefined,
    allowOnce: answer.allowOnce,
    modelReason: answer.modelReason,
    input: nested.updatedInput,
    output: nested.updatedToolOutput,
    context: nested.additionalContext,
    message: answer.systemMessage,
  };
}

/** A failure as an answer; the policy acts only where an action can still be refused. */
function judge(result, canRefuse) {
  if (result.answer !== undefined) {
    const said = readAnswer(result.answer);
    return { ...said, message: said.message ?? result.notice };
  }
  if (canRefuse && FAILURE === "closed") return { refusal: result.problem };
  if (canRefuse && FAILURE === "ask") return { question: result.problem };
  return { message: result.problem };
}

/** The arguments object is shared with the host, so its members change, not the object. */
function replaceMembers(target, members) {
  for (const name of Object.keys(target)) delete target[name];
  Object.assign(target, members);
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function joinTexts(texts) {
  return texts.filter(text => typeof text === "string" && text !== "").join("\\n\\n");
}
`;
}

function singleLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]/g, " ");
}
