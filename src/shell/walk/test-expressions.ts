import type { Scope } from "../state/types.ts";
import type { TestExpression, Word } from "../syntax/syntax.ts";
import { knownText } from "../value.ts";
import { resolveSingle } from "../words/resolve.ts";

const ARITHMETIC = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Nothing is decided here; the words of `[[ … ]]` are walked for the commands inside them. */
export function runTest(expression: TestExpression, scope: Scope): void {
  switch (expression.type) {
    case "TestUnary":
      resolveOperand(expression.operand, expression.operator === "-v" || expression.operator === "-R", scope);
      break;
    case "TestBinary":
      resolveOperand(expression.left, ARITHMETIC.has(expression.operator), scope);
      resolveOperand(expression.right, ARITHMETIC.has(expression.operator), scope);
      break;
    case "TestLogical":
      for (const operand of expression.operands) runTest(operand, scope);
      break;
    case "TestNot":
      runTest(expression.operand, scope);
      break;
    case "TestGroup":
      runTest(expression.expression, scope);
      break;
  }
}

/** An operand that the shell computes: substitutions in its value run although they were quoted. */
function resolveOperand(word: Word, isComputed: boolean, scope: Scope): void {
  for (const value of resolveSingle(word, scope)) {
    if (isComputed) runHiddenSubstitutions(knownText(value), scope);
  }
}

/** `a[$(cmd)]` as text: subscripts are expanded when the name is used. */
export function runHiddenSubstitutions(content: string | undefined, scope: Scope): void {
  if (content !== undefined && /\$\(|`/.test(content))
    scope.session.walker.runInside(`((${content}))`, scope);
}
