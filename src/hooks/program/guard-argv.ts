import { type Judgement, judgeArgv, tellPerson } from "../../guard/index.ts";
import { errorText } from "../../protocol/index.ts";
import { quoteWord, type System } from "../../system/index.ts";
import { redact } from "../../text/index.ts";
import { askerForService, consumeGrants, judgeWithGrants, rememberRefusal } from "./grants.ts";
import { type ConfiguredGuard, openGuard } from "./guard-context.ts";

const EXIT = { allow: 0, deny: 2, ask: 3 } as const;
const USAGE_EXIT = 4;

/** `amplihack-hooks guard-argv -- PROGRAM ARGUMENTS`: judges words that a shell has already expanded. */
export function runGuardArgv(argv: readonly string[], system: System): number {
  const start = argv.indexOf("--") + 1;
  const words = start === 0 ? [] : argv.slice(start);
  if (words.length === 0) {
    system.stdio.writeError("usage: amplihack-hooks guard-argv -- PROGRAM [ARGUMENT…]\n");
    return USAGE_EXIT;
  }
  const tell = (error: unknown): void => system.stdio.writeError(`amplihack: ${errorText(error)}\n`);
  const guard = openGuard(system, undefined, tell);
  for (const { message } of guard.notices) system.stdio.writeError(`amplihack: ${message}\n`);
  const { context, stateHome } = guard;
  const judgement = judgeWithGrants(
    system,
    stateHome,
    grants => judgeArgv(words, grants === undefined ? context : { ...context, grants }),
    used => consumeGrants(system, stateHome, used),
    askerForService(guard.config, () => ({ command: shownWords(words), cwd: context.cwd })),
  );
  if (judgement.verdict !== "allow") refuse(system, words, judgement, guard, tell);
  return EXIT[judgement.verdict];
}

function shownWords(words: readonly string[]): string {
  return redact(words.map(quoteWord).join(" "));
}

function refuse(
  system: System,
  words: readonly string[],
  { reason, findings, code, digest }: Judgement,
  { context, stateHome }: ConfiguredGuard,
  tell: (error: unknown) => void,
): void {
  system.stdio.writeError(`amplihack: ${reason ?? "this is refused"}\n`);
  if (code === undefined) return;
  const command = `amplihack guard allow-once ${code}`;
  if (reason?.includes(command) !== true)
    system.stdio.writeError(`A person can allow it, in a terminal of their own: ${command}\n`);
  try {
    rememberRefusal(system, stateHome, {
      code,
      digest,
      command: shownWords(words),
      cwd: context.cwd,
      rules: findings.map(({ rule }) => rule),
      found: tellPerson(findings),
      refusedMs: context.nowMs ?? 0,
    });
  } catch (error) {
    tell(error);
  }
}
