import { NO_OUTCOME } from "../protocol/index.ts";
import { HOSTS } from "./descriptors.ts";
import type { Answer, FailureRequest, HostId } from "./host.ts";
import { occasionOf, powerAt, silenceOf, speechFor } from "./occasion.ts";
import { lines, render } from "./render.ts";

const OPENING = "could not check";

/**
 * "Policy could not run" in the host's own words, told apart from every rule by how it begins. The failure policy
 * acts where an action can be refused; elsewhere a broken hook stands in nobody's way and says so on stderr.
 */
export function renderFailure(hostId: HostId, request: FailureRequest): Answer {
  const host = HOSTS[hostId];
  const on = occasionOf(host, request, {});
  const reason = request.reason.startsWith(OPENING) ? request.reason : `${OPENING} this: ${request.reason}`;
  const isVeto = powerAt(on) === "veto";

  if (request.policy === "open" || !isVeto) {
    const stdout = silenceOf(host, on);
    const answer = { stdout, stderr: lines([reason]), exitCode: 0 };
    return request.policy === "open" ? answer : { ...answer, degraded: [`${request.policy} → open`] };
  }
  if (request.policy === "ask" || host.closed === "deny") {
    const decision =
      request.policy === "ask"
        ? ({ kind: "ask", reason, by: [] } as const)
        : ({ kind: "deny", reason, by: [] } as const);
    const answer = render(hostId, { ...request, payload: on.payload, outcome: { ...NO_OUTCOME, decision } });
    return answer.stderr === "" ? { ...answer, stderr: lines([reason]) } : answer;
  }
  const words = host.closedWords?.(reason, on);
  const answer = {
    stdout: words === undefined ? "" : lines([JSON.stringify(words)]),
    stderr: lines([reason]),
    exitCode: 2,
  };
  const isHonoured = words !== undefined || speechFor(host, on).ignoresExitCode !== true;
  return isHonoured ? answer : { ...answer, unsupported: ["closed"] };
}
