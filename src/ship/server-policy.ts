import { createHash } from "node:crypto";
import {
  loadConfig,
  policyFile,
  policyFolder,
  SYSTEM_CONFIG_FILE,
  signedRecordFile,
  userConfigFile,
} from "../config/index.ts";
import { loadPullPolicies } from "../install/index.ts";
import { checkSignature, readPublicKey } from "../launcher/index.ts";
import { numberAt, objectAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import { Problem, readText, requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { type JoinedServer, joinedFile, post } from "./joined-server.ts";

const TIMEOUT_MS = 15_000;
const MAX_RECORD_BYTES = 4 * 1024;

/** The text of the policy that the server has for this machine, with its signature checked. Throws when it has none. */
export async function fetchServerPolicy(system: System, joined: JoinedServer): Promise<Uint8Array> {
  const key = readServerKey(system, joined);
  const { status, body } = await post(
    joined.url,
    "/api/v1/policy",
    {},
    { key: joined.key, timeoutMs: TIMEOUT_MS },
  );
  if (status !== 200)
    throw new Problem(`${joined.url} answered ${status}: ${stringAt(body, "error") ?? ""}`, {
      kind: "failed",
    });
  const policy = objectAt(body, "policy");
  const [text, statement, signature] = [
    stringAt(policy, "text"),
    stringAt(policy, "statement"),
    stringAt(policy, "signature"),
  ];
  if (text === undefined || statement === undefined || signature === undefined)
    throw new Problem("the server has no policy for this machine", { kind: "not-found" });
  checkSignature(Buffer.from(statement), Buffer.from(signature), readPublicKey(key), "the policy");
  const said = parseJsonObject(statement, 3);
  const bytes = Buffer.from(text);
  const isThis =
    stringAt(said, "for") === "amplihack policy" &&
    stringAt(said, "team") === joined.team &&
    numberAt(said, "version") === numberAt(policy, "version") &&
    stringAt(said, "sha256") === createHash("sha256").update(bytes).digest("hex");
  if (!isThis) throw new Problem("the policy is not what the server signed for", { kind: "refused" });
  return bytes;
}

/** What its answers are checked with: the configuration's key, else the one that it told first. */
export function readServerKey(system: System, { serverKey, url }: JoinedServer): string {
  const { stateHome, home } = requireDirectories(system);
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  const key = config.team.key ?? serverKey;
  if (key === null)
    throw new Problem(`${url} has sent no key to check its answers with`, {
      kind: "refused",
      fix: "amplihack ship --once --to server, with a server of this version",
    });
  return key;
}

/** Whether the configuration of the user takes the server's policy. */
function extendsServer(system: System, stateHome: string): boolean {
  const { home } = requireDirectories(system);
  return loadConfig(system, { home, stateHome, projectRoot: undefined }).config.extends.includes("server");
}

/** The digest of the policy that was adopted last; empty when none was. */
export function takenPolicy(system: System, stateHome: string): string {
  for (const file of [SYSTEM_CONFIG_FILE, userConfigFile(stateHome)]) {
    const folder = policyFolder(file);
    const record = readText(system, signedRecordFile(system, folder, "server"), MAX_RECORD_BYTES);
    const sha256 = stringAt(parseJsonObject(record ?? "", 3), "sha256") ?? "";
    if (/^[0-9a-f]{64}$/.test(sha256) && system.files.follow(policyFile(folder, sha256)) !== undefined)
      return sha256;
  }
  return "";
}

/** Takes a new version where there is one; `wanted` is what the server has for this machine. */
export async function takePolicy(
  system: System,
  stateHome: string,
  wanted: string | undefined,
): Promise<string | undefined> {
  if (wanted === undefined || wanted === takenPolicy(system, stateHome) || !extendsServer(system, stateHome))
    return undefined;
  const joined = joinedFile(system, stateHome).read();
  if (joined === undefined) return undefined;
  const { pullPolicies } = await loadPullPolicies();
  const [pulled] = await pullPolicies(system, ["server"], {
    configFile: userConfigFile(stateHome),
    mode: 0o600,
    directoryMode: 0o700,
    fromServer: () => fetchServerPolicy(system, joined),
  });
  return pulled?.problem ?? undefined;
}
