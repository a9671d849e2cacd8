import { scalar } from "../state/state.ts";
import type { Output, PendingCall } from "../state/types.ts";

/** Variables in front of `eval`, `source` and functions are seen by the code they run. */
export function withEnvironment(call: PendingCall, run: () => Output): Output {
  const { variables } = call.scope.state;
  const before = call.environment.map(({ name }) => [name, variables.get(name)] as const);
  for (const { name, value } of call.environment) {
    variables.set(name, {
      contents: value === undefined ? [{ kind: "unset" }] : [scalar(value)],
      isExported: true,
      isReference: false,
    });
  }
  const output = run();
  for (const [name, variable] of before) {
    if (variable === undefined) variables.delete(name);
    else variables.set(name, variable);
  }
  return output;
}
