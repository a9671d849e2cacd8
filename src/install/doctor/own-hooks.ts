import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import { listOwnHooks } from "../user-hooks/list-own.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

/** Hooks of the user's: those that run, and for each that does not, why. None at all is no matter. */
export function checkOwnHooks(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const hooks = listOwnHooks(system, places);
  if (hooks.length === 0) return [];
  const problems = new Map(
    hooks.flatMap(({ source, problem, scope }) => (problem === null ? [] : [[source, { problem, scope }]])),
  );
  const running = hooks.filter(({ runs }) => runs !== "not");
  return [
    ...(running.length === 0
      ? []
      : [pass("own-hooks", `of your own, in every host: ${count(running.length, "hook")}`)]),
    ...[...problems].map(([source, { problem, scope }]) =>
      scope === "project"
        ? warn("own-hooks", `${source}: ${problem}`, "amplihack hooks trust")
        : fail("own-hooks", `${source}: ${problem}`, "amplihack hooks build"),
    ),
  ];
}
