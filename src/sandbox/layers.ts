import { spawnSync } from "node:child_process";
import { errorText, isJsonObject, type Json, readJson } from "../protocol/index.ts";
import type { Layer } from "./policy.ts";

/** What was tried, and why it does not work. */
interface LayerAnswer {
  readonly works: boolean;
  readonly reason?: string | undefined;
}

/** Which layers work on this machine, each tried for real by the program itself. */
export interface LayerReport {
  /** absent: `amplihack-sandbox`, which is made for it */
  readonly by?: "bwrap" | undefined;
  readonly namespaces: LayerAnswer;
  readonly network: LayerAnswer;
  readonly landlock: LayerAnswer;
  readonly seccomp: LayerAnswer;
  /** catching the changes of a try; not tried without a state home */
  readonly overlay: LayerAnswer;
  /** of Landlock: 4 knows TCP, 6 signals and abstract sockets; 0 is none */
  readonly landlockVersion: number;
}

const NAMES = ["namespaces", "network", "landlock", "seccomp", "overlay"] as const;
const TIMEOUT_MS = 20_000;

/** Asks the program; what it does not answer does not work. */
export function checkLayers(program: string, stateHome: string): LayerReport {
  const { stdout, status, error } = spawnSync(program, ["--home", stateHome, "--check"], {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  const read = readJson(stdout ?? "");
  const why = error === undefined ? `${program} ended with ${status} and did not say` : errorText(error);
  return readReport(read.ok ? read.value : undefined, why);
}

/** What is not answered does not work, because of `why`. */
export function readReport(answered: Json | undefined, why: string): LayerReport {
  const found = isJsonObject(answered) ? answered : {};
  const answerOf = (name: string): LayerAnswer => {
    const answer = found[name];
    if (!isJsonObject(answer)) return { works: false, reason: why };
    const { works, reason } = answer;
    return { works: works === true, reason: typeof reason === "string" ? reason : undefined };
  };
  const [namespaces, network, landlock, seccomp, overlay] = NAMES.map(answerOf);
  const unknown = { works: false, reason: why };
  const version = found["landlockVersion"];
  return {
    ...(found["by"] === "bwrap" ? { by: "bwrap" as const } : {}),
    namespaces: namespaces ?? unknown,
    network: network ?? unknown,
    landlock: landlock ?? unknown,
    seccomp: seccomp ?? unknown,
    overlay: overlay ?? unknown,
    landlockVersion: typeof version === "number" ? version : 0,
  };
}

/** All layers that work; undefined where what works holds nothing back: there is no sandbox then. */
export function usableLayers(report: LayerReport): readonly Layer[] | undefined {
  const hasView = report.namespaces.works && report.network.works;
  const layers: readonly Layer[] = [
    ...(hasView ? (["namespaces"] as const) : []),
    ...(report.landlock.works ? (["landlock"] as const) : []),
    ...(report.seccomp.works ? (["seccomp"] as const) : []),
  ];
  const holdsFiles = hasView || report.landlock.works;
  return holdsFiles && report.seccomp.works ? layers : undefined;
}
