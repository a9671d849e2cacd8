import { errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { escapeControls } from "../text/index.ts";

/**
 * `offline`: nobody answered, or no longer; the same may work later. `refused`: it will not without a change of
 * rights or settings. `newer`: the database belongs to a later version. `failed`: anything else.
 */
export type PostgresProblem = "offline" | "refused" | "newer" | "failed";

/**
 * Why a database did not do what it was asked. Never quotes a statement or a value: both hold what people wrote. Names
 * and codes are the server's, so that nothing of them reaches a terminal as it came.
 */
export class PostgresError extends Problem {
  override readonly name = "PostgresError";
  readonly problem: PostgresProblem;
  /** PostgreSQL's own five characters, when it answered */
  readonly code: string | undefined;

  constructor(problem: PostgresProblem, message: string, details: { fix?: string; code?: string } = {}) {
    const { fix } = details;
    super(escapeControls(message), {
      kind: `database-${problem}`,
      fix: fix === undefined ? undefined : escapeControls(fix),
    });
    this.problem = problem;
    this.code = details.code;
  }
}

/** PostgreSQL's codes for a user without the right, and for a second row of one name. */
export const MISSING_RIGHT = "42501";
export const NAME_TAKEN = "23505";

interface Refusal {
  readonly why: string;
  readonly fix: string;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "28P01": { why: "the password is wrong", fix: "put the right one into ~/.pgpass or PGPASSWORD" },
  "28000": {
    why: "this user may not connect",
    fix: "ask its administrator, or name another user in the URL",
  },
  "3D000": { why: "there is no such database", fix: "createdb, or name another one in the URL" },
  "3F000": { why: "its tables are not there yet", fix: "let its administrator run the same command once" },
  "42P01": { why: "its tables are not there yet", fix: "let its administrator run the same command once" },
  "25006": {
    why: "this user, or this server, may only read",
    fix: "name another user in the URL, or the server that takes changes",
  },
  [MISSING_RIGHT]: {
    why: "this user lacks the right to do that",
    fix: "ask its administrator; see docs/teams.md, and docs/recipes.md for runs",
  },
};

/** Connection lost or refused, shutting down or closed to all, out of connections, or out of time. */
const OFFLINE_CODES = /^(08...|57P0.|57014|53300|25P03|55000)$/;
const OFFLINE_ERRNO =
  /^(ECONN\w+|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/;
const OFFLINE_TEXT = /timeout|terminated|connection error|not queryable|client was closed/i;
/** Two transactions stood in each other's way: the same one may succeed now. */
const RETRYABLE_CODES: readonly string[] = ["40001", "40P01"];

export function isRetryable(error: unknown): boolean {
  return RETRYABLE_CODES.includes(errorCode(error) ?? "");
}

/** What the driver threw, as a person can use it. */
export function translate(error: unknown, place: string): unknown {
  if (error instanceof Problem) return error;
  const code = errorCode(error);
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal !== undefined)
    return new PostgresError("refused", `the database ${place} refused: ${refusal.why}`, {
      fix: refusal.fix,
      code: code as string,
    });
  const text = errorText(error);
  if (isOffline(code, text))
    return new PostgresError("offline", `the database ${place} does not answer`, {
      fix: "check host and port, and that PostgreSQL listens there; when they are right, try again later",
    });
  if (/certificate|self.signed|SSL|TLS/i.test(text))
    return new PostgresError("refused", `the encrypted connection to ${place} failed: ${text}`, {
      fix:
        certificateFix(`${code ?? ""} ${text}`) ??
        "switch TLS on at the server; sslmode=disable in the URL only where you trust the whole network",
    });
  // With a code it is PostgreSQL's sentence, which may quote values.
  const what = code === undefined ? text : `PostgreSQL's code is ${code}`;
  return new PostgresError(
    "failed",
    `the database ${place} failed: ${what}`,
    code === undefined ? {} : { code },
  );
}

/** What is wrong with a certificate decides who can mend it. */
function certificateFix(text: string): string | undefined {
  if (/CERT_HAS_EXPIRED|has expired/i.test(text))
    return "let the server's administrator renew its certificate";
  if (/CERT_NOT_YET_VALID|not yet valid/i.test(text))
    return "check the clock of this machine, and of the one that made the certificate";
  if (/ALTNAME_INVALID|does not match certificate/i.test(text))
    return "name the host in the URL as its certificate does; sslrootcert=FILE is for another authority";
  if (/CERT_REVOKED|revoked/i.test(text)) return "let the server's administrator replace its certificate";
  if (!/certificate|self.signed/i.test(text)) return undefined;
  return "name the server's authority with sslrootcert=FILE in the URL";
}

function isOffline(code: string | undefined, text: string): boolean {
  if (code === undefined) return OFFLINE_TEXT.test(text);
  return OFFLINE_CODES.test(code) || OFFLINE_ERRNO.test(code);
}

function errorCode(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: unknown };
  if (typeof code === "string") return code;
  // One attempt for each address of a name.
  return Array.isArray(errors) && errors.length > 0 ? errorCode(errors[0]) : undefined;
}
