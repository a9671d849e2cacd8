import { ALLOWED, type Judgement } from "../../guard/index.ts";
import { errorText, type Hook } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { type Answered, answerEffect, findAnswering, takeAnswerable } from "../program/answer.ts";
import { auditFile, writeAudit } from "../program/audit.ts";
import { openGuard } from "../program/guard-context.ts";
import type { HookOptions } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { withOriginalCommand } from "../program/sandboxed.ts";

/** What was remembered had no gap when it was judged. */
const KNOWN: Judgement = { ...ALLOWED, gaps: () => [], hasGaps: () => false };

/** Answers a host's question about a call that was judged a moment ago. Silence leaves it to the person. */
export function permissionRequest({ afterAnswer }: HookOptions = {}): Hook<System> {
  return {
    id: "amplihack.permission-request",
    event: "PermissionRequest",
    async run(input, system) {
      if (input.kind !== "tool") return undefined;
      const guard = openGuard(system, input.cwd, () => {});
      if (findAnswering(input, system, guard)?.event !== "PermissionRequest") return undefined;
      let answered: Answered | undefined;
      try {
        answered = takeAnswerable(input, system, guard.stateHome);
      } catch (error) {
        const detail = `the question is left to the person: ${errorText(error)}`;
        return { diagnostics: [{ code: "guard-state", severity: "warning", detail }] };
      }
      if (answered === undefined) return undefined;
      afterAnswer?.(outcome => {
        if (outcome !== "allow") return [];
        const settings = guard.config.guard;
        const run = {
          input: withOriginalCommand(input, system, guard.stateHome),
          judgement: answered === "understood" ? KNOWN : ALLOWED,
          settings,
          project: guard.project,
        };
        const path = auditFile(settings, guard.stateHome, guard.home);
        writeAudit(system, path, { ...run, answered });
        return [];
      });
      return answerEffect(answered);
    },
  };
}

export const definition: HookDefinition = { hook: permissionRequest, leavesToPerson: true };
