import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  acceptConfig,
  MAX_POLICY_BYTES,
  type PolicyReference,
  parsePolicyReference,
  policyFile,
  policyFolder,
  readJsonc,
  type SchemaProblem,
  signedRecordFile,
} from "../config/index.ts";
import { checkSignature, fetchBytes, readPublicKey } from "../launcher/index.ts";
import { errorText, memberAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { isInside, type System, sha256Hex, writeAtomically } from "../system/index.ts";
import { sizeText } from "../text/index.ts";

/** What became of one entry of `extends`. On failure the content that was kept before stays. */
export interface PulledPolicy {
  readonly entry: string;
  /** pinned to what was found just now; equal to `entry` for one that had a pin */
  readonly pinned: string;
  readonly sha256: string | null;
  readonly problem: string | null;
  /** members that do not count */
  readonly warnings: readonly string[];
}

export interface PullOptions {
  readonly configFile: string;
  /** of the files that are written; the machine's are read by everybody */
  readonly mode: number;
  readonly directoryMode: number;
  /** the policy of the team's server, whose signature was checked */
  readonly fromServer?: (() => Promise<Uint8Array>) | undefined;
}

const TIMEOUT_MS = 15_000;
const MAX_SIGNATURE_BYTES = 4 * 1024;
const MAX_PACKAGE_BYTES = 1024 * 1024;
const DEFAULT_FILE = "policy.jsonc";

/** Fetches and checks what the entries name, and keeps it where hooks read it. Entries without a pin are only looked at. */
export async function pullPolicies(
  system: System,
  entries: readonly string[],
  options: PullOptions,
): Promise<readonly PulledPolicy[]> {
  const pulled: PulledPolicy[] = [];
  for (const entry of entries) pulled.push(await pullPolicy(system, entry, options));
  return pulled;
}

async function pullPolicy(system: System, entry: string, options: PullOptions): Promise<PulledPolicy> {
  const failed = { entry, pinned: entry, sha256: null, warnings: [] };
  const reference = parsePolicyReference(entry);
  if (reference === undefined)
    return {
      ...failed,
      problem: "expected a file, npm package or https address followed by #sha256-… or #ed25519-…, or server",
    };
  try {
    const bytes = await readPolicy(system, reference, options);
    const sha256 = sha256Hex(bytes);
    const warnings = checkContent(system, bytes);
    const { pin, from } = reference;
    if (pin?.kind === "sha256" && pin.hash !== sha256)
      return { ...failed, sha256, problem: `it is sha256-${sha256} now, and not what was pinned` };
    if (pin?.kind === "ed25519")
      checkSignature(bytes, await readSignature(system, reference, options), readPublicKey(pin.key), from);
    keep(system, reference, sha256, bytes, options);
    return {
      entry,
      pinned: pin === undefined && reference.kind !== "server" ? `${from}#sha256-${sha256}` : entry,
      sha256,
      problem: null,
      warnings,
    };
  } catch (error) {
    const causes = error instanceof Problem ? error.causes : [];
    return { ...failed, problem: [errorText(error), ...causes].join(": ") };
  }
}

async function readPolicy(
  system: System,
  reference: PolicyReference,
  { configFile, fromServer }: PullOptions,
): Promise<Uint8Array> {
  if (reference.kind === "server") {
    if (fromServer === undefined) throw new Error("this machine has joined no server; run amplihack join");
    return fromServer();
  }
  if (reference.kind === "address")
    return fetchBytes(reference.from, { bytes: MAX_POLICY_BYTES, timeoutMs: TIMEOUT_MS });
  const file = localFile(system, reference, configFile);
  const facts = system.files.follow(file);
  if (facts === undefined) throw new Error(`there is no file ${file}`);
  if (facts.kind !== "file") throw new Error(`${file} is not a file`);
  if (facts.size > MAX_POLICY_BYTES) throw new Error(`${file} is larger than ${sizeText(MAX_POLICY_BYTES)}`);
  return system.files.read(file, MAX_POLICY_BYTES);
}

/** Beside the policy, with `.sig` behind its name: 64 bytes, bare or as base64. */
async function readSignature(
  system: System,
  reference: PolicyReference,
  { configFile }: PullOptions,
): Promise<Uint8Array> {
  if (reference.kind === "address")
    return fetchBytes(`${reference.from}.sig`, { bytes: MAX_SIGNATURE_BYTES, timeoutMs: TIMEOUT_MS });
  return system.files.read(`${localFile(system, reference, configFile)}.sig`, MAX_SIGNATURE_BYTES);
}

function localFile(system: System, { kind, from }: PolicyReference, configFile: string): string {
  return kind === "file"
    ? resolve(dirname(configFile), from)
    : packageFile(system, from, dirname(configFile));
}

/** `amplihack.policy` of its package.json, else `policy.jsonc`; never outside of the package. */
function packageFile(system: System, name: string, directory: string): string {
  const roots = [
    join(directory, "node_modules"),
    join(dirname(process.execPath), "..", "lib", "node_modules"),
  ];
  const root = roots
    .map(each => join(each, name))
    .find(each => system.files.follow(each)?.kind === "directory");
  if (root === undefined) throw new Error(`the package is in none of ${roots.join(", ")}; install it there`);
  const text = system.text.decode(system.files.read(join(root, "package.json"), MAX_PACKAGE_BYTES)).text;
  const manifest = parseJsonObject(text, 40);
  const file = realpathSync(
    resolve(root, stringAt(memberAt(manifest, "amplihack"), "policy") ?? DEFAULT_FILE),
  );
  if (!isInside(realpathSync(root), file)) throw new Error(`the policy of ${name} is outside the package`);
  return file;
}

/** Throws for what no configuration can be; gives the members that would be ignored. */
function checkContent(system: System, bytes: Uint8Array): readonly string[] {
  const read = readJsonc(system.text.decode(bytes).text);
  if (!read.ok) throw new Error(`not valid JSON with comments (${read.problem})`);
  const problems: SchemaProblem[] = [];
  if (acceptConfig(read.value, problems) === undefined) throw new Error("it contains no configuration");
  return problems.map(({ member, expected }) => `${member} is ignored: expected ${expected}`);
}

/** The content first, so that a record never names what is not there. */
function keep(
  system: System,
  { entry, kind, pin }: PolicyReference,
  sha256: string,
  bytes: Uint8Array,
  { configFile, mode, directoryMode }: PullOptions,
): void {
  const isSigned = pin?.kind === "ed25519" || kind === "server";
  if (pin === undefined && !isSigned) return;
  const folder = policyFolder(configFile);
  writeAtomically(system, policyFile(folder, sha256), bytes, { mode, directoryMode });
  if (!isSigned) return;
  const record = `${JSON.stringify({ entry, sha256 })}\n`;
  writeAtomically(system, signedRecordFile(system, folder, entry), system.text.encode(record), {
    mode,
    directoryMode,
  });
}
