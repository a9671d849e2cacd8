import { engineVariables, expandArgument, type HandlerSpec } from "../handlers/index.ts";
import { defined, errorText } from "../protocol/index.ts";
import type { Files } from "../system/index.ts";
import type { HookSource, TrustState, TrustStore } from "./options.ts";

/**
 * What a handler is, as a hash: everything that decides what runs and when, nothing of where it is written. Two
 * equal handlers share one identity wherever they stand and in whatever format; any change of meaning is a new
 * one. `pin`, when given, is the digest of the script that the command names.
 */
export function handlerIdentity(spec: HandlerSpec, pin?: string): string {
  const { action, source } = spec;
  return hashJson({
    event: spec.event,
    matcher: spec.matcher ?? null,
    if: spec.condition ?? null,
    action: { ...action },
    timeoutMs: spec.timeoutMs,
    onFailure: spec.onFailure ?? null,
    async: spec.isAsync,
    rewake: spec.rewakes,
    once: spec.isOnce,
    disabled: spec.isDisabled,
    pluginId: source.pluginId ?? null,
    dialect: spec.dialect,
    ...defined({ pin }),
  });
}

/** The identity of a source's wish to switch all hooks off, so that a store can agree to it or not. */
export function disableAllIdentity(): string {
  return hashJson({ disableAllHooks: true });
}

function hashJson(value: unknown): string {
  return digestContent(canonicalJson(value));
}

/** Loaded when first needed: an engine without a trust store may never need it. */
export function digestContent(content: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}

/** JSON with sorted keys and without absent members. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Managed policy needs no consent; without a store everything is trusted; a store that throws trusts nothing. */
export function askTrust(
  store: TrustStore | undefined,
  identity: () => string,
  source: HookSource,
): TrustState {
  if (source.kind === "managed") return "managed";
  if (store === undefined) return "trusted";
  try {
    const state = store.state(identity(), source);
    return state === "trusted" || state === "managed" || state === "modified" ? state : "untrusted";
  } catch {
    return "untrusted";
  }
}

export function isTrusted(state: TrustState): boolean {
  return state === "trusted" || state === "managed";
}

const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/** The digest of the first file below the project or plugin root that a command names; undefined when there is none. */
export function pinScript(spec: HandlerSpec, projectDir: string, files: Files): string | undefined {
  if (spec.action.kind !== "command") return undefined;
  const { pluginRoot } = spec.source;
  const variables = engineVariables(projectDir, {}, { ...defined({ pluginRoot }) });
  const roots = [projectDir, ...(pluginRoot === undefined ? [] : [pluginRoot])];
  for (const word of actionWords(spec)) {
    const named = expandArgument(word.replace(/\$(CLAUDE_\w+)/g, "${$1}"), variables);
    const digest = digestBelow(named.startsWith("/") ? named : `${projectDir}/${named}`, roots, files);
    if (digest !== undefined) return digest;
  }
  return undefined;
}

/** Words as a shell would roughly see them: enough to find a path, quoted or not. */
function actionWords({ action }: HandlerSpec): readonly string[] {
  if (action.kind !== "command") return [];
  if (action.args !== undefined) return [action.command, ...action.args];
  const words = action.command.match(/(?:"[^"]*"|'[^']*'|[^\s;&|<>()"'])+/g) ?? [];
  return words.map(word => word.replace(/["']/g, ""));
}

function digestBelow(path: string, roots: readonly string[], files: Files): string | undefined {
  try {
    if (files.follow(path)?.kind !== "file") return undefined;
    const real = files.realPath(path);
    if (!roots.some(root => real.startsWith(`${files.realPath(root)}/`))) return undefined;
    return digestContent(files.read(real, MAX_SCRIPT_BYTES));
  } catch (error) {
    // Unreadable now means: whatever it becomes later is something else than what is agreed to today.
    return `unreadable:${errorText(error)}`;
  }
}
