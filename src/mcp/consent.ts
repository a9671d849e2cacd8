import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { USER_REFUSED } from "../engine/index.ts";
import { ALLOWED, type Judgement, judgeCommand } from "../guard/index.ts";
import {
  askerForService,
  auditFile,
  type ConfiguredGuard,
  consumeGrants,
  isAudited,
  judgeWithGrants,
  noteGiven,
  openGuard,
  ranFiles,
  rememberRefusal,
  writeAudit,
} from "../hooks/index.ts";
import { errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { quoteWord } from "../system/index.ts";
import { clip, escapeHidden, redactOpening } from "../text/index.ts";
import type { CallExtra, ServerContext } from "./tool.ts";

/** A call of a tool, as the command that does the same. */
interface StandsFor {
  readonly tool: string;
  /** the words behind `amplihack` */
  readonly words: readonly string[];
}

/** What a person agreed to. */
interface Agreed {
  /** SHA-256 of the files that it runs, as they were when the person was asked */
  readonly files: readonly string[] | undefined;
}

const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

/**
 * A tool may do what its command may when an agent types it: the guard judges that command, with the person's rules and
 * codes. What must be asked is asked through the client where it can show questions, and is refused elsewhere.
 */
export async function requireConsent(
  server: McpServer,
  context: ServerContext,
  extra: CallExtra,
  { tool, words }: StandsFor,
): Promise<Agreed> {
  const command = ["amplihack", ...words].map(quoteWord).join(" ");
  const { judgement, hearsClients, stateHome } = judgeAsCommand(context, tool, command);
  const files = ranFiles(context.system, judgement).files?.map(({ sha256 }) => sha256);
  if (judgement.verdict === "allow") return { files };
  const canAsk =
    hearsClients &&
    context.mayAsk() &&
    server.server.getClientCapabilities()?.elicitation?.form !== undefined;
  const isAsked = judgement.verdict === "ask" && canAsk;
  if (isAsked && (await askPerson(server, extra, tool, command, judgement))) {
    noteYes(server, context, stateHome, command);
    return { files };
  }
  const { code, texts } = judgement;
  const reason = isAsked ? USER_REFUSED : (texts?.model ?? judgement.reason ?? "it is not allowed");
  throw new Problem(`${tool} did not run: ${reason}`, {
    kind: "refused",
    ...(code === undefined
      ? {}
      : { fix: `a person can permit it once at their own terminal: amplihack guard allow-once ${code}` }),
  });
}

interface Judged {
  readonly judgement: Judgement;
  /** false where a stronger consent was chosen than the answer of a program that says it showed the question */
  readonly hearsClients: boolean;
  readonly stateHome: string;
}

/** Whoever answered, the next session says what was permitted: a program may have played the client and its host. */
function noteYes(
  server: McpServer,
  { system, warn }: ServerContext,
  stateHome: string,
  command: string,
): void {
  const { name = "an unknown client" } = server.server.getClientVersion() ?? {};
  try {
    noteGiven(system, stateHome, {
      command: redactOpening(command),
      host: `the MCP client ${clip(name, 40)}`,
    });
  } catch (error) {
    warn(`the next session will not show what was permitted: ${errorText(error)}`);
  }
}

function judgeAsCommand(context: ServerContext, tool: string, command: string): Judged {
  const { system, warn } = context;
  const attempt = <T>(what: string, action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      warn(`${what}: ${errorText(error)}`);
      return undefined;
    }
  };
  const guard = openGuard(system, undefined, error =>
    warn(`no allow-once code can be offered: ${errorText(error)}`),
  );
  const { stateHome } = guard;
  const hearsClients = guard.config.consent === "terminal";
  if (!guard.config.parts.includes("guard")) return { judgement: ALLOWED, hearsClients, stateHome };
  const judgement = judgeWithGrants(
    system,
    stateHome,
    grants => judgeCommand(command, grants === undefined ? guard.context : { ...guard.context, grants }),
    used => attempt("the grant was not used", () => consumeGrants(system, stateHome, used)),
    askerForService(guard.config, () => ({ command: redactOpening(command), cwd: guard.context.cwd })),
  );
  attempt("the judgement was not recorded", () => record(context, guard, tool, command, judgement));
  return { judgement, hearsClients, stateHome };
}

function record(
  { system }: ServerContext,
  { config, context, home, project, stateHome }: ConfiguredGuard,
  tool: string,
  command: string,
  judgement: Judgement,
): void {
  const settings = config.guard;
  const { cwd } = context;
  const input = {
    host: "mcp",
    sessionId: undefined,
    cwd,
    tool: { name: tool, useId: undefined },
    facts: { command, paths: [] },
  };
  if (isAudited(judgement, settings))
    writeAudit(system, auditFile(settings, stateHome, home), { input, judgement, settings, project });
  const { code, digest, findings, verdict } = judgement;
  if (code === undefined || verdict === "allow") return;
  rememberRefusal(system, stateHome, {
    code,
    digest,
    command: redactOpening(command),
    cwd,
    rules: findings.map(({ rule }) => rule),
    ...ranFiles(system, judgement),
    refusedMs: system.clock.nowMs(),
  });
}

/** Only a plain yes counts: a client that answers wrongly, late or not at all has not agreed. */
async function askPerson(
  server: McpServer,
  { requestId, signal }: CallExtra,
  tool: string,
  command: string,
  { reason = "", texts }: Judgement,
): Promise<boolean> {
  const { action, content } = await server.server.elicitInput(
    {
      message: `${tool} would do what this command does:\n${escapeHidden(command)}\n\n${texts?.person ?? reason}`,
      requestedSchema: {
        type: "object",
        properties: { run: { type: "boolean", title: "Run it?" } },
        required: ["run"],
      },
    },
    { relatedRequestId: requestId, signal, timeout: ANSWER_TIMEOUT_MS },
  );
  return action === "accept" && content?.["run"] === true;
}
