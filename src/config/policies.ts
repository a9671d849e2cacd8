import { errorText, isJsonObject, type Json, parseJsonObject, stringAt } from "../protocol/index.ts";
import { dirname, join, resolve, type System, sha256Hex } from "../system/index.ts";
import { acceptConfig } from "./accept.ts";
import { readJsonc } from "./jsonc.ts";
import { override } from "./merge.ts";
import type { LayerScope, SchemaProblem } from "./schema.ts";
import type { ConfigFile, GuardSection } from "./sections.ts";
import { BUILT_IN, type Config, type GuardSettings } from "./settings.ts";

/**
 * One entry of `extends`: where a policy comes from, and what it must be. `./policy.jsonc#sha256-HEX` is pinned to one
 * content, `https://…/policy.jsonc#ed25519-KEY` to the holder of the key. A reference without a pin is ignored.
 */
export interface PolicyReference {
  /** as it is written */
  readonly entry: string;
  readonly from: string;
  readonly kind: "file" | "package" | "address" | "server";
  readonly pin:
    | { readonly kind: "sha256"; readonly hash: string }
    | { readonly kind: "ed25519"; readonly key: string }
    | undefined;
}

/** More references than this do not count: every hook reads each of them. */
export const MAX_POLICIES = 16;
export const MAX_POLICY_BYTES = 256 * 1024;
const MAX_RECORD_BYTES = 4 * 1024;
/** Sections that a policy may hold: nothing that starts a program or says where things are fetched from. */
const POLICY_SECTIONS: readonly string[] = ["guard", "parts", "failure", "history", "programs"];
const PACKAGE_NAME = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;

