import { type FailurePolicy, type JsonObject, NO_OUTCOME } from "../protocol/index.ts";
import { HOSTS, type HostId } from "./descriptors.ts";
import { type HostResponse, lines, render } from "./render.ts";
import { encoderFor, noOpinionOf, powerAt, renderContext } from "./render-context.ts";

/** "Policy could not run": rendered by the failure policy, on veto events only. */
export interface FailureRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly policy: FailurePolicy;
  /** says what could not be checked, never payload text */
  readonly reason: string;
  /** absent when stdin was unreadable */
  readonly payload?: JsonObject;
  readonly isHeadless?: boolean;
}

const OPENING = "could not check";

/**
 * "Policy could not run" in the host's own form, told apart from every rule by how it begins. The failure policy
 * acts where an action can be refused; elsewhere a broken hook lets everything pass and says so on stderr.
 */
export function renderFailure(hostId: HostId, request: FailureRequest): HostResponse {
  const host = HOSTS[hostId];
  const { policy } = request;
  const at = renderContext(host, request, {});
  const reason = request.reason.startsWith(OPENING) ? request.reason : `${OPENING} this: ${request.reason}`;
  const stderr = lines([reason]);

  if (policy === "open") return { stdout: noOpinionOf(host, at), stderr, exitCode: 0 };
  if (powerAt(at) !== "veto")
    return { stdout: noOpinionOf(host, at), stderr, exitCode: 0, degraded: [`${policy} → open`] };
  if (policy === "ask" || host.closed === "deny") {
    const decision = { kind: policy === "ask" ? "ask" : "deny", reason, by: [] } as const;
    const response = render(hostId, {
      ...request,
      payload: at.payload,
      outcome: { ...NO_OUTCOME, decision },
    });
    return response.stderr === "" ? { ...response, stderr } : response;
  }
  const members = host.closedResponse?.(reason, at);
  const stdout = members === undefined ? "" : lines([JSON.stringify(members)]);
  const isHonoured = members !== undefined || encoderFor(host, at).ignoresExitCode !== true;
  return { stdout, stderr, exitCode: 2, ...(isHonoured ? {} : { unsupported: ["closed"] }) };
}
