import { LIMITS } from "../limits.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { forkState, leaveUnexamined } from "../state/session.ts";
import type { Output, Scope } from "../state/types.ts";
import { parseAnyShell } from "../syntax/recover.ts";
import { concatenate, describe, type Piece, type Span, text, unknown, type Value } from "../value.ts";

/**
 * Walks text as shell code in the given scope, one level deeper; everything found is reported at `span`.
 * Unknown parts of the text become unknown words. `isExamined` is false when there was nothing to read.
 */
export function runShellText(
  code: Value,
  scope: Scope,
  span: Span,
  isHalf = false,
): { readonly output: Output; readonly isExamined: boolean } {
  const { session } = scope;
  if (!code.pieces.some(piece => piece.kind !== "unknown" && pieceText(piece).trim() !== "")) {
    return { output: NO_OUTPUT, isExamined: code.pieces.length === 0 };
  }
  const { content, placeholders } = writeSource(code);
  if (scope.depth >= LIMITS.nesting) {
    leaveUnexamined(session, "nesting", `code nested more than ${LIMITS.nesting} deep`, describe(code), span);
    return { output: NO_OUTPUT, isExamined: false };
  }
  if (!session.budget.take(Math.ceil(content.length / 32))) {
    leaveUnexamined(session, "steps", "the command is too long to be analysed", content, span);
    return { output: NO_OUTPUT, isExamined: false };
  }
  const parsed = parseAnyShell(content);
  for (const problem of parsed.problems) {
    if (isHalf && problem.reason === "incomplete") continue;
    leaveUnexamined(
      session,
      problem.reason,
      problem.message,
      content.slice(problem.start, problem.end),
      span,
    );
  }
  const inner: Scope = {
    ...scope,
    source: {
      text: parsed.repaired ?? content,
      base: span,
      placeholders: new Map([...placeholders, ...parsed.placeholders]),
    },
    depth: scope.depth + 1,
  };
  const output = session.walker.runStatements(parsed.statements, inner);
  if (!isHalf) runHalves(content, parsed.openQuote, { ...inner, depth: scope.depth }, span);
  return { output, isExamined: true };
}

/**
 * A shell that stays open waits for the end of a quote: what follows may lengthen its last word. A quote that begins a
 * line may end one of an earlier call: then the text behind it is code.
 */
export function runHalves(source: string, openQuote: number | undefined, scope: Scope, span: Span): void {
  if (openQuote === undefined) return;
  const lengthened = concatenate([text(source), unknown("any", "what follows")]);
  const beginsLine = openQuote === 0 || source[openQuote - 1] === "\n";
  for (const half of beginsLine ? [lengthened, text(source.slice(openQuote + 1))] : [lengthened])
    runShellText(half, { ...scope, state: forkState(scope) }, span, true);
}

function pieceText(piece: Piece): string {
  return piece.kind === "text" ? piece.text : piece.kind === "glob" ? piece.pattern : "";
}

/** Unknown parts are written as characters of the private use area that the text itself does not use. */
function writeSource(code: Value): {
  readonly content: string;
  readonly placeholders: ReadonlyMap<string, Value>;
} {
  const placeholders = new Map<string, Value>();
  const known = code.pieces.map(pieceText).join("");
  let next = 0xe000;
  const content = code.pieces.map(piece => {
    if (piece.kind !== "unknown") return pieceText(piece);
    while (known.includes(String.fromCharCode(next))) next += 1;
    const character = String.fromCharCode(next);
    next = Math.min(next + 1, 0xf8ff);
    placeholders.set(character, { pieces: [{ ...piece, mayBeMany: false }], origins: code.origins });
    return character;
  });
  return { content: content.join(""), placeholders };
}