/** Undefined for a text that names neither a file, nor an npm package, nor an https address. */
export function parsePolicyReference(entry: string): PolicyReference | undefined {
  const [, from = "", pinned] = /^([^#\s]+)(?:#(\S+))?$/.exec(entry) ?? [];
  const kind = referenceKind(from);
  if (kind === undefined) return undefined;
  // What the team's server signs; a package of that name needs a pin like all others.
  if (entry === "server") return { entry, from, kind: "server", pin: undefined };
  const [, hash] = /^sha256-([0-9a-f]{64})$/.exec(pinned ?? "") ?? [];
  const [, key] = /^ed25519-([A-Za-z0-9+/]{43}=)$/.exec(pinned ?? "") ?? [];
  if (pinned !== undefined && hash === undefined && key === undefined) return undefined;
  const signed = key === undefined ? undefined : ({ kind: "ed25519", key } as const);
  return { entry, from, kind, pin: hash === undefined ? signed : { kind: "sha256", hash } };
}

/** An entry as messages name it: enough of the pin to tell it from others. */
export function shownPolicy(entry: string): string {
  return entry.replace(/(#(?:sha256|ed25519)-.{8})[\s\S]+$/, "$1…");
}

function referenceKind(from: string): PolicyReference["kind"] | undefined {
  if (/^https:\/\/[^/]/.test(from) || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(from))
    return "address";
  if (/^(\.{1,2}\/|\/)./.test(from)) return "file";
  return PACKAGE_NAME.test(from) && from.length <= 214 ? "package" : undefined;
}

/** Where `config pull` puts what the references of a configuration file lead to. */
export function policyFolder(configFile: string): string {
  return join(dirname(configFile), "policies");
}

export function policyFile(folder: string, hash: string): string {
  return join(folder, `sha256-${hash}.jsonc`);
}

/** Names the content that was last found to be signed with the key of the reference. */
export function signedRecordFile(system: Pick<System, "text">, folder: string, entry: string): string {
  return join(folder, `signed-${sha256Hex(system.text.encode(entry)).slice(0, 32)}.json`);
}

/** A policy as it was found, or why it does not count; `warning` is told beside it. */
export interface FoundPolicy {
  readonly reference: PolicyReference;
  readonly value: Json;
  readonly warning?: string;
}

type PolicySystem = Pick<System, "files" | "text">;
type Found = FoundPolicy | { readonly problem: string };

/**
 * Looks up one reference of a configuration file. Nothing is fetched and nobody is waited for: a file is read where it
 * lies if it is what was pinned, everything else from the folder that `config pull` fills.
 */
export function findPolicy(
  system: PolicySystem,
  entry: string,
  { path: configFile, scope }: { readonly path: string; readonly scope: LayerScope },
  isTrustedFile: (path: string) => boolean,
): Found {
  const pull = scope === "system" ? "sudo amplihack config pull --system" : "amplihack config pull";
  const reference = parsePolicyReference(entry);
  if (reference === undefined)
    return {
      problem:
        "it is not a file, npm package or https address followed by #sha256-… or #ed25519-…, nor server",
    };
  const { pin } = reference;
  const folder = policyFolder(configFile);
  if (reference.kind === "server") return attemptSigned(system, reference, folder, pull, isTrustedFile);
  if (pin === undefined)
    return {
      problem: `it is not pinned; run ${pull}${scope === "system" ? ", which tells the pin" : " --pin"}`,
    };
  if (pin.kind === "ed25519") return attemptSigned(system, reference, folder, pull, isTrustedFile);
  try {
    const kept = policyFile(folder, pin.hash);
    const own = reference.kind === "file" ? resolve(dirname(configFile), reference.from) : undefined;
    const isChanged = own !== undefined && digestFile(system, own) !== pin.hash;
    if (own !== undefined && !isChanged) return parsed(system, reference, own);
    if (digestFile(system, kept) === pin.hash) {
      const found = parsed(system, reference, kept);
      const warning = `counts as it was last pulled: ${own} is not what was pinned`;
      return isChanged && !("problem" in found) ? { ...found, warning } : found;
    }
    const has = own === undefined ? undefined : digestFile(system, own);
    // What lies beside the configuration is not fetched from anywhere: pulling would find the same.
    if (has !== undefined)
      return {
        problem: `${own} is not what was pinned: it is sha256-${has} now; bring the pinned text back, or change the pin`,
      };
    return { problem: `what was pinned is not there; run ${pull}` };
  } catch (error) {
    return { problem: `it could not be read: ${errorText(error)}` };
  }
}

function attemptSigned(...request: Parameters<typeof findSigned>): Found {
  try {
    return findSigned(...request);
  } catch (error) {
    return { problem: `it could not be read: ${errorText(error)}` };
  }
}

function findSigned(
  system: PolicySystem,
  reference: PolicyReference,
  folder: string,
  pull: string,
  isTrustedFile: (path: string) => boolean,
): Found {
  const record = signedRecordFile(system, folder, reference.entry);
  const missing = { problem: `no signed content was fetched yet; run ${pull}` };
  if (system.files.follow(record)?.kind !== "file") return missing;
  // The signature was checked when it was fetched: from then on the record stands for it.
  if (!isTrustedFile(record)) return { problem: `${record} can be written by others` };
  const members = parseJsonObject(system.text.decode(system.files.read(record, MAX_RECORD_BYTES)).text, 3);
  const hash = stringAt(members, "sha256") ?? "";
  if (stringAt(members, "entry") !== reference.entry || !/^[0-9a-f]{64}$/.test(hash)) return missing;
  const file = policyFile(folder, hash);
  if (digestFile(system, file) !== hash) return { problem: `${file} was changed or removed; run ${pull}` };
  return parsed(system, reference, file);
}

function digestFile(system: PolicySystem, file: string): string | undefined {
  const facts = system.files.follow(file);
  if (facts?.kind !== "file" || facts.size > MAX_POLICY_BYTES) return undefined;
  return system.files.digest(file);
}

function parsed(system: PolicySystem, reference: PolicyReference, file: string): Found {
  const read = readJsonc(system.text.decode(system.files.read(file, MAX_POLICY_BYTES)).text);
  if (!read.ok) return { problem: `it is not valid JSON with comments (${read.problem})` };
  return isJsonObject(read.value) ? { reference, value: read.value } : { problem: "expected an object" };
}

/** What of a policy counts; told of every member that does not. */
export function acceptPolicy(file: ConfigFile, refuse: (member: string) => void): ConfigFile {
  for (const section of Object.keys(file)) if (!POLICY_SECTIONS.includes(section)) refuse(section);
  const kept = Object.fromEntries(
    Object.entries(file).filter(([section]) => POLICY_SECTIONS.includes(section)),
  ) as ConfigFile;
  return kept.guard === undefined ? kept : { ...kept, guard: withoutTrust(kept.guard, refuse) };
}

/** A policy never says whom else to trust, nor where the audit goes. */
function withoutTrust(section: GuardSection, refuse: (member: string) => void): GuardSection {
  const { trustedProjects, trustHooks, audit, ...guard } = section;
  const { file, ...kept } = audit ?? {};
  if (trustedProjects !== undefined) refuse("guard.trustedProjects");
  if (trustHooks !== undefined) refuse("guard.trustHooks");
  if (file !== undefined) refuse("guard.audit.file");
  return audit === undefined ? guard : { ...guard, audit: kept };
}

/** Tells whether two machines are under the same rules: of everything that decides what an agent may do. */
export function policyDigest({ text }: Pick<System, "text">, config: Config): string {
  const { guard, autonomy, sandbox, parts, failure, history, managed } = config;
  return sha256Hex(
    text.encode(JSON.stringify({ guard, autonomy, sandbox, parts, failure, history, managed })),
  );
}

/** What a policy alone makes of the built-in settings, and everything of it that would not count on a machine. */
export function readPolicySettings(text: string): {
  readonly settings: GuardSettings | undefined;
  readonly problems: readonly string[];
} {
  const read = readJsonc(text);
  if (!read.ok) return { settings: undefined, problems: [`not valid JSON with comments (${read.problem})`] };
  const wrong: SchemaProblem[] = [];
  const file = acceptConfig(read.value, wrong);
  const problems = wrong.map(({ member, expected }) => `${member || "the text"}: expected ${expected}`);
  if (file === undefined) return { settings: undefined, problems };
  const policy = acceptPolicy(file, member => problems.push(`a policy may not hold ${member}`));
  return { settings: override(BUILT_IN, policy).guard, problems };
}
