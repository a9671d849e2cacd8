import type { HostId } from "../../hosts/descriptors.ts";
import { askVersion } from "../../install/host-version.ts";
import type { Package } from "../../install/package.ts";
import { INSTALLABLE_HOSTS, isPresent, setupOf } from "../../install/targets.ts";
import { versionIn } from "../../launcher/agent-version.ts";
import { tryFindBinary } from "../../launcher/find-binary.ts";
import { errorText } from "../../protocol/error-text.ts";
import type { System } from "../../system/system.ts";
import { DRIVERS } from "./driver.ts";
import { type Proof, prove } from "./prove.ts";

/** Some hosts need seconds to say who they are. */
const VERSION_TIMEOUT_MS = 20_000;

export interface LiveRequest {
  /** all that are there when absent */
  readonly hosts: readonly HostId[] | undefined;
  readonly home: string;
  /** the real path of this program: a file that leads back to it is no agent */
  readonly self: string;
  readonly timeoutMs: number;
  readonly onProgress: (text: string) => void;
}

/** Tries every host that was asked for, one after the other. */
export async function proveAll(
  system: System,
  source: Package,
  request: LiveRequest,
): Promise<readonly Proof[]> {
  const asked =
    request.hosts ??
    INSTALLABLE_HOSTS.filter(
      host =>
        isPresent(system, request, host) ||
        DRIVERS.some(
          driver => driver.host === host && tryFindBinary(system, driver.agent, request.self) !== undefined,
        ),
    );
  const proofs: Proof[] = [];
  for (const host of asked) proofs.push(await proveOne(system, source, host, request));
  return proofs;
}

async function proveOne(
  system: System,
  source: Package,
  host: HostId,
  { self, timeoutMs, onProgress }: LiveRequest,
): Promise<Proof> {
  const driver = DRIVERS.find(each => each.host === host);
  if (driver === undefined) {
    const { live } = setupOf(host);
    return notDriven(host, typeof live === "string" ? live : "it has no driver");
  }
  const program = tryFindBinary(system, driver.agent, self);
  if (program === undefined) return notDriven(host, `its program '${driver.agent}' was not found on PATH`);
  const line = await askVersion(system, program, "--version", VERSION_TIMEOUT_MS);
  const version = line === undefined ? undefined : versionIn(line);
  onProgress(`${host}${version === undefined ? "" : ` ${version}`}: starting it with a scripted model …`);
  try {
    const proof = await prove(system, source, driver, { program, version, timeoutMs });
    onProgress(`${host}: ${proof.status} after ${(proof.duration_ms / 1000).toFixed(1)} s`);
    return proof;
  } catch (error) {
    return {
      ...notDriven(host, errorText(error)),
      version: version ?? null,
    };
  }
}

function notDriven(host: HostId, detail: string): Proof {
  return {
    host,
    version: null,
    status: "not-driven",
    fired: false,
    deny_honoured: false,
    allow_honoured: false,
    reason_reached_model: false,
    hooks: [],
    duration_ms: 0,
    detail,
  };
}
