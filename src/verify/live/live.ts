import type { HostId } from "../../hosts/index.ts";
import {
  askVersion,
  findFaults,
  INSTALLABLE_HOSTS,
  isPresent,
  type Package,
  setupOf,
} from "../../install/index.ts";
import { tryFindBinary, versionIn } from "../../launcher/index.ts";
import { errorText } from "../../protocol/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { DRIVERS } from "./driver.ts";
import { type Proof, prove } from "./prove.ts";

/** Some hosts need seconds to say who they are. */
const VERSION_TIMEOUT_MS = 20_000;

export interface LiveRequest {
  /** all that are there when absent */
  readonly hosts: readonly HostId[] | undefined;
  /** of the user, whose own settings are looked at */
  readonly places: UserDirectories;
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
        isPresent(system, request.places, host) ||
        DRIVERS.some(
          driver => driver.host === host && tryFindBinary(system, driver.agent, request.self) !== undefined,
        ),
    );
  const proofs: Proof[] = [];
  for (const host of asked) {
    const proof = withOwnSettings(system, request, await proveOne(system, source, host, request));
    if (proof.duration_ms > 0)
      request.onProgress(`${host}: ${proof.status} after ${(proof.duration_ms / 1000).toFixed(1)} s`);
    proofs.push(proof);
  }
  return proofs;
}

/** The proof is of a temporary home with settings of its own; what is wrong in the user's is not seen there. */
function withOwnSettings(system: System, { places }: LiveRequest, proof: Proof): Proof {
  const faults = findFaults(system, places, proof.host);
  const isInVain = proof.status === "proved" && faults.some(({ status }) => status === "fail");
  return { ...proof, status: isInVain ? "failed" : proof.status, own_settings: faults };
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
    return await prove(system, source, driver, { program, version, timeoutMs });
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
    own_settings: [],
  };
}
