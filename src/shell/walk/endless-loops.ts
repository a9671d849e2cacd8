import { spanOf } from "../state/session.ts";
import type { Scope } from "../state/types.ts";
import type { ArithmeticFor, CompoundList, Statement, While } from "../syntax/syntax.ts";

/** Records a loop that never ends and starts programs in the background without waiting for anything. */
export function noteEndlessLoop(node: While | ArithmeticFor, scope: Scope): void {
  const isEndless = node.type === "While" ? isAlways(node) : node.test === undefined;
  if (!isEndless || !startsOnly(node.body)) return;
  const name = node.type === "While" ? `${node.kind} without end` : "for without end";
  scope.session.functions.set(name, {
    name,
    isForkBomb: true,
    isCalled: true,
    span: spanOf(scope.source, node),
  });
}

function isAlways({ kind, clause }: While): boolean {
  const [only, ...more] = clause.commands;
  if (only?.command.type !== "Command" || more.length > 0) return false;
  const name = only.command.name?.value;
  return kind === "while" ? name === "true" || name === ":" : name === "false";
}

function startsOnly({ commands }: CompoundList): boolean {
  return commands.some(isStarted) && commands.every(command => isStarted(command) || isQuick(command));
}

function isStarted({ background, command }: Statement): boolean {
  if (background === true) return true;
  const isGroup = command.type === "Subshell" || command.type === "BraceGroup";
  return isGroup && startsOnly(command.body);
}

function isQuick({ command }: Statement): boolean {
  return command.type === "Command" && /^(?:echo|printf|:|true|let)?$/.test(command.name?.value ?? "");
}
